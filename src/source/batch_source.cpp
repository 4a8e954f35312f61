#include "source/batch_source.hpp"

#include <algorithm>
#include <utility>

#include "adoc/error.hpp"
#include "wire/block.hpp"
#include "wire/frame.hpp"

namespace adoc {

std::optional<RawBlock> BatchSource::next(std::span<std::byte> into) {
  while (true) {
    if (!batch_) {
      auto batch = next_wanted();
      if (!batch) return std::nullopt;
      batch_ = *std::move(batch);
      start_batch();
    }
    if (const std::size_t filled = fill(into); filled != 0) {
      RawBlock block{batch_->id, stream_position_, into.first(filled), std::move(predicted_)};
      stream_position_ += filled;
      return block;
    }
    if (to_skip_ != 0) {
      setup_.fifo.push(encode_frame(Skip{batch_->id, stream_position_, to_skip_}));
      stream_position_ += to_skip_;
      to_skip_ = 0;
      continue;
    }
    const bool last = batch_->last;
    finish_batch();
    if (last) return std::nullopt;
  }
}

std::optional<OutgoingBatchPtr> BatchSource::next_wanted() {
  if (setup_.answers == nullptr) return setup_.wanted.pop();
  const LiveTime::Doing waiting(*setup_.answers);
  return setup_.wanted.pop();
}

void BatchSource::start_batch() {
  layout_ = StreamLayout(batch_->entries, batch_->wants);
  piece_position_ = 0;
  hashes_.clear();
  stream_position_ = 0;
  // Of an earlier connection.
  batch_->changed.clear();
  batch_->with_attributes = batch_->with_access_lists = 0;
  batch_->like_text.reset();
  if (setup_.lossy) batch_->lost.resize(batch_->entries.size());
}

void BatchSource::finish_batch() {
  Done done{.batch = batch_->id, .stream_bytes = stream_position_};
  done.hashes = std::move(hashes_);
  for (std::size_t i = 0; i < batch_->failures.size(); ++i)
    if (!batch_->failures[i].empty()) done.failures.push_back({i, batch_->failures[i]});
  const End end{batch_->id + 1};
  const bool last = batch_->last;
  // Before the done: whoever hears the commit that answers it finds the batch in the queue.
  setup_.sent.push(std::move(batch_));
  setup_.fifo.push(encode_frame(done));
  if (!last) return;
  if (setup_.goes_on != nullptr && *setup_.goes_on)
    setup_.fifo.push(encode_frame(end));
  else
    setup_.fifo.push_last(encode_frame(end));
}

std::size_t BatchSource::fill(std::span<std::byte> into) {
  std::size_t filled = 0;
  predicted_.windows.clear();
  in_windows_ = 0;
  if (is_predicted()) into = into.first(std::min(into.size(), kMaxPredictedBlockBytes));
  while (filled < into.size() && !layout_.at_end() && to_skip_ == 0) {
    const Piece piece = layout_.piece();
    if (has_failed_there(piece.entry)) {
      skip_rest(piece.entry);
      continue;
    }
    try {
      if (!batch_->failures[piece.entry].empty())
        throw Error(ErrorKind::local_file, batch_->failures[piece.entry]);
      std::span<std::byte> room = into.subspan(filled);
      if (is_predicted() && piece.length - piece_position_ > room.size()) {
        into = into.first(filled + whole_windows(piece.file_offset + piece_position_, room.size()));
        room = into.subspan(filled);
      }
      const std::size_t got = read_piece(piece, room, filled);
      filled += got;
      // Standard input gave what it has for now: that is not kept back for what may come.
      if (batch_->sources[piece.entry].is_standard_input && got != 0) break;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::local_file) throw;
      fail_entry(piece.entry, error.what());
    }
  }
  return filled;
}

// At least half of what there is room for: a block is not to be much shorter than asked.
std::size_t BatchSource::whole_windows(std::uint64_t offset, std::size_t room) const noexcept {
  const auto beyond = static_cast<std::size_t>((offset + room) % kPredictedWindowBytes);
  return beyond <= room / 2 ? room - beyond : room;
}

