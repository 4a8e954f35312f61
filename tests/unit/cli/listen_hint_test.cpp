#include "cli/listen_hint.hpp"

#include <gtest/gtest.h>

namespace adoc::cli {
namespace {

using Lines = std::vector<std::string>;

class ListenHintTest : public testing::Test {
 protected:
  Key key_ = Key::generate();
  ChosenKey in_default_file_{.key = key_, .file = "/home/me/.config/adoc/key", .is_default = true};
  ChosenKey in_file_{.key = key_, .file = "mine"};
  ChosenKey in_environment_{.key = key_};

  static Lines lines(const std::string& host, std::uint16_t port, std::optional<ChosenKey> key,
                     bool shows_key) {
    return lines_to_type({.listening = {host, port},
                          .machine = "10.0.0.5",
                          .key = std::move(key),
                          .shows_key = shows_key});
  }
};

TEST_F(ListenHintTest, APersonGetsTheKeyAndALogTheWayToIt) {
  // Goal: a line that works as it is, without a secret where it is kept.
  EXPECT_EQ(lines("::", 4400, in_default_file_, true),
            (Lines{"on the other machine, once: adoc-send --save-key 10.0.0.5 and there paste " +
                       key_.text(),
                   "on the other machine: adoc-send PATH... 10.0.0.5",
                   "on this machine: adoc-send PATH... localhost"}));
  EXPECT_EQ(lines("::", 4400, in_default_file_, false),
            (Lines{"on the other machine, once: ssh 10.0.0.5 cat /home/me/.config/adoc/key | "
                   "adoc-send --save-key 10.0.0.5",
                   "on the other machine: adoc-send PATH... 10.0.0.5",
                   "on this machine: adoc-send PATH... localhost"}));
  for (const auto& key : {in_default_file_, in_file_, in_environment_})
    for (const std::string& line : lines("0.0.0.0", 5000, key, false))
      EXPECT_EQ(line.find(key_.text()), std::string::npos) << line;
}

TEST_F(ListenHintTest, TheAddressIsOneThatLeadsHere) {
  // Goal: the port where it is not the usual one, brackets, and loopback for this machine alone.
  EXPECT_EQ(
      lines("10.1.2.3", 5000, in_environment_, true),
      (Lines{"on the other machine, once: adoc-send --save-key 10.1.2.3:5000 and there paste " +
                 key_.text(),
             "on the other machine: adoc-send PATH... 10.1.2.3:5000"}));
  EXPECT_EQ(lines("127.0.0.1", 4400, in_environment_, true),
            (Lines{"on this machine: ADOC_KEY=(the same as here) adoc-send PATH... 127.0.0.1"}));
  EXPECT_EQ(lines("fd00::1", 4400, std::nullopt, true),
            (Lines{"on the other machine: adoc-send --insecure PATH... [fd00::1]:4400"}));
  EXPECT_EQ(lines("127.0.0.1", 4400, std::nullopt, true),
            (Lines{"on this machine: adoc-send --insecure PATH... 127.0.0.1"}));
  EXPECT_EQ(lines("::1", 4401, in_file_, true),
            (Lines{"on this machine: adoc-send --key-file mine PATH... [::1]:4401"}));
}

TEST_F(ListenHintTest, ThisMachineHasAnAddress) {
  // Goal: something to type, whatever the network is like.
  EXPECT_FALSE(machine_address().empty());
}

}  // namespace
}  // namespace adoc::cli
