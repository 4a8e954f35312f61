#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "adoc/error.hpp"
#include "codec/codec.hpp"
#include "support/read_file.hpp"
#include "support/recode.hpp"

namespace adoc {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> golden_files(const char* directory) {
  std::vector<fs::path> files;
  for (const auto& file : fs::directory_iterator(fs::path(ADOC_GOLDEN_DIR) / directory))
    if (file.path().extension() == ".bin") files.push_back(file.path());
  std::ranges::sort(files);
  return files;
}

Bytes contents(const fs::path& path) {
  const std::string text = testkit::read_file(path.string()).value_or("");
  const ByteSpan bytes = as_byte_span(text);
  return {bytes.begin(), bytes.end()};
}

/// File name to a part of the message that refuses it.
std::map<std::string, std::string> expected_messages() {
  std::map<std::string, std::string> messages;
  std::ifstream in(fs::path(ADOC_GOLDEN_DIR) / "bad/EXPECTED");
  for (std::string line; std::getline(in, line);) {
    const std::size_t colon = line.find(": ");
    messages[line.substr(0, colon)] = line.substr(colon + 2);
  }
  return messages;
}

std::string test_name(const testing::TestParamInfo<fs::path>& file) {
  std::string name = file.param.stem().string();
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return name;
}

class File : public testing::TestWithParam<fs::path> {
 protected:
  void SetUp() override {
    if (!has_codec(CodecId::bzip3) && GetParam().stem().string().ends_with("-bzip3"))
      GTEST_SKIP() << "built without libbzip3";
  }
};
class GoodFile : public File {};
class BadFile : public File {};

TEST_P(GoodFile, IsReadAndWrittenTheSame) {
  // Goal: version 1 stays version 1: what was once on the wire is read, and nothing else is
  // written.
  const Bytes bytes = contents(GetParam());
  ASSERT_FALSE(bytes.empty());
  EXPECT_EQ(testkit::recode(GetParam().stem().string(), bytes), bytes);
}

TEST_P(GoodFile, IsRefusedWithoutItsLastByte) {
  // Goal: a file that was cut anywhere near its end is never taken for whole.
  Bytes bytes = contents(GetParam());
  bytes.pop_back();
  EXPECT_THROW(static_cast<void>(testkit::recode(GetParam().stem().string(), bytes)), Error);
}

TEST_P(BadFile, IsRefusedWithItsMessage) {
  // Goal: each bad file is the peer's fault, for the reason noted beside it.
  const std::string message = expected_messages()[GetParam().filename().string()];
  ASSERT_FALSE(message.empty()) << "bad/EXPECTED lacks " << GetParam().filename();
  const std::string name = GetParam().stem().string();
  try {
    static_cast<void>(testkit::recode(name, contents(GetParam())));
    FAIL() << "it was accepted, expected: " << message;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), name.starts_with("hello-") ? ErrorKind::connect : ErrorKind::corrupt);
    EXPECT_NE(std::string_view(error.what()).find(message), std::string_view::npos)
        << "\"" << error.what() << "\" does not say \"" << message << "\"";
  }
}

TEST(GoldenTest, EveryExpectedFileIsThere) {
  // Goal: a bad file that got lost is noticed.
  const auto messages = expected_messages();
  EXPECT_GT(messages.size(), 40U);
  EXPECT_EQ(messages.size(), golden_files("bad").size());
  EXPECT_GT(golden_files("good").size(), 20U);
}

INSTANTIATE_TEST_SUITE_P(V1, GoodFile, testing::ValuesIn(golden_files("good")), test_name);
INSTANTIATE_TEST_SUITE_P(V1, BadFile, testing::ValuesIn(golden_files("bad")), test_name);

}  // namespace
}  // namespace adoc
