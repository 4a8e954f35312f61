#include "source/part_hasher.hpp"

#include <algorithm>

#include "adoc/error.hpp"

namespace adoc {

namespace {

constexpr std::size_t kPartBufferBytes = 256 << 10;

}  // namespace

void PartHasher::add(std::uint64_t offset, ByteSpan bytes) {
  catch_up(offset);
  hasher_.update(bytes);
  position_ += bytes.size();
}

ContentHash PartHasher::digest() {
  catch_up(entry_.size);
  return hasher_.digest();
}

void PartHasher::catch_up(std::uint64_t end) {
  while (position_ < end) {
    const Extent run = next_run(end);
    const std::uint64_t data = std::min(run.offset, end);
    if (position_ < data) {
      hasher_.update_zeros(data - position_);
      position_ = data;
    } else {
      read(std::min(run.offset + run.length, end));
    }
  }
}

Extent PartHasher::next_run(std::uint64_t end) {
  if (!entry_.data) return {0, entry_.size};
  while (run_ != entry_.data->end() && run_->offset + run_->length <= position_) ++run_;
  return run_ == entry_.data->end() ? Extent{end, 0} : *run_;
}

void PartHasher::read(std::uint64_t end) {
  buffer_.resize(kPartBufferBytes);
  while (position_ < end) {
    const auto room = std::span(buffer_).first(
        static_cast<std::size_t>(std::min<std::uint64_t>(buffer_.size(), end - position_)));
    if (contents_.read(position_, room, stop_) < room.size())
      throw Error(ErrorKind::local_file, "it became shorter while it was read");
    hasher_.update(room);
    position_ += room.size();
  }
}

}  // namespace adoc
