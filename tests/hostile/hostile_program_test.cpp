// The programs themselves against peers and machines that are not as they should be: exit codes,
// messages, and that adoc-recv goes on serving.

#include <gtest/gtest.h>

#include <limits>

#include "support/golden_bytes.hpp"
#include "support/program.hpp"
#include "support/scripted_peer.hpp"
#include "wire/hello.hpp"

namespace adoc::testkit {
namespace {

constexpr const char* kHttpRequest = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
constexpr const char* kHttpAnswer = "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n";

Bytes hello_of_version(Role role, std::uint16_t version) {
  return Hello{.role = role, .version = version}.encode();
}

class HostileProgramTest : public testing::Test {
 protected:
  [[nodiscard]] std::vector<std::string> recv(std::vector<std::string> more = {}) const {
    std::vector<std::string> command{ADOC_RECV,    "--out",    files_ / "out",
                                     "--insecure", "--listen", "127.0.0.1:0"};
    command.insert(command.end(), more.begin(), more.end());
    return command;
  }
  [[nodiscard]] std::vector<std::string> send(std::uint16_t port) const {
    return {ADOC_SEND,
            "--insecure",
            "--retry",
            "0",
            files_.write(kGoldenName, kGoldenText),
            "127.0.0.1:" + std::to_string(port)};
  }

  static void expect_text(const Program& program, const std::string& text) {
    EXPECT_NE(program.errors().find(text), std::string::npos)
        << "\"" << text << "\" is not in: " << program.errors();
  }

  /// adoc-recv --once hears this and nothing more.
  void expect_receiver(int code, const std::string& text, ByteSpan said) {
    Program program(recv({"--once"}));
    ScriptedPeer peer = ScriptedPeer::connect(program.listening_port());
    peer.say(said);
    peer.finish();
    EXPECT_EQ(program.wait(), code);
    expect_text(program, text);
  }

  /// The same, and it is no transfer: adoc-recv --once goes on waiting for one.
  void expect_refusal(const std::string& text, ByteSpan said) {
    Program program(recv({"--once"}));
    const std::uint16_t port = program.listening_port();
    ScriptedPeer peer = ScriptedPeer::connect(port);
    peer.say(said);
    peer.finish();
    program.wait_for_text(text);
    Program sender(send(port));
    EXPECT_EQ(sender.wait(), 0) << sender.errors();
    EXPECT_EQ(program.wait(), 0);
    std::filesystem::remove_all(files_ / "out");
  }

  /// adoc-send hears this and nothing more.
  void expect_sender(int code, const std::string& text, ByteSpan said) {
    ScriptedListener listener;
    Program program(send(listener.port()));
    ScriptedPeer peer = listener.accept();
    peer.say(said);
    peer.finish();
    EXPECT_EQ(program.wait(), code);
    expect_text(program, text);
  }

