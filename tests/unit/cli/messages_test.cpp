#include "cli/messages.hpp"

#include <gtest/gtest.h>

namespace adoc::cli {
namespace {

TEST(MessagesTest, TextThatOnlyShowsStaysAsItIs) {
  // Goal: ordinary names in any script, and backslashes, are left alone.
  for (const char* const text :
       {"", "a b.txt", "Grüße/日本語/🙂", "C:\\new", "it's \"quoted\""}) {
    EXPECT_EQ(escape(text), text);
  }
}

TEST(MessagesTest, NothingThatDrivesATerminalGetsThrough) {
  // Goal: newlines, escape sequences, C1 controls and direction overrides are shown, not obeyed.
  EXPECT_EQ(escape("a\nb"), "a\\nb");
  EXPECT_EQ(escape("\x1b[2J\r\x07\x7f"), "\\033[2J\\015\\007\\177");
  EXPECT_EQ(escape(std::string_view("\0x", 2)), "\\000x");
  EXPECT_EQ(escape("\xc2\x9b"
                   "2J"),
            "\\302\\2332J");
  EXPECT_EQ(escape("\xe2\x80\xae"
                   "fdp.exe"),
            "\\342\\200\\256fdp.exe");
}

TEST(MessagesTest, BytesThatAreNotUtf8AreOctal) {
  // Goal: lone, cut, overlong, surrogate and too large sequences are all caught, byte by byte.
  EXPECT_EQ(escape("\xff"), "\\377");
  EXPECT_EQ(escape("\x80x"), "\\200x");
  EXPECT_EQ(escape("\xc3"), "\\303");
  EXPECT_EQ(escape("\xe6\x97z"), "\\346\\227z");
  EXPECT_EQ(escape("\xc0\xaf"), "\\300\\257");
  EXPECT_EQ(escape("\xe0\x80\xaf"), "\\340\\200\\257");
  EXPECT_EQ(escape("\xed\xa0\x80"), "\\355\\240\\200");
  EXPECT_EQ(escape("\xf4\x90\x80\x80"), "\\364\\220\\200\\200");
}

TEST(MessagesTest, EscapingTwiceChangesNothing) {
  // Goal: a message that the library escaped already can pass through the log.
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  EXPECT_EQ(escape(escape(all)), escape(all));
}

TEST(MessagesTest, AFailedEntryIsNamedOnce) {
  // Goal: the path is added only where the message lacks it.
  EXPECT_EQ(entry_message("a/b", "cannot read a/b: no"), "cannot read a/b: no");
  EXPECT_EQ(entry_message("a/b", "no room"), "a/b: no room");
  EXPECT_EQ(entry_message("a\nb", "cannot read 'a\\nb': no"), "cannot read 'a\\nb': no");
}

}  // namespace
}  // namespace adoc::cli
