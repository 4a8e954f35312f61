#pragma once

#include <gtest/gtest.h>

#include "support/made_up_frames.hpp"
#include "support/running_receiver.hpp"
#include "wire/bundle_record.hpp"
#include "wire/hello.hpp"
#include "wire/streams.hpp"

namespace adoc::testkit {

/// Tests of connections that belong to a transfer which other connections of a sender have begun.
class JoiningPeers : public testing::Test {
 protected:
  /// Of the sender, in all of its hellos.
  explicit JoiningPeers(std::uint64_t features)
      : hello_(Hello{.role = Role::sender, .features = features}.encode()) {}

  /// Another connection, of the transfer with this token.
  [[nodiscard]] ScriptedPeer join(const StreamToken& token) {
    ScriptedPeer peer = receiver_.connect();
    peer.say(joined({hello_, encode_frame(Join{token})}));
    return peer;
  }
  static Bytes record(const BundleRecord& fields) {
    const BundleRecord::Header header = fields.encode();
    return {header.begin(), header.end()};
  }

  const Bytes hello_;
  RunningReceiver receiver_;
};

}  // namespace adoc::testkit
