#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "adoc/observer.hpp"
#include "source/describe.hpp"
#include "source/earlier_sources.hpp"
#include "source/filter.hpp"
#include "source/level_stack.hpp"
#include "source/listed_names.hpp"
#include "source/source_root.hpp"
#include "wire/entry.hpp"

namespace adoc {

/// What the sender found at one path.
struct Found {
  Entry entry;
  SourceFile source;    ///< to open it by
  std::string failure;  ///< why it cannot be sent; empty when it can
};

/// Where a walk is when it can be held up: whoever changes the tree there changes it between two
/// steps that belong together.
enum class WalkStep {
  listed,     ///< the name was read from its directory, nothing else is known of it
  looked_at,  ///< what it is was looked at, and it is about to be opened
  ended,      ///< the directory was read to its end, and the walk is about to leave it
};

/// Walks the sources of a transfer, one entry at a time, with memory that depends on the depth of
/// the trees and not on their size, and with few descriptors. It cannot be led out of what the user
/// named: each directory is opened in the one before it, no link is followed unless all are to be,
/// and what is opened is compared with what was looked at. A directory comes after everything in
/// it, so that its mode and mtime can be set for good when it arrives. Used by one thread.
class Walker {
 public:
  struct Setup {
    std::vector<std::string> paths;
    std::string stdin_name{};
    Filter filter{};
    bool hash_contents = false;
    bool one_file_system = false;  ///< directories of others are sent without their contents
    bool copy_links = false;       ///< what is behind a link is sent in its place
    bool recursive = true;         ///< false: a directory is a failure
    Keep keep{};
    std::optional<Shard> shard{};  ///< that alone is sent
    std::string name{};            ///< of the only path there; empty: its own
    /// Device and inode of the file that the transfer is written to: it is left out.
    std::optional<std::pair<dev_t, ino_t>> own_file{};
    /// Names below the only path, which alone are sent, with the directories on their way.
    std::optional<std::vector<std::string>> listed{};
    /// Told what is left out without being a failure, and why; may be empty.
    std::function<void(const std::string& path, const std::string& why)> left_out{};
    /// Called at each step with the path in the user's terms, so that a test can hold up the walk.
    std::function<void(WalkStep, const std::string& path)> reached{};
  };

  /// Throws Error(local_file) when none of the paths exists.
  explicit Walker(Setup setup);
  Walker(const Walker&) = delete;
  Walker& operator=(const Walker&) = delete;

  /// Of what is left of contents those that come next are hashed.
  void lose(const std::optional<Lossy>& lossy) { describer_.lose(lossy); }

  /// The next entry; none at the end. Throws Error(interrupted) soon after a stop request: nothing
  /// is lost by that, and it can be called again.
  [[nodiscard]] std::optional<Found> next(const std::stop_token& stop = {});

  /// Of what was walked so far, as far as the walk sees it.
  [[nodiscard]] NotKept not_kept() const;

 private:
  /// What path_ and name_ are of, while it is being looked at.
  struct Here {
    Place place{};
    EarlierSources::Indices others{};  ///< earlier sources that may have the name, too
    unsigned char type = 0;            ///< DT_..., 0 where that is not known
  };

  [[nodiscard]] std::optional<Found> find_next(const std::stop_token& stop);
  /// Whether this sender sends what was found. Of a directory each does that sends something in it,
  /// so that whoever is last sets its time; and one of them in any case.
  [[nodiscard]] bool is_sent_here(const Found& found) const;
  /// What of a file or link can be told without opening it.
  [[nodiscard]] bool takes(const struct stat& status) const;
  /// Whether several send pieces of it.
  [[nodiscard]] bool is_split(const struct stat& status) const;
  [[nodiscard]] std::optional<Found> start_source(const std::string& path,
                                                  const std::stop_token& stop);
  [[nodiscard]] std::optional<Found> start_standard_input();
  [[nodiscard]] std::optional<Found> start_contents();
  [[nodiscard]] std::optional<Found> start_named(const std::stop_token& stop);
  [[nodiscard]] std::optional<Found> start_list();
  [[nodiscard]] bool is_in_list() const noexcept {
    return at_listed_ < list_.size() || !on_the_way_.empty();
  }
  [[nodiscard]] std::optional<Found> read_list_on(const std::stop_token& stop);
  void stand_at(const std::string& name);
  [[nodiscard]] Found failed_outside();
  [[nodiscard]] std::optional<Found> enter_on_the_way(const std::string& path);
  [[nodiscard]] std::optional<Found> visit_listed(const ListedName& name, const std::string& parent,
                                                  const std::stop_token& stop);
  [[nodiscard]] std::optional<Found> read_on(const std::stop_token& stop);
  [[nodiscard]] std::optional<Found> leave();

  [[nodiscard]] std::optional<Found> visit(Here here, const std::stop_token& stop);
  [[nodiscard]] std::optional<Found> visit_directory(Here here, const struct stat& looked_at);
  [[nodiscard]] std::optional<Found> visit_file(Here here, struct stat status,
                                                const std::stop_token& stop);
  [[nodiscard]] std::optional<Found> enter(Fd directory, Here here, const struct stat& status);
  /// A link that leads nowhere has a reason of its own.
  [[nodiscard]] std::optional<Found> not_looked_at(const Place& place, std::string why,
                                                   int error_number) const;
  /// Whether the filter lets it pass, by the name that it has here.
  [[nodiscard]] bool includes(bool is_directory) const;
  /// False when the name is an earlier source's; that was told then. Else `here.others` is left
  /// with those that have the same directory, and `status` becomes that of the first.
  [[nodiscard]] bool is_first(Here& here, struct stat& status) const;

  [[nodiscard]] Found found(Entry entry, const struct stat& status);
  /// `directory` is open, or -1 where it is not: what is kept of it needs that.
  [[nodiscard]] Found found_directory(const struct stat& status, int directory);
  [[nodiscard]] Found failed(std::string reason) const;
  [[nodiscard]] Found unlisted(const struct stat& status, const std::string& reason);
  void note_special();
  void tell_left_out(const std::string& why) const;
  void reached(WalkStep step) const;

  Setup setup_;
  Describer describer_;
  EarlierSources earlier_;
  std::size_t next_path_ = 0;
  SourceRootPtr root_;          ///< of the source that is being walked
  std::size_t root_bytes_ = 0;  ///< where what is below it begins in path_
  std::string own_name_;        ///< that the source would have without Setup::name
  LevelStack levels_;
  std::string path_;  ///< in the user's terms
  std::string name_;  ///< on the other side
  std::string sent_;  ///< the name of the last entry that this shard sends
  // Of a walk through a list.
  struct OnTheWay {
    std::string path;
    struct stat status {};
  };
  std::vector<ListedName> list_;
  std::size_t at_listed_ = 0;
  std::vector<OnTheWay> on_the_way_;  ///< directories of the name, to be sent after it
  Fd parent_;                         ///< the last of them, or the root, unless it has to be opened
  std::string contents_;              ///< the directory that was listed with a slash last

  NotKept not_kept_;
  uid_t user_;
};

/// The name that a source path gets at the destination: its last component; empty for ".", "..",
/// "/" and a path that ends in a slash, which stand for the contents of the directory (as in
/// rsync).
[[nodiscard]] std::string destination_name(std::string_view path);

}  // namespace adoc
