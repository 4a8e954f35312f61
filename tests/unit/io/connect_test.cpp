// Connecting to a name of several addresses: none that is dead holds up one that is not.

#include "io/connect.hpp"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <string>
#include <thread>

#include "io/tcp_listener.hpp"
#include "support/expect_error.hpp"
#include "util/clock.hpp"

namespace adoc {
namespace {

using std::chrono::milliseconds;
using testkit::expect_error;

Address address_of(const Endpoint& endpoint) { return numeric_addresses(endpoint).at(0); }

/// Takes no more connections and refuses none: the first packet of each is thrown away.
class DeadListener {
 public:
  DeadListener() {
    const Address any = address_of({"127.0.0.1", 0});
    EXPECT_EQ(::bind(listener_.get(), any.get(), any.length), 0);
    EXPECT_EQ(::listen(listener_.get(), 0), 0);
    for (bool taken = true; taken;) {
      const Address here = address();
      Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
      EXPECT_NE(::connect(socket.get(), here.get(), here.length), 0);
      pollfd polled{socket.get(), POLLOUT, 0};
      taken = ::poll(&polled, 1, 200) > 0;
      waiting_.push_back(std::move(socket));
    }
  }

  [[nodiscard]] Address address() const { return address_of(local_endpoint(listener_.get())); }

 private:
  Fd listener_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  std::vector<Fd> waiting_;
};

Address nobody() { return address_of(TcpListener({"127.0.0.1", 0}).local()); }

class ConnectTest : public testing::Test {
 protected:
  std::unique_ptr<TcpStream> connect(std::vector<Address> addresses) {
    return Connector(to_, std::move(addresses)).next();
  }
  static std::string text(const Address& address) { return to_string(address.endpoint()); }
  Address living() const { return address_of(listener_.local()); }

  TcpListener listener_{{"127.0.0.1", 0}};
  std::vector<std::string> tried_;
  ConnectTo to_{.peer = {"host.test", 4400},
                .limit = std::chrono::seconds(30),
                .tell = [this](const auto& step) { tried_.emplace_back(step.address); }};
};

TEST_F(ConnectTest, ADeadAddressCostsAQuarterOfASecond) {
  // Goal: the next one is tried long before the dead one is given up, and not at once either.
  const DeadListener dead;
  const Clock::time_point begin = Clock::now();
  const auto stream = connect({dead.address(), living()});
  const auto took = Clock::now() - begin;
  EXPECT_EQ(peer_endpoint(stream->fd()), listener_.local());
  EXPECT_GE(took, milliseconds(250));
  EXPECT_LT(took, std::chrono::seconds(10));
  EXPECT_EQ(tried_, (std::vector{text(dead.address()), text(living())}));
}

TEST_F(ConnectTest, OneThatRefusesLeadsToTheNextAtOnce) {
  // Goal: nobody waits for an answer that has come; whoever answers first is not made to wait
  // either.
  const DeadListener dead;
  const Address refuses = nobody();
  EXPECT_EQ(peer_endpoint(connect({refuses, living(), dead.address()})->fd()), listener_.local());
  EXPECT_EQ(tried_, (std::vector{text(refuses), text(living())}));
}

TEST_F(ConnectTest, FamiliesTakeTurns) {
  // Goal: where one IP family leads nowhere, the second attempt is of the other.
  const DeadListener dead;
  const Address v6 = address_of({"::1", 1});
  const Address v4 = nobody();
  expect_error(ErrorKind::connect, "host.test", [&] {
    static_cast<void>(connect({v6, v6, v4, v4}));
  });
  EXPECT_EQ(tried_, (std::vector{text(v6), text(v4), text(v6), text(v4)}));
}

TEST_F(ConnectTest, SaysOfEachAddressWhyItIsNone) {
  // Goal: alike reasons are said once, others with their addresses; the advice is for the best.
  const Address refuses = nobody();
  expect_error(ErrorKind::connect, "cannot reach host.test:4400: connection refused", [&] {
    static_cast<void>(connect({refuses, nobody()}));
  });
  to_.limit = milliseconds(600);
  const DeadListener dead;
  expect_error(ErrorKind::connect, "127.0.0.1: no answer for 0.6 s, 127.0.0.1: connection refused",
               [&] {
                 static_cast<void>(connect({dead.address(), refuses}));
               });
}

TEST_F(ConnectTest, AfterAConnectionThatIsOfNoUseTheOthersAreLeft) {
  // Goal: whoever connects and is not content gets the other addresses, each once.
  const TcpListener second({"127.0.0.1", 0});
  Connector connector(to_, {living(), nobody(), address_of(second.local())});
  EXPECT_EQ(peer_endpoint(connector.next()->fd()), listener_.local());
  EXPECT_TRUE(connector.has_more());
  EXPECT_EQ(peer_endpoint(connector.next()->fd()), second.local());
  EXPECT_FALSE(connector.has_more());
}

TEST_F(ConnectTest, AStopRequestEndsIt) {
  // Goal: at any step, whatever is waited for.
  const DeadListener dead;
  std::stop_source source;
  to_.stop = source.get_token();
  to_.limit = {};
  to_.tell = [&](const Connecting&) { source.request_stop(); };
  expect_error(ErrorKind::interrupted, "interrupted", [&] {
    static_cast<void>(connect({dead.address(), living()}));
  });
  to_.peer = {"name.invalid", 4400};
  expect_error(ErrorKind::interrupted, "interrupted", [&] { Connector{to_}; });
}

TEST_F(ConnectTest, NumbersAreNotLookedUp) {
  // Goal: an address in numbers needs no name server, no thread and no file.
  EXPECT_EQ(numeric_addresses({"192.0.2.1", 7}).size(), 1U);
  EXPECT_EQ(numeric_addresses({"::1", 7}).size(), 1U);
  EXPECT_TRUE(numeric_addresses({"localhost", 7}).empty());
}

}  // namespace
}  // namespace adoc
