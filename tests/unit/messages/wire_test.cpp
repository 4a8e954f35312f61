#include <fstream>
#include <iterator>

#include "support/expect_error.hpp"
#include "unit/messages/ends.hpp"
#include "wire/message.hpp"

namespace adoc {
namespace {

using namespace testkit;

TEST(MessageWireTest, TheGoldenStreamIsWrittenAndRead) {
  // Goal: the bytes of adoc(5), from the fields and from the functions, and back.
  std::ifstream file(ADOC_MESSAGES_GOLDEN, std::ios::binary);
  const std::string golden((std::istreambuf_iterator<char>(file)), {});
  ASSERT_FALSE(golden.empty());
  Ends ends = socket_pair();
  ASSERT_EQ(adoc_write(ends.a, "hi", 2, nullptr), 2);
  std::string written(15, ' ');
  ASSERT_EQ(read(ends.b, written.data(), written.size()), 15);
  for (const std::byte one : FileMark{}.encode()) written += static_cast<char>(one);
  EXPECT_EQ(written, golden);
  ASSERT_EQ(write(ends.a, golden.data(), golden.size()), std::ssize(golden));
  const ByteSpan hi = as_byte_span("hi");
  EXPECT_EQ(read_bytes(ends.b, 2), Bytes(hi.begin(), hi.end()));
  std::byte one{};
  EXPECT_EQ(adoc_read(ends.b, &one, 1), -1);
  EXPECT_EQ(errno, ENOMSG);
}

TEST(MessageWireTest, HeadersComeBack) {
  // Goal: each field at its bounds, and the length is known from as few bytes as one.
  const auto comes_back = [](const auto& record) {
    const auto bytes = record.encode();
    for (std::size_t some = 1; some <= bytes.size(); ++some)
      EXPECT_EQ(message_header_bytes(ByteSpan(bytes).first(some)), bytes.size());
    EXPECT_EQ(decode_message_header(bytes), MessageHeader(record));
  };
  comes_back(PlainRun{1});
  comes_back(PlainRun{kMaxPlainRunBytes});
  comes_back(PackedRun{.codec = 1, .raw_bytes = 1, .stored_bytes = 1, .checksum = 0});
  comes_back(PackedRun{.codec = 3,
                       .raw_bytes = kMaxPackedRunBytes,
                       .stored_bytes = kMaxPackedRunBytes,
                       .checksum = ~std::uint64_t{0}});
  comes_back(FileMark{});
  comes_back(FileMark{FileMark::Mark::failed, ~std::uint64_t{0}});
}

TEST(MessageWireTest, EveryFlippedBitOfAHeaderIsAnError) {
  // Goal: no header is believed that differs from what was written in one bit.
  const auto refused = [](const auto& record) {
    for (std::size_t bit = 0; bit < record.kBytes * 8; ++bit) {
      auto bytes = record.encode();
      bytes[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
      expect_corrupt("", [&] { static_cast<void>(decode_message_header(bytes)); });
    }
  };
  refused(PlainRun{77});
  refused(PackedRun{.codec = 3, .raw_bytes = 77, .stored_bytes = 5, .checksum = 1});
  refused(FileMark{FileMark::Mark::end, 77});
}

}  // namespace
}  // namespace adoc
