#include <gtest/gtest.h>

#include <functional>

#include "adoc/options.hpp"
#include "adoc/receive.hpp"
#include "adoc/send.hpp"
#include "support/expect_error.hpp"
#include "transfer/require_key.hpp"

namespace adoc {
namespace {

SendOptions good_send() {
  SendOptions options;
  options.paths = {"file"};
  options.peer = {"host", 4400};
  return options;
}

ReceiveOptions good_receive() {
  ReceiveOptions options;
  options.out_directory = "out";
  return options;
}

TEST(ValidateSendOptions, LargePacketsAloneAreFine) {
  // Goal: the FIFO's default bound follows the packets' size, so that nobody has to set both.
  for (const std::size_t bytes : {kMinPacketBytes, std::size_t{8'192}, kMaxPacketBytes}) {
    SendOptions options{.paths = {"a"}, .peer = {.host = "host"}};
    options.pipeline.packet_bytes = bytes;
    EXPECT_NO_THROW(validate(options)) << bytes;
    EXPECT_GT(options.pipeline.fifo_capacity(), 10U) << "the law needs more than its threshold";
  }
}

TEST(ValidateTest, TheDefaultsAndTheEndsOfEachRangeAreGood) {
  // Goal: what the paper and the limits name is accepted.
  EXPECT_NO_THROW(validate(good_send()));
  EXPECT_NO_THROW(validate(good_receive()));
  for (const std::size_t packet : {kMinPacketBytes, kMaxPacketBytes})
    for (const std::size_t block : {kMinBlockBytes, kMaxBlockBytes}) {
      SendOptions options = good_send();
      options.pipeline.packet_bytes = packet;
      options.pipeline.block_bytes = block;
      options.pipeline.fifo_packets = kMaxFifoBytes / packet;
      EXPECT_NO_THROW(validate(options));
      options.pipeline.fifo_packets = 1;
      EXPECT_NO_THROW(validate(options));
    }
  for (const std::size_t chosen_or_most : {std::size_t{0}, kMaxThreads}) {
    SendOptions send = good_send();
    send.pipeline.threads = chosen_or_most;
    EXPECT_NO_THROW(validate(send));
    ReceiveOptions receive = good_receive();
    receive.threads = chosen_or_most;
    EXPECT_NO_THROW(validate(receive));
  }
}

TEST(ValidateTest, EachWrongSendOptionIsNamed) {
  // Goal: the message says which option, why, and what is possible.
  struct Case {
    std::string_view message;
    std::function<void(SendOptions&)> spoil;
  };
  const std::vector<Case> cases{
      {"no PATH", [](SendOptions& o) { o.paths.clear(); }},
      {"a PATH is empty", [](SendOptions& o) { o.paths = {""}; }},
      {"no HOST", [](SendOptions& o) { o.peer.host.clear(); }},
      {"port 0", [](SendOptions& o) { o.peer.port = 0; }},
      {"standard input has no name of its own",
       [](SendOptions& o) { o.paths = std::vector<std::string>{"-"}; }},
      {"only once",
       [](SendOptions& o) {
         o.paths = {"-", "-"};
       }},
      {"- is not among the paths", [](SendOptions& o) { o.stdin_name = std::string("x"); }},
      {"name: the name ../x is not allowed",
       [](SendOptions& o) {
         o.paths = std::vector<std::string>{"-"};
         o.stdin_name = std::string("../x");
       }},
      {"name names standard input or the only PATH",
       [](SendOptions& o) {
         o.paths = {"a", "b"};
         o.name = std::string("x");
       }},
      {"name: the name ../x is not allowed", [](SendOptions& o) { o.name = std::string("../x"); }},
      {"packet_bytes 63: it goes from 64", [](SendOptions& o) { o.pipeline.packet_bytes = 63; }},
      {"packet_bytes 1048577", [](SendOptions& o) { o.pipeline.packet_bytes = 1'048'577; }},
      {"block_bytes 1023: it goes from 1024",
       [](SendOptions& o) { o.pipeline.block_bytes = 1'023; }},
      {"block_bytes 16777217", [](SendOptions& o) { o.pipeline.block_bytes = 16'777'217; }},
      {"fifo_packets 8193: it goes from 1 to 8192",
       [](SendOptions& o) { o.pipeline.fifo_packets = 8'193; }},
      {"fifo_packets 32769: it goes from 1 to 32768",
       [](SendOptions& o) {
         o.pipeline.packet_bytes = 8'192;
         o.pipeline.fifo_packets = 32'769;
       }},
      {"threads 65: it goes from 0 to 64", [](SendOptions& o) { o.pipeline.threads = 65; }},
      {"threads 18446744073709551615", [](SendOptions& o) { o.pipeline.threads = SIZE_MAX; }},
      {"memory_bytes 1: at least 4194304 bytes",
       [](SendOptions& o) { o.pipeline.memory_bytes = 1; }},
      {"memory_bytes 4194304 does not suffice for level 19",
       [](SendOptions& o) {
         o.pipeline = {.ladder = LadderKind::zstd,
                       .policy = PolicyKind::fixed,
                       .level = 19,
                       .memory_bytes = kMinMemoryBytes};
       }},
      {"max_level 99", [](SendOptions& o) { o.pipeline.max_level = 99; }}};
  for (const Case& wrong : cases) {
    SendOptions options = good_send();
    wrong.spoil(options);
    testkit::expect_error(ErrorKind::usage, wrong.message, [&] { validate(options); });
  }
}

TEST(ValidateTest, EachWrongReceiveOptionIsNamed) {
  // Goal: no directory, an impossible FIFO, threads and memory that are not to be had.
  ReceiveOptions options = good_receive();
  options.out_directory.clear();
  testkit::expect_error(ErrorKind::usage, "no directory to write to", [&] { validate(options); });
  options = good_receive();
  options.fifo_packets = kMaxFifoBytes / 8'192 + 1;
  testkit::expect_error(ErrorKind::usage, "fifo_packets 32769: it goes from 1 to 32768",
                        [&] { validate(options); });
  options = good_receive();
  options.threads = kMaxThreads + 1;
  testkit::expect_error(ErrorKind::usage, "threads 65", [&] { validate(options); });
  options = good_receive();
  options.memory_bytes = 1;
  testkit::expect_error(ErrorKind::usage, "memory_bytes 1: at least", [&] { validate(options); });
  options.memory_bytes = kMinMemoryBytes;
  testkit::expect_error(ErrorKind::usage, "does not suffice for the largest blocks",
                        [&] { validate(options); });
}

TEST(ValidateTest, AForgottenKeyIsNotTakenForNone) {
  // Goal: plain text is sent and taken only by who asks for it.
  const Key key = Key::generate();
  testkit::expect_error(ErrorKind::refused, "there is no key", [] { require_key({}, false); });
  testkit::expect_error(ErrorKind::usage, "insecure", [&] { require_key(key, true); });
  EXPECT_NO_THROW(require_key(key, false));
  EXPECT_NO_THROW(require_key({}, true));
  testkit::expect_error(ErrorKind::refused, "there is no key",
                        [] { const Sender without(good_send()); });
  testkit::expect_error(ErrorKind::refused, "there is no key",
                        [] { const Receiver without(good_receive()); });
}

}  // namespace
}  // namespace adoc
