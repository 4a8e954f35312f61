#pragma once

#include <sys/stat.h>

#include <optional>
#include <stop_token>

#include "adoc/lossy.hpp"
#include "adoc/options.hpp"
#include "source/made_up_sizes.hpp"
#include "source/metadata_reader.hpp"
#include "wire/entry.hpp"

namespace adoc {

/// Whether there are entries for what has this mode: files, directories and links.
[[nodiscard]] bool is_sent_kind(mode_t mode) noexcept;

/// Makes entries of what is found. Used by one thread.
class Describer {
 public:
  struct Setup {
    bool hashes_contents = false;
    Keep keep{};
  };
  explicit Describer(const Setup& setup) : setup_(setup), metadata_(setup.keep) {}

  /// Of `status`, which is of `place`. Throws Error(local_file) for what cannot be sent, in words
  /// that follow its name; Error(interrupted) soon after a stop request.
  [[nodiscard]] Entry describe(const Place& place, SafeName name, const struct stat& status,
                               const std::stop_token& stop);

  /// What is hashed from now on is what is left of contents.
  void lose(const std::optional<Lossy>& lossy) noexcept { lossy_ = lossy; }

  /// What entries get besides that.
  [[nodiscard]] MetadataReader& metadata() noexcept { return metadata_; }
  [[nodiscard]] const MetadataReader& metadata() const noexcept { return metadata_; }

 private:
  void describe_file(Entry& entry, const Place& place, const struct stat& status,
                     const std::stop_token& stop);

  Setup setup_;
  std::optional<Lossy> lossy_;
  MetadataReader metadata_;
  MadeUpSizes made_up_sizes_;
};

[[nodiscard]] Entry describe_standard_input(SafeName name);

}  // namespace adoc
