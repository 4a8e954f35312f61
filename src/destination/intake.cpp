#include "destination/intake.hpp"

#include <sys/stat.h>

#include <algorithm>

#include "adoc/error.hpp"

namespace adoc {

namespace {

/// What a file system allocates at a time, as far as it matters here.
constexpr std::uint64_t kBlockBytes = 4'096;
/// The file system is looked at again after so much of an entry of unknown size.
constexpr std::uint64_t kClaimBytes = 64 << 20;

/// What the pieces of a file take on the disk: whole blocks, so that many short runs count for what
/// they are. Holes take nothing.
std::uint64_t disk_bytes(EntryPieces pieces) noexcept {
  std::uint64_t blocks = 0;
  std::uint64_t next = 0;
  while (const auto piece = pieces.next()) {
    const std::uint64_t begin = std::max(next, piece->file_offset / kBlockBytes);
    next = std::max(begin, (piece->file_offset + piece->length - 1) / kBlockBytes + 1);
    blocks += next - begin;
  }
  return blocks * kBlockBytes;
}

void leave(const Keep& keep, Metadata& metadata) noexcept {
  if (!keep.owner) metadata.user.reset();
  if (!keep.group) metadata.group.reset();
  if (!keep.hard_links) metadata.has_other_names = false;
  if (!keep.attributes) metadata.attributes.reset();
  if (keep.access_lists) return;
  metadata.access.reset();
  metadata.default_access.reset();
}

Error more_than(std::uint64_t limit, const char* what, Hint hint) {
  return {ErrorKind::local_file,
          "the transfer is larger than the " + std::to_string(limit) + " " + what +
              " that the receiver allows",
          hint};
}

}  // namespace

std::string Intake::words_of(const Error& error) const {
  return options_.words ? options_.words(error) : error.what();
}

std::optional<std::string> Intake::words_of(const std::optional<Error>& error) const {
  if (!error) return std::nullopt;
  return words_of(*error);
}

// The sender is to read the words that this side has for it.
void Intake::fail(const Error& error) const {
  if (options_.words) throw Error(error.kind(), options_.words(error));
  throw error;  // NOLINT(cert-err60-cpp)
}

void Intake::count(const std::vector<Entry>& entries) {
  for (const Entry& entry : entries) expect(entry);
  const auto directories =
      static_cast<std::uint64_t>(std::ranges::count(entries, EntryKind::directory, &Entry::kind));
  others_ += entries.size() - directories;
  directories_ += directories;
  has_stream_ =
      has_stream_ || std::ranges::find(entries, kUnknownSize, &Entry::size) != entries.end();
  if (too_many()) fail(more_than(options_.max_entries, "entries", Hint::raise_max_entries));
}

void Intake::expect(const Offer& offer) const {
  if (!options_.asked) return;
  const Asked& asked = *options_.asked;
  const char* what = nullptr;
  if (offer.dry_run != asked.dry_run)
    what = asked.dry_run ? "it sends what was to be listed" : "it lists what was to be sent";
  else if (!offer.keep_existing && !asked.overwrite_existing)
    what = "it would replace what exists, which was not asked for";
  else if (offer.force && !asked.force)
    what = "it would replace directories, which was not asked for";
  if (what != nullptr) throw Error(ErrorKind::corrupt, what);
}

void Intake::expect(const Entry& entry) const {
  if (!options_.asked) return;
  const Asked& asked = *options_.asked;
  const auto refuse = [&](const SafeName& name, const char* what) {
    throw Error(ErrorKind::corrupt,
                "it sends " + adoc::quoted(name.str()) + what + ", which was not asked for");
  };
  const auto expect_name = [&](const SafeName& name) {
    const bool lies_in_one = name.str().find('/') != std::string::npos;
    const bool is_directory = entry.kind == EntryKind::directory;
    if (asked.names && !asked.names(name.str(), is_directory)) refuse(name, "");
    if (!asked.directories && (is_directory || lies_in_one)) refuse(name, " with a directory");
  };
  expect_name(entry.name);
  if (entry.kind == EntryKind::symlink && !asked.links) refuse(entry.name, " as a link");
  if (!entry.is_other_name()) return;
  expect_name(*entry.metadata->first);
  if (!asked.keep.hard_links) refuse(entry.name, " as another name of a file");
}

// A directory comes after what is in it, so most are made before their entries are counted.
bool Intake::too_many() const noexcept {
  const std::uint64_t made = made_directories_;
  return options_.max_entries != 0 &&
         others_ + std::max(directories_.load(), made) > options_.max_entries;
}

void Intake::expect_directory() {
  ++made_directories_;
  std::string why;
  if (too_many())
    why = words_of(more_than(options_.max_entries, "entries", Hint::raise_max_entries));
  else if (!take_bytes(kBlockBytes))
    why = words_of(more_than(options_.max_bytes, "bytes", Hint::raise_max_bytes));
  else if (const auto no_room = claim().add(kBlockBytes)) {
    why = words_of(*no_room);
    give_bytes_back(kBlockBytes);
  }
  if (why.empty()) return;
  --made_directories_;
  throw Error(ErrorKind::local_file, "cannot make a directory on its way: " + why);
}

void Intake::no_directory() noexcept {
  --made_directories_;
  give_bytes_back(kBlockBytes);
}

void Intake::trim(Entry& entry) {
  if (entry.metadata && options_.asked) leave(options_.asked->keep, *entry.metadata);
  if (entry.metadata) rights_.trim(*entry.metadata);
  if (entry.kind == EntryKind::symlink) return;
  entry.mode &= options_.mode_mask;
  if (options_.keep_special_bits) return;
  std::uint32_t special = S_ISUID | S_ISGID;
  if (entry.kind == EntryKind::file) special |= S_ISVTX;
  if ((entry.mode & special) != 0) ++trimmed_;
  entry.mode &= ~special;
}

std::optional<std::string> Intake::objection(const Entry& entry, const EntryPieces& pieces,
                                             DiskRoom::Claim& claim) {
  const auto slashes = std::ranges::count(entry.name.str(), '/');
  if (static_cast<std::size_t>(slashes) > options_.depth_limit())
    return words_of(Error{ErrorKind::local_file,
                          "it lies " + std::to_string(slashes) +
                              " directories deep, and the receiver allows at most " +
                              std::to_string(options_.depth_limit()),
                          Hint::raise_max_depth});
  // Room for a directory is asked for when it is made, also for those that only names imply.
  if (entry.kind == EntryKind::directory && !claim.only_asks()) return std::nullopt;
  if (entry.kind != EntryKind::file || entry.size == kUnknownSize || entry.is_other_name())
    return words_of(claim.add(0));
  if (!take_bytes(entry.own_bytes()))
    return words_of(more_than(options_.max_bytes, "bytes", Hint::raise_max_bytes));
  const auto why = claim.add(disk_bytes(pieces));
  if (why) give_bytes_back(entry.own_bytes());
  return words_of(why);
}

void Intake::expect_room(std::uint64_t bytes, DiskRoom::Claim& claim) {
  if (!take_bytes(bytes)) fail(more_than(options_.max_bytes, "bytes", Hint::raise_max_bytes));
  if (claim.holds(bytes)) return;
  claim.look_again();
  // Near the end less than the usual piece is left, and may still be enough.
  if (!claim.add(std::max(bytes, kClaimBytes))) return;
  if (const auto why = claim.add(bytes)) fail(*why);
}

bool Intake::take_bytes(std::uint64_t bytes) noexcept {
  if (options_.max_bytes == 0) return true;
  // Looked at before it is added, too: what does not fit is not to be in anybody's way meanwhile.
  const auto fits = [&](std::uint64_t sum) {
    return sum <= options_.max_bytes && bytes <= options_.max_bytes - sum;
  };
  if (!fits(bytes_)) return false;
  if (fits(bytes_.fetch_add(bytes))) return true;
  bytes_ -= bytes;
  return false;
}

void Intake::give_bytes_back(std::uint64_t bytes) noexcept {
  if (options_.max_bytes != 0) bytes_ -= bytes;
}

}  // namespace adoc
