#pragma once

#include <cstddef>
#include <vector>

#include "io/stream_bundle.hpp"
#include "util/guarded.hpp"
#include "wire/streams.hpp"

namespace adoc {

/// Of a connection that joins a transfer.
inline constexpr std::size_t kConnectionDescriptors = 2;

/// The transfers of a receiver that others may join, by their tokens. Any thread.
class Joins {
 public:
  /// 128 bits that nobody can guess. Throws Error(internal).
  [[nodiscard]] static StreamToken new_token();

  /// As long as it lives, connections with this token join the bundle, which outlives it.
  class Open {
   public:
    Open(Joins& joins, const StreamToken& token, StreamBundle& bundle);
    Open(const Open&) = delete;
    Open& operator=(const Open&) = delete;
    ~Open();

   private:
    Joins& joins_;
    StreamBundle& bundle_;
  };

  /// False when the token is of none, or that one takes no more; then the stream is where it was.
  /// Throws as StreamBundle::join().
  [[nodiscard]] bool join(const StreamToken& token, JoiningStream& stream);

 private:
  struct Entry {
    StreamToken token{};
    StreamBundle* bundle = nullptr;
    std::size_t joined = 0;  ///< so far, in addition to others
  };
  Guarded<std::vector<Entry>> entries_;
};

}  // namespace adoc