// A window skips what is behind the one before it, whatever file that is of.
void BatchSource::add_windows(std::size_t begin) {
  if (!is_predicted()) return;
  predicted_.type = setup_.lossy->type;
  std::size_t end = begin;
  for (NumberWindow window : file_->contents().windows()) {
    end += window.skipped + window.numbers * number_bytes(predicted_.type);
    window.skipped += begin - std::exchange(in_windows_, end);
    begin = end;
    predicted_.windows.push_back(window);
  }
}

std::size_t BatchSource::read_piece(const Piece& piece, std::span<std::byte> into,
                                    std::size_t filled) {
  const SourceFile& source = batch_->sources[piece.entry];
  if (source.is_standard_input) return read_standard_input(into);
  if (!file_) open(piece.entry);
  const bool has_end = piece.length != kUnknownSize;
  const std::span<std::byte> room =
      has_end ? into.first(static_cast<std::size_t>(
                    std::min<std::uint64_t>(into.size(), piece.length - piece_position_)))
              : into;
  LossyFigures* const lost = setup_.lossy ? &batch_->lost[piece.entry] : nullptr;
  const std::size_t got =
      file_->contents().read(piece.file_offset + piece_position_, room, setup_.stop, lost);
  add_windows(filled);
  if (hasher_) hasher_->add(piece.file_offset + piece_position_, room.first(got));
  piece_position_ += got;
  if (has_end && got < room.size()) {
    // What was read goes out, the rest is skipped: the stream keeps its length.
    fail_entry(piece.entry, "it became shorter while it was read");
  } else if (has_end ? piece_position_ == piece.length : got == 0) {
    finish_piece();
  }
  return got;
}

// This thread stores what it waits for before it loads what has failed, and failed_there() does it
// the other way round: one of the two sees the other, and nobody waits on.
std::size_t BatchSource::read_standard_input(std::span<std::byte> into) {
  const std::size_t entry = layout_.piece().entry;
  reads_input_ = number_of({.batch = batch_->id, .entry = entry});
  if (has_failed_there(entry)) return 0;
  try {
    const std::size_t got = setup_.input->read(into, setup_.stopped);
    if (got == 0) layout_.next();
    return got;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::interrupted || !has_failed_there(entry)) throw;
    return 0;
  }
}

void BatchSource::failed_there(const Failed& failed) noexcept {
  failed_there_ = number_of(failed);
  if (reads_input_ == number_of(failed)) setup_.stopped.set();
}

void BatchSource::finish_piece() {
  const std::size_t entry = layout_.piece().entry;
  layout_.next();
  piece_position_ = 0;
  if (!layout_.at_end() && layout_.piece().entry == entry) return;
  finish_entry(entry);
}

void BatchSource::open(std::size_t entry) {
  const Entry& listed = batch_->entries[entry];
  file_.emplace(batch_->sources[entry], listed,
                InputFile::Setup{.may_have_changed = setup_.allow_changed, .lossy = setup_.lossy});
  if (setup_.lossy && !batch_->like_text && file_->contents().looks_like_text())
    batch_->like_text = entry;
  const InputFile::Attributes has = file_->attributes();
  batch_->with_attributes += has.own && !setup_.keep.attributes ? 1 : 0;
  batch_->with_access_lists += has.access_list && !setup_.keep.access_lists ? 1 : 0;
  if (batch_->says_hashes && wanted_in_part(listed, batch_->wants[entry]))
    hasher_.emplace(file_->contents(), listed, setup_.stop);
}

void BatchSource::finish_entry(std::size_t entry) {
  try {
    std::optional<ContentHash> hash;
    if (hasher_) hash = hasher_->digest();
    if (!setup_.allow_changed)
      file_->check_unchanged();
    else if (file_->has_changed())
      batch_->changed.push_back(entry);
    if (hash) hashes_.push_back({entry, *hash});
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::local_file) throw;
    batch_->failures[entry] = error.what();
  }
  close();
}

void BatchSource::close() noexcept {
  hasher_.reset();
  file_.reset();
}

void BatchSource::fail_entry(std::size_t entry, const std::string& reason) {
  batch_->failures[entry] = reason;
  skip_rest(entry);
}

void BatchSource::skip_rest(std::size_t entry) {
  close();
  for (; !layout_.at_end() && layout_.piece().entry == entry; layout_.next(), piece_position_ = 0)
    if (layout_.piece().length != kUnknownSize)
      to_skip_ += layout_.piece().length - piece_position_;
}

}  // namespace adoc
