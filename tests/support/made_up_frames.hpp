#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

#include "util/bytes.hpp"
#include "wire/block.hpp"
#include "wire/entry.hpp"
#include "wire/frame.hpp"
#include "wire/offer.hpp"

namespace adoc::testkit {

/// The bytes one after the other.
[[nodiscard]] Bytes joined(std::initializer_list<Bytes> parts);

/// A frame around a record that no encoder would write, with a check value that fits.
[[nodiscard]] Bytes made_up_frame(FrameType type, const std::function<void(ByteWriter&)>& write);

/// A packet frame.
[[nodiscard]] Bytes packet_frame(ByteSpan stored);

/// A whole block run of these bytes as they are, at this offset.
[[nodiscard]] Bytes raw_block(std::uint64_t batch, std::uint64_t offset, std::string_view raw);

[[nodiscard]] Entry file_entry(std::string name, std::uint64_t size);
[[nodiscard]] Entry directory_entry(std::string name);
[[nodiscard]] Entry symlink_entry(std::string name, std::string target);

/// An offer whose manifest is not compressed.
[[nodiscard]] Offer raw_offer(std::uint64_t batch, const std::vector<Entry>& entries, bool last);

/// The manifest of one empty file with a name that was never checked.
[[nodiscard]] Bytes manifest_naming(std::string_view name);

/// The frames of a recorded direction, without its hello.
[[nodiscard]] std::vector<Bytes> split_frames(ByteSpan frames);

}  // namespace adoc::testkit
