#pragma once

#include <array>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "adoc/error.hpp"
#include "fuzz/scripted_stream.hpp"
#include "support/made_up_frames.hpp"
#include "util/checksum.hpp"

namespace adoc::fuzz {

inline void require(bool holds) {
  if (!holds) std::abort();
}

/// A directory of this process, in memory where that is possible.
class Scratch {
 public:
  Scratch() {
    namespace fs = std::filesystem;
    std::string pattern =
        (fs::is_directory("/dev/shm") ? fs::path("/dev/shm") : fs::temp_directory_path()) /
        "adoc-fuzz-XXXXXX";
    require(::mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  [[nodiscard]] std::string operator/(const char* name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

/// Any frame whose check is right, whatever its record says.
inline Bytes any_frame(Input& input) {
  const auto type = static_cast<FrameType>(1 + input.u8() % 16);
  const Bytes record = input.take(input.u8());
  if (type == FrameType::packet) return testkit::packet_frame(record);
  return testkit::made_up_frame(type, [&](ByteWriter& out) { out.bytes(record); });
}

}  // namespace adoc::fuzz
