#include "io/tls_stream.hpp"

#include <gtest/gtest.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <csignal>
#include <future>
#include <random>
#include <thread>

#include "io/tcp_listener.hpp"
#include "io/tls.hpp"
#include "support/expect_error.hpp"
#include "support/test_streams.hpp"
#include "support/tls_ends.hpp"
#include "util/sanitized.hpp"

namespace adoc {
namespace {

using std::chrono::milliseconds;
using testkit::expect_error;
using testkit::read_text;
using testkit::TlsEnds;

Bytes read_all(Stream& stream) {
  Bytes got;
  Bytes piece(100'000);
  while (const std::size_t count = stream.read_some(piece))
    got.insert(got.end(), piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(count));
  return got;
}

Bytes random_bytes(std::size_t size, unsigned seed) {
  std::minstd_rand random(seed);
  Bytes bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random() >> 8);
  return bytes;
}

class TlsStreamTest : public testing::Test {
 protected:
  void write_without_end(Stream& stream) const {
    const Bytes much(1 << 20);
    while (true) stream.write_all(much);
  }

  Key key_ = Key::generate();
  TlsEnds ends_{key_};
};

TEST_F(TlsStreamTest, BothDirectionsAtOnceCarryEveryByte) {
  // Goal: a thread that reads and one that writes on each side, 100 MB each way; a sanitizer takes
  // ten times as long, and finds as much in 20.
  ends_.shake_hands();
  constexpr std::size_t kPiece = 10 << 20;
  constexpr unsigned kPieces = kSanitized ? 2 : 10;
  const auto write = [&](Stream& to, unsigned seed) {
    for (unsigned i = 0; i < kPieces; ++i) to.write_all(random_bytes(kPiece, seed + i));
    to.finish_writing();
  };
  const auto read = [&](Stream& from, unsigned seed) {
    Bytes piece(kPiece);
    for (unsigned i = 0; i < kPieces; ++i) {
      std::size_t got = 0;
      while (got < kPiece) {
        const std::size_t count = from.read_some(std::span(piece).subspan(got));
        if (count == 0) return false;
        got += count;
      }
      if (piece != random_bytes(kPiece, seed + i)) return false;
    }
    return from.read_some(piece) == 0;
  };
  const std::jthread a([&] { write(ends_.client(), 1); });
  const std::jthread b([&] { write(ends_.server(), 100); });
  auto at_server = std::async(std::launch::async, [&] { return read(ends_.server(), 1); });
  EXPECT_TRUE(read(ends_.client(), 100));
  EXPECT_TRUE(at_server.get());
}

TEST_F(TlsStreamTest, PiecesOfEverySizeGoOutInOrder) {
  // Goal: small pieces share records, large ones are cut into them, empty ones do no harm, and what
  // write_some() says it took is what arrives.
  ends_.shake_hands();
  std::vector<Bytes> pieces;
  Bytes all;
  for (const std::size_t size :
       {0U, 1U, 5U, 0U, 16'379U, 16'383U, 16'384U, 16'385U, 3U, 40'000U, 7U, 300'000U})
    pieces.push_back(random_bytes(size, static_cast<unsigned>(size)));
  for (const Bytes& piece : pieces) all.insert(all.end(), piece.begin(), piece.end());
  auto reading = std::async(std::launch::async, [&] { return read_all(ends_.server()); });
  std::size_t done = 0;
  while (done < all.size()) {
    std::vector<ByteSpan> rest;
    std::size_t skip = done;
    for (const Bytes& piece : pieces) {
      rest.push_back(ByteSpan(piece).subspan(std::min(skip, piece.size())));
      skip -= std::min(skip, piece.size());
    }
    const std::size_t taken = ends_.client().write_some(rest);
    ASSERT_GT(taken, 0U);
    done += taken;
  }
  EXPECT_EQ(done, all.size());
  ends_.client().finish_writing();
  EXPECT_EQ(reading.get(), all);
}

TEST_F(TlsStreamTest, WhatIsOnTheWayDoesNotShowWhatIsSaid) {
  // Goal: neither direction carries the text or the key.
  ends_.shake_hands();
  const std::string text = "a sentence that nobody on the way may read";
  ends_.client().write_all(as_byte_span(text));
  EXPECT_EQ(read_text(ends_.server()), text);
  ends_.server().write_all(as_byte_span(text));
  EXPECT_EQ(read_text(ends_.client()), text);
  ends_.end();
  for (const Bytes& seen : {ends_.to_server.seen, ends_.to_client.seen}) {
    EXPECT_GT(seen.size(), text.size());
    for (const ByteSpan secret : {as_byte_span(text).first(12), ByteSpan(key_.bytes()).first(8)})
      EXPECT_EQ(std::search(seen.begin(), seen.end(), secret.begin(), secret.end()), seen.end());
  }
}

TEST_F(TlsStreamTest, HalfACloseEndsOneDirectionAlone) {
  // Goal: the end is read after what was written, and the other way goes on.
  ends_.shake_hands();
  ends_.client().write_all(as_byte_span("last words"));
  ends_.client().finish_writing();
  EXPECT_EQ(read_text(ends_.server()), "last words");
  EXPECT_EQ(read_text(ends_.server()), "");
  ends_.server().write_all(as_byte_span("answer"));
  EXPECT_EQ(read_text(ends_.client()), "answer");
  ends_.server().finish_writing();
  EXPECT_EQ(read_text(ends_.client()), "");
}

TEST_F(TlsStreamTest, AConnectionThatJustStopsIsLostAndNotAtItsEnd) {
  // Goal: nobody on the way can shorten a transfer, at a record's border or inside of one.
  for (const std::uint64_t cut : {16'406U, 20'000U, 40'000U}) {
    TlsEnds ends(key_);
    ends.shake_hands();
    ends.end();
    const std::uint64_t shaken = ends.to_server.seen.size();
    TlsEnds again(key_);
    again.to_server.cut_at = shaken + cut;
    again.shake_hands();
    again.client().write_all(Bytes(60'000));
    again.client().finish_writing();
    expect_error(ErrorKind::connect, "is lost", [&] { read_all(again.server()); });
    expect_error(ErrorKind::connect, "is lost", [&] { read_all(again.server()); });
  }
}

TEST_F(TlsStreamTest, APeerThatIsKilledIsLost) {
  // Goal: the system's close says nothing of TLS's end.
  ends_.shake_hands();
  ends_.client().write_all(as_byte_span("half of a"));
  ends_.kill_client();
  EXPECT_EQ(read_text(ends_.server()), "half of a");
  expect_error(ErrorKind::connect, "is lost", [&] { read_text(ends_.server()); });
}

TEST_F(TlsStreamTest, ABitThatIsFlippedOnTheWayIsAnError) {
  // Goal: wherever it is, nothing that is not as sent is ever read.
  ends_.shake_hands();
  ends_.end();
  const std::uint64_t shaken = ends_.to_server.seen.size();
  for (const std::uint64_t at : {0U, 3U, 5U, 6U, 1'000U, 16'405U, 16'406U, 16'500U, 30'000U}) {
    TlsEnds ends(key_);
    ends.to_server.flips_at = shaken + at;
    ends.shake_hands();
    const Bytes sent = random_bytes(40'000, static_cast<unsigned>(at));
    ends.client().write_all(sent);
    ends.client().finish_writing();
    Bytes got(sent.size());
    std::size_t count = 0;
    try {
      while (const std::size_t more = ends.server().read_some(std::span(got).subspan(count)))
        count += more;
      FAIL() << "the end came as if nothing had happened, bit " << at;
    } catch (const Error& error) {
      // A length that is changed makes the record longer than what comes.
      EXPECT_TRUE(error.kind() == ErrorKind::corrupt || error.kind() == ErrorKind::connect);
    }
    EXPECT_LE(count, at / 16'406 * 16'384);
    EXPECT_TRUE(
        std::equal(got.begin(), got.begin() + static_cast<std::ptrdiff_t>(count), sent.begin()));
  }
}

TEST_F(TlsStreamTest, ABitThatIsFlippedInAHandshakeLetsNobodyIn) {
  // Goal: no byte of a handshake can be changed without a failure; each tenth of them is tried.
  ends_.shake_hands();
  ends_.end();
  for (std::uint64_t at = 0; at < ends_.to_server.seen.size(); at += 10) {
    TlsEnds ends(key_);
    ends.to_server.flips_at = at;
    ends.open();
    auto serving = std::async(std::launch::async, [&] {
      TlsEnds::shake(ends.server());
      return true;
    });
    auto connecting = std::async(std::launch::async, [&] {
      TlsEnds::shake(ends.client());
      return true;
    });
    // A length that is changed has the server wait for bytes that do not come.
    if (serving.wait_for(milliseconds(300)) == std::future_status::timeout) ends.client().abort();
    EXPECT_THROW(serving.get(), Error) << "byte " << at;
    ends.server().abort();
    try {
      connecting.get();
    } catch (const Error&) {
      // Or it was through before the server found out.
    }
  }
}

TEST_F(TlsStreamTest, AnotherKeyLetsNobodyIn) {
  // Goal: both sides find out, and the sender is told what to do.
  TlsEnds ends(key_, Key::generate());
  expect_error(ErrorKind::refused, "another key", [&] { ends.shake_hands(); });
  TlsEnds again(key_, Key::generate());
  again.open();
  auto connecting =
      std::async(std::launch::async, [&] { EXPECT_THROW(TlsEnds::shake(again.client()), Error); });
  expect_error(ErrorKind::refused, "does not have the key",
               [&] { TlsEnds::shake(again.server()); });
}

TEST_F(TlsStreamTest, StopReadingWakesASleeperAndGivesWhatHasArrived) {
  // Goal: as with plain TCP: what is here, then the end.
  ends_.shake_hands();
  auto reading = std::async(std::launch::async, [&] { return read_text(ends_.client()); });
  EXPECT_EQ(reading.wait_for(milliseconds(20)), std::future_status::timeout);
  ends_.client().stop_reading();
  EXPECT_EQ(reading.get(), "");
  ends_.client().write_all(as_byte_span("why"));
  std::string heard = read_text(ends_.server(), 1);
  ends_.server().stop_reading();
  heard += read_text(ends_.server());
  EXPECT_EQ(heard, "why");
  EXPECT_EQ(read_text(ends_.server()), "");
}

TEST_F(TlsStreamTest, AbortWakesReaderAndWriter) {
  // Goal: both threads of a connection end, neither hangs on the peer.
  ends_.shake_hands();
  auto reading = std::async(std::launch::async, [&] { return read_text(ends_.client()); });
  auto writing = std::async(std::launch::async, [&] {
    expect_error(ErrorKind::connect, "is lost", [&] { write_without_end(ends_.client()); });
  });
  EXPECT_EQ(writing.wait_for(milliseconds(50)), std::future_status::timeout);
  ends_.client().abort();
  EXPECT_EQ(reading.get(), "");
  writing.get();
}

TEST_F(TlsStreamTest, ASilentPeerIsAnErrorOnlyWhenAskedFor) {
  // Goal: the read timeout bounds one wait, and 0 takes it away again.
  ends_.shake_hands();
  ends_.client().set_read_timeout(milliseconds(30));
  expect_error(ErrorKind::connect, "is silent", [&] { read_text(ends_.client()); });
  ends_.client().set_read_timeout(milliseconds(0));
  auto reading = std::async(std::launch::async, [&] { return read_text(ends_.client()); });
  EXPECT_EQ(reading.wait_for(milliseconds(100)), std::future_status::timeout);
  ends_.server().write_all(as_byte_span("late"));
  EXPECT_EQ(reading.get(), "late");
}

TEST_F(TlsStreamTest, LingerLetsThePeerReadTheLastWordAlthoughItStillSends) {
  // Goal: a close with unread bytes would reset the connection and destroy the word.
  ends_.shake_hands();
  auto talking = std::async(std::launch::async, [&] {
    ends_.client().write_all(Bytes(4 << 20));
    const std::string heard = read_text(ends_.client());
    ends_.client().finish_writing();
    return heard;
  });
  ends_.server().write_all(as_byte_span("the reason"));
  ends_.server().linger(std::chrono::seconds(20));
  EXPECT_EQ(talking.get(), "the reason");
}

TEST(TlsPeerTest, OneThatAsksForNewKeysWithoutEndGetsNoMemory) {
  // Goal: requests that this side has to answer, from a peer that has the key.
  std::signal(SIGPIPE, SIG_IGN);  // the peer's, which OpenSSL writes to the socket for
  const Key key = Key::generate();
  const TlsContext client_context(key, TlsContext::Side::connects);
  const TlsContext server_context(key, TlsContext::Side::listens);
  auto [far, near] = testkit::connected_sockets();
  TlsStream server(server_context, std::make_unique<TcpStream>(std::move(near), "far"));
  std::jthread asking([&, socket = std::move(far)](const std::stop_token& stop) {
    const SslPtr ssl = client_context.new_connection();
    SSL_set_fd(ssl.get(), socket.get());
    bool goes_on = SSL_connect(ssl.get()) == 1;
    for (int i = 0; goes_on && i < 200'000 && !stop.stop_requested(); ++i)
      goes_on = SSL_key_update(ssl.get(), SSL_KEY_UPDATE_REQUESTED) == 1 &&
                SSL_do_handshake(ssl.get()) == 1;
  });
  TlsEnds::shake(server);
  server.set_read_timeout(std::chrono::seconds(20));
  expect_error(ErrorKind::corrupt, "", [&] { read_text(server); });
  server.abort();
}

TEST(TlsOverTcpTest, WhatArrivedIsCountedWithoutWhatTlsAdds) {
  // Goal: the rate of the link is that of the bytes that were written, also of many small ones.
  const Key key = Key::generate();
  const TlsContext client_context(key, TlsContext::Side::connects);
  const TlsContext server_context(key, TlsContext::Side::listens);
  TcpListener listener({"127.0.0.1", 0});
  auto serving = std::async(std::launch::async, [&] {
    auto stream = std::make_unique<TlsStream>(server_context, listener.accept({}));
    TlsEnds::shake(*stream);
    return stream;
  });
  const auto client =
      connect_tls({.peer = listener.local(), .limit = kDefaultTimeout}, client_context);
  const auto server = serving.get();
  EXPECT_EQ(client->delivery()->arrived_bytes, 0U);
  std::uint64_t written = 0;
  for (const std::size_t size : {1U, 10U, 16'384U, 100'000U, 3U}) {
    client->write_all(Bytes(size));
    written += size;
    std::uint64_t got = 0;
    while (got < size) got += read_text(*server).size();
    EXPECT_EQ(got, size);
    // The acknowledgement may take its time.
    for (int i = 0; i < 500 && client->delivery()->arrived_bytes != written; ++i)
      std::this_thread::sleep_for(milliseconds(10));
    EXPECT_EQ(client->delivery()->arrived_bytes, written);
    // What has arrived does not become less by what follows it.
    client->write_all(Bytes(1));
    EXPECT_GE(client->delivery()->arrived_bytes, written);
    ++written;
    EXPECT_EQ(read_text(*server).size(), 1U);
  }
  EXPECT_EQ(client->cipher().rfind("TLS_", 0), 0U);
}

}  // namespace
}  // namespace adoc
