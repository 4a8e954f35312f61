#include "util/safe_name.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "support/expect_error.hpp"

namespace adoc {
namespace {

using namespace std::string_literals;
using testkit::expect_corrupt;

void refuses(const std::string& name, std::string_view why) {
  expect_corrupt(why, [&] { static_cast<void>(SafeName::check(name)); });
}

void accepts(const std::string& name) {
  EXPECT_NO_THROW(EXPECT_EQ(SafeName::check(name).str(), name)) << adoc::quoted(name);
}

TEST(SafeNameTest, NamesThatLeadOutsideAreRefused) {
  // Goal: no accepted name can reach outside the directory it is used in.
  refuses("..", "leads upwards");
  refuses("../x", "leads upwards");
  refuses("a/..", "leads upwards");
  refuses("a/../x", "leads upwards");
  refuses("a/../../x", "leads upwards");
  refuses("/", "absolute");
  refuses("/x", "absolute");
  refuses("//x", "absolute");
}

TEST(SafeNameTest, WhatTheReceiverKeepsForItselfIsNotNamed) {
  // Goal: no peer reaches into .adoc at the top, in whatever letters; elsewhere it is a name.
  for (const char* const name : {".adoc", ".adoc/x", ".adoc/a/b", ".ADOC", ".aDoC/x"})
    refuses(name, "a receiver keeps under it");
  for (const char* const name : {".adocs", ".ado", "a/.adoc", "a/.adoc/x", "adoc", ".adoc x/y"})
    accepts(name);
}

TEST(SafeNameTest, WhatSomeFileSystemTakesForItIsNotNamedEither) {
  // Goal: vfat, exFAT, NTFS, SMB, ext4 with casefold, HFS+, APFS and ZFS with formKC.
  for (const char* const name :
       {".adoc.",         ".adoc ",          ".ADOC. . ",
        ".adoc./x",       ".adoc:x",         ".adoc::$DATA",
        ".adoc\\x",       ".a\u200bdoc",     "\ufeff.adoc",
        ".adoc\u200d/x",  ".ado\u00adc",     "\u2060.ADOC",
        ".adoc\ufe0f",    ".a\U000e0020doc", "\uff0e\uff41\uff44\uff4f\uff43",
        ".\uff21DOC",     "\u2024adoc",      ".\u24d0doc",
        ".\U0001d41adoc", ".ad\u00ba\u217d", ".adoc\u3000",
        ".adoc\uf029",    "ADOC~1",          "adoc~12",
        "AD12AB~1",       "adoc~1/x",        "a~1"})
    refuses(name, "a receiver keeps under it");
  for (const char* const name :
       {".adoc-x",      ".adoc x",      "..adoc",     ". adoc",     " .adoc",
        "adoc~",        "adoc~x",       "adoc~1x",    "b~1",        "adocs~1",
        "~1",           "ADXY12~1",     ".ad\u00f6c", ".\u0430doc", ".adoc\x80",
        ".ado\xc0\xa3", "\u6587\u4ef6", "caf\u00e9",  "x/.adoc.",   ".ad.oc"})
    accepts(name);
}

TEST(SafeNameTest, NamesWithSecondSpellingsAreRefused) {
  // Goal: a file has one name, so empty and "." components are not taken.
  refuses("", "empty");
  refuses(".", "\".\"");
  refuses("./a", "\".\"");
  refuses("a/.", "\".\"");
  refuses("a/./b", "\".\"");
  refuses("a//b", "component is empty");
  refuses("a/", "component is empty");
  refuses("a\0b"s, "NUL");
  refuses("\0"s, "NUL");
}

TEST(SafeNameTest, LengthsEndWhereTheFileSystemEnds) {
  // Goal: 255 bytes a component and 4,095 in all are taken, one more is not.
  const std::string component(255, 'c');
  accepts(component);
  refuses(component + "c", "component is too long");
  refuses("a/" + component + "c/b", "component is too long");
  refuses(std::string(5'000, 'x'), "too long");

  std::string path = component;
  while (path.size() + 256 <= SafeName::kMaxBytes) path += "/" + component;
  ASSERT_EQ(path.size(), 4'095U);
  accepts(path);
  refuses("e" + path, "it is too long");
}

TEST(SafeNameTest, OddButHarmlessNamesAreAccepted) {
  // Goal: whatever a Unix file may be called is carried.
  for (const auto* name : {"a", "a/b/c", "...", "..a", "a..", ".hidden", "-rf", " ", "a b", "a\nb",
                           "~", "*", "\\", "a\\..\\b", "\x7f", "\x1b[2J"})
    accepts(name);
  accepts("\xff\xfe/\x80");
  accepts("caf\xc3\xa9");
}

TEST(SafeNameTest, AMessageAboutALongNameIsShort) {
  // Goal: a hostile name does not fill the screen, nor drive it.
  try {
    static_cast<void>(SafeName::check("\x1b[2J" + std::string(5'000, 'x')));
    FAIL();
  } catch (const Error& error) {
    const std::string message = error.what();
    EXPECT_LT(message.size(), 200U);
    EXPECT_EQ(message.find('\x1b'), std::string::npos);
    EXPECT_NE(message.find("\\033[2J"), std::string::npos) << message;
  }
}

TEST(SafeNameTest, DirectoryAndLeafSplitAtTheLastSlash) {
  // Goal: both parts of a deep name and of a name at the top.
  const auto deep = SafeName::check("a/b/c");
  EXPECT_EQ(deep.directory(), "a/b");
  EXPECT_EQ(deep.leaf(), "c");
  const auto top = SafeName::check("top");
  EXPECT_EQ(top.directory(), "");
  EXPECT_EQ(top.leaf(), "top");
}

TEST(QuotedTest, PlainNamesStayBare) {
  // Goal: what needs no quotes has none, everything else has.
  EXPECT_EQ(adoc::quoted("a/b-c_1.tar"), "a/b-c_1.tar");
  EXPECT_NE(adoc::quoted("caf\xc3\xa9").find("caf\xc3\xa9"), std::string::npos);
  EXPECT_EQ(adoc::quoted(""), "''");
  EXPECT_EQ(adoc::quoted("a b"), "'a b'");
  EXPECT_EQ(adoc::quoted("it's"), "'it\\'s'");
  EXPECT_EQ(adoc::quoted("a\\b"), "'a\\\\b'");
}

TEST(PrintableNameTest, NoTwoNamesLookAlike) {
  // Goal: a backslash is told from an escape, and is left alone where it can be no other.
  EXPECT_EQ(adoc::printable_name("a\nb"), "a\\nb");
  EXPECT_EQ(adoc::printable_name("a\\nb"), "a\\\\nb");
  EXPECT_EQ(adoc::printable_name("a\\\nb"), "a\\\\\\nb");
  EXPECT_EQ(adoc::printable_name("\\033"), "\\\\033");
  EXPECT_EQ(adoc::printable_name("C:\\Users\\"), "C:\\Users\\");
  EXPECT_EQ(adoc::printable_name("caf\xc3\xa9 \xff"), "caf\xc3\xa9 \\377");
  // All names of up to five of these letters.
  static constexpr std::string_view kLetters = "\\nt03b\n\t\x1b";
  std::map<std::string, std::string> shown;
  std::vector<std::string> names{""};
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto [other, is_new] = shown.emplace(adoc::printable_name(names[i]), names[i]);
    ASSERT_TRUE(is_new) << other->first;
    if (names[i].size() == 5) continue;
    for (const char letter : kLetters) names.push_back(names[i] + letter);
  }
}

TEST(QuotedTest, ControlBytesAreEscaped) {
  // Goal: no byte below 0x20, no DEL, no C1 control reaches a terminal.
  EXPECT_EQ(adoc::quoted("a\nb\tc"), "'a\\nb\\tc'");
  EXPECT_EQ(adoc::quoted("\x1b[0m"), "'\\033[0m'");
  EXPECT_EQ(adoc::quoted("\x7f"), "'\\177'");
  EXPECT_EQ(adoc::quoted("\xc2\x9b"), "'\\302\\233'");
  EXPECT_EQ(adoc::quoted("\0"s), "'\\000'");
  for (int byte = 0; byte < 256; ++byte)
    for (const char shown : adoc::quoted(std::string(1, static_cast<char>(byte))))
      EXPECT_TRUE(shown >= 0x20 && shown < 0x7f) << byte;
}

TEST(QuotedTest, InvalidUtf8IsEscaped) {
  // Goal: lone, overlong, surrogate, cut and too large sequences are shown in octal.
  EXPECT_EQ(adoc::quoted("\xff"), "'\\377'");
  EXPECT_EQ(adoc::quoted("\x80"), "'\\200'");
  EXPECT_EQ(adoc::quoted("\xc0\xaf"), "'\\300\\257'");
  EXPECT_EQ(adoc::quoted("\xe0\x80\xaf"), "'\\340\\200\\257'");
  EXPECT_EQ(adoc::quoted("\xed\xa0\x80"), "'\\355\\240\\200'");
  EXPECT_EQ(adoc::quoted("\xf4\x90\x80\x80"), "'\\364\\220\\200\\200'");
  EXPECT_EQ(adoc::quoted("\xe2\x82"), "'\\342\\202'");
  EXPECT_NE(adoc::quoted("\xf0\x9f\x98\x80").find("\xf0\x9f\x98\x80"), std::string::npos);
}

TEST(QuotedTest, CharactersThatReorderTextAreEscaped) {
  // Goal: every bidirectional control and line separator of Unicode is shown, not obeyed.
  for (const auto* hidden : {"\u061c", "\u200e", "\u200f", "\u2028", "\u2029", "\u202a", "\u202b",
                             "\u202c", "\u202d", "\u202e", "\u2066", "\u2067", "\u2068", "\u2069"})
    for (const char shown : adoc::quoted("a"s + hidden + "b"))
      EXPECT_LT(static_cast<unsigned char>(shown), 0x80U) << adoc::quoted(hidden);
}

}  // namespace
}  // namespace adoc