  TemporaryDirectory files_;
};

TEST_F(HostileProgramTest, AReceiverThatIsSpokenToInHttpSaysSo) {
  // Goal: a message that shows what came.
  expect_refusal("does not speak AdOC: it began with 'GET / HTTP", as_byte_span(kHttpRequest));
}

TEST_F(HostileProgramTest, AReceiverServesOnAfterPeersThatAreNotAdoc) {
  // Goal: no peer ends a receiver that serves; the next transfer is as good as ever.
  Program program(recv());
  const std::uint16_t port = program.listening_port();
  for (const Bytes& said :
       {golden_bytes("bad/hello-sender-http"), golden_bytes("bad/to-receiver-truncated"), Bytes(),
        hello_of_version(Role::sender, 9), Bytes(100'000, std::byte{0xff})}) {
    ScriptedPeer peer = ScriptedPeer::connect(port);
    peer.say(said);
    peer.finish();
    static_cast<void>(peer.hear_all());
  }
  program.wait_for_text("transfer 1 from ");
  program.wait_for_text("version 9 of the protocol");
  Program sender(send(port));
  EXPECT_EQ(sender.wait(), 0) << sender.errors();
  EXPECT_EQ(contents_of(files_ / "out/hello.txt"), kGoldenText);
  program.terminate();
  EXPECT_EQ(program.wait(), 130);
}

TEST_F(HostileProgramTest, ASenderThatFindsAWebServerSaysSo) {
  // Goal: exit 3 and a message that shows what the server said.
  expect_sender(3, "does not speak AdOC: it began with 'HTTP/1.1 400", as_byte_span(kHttpAnswer));
}

TEST_F(HostileProgramTest, APeerOfAnotherVersionIsToldFromOneThatIsNotAdoc) {
  // Goal: both sides name both versions and what to do.
  for (const std::uint16_t version :
       {std::uint16_t{0}, std::uint16_t{2}, std::numeric_limits<std::uint16_t>::max()}) {
    const std::string text = "the peer speaks version " + std::to_string(version) +
                             " of the protocol, this is version 1: install the same";
    expect_refusal(text, hello_of_version(Role::sender, version));
    expect_sender(3, text, hello_of_version(Role::receiver, version));
  }
}

TEST_F(HostileProgramTest, TwoProgramsOfTheSameSideSaySo) {
  // Goal: the roles of the hello are checked.
  expect_refusal("a receiver too", hello_of_version(Role::receiver, kProtocolVersion));
  expect_sender(3, "a sender too", hello_of_version(Role::sender, kProtocolVersion));
}

TEST_F(HostileProgramTest, APeerThatGoesAwayInTheMiddleIsExitCode3) {
  // Goal: a lost connection has its exit code on both sides, and leaves nothing behind.
  const Bytes to_receiver = golden_bytes("good/to-receiver");
  for (const std::size_t count : {kHelloBytes, to_receiver.size() / 2})
    expect_receiver(3, "", ByteSpan(to_receiver).first(count));
  EXPECT_EQ(Directory(files_ / "out").names(), std::set<std::string>{});
  const Bytes to_sender = golden_bytes("good/to-sender");
  for (const std::size_t count : {std::size_t{0}, kHelloBytes, kHelloBytes + 3})
    expect_sender(3, "", ByteSpan(to_sender).first(count));
}

TEST_F(HostileProgramTest, APeerThatBreaksTheProtocolIsExitCode5) {
  // Goal: bytes that are not as sent have their exit code on both sides.
  Bytes wrong = golden_bytes("good/to-receiver");
  wrong[kHelloBytes + 8] ^= std::byte{1};
  expect_receiver(5, "check value", wrong);
  EXPECT_EQ(Directory(files_ / "out").names(), std::set<std::string>{});
  wrong = golden_bytes("good/to-sender");
  wrong[kHelloBytes + 6] ^= std::byte{1};
  expect_sender(5, "check value", wrong);
}

TEST_F(HostileProgramTest, APeerThatSaysNothingIsNotWaitedForWithoutEnd) {
  // Goal: a silent peer is given up after a while, by both programs at the same time here.
  ScriptedListener listener;
  Program sender(send(listener.port()));
  Program receiver(recv({"--once"}));
  ScriptedPeer to_sender = listener.accept();
  ScriptedPeer to_receiver = ScriptedPeer::connect(receiver.listening_port());
  EXPECT_EQ(sender.wait(), 3);
  expect_text(sender, "is silent (is it AdOC that listens there?)");
  receiver.wait_for_text("it said too little in time");
}

TEST_F(HostileProgramTest, NobodyListening) {
  // Goal: exit 3 and a message that says what to look at.
  std::uint16_t port = 0;
  { port = ScriptedListener().port(); }
  Program program(send(port));
  EXPECT_EQ(program.wait(), 3);
  expect_text(program, "adoc-send: cannot reach 127.0.0.1:" + std::to_string(port) +
                           ": connection refused (is adoc-recv running there?)");
}

TEST_F(HostileProgramTest, PortInUse) {
  // Goal: exit 3, a message that names address and way out, and no line that says it listens.
  ScriptedListener taken;
  const std::string address = "127.0.0.1:" + std::to_string(taken.port());
  Program program({ADOC_RECV, "--insecure", "--out", files_ / "out", "--listen", address});
  EXPECT_EQ(program.wait(), 3);
  expect_text(program, "adoc-recv: cannot listen on " + address +
                           ": address already in use (port 0 picks a free one)");
  EXPECT_EQ(program.output(), "");
}

TEST_F(HostileProgramTest, AnOutDirectoryThatCannotBeWrittenTo) {
  // Goal: exit 6 before anything listens, with the path and the reason.
  files_.write("file", "in the way");
  for (const std::string& out :
       {files_ / "file", files_ / "file/below", std::string("/proc/out")}) {
    Program program({ADOC_RECV, "--insecure", "--out", out, "--listen", "127.0.0.1:0"});
    EXPECT_EQ(program.wait(), 6);
    expect_text(program, "adoc-recv: cannot write below " + out + ": ");
    EXPECT_EQ(program.output(), "");
  }
}

}  // namespace
}  // namespace adoc::testkit
