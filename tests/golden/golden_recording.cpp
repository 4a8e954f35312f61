#include "golden_parts.hpp"

namespace adoc::golden {

namespace {

Entry directory(std::string name, std::uint32_t mode) {
  Entry entry = file(std::move(name), 0);
  entry.kind = EntryKind::directory;
  entry.mode = mode;
  return entry;
}

Entry link(std::string name, std::string target) {
  Entry entry = file(std::move(name), 0);
  entry.kind = EntryKind::symlink;
  entry.mode = 0777;
  entry.link_target = std::move(target);
  return entry;
}

}  // namespace

// In the order of a walk: what is in a directory by the bytes of its names, then the directory.
void write_recording(GoldenDirectory& to) {
  constexpr std::string_view kQuiet = "quiet\n";
  Entry quiet = file("tree/deep/quiet", kQuiet.size());
  quiet.mode = 0600;
  quiet.mtime_seconds = -1;
  quiet.mtime_nanoseconds = 789'000'000;
  Entry nothing = file("tree/no-bytes", 0);
  nothing.mode = 0444;
  const Bytes manifest =
      encode_manifest({quiet, directory("tree/deep", 0750), directory("tree/empty", 0700),
                       file("tree/hello.txt", kText.size()), link("tree/link", "deep/quiet"),
                       nothing, link("tree/nowhere", "../none"), directory("tree", 0755)});
  const std::string contents = std::string(kQuiet) + std::string(kText);
  const Done done{.batch = 0, .stream_bytes = contents.size()};
  to.good("to-receiver-tree",
          plain_hello(Role::sender).encode() + encode_frame(offer_of(manifest)) +
              block_run(contents, CodecId::raw) + encode_frame(done) + encode_frame(End{1}));
}

}  // namespace adoc::golden
