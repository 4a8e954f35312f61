#include <gtest/gtest.h>

#include <vector>

#include "adoc/options.hpp"
#include "io/tcp_listener.hpp"
#include "support/expect_error.hpp"

namespace adoc {
namespace {

using testkit::expect_error;

TEST(EndpointTest, HostsAndPortsAreReadAsPeopleWriteThem) {
  // Goal: every form with and without a port.
  struct Case {
    std::string text;
    Endpoint read;
  };
  const std::vector<Case> cases{{"host", {"host", 4400}},
                                {"host:1", {"host", 1}},
                                {"host:0", {"host", 0}},
                                {"host:65535", {"host", 65535}},
                                {"a-b.example.org:4401", {"a-b.example.org", 4401}},
                                {"10.0.0.5:4400", {"10.0.0.5", 4400}},
                                {"[::1]", {"::1", 4400}},
                                {"[::1]:5", {"::1", 5}},
                                {"[fe80::1%eth0]:5", {"fe80::1%eth0", 5}},
                                {"*:4400", {"*", 4400}}};
  for (const Case& good : cases) EXPECT_EQ(parse_endpoint(good.text), good.read) << good.text;
}

TEST(EndpointTest, WhatCannotBeMeantIsAUsageErrorThatShowsIt) {
  // Goal: each way to get it wrong has its own reason.
  struct Case {
    std::string text;
    std::string_view reason;
  };
  const std::vector<Case> cases{{"", "it is empty"},
                                {":4400", "the host is missing"},
                                {"host:", "the port is a number"},
                                {"host:x", "the port is a number"},
                                {"host:-1", "the port is a number"},
                                {"host:+1", "the port is a number"},
                                {"host:65536", "the port is a number"},
                                {"host:99999999999999999999", "the port is a number"},
                                {"host:80x", "the port is a number"},
                                {"::1", "goes in brackets"},
                                {"fe80::1:4400", "goes in brackets"},
                                {"[::1", "the ] is missing"},
                                {"[]", "the address is missing"},
                                {"[]:4400", "the address is missing"},
                                {"[::1]4400", "after ] comes :PORT"},
                                {"[::1]:", "the port is a number"},
                                {"host/path", "no such character"},
                                {"a host:4400", "no such character"},
                                {"host\n:4400", "no such character"}};
  for (const Case& bad : cases) {
    SCOPED_TRACE(bad.text);
    expect_error(ErrorKind::usage, bad.reason,
                 [&] { static_cast<void>(parse_endpoint(bad.text)); });
    expect_error(ErrorKind::usage, "is not HOST[:PORT]",
                 [&] { static_cast<void>(parse_endpoint(bad.text)); });
  }
}

TEST(EndpointTest, WhatIsWrittenIsReadBack) {
  // Goal: to_string() is the inverse, brackets and all.
  for (const Endpoint& endpoint : {Endpoint{"host", 4400}, Endpoint{"127.0.0.1", 1},
                                   Endpoint{"::", 0}, Endpoint{"::1", 65535}})
    EXPECT_EQ(parse_endpoint(to_string(endpoint)), endpoint);
  EXPECT_EQ(to_string(Endpoint{"::1", 5}), "[::1]:5");
  EXPECT_EQ(to_string(Endpoint{"host", 4400}), "host:4400");
}

}  // namespace
}  // namespace adoc
