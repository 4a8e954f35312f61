#pragma once

#include <stop_token>
#include <utility>

#include "source/content_reader.hpp"
#include "util/content_hasher.hpp"
#include "wire/entry.hpp"

namespace adoc {

/// The hash of a whole file of which only parts are sent: what is sent is handed in, what is not is
/// read here, and what the entry lists as holes is not read at all. Used by one thread at a time.
class PartHasher {
 public:
  /// Contents and entry outlive the hasher.
  PartHasher(ContentReader& contents, const Entry& entry, std::stop_token stop)
      : contents_(contents), entry_(entry), stop_(std::move(stop)) {
    if (entry.data) run_ = entry.data->begin();
  }

  /// What the file has at `offset`; it comes in order. Throws as digest() does.
  void add(std::uint64_t offset, ByteSpan bytes);
  /// Of all of it. Throws Error(local_file), in words that follow the file's name, and
  /// Error(interrupted) soon after a stop request.
  [[nodiscard]] ContentHash digest();

 private:
  void catch_up(std::uint64_t end);
  /// The data run that position_ is in or before; an empty one at `end` if there is none.
  [[nodiscard]] Extent next_run(std::uint64_t end);
  void read(std::uint64_t end);

  ContentReader& contents_;
  const Entry& entry_;
  std::stop_token stop_;
  ContentHasher hasher_;
  std::uint64_t position_ = 0;  ///< so much is hashed
  Extents::Iterator run_;       ///< of a file with holes: the first that is not behind it
  Bytes buffer_;
};

}  // namespace adoc
