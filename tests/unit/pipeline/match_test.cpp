#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

#include "pipeline/match_finder.hpp"
#include "pipeline/match_window.hpp"
#include "support/expect_error.hpp"
#include "support/made_up_frames.hpp"
#include "support/receiving_end.hpp"
#include "util/checksum.hpp"

namespace adoc {
namespace {

using testkit::joined;
using testkit::packet_frame;
using testkit::received;

Bytes part(const Bytes& of, std::size_t offset, std::size_t count) {
  const ByteSpan bytes = ByteSpan(of).subspan(offset, count);
  return {bytes.begin(), bytes.end()};
}

std::size_t matched_bytes(const std::vector<Match>& matches) {
  std::size_t bytes = 0;
  for (const Match& match : matches) bytes += match.length;
  return bytes;
}

class MatchTest : public testing::Test {
 protected:
  std::vector<Match> search(ByteSpan raw) {
    return finder_.search(finder_.place(raw.size()), raw, raw.size());
  }

  testkit::Rng rng_ = testkit::seeded_rng();
  MatchFinder finder_;
};

TEST_F(MatchTest, FindsAllOfWhatCameBefore) {
  // Goal: a copy is found from its first byte to its last, wherever it begins in its block.
  const Bytes before = testkit::some_noise(300'000, rng_);
  EXPECT_TRUE(search(before).empty());
  const Bytes copied = part(before, 12'345, 100'000);
  const Bytes raw = joined({testkit::some_noise(777, rng_), copied, Bytes(333, std::byte{1})});
  const std::vector<Match> wanted{
      {.literals = 777, .length = copied.size(), .distance = before.size() - 12'345}};
  EXPECT_TRUE(search(raw) == wanted);
}

TEST_F(MatchTest, KnowsNoMoreThanTheWindow) {
  // Goal: what is further back than a receiver keeps is not referred to.
  const Bytes copied = testkit::some_noise(50'000, rng_);
  EXPECT_TRUE(search(copied).empty());
  const Bytes other = testkit::some_noise(4 << 20, rng_);
  for (std::size_t sent = other.size(); sent <= kMatchWindowBytes - (1 << 20); sent += other.size())
    static_cast<void>(search(other));
  EXPECT_EQ(matched_bytes(search(copied)), copied.size());
  for (std::size_t sent = 0; sent <= kMatchWindowBytes; sent += other.size())
    static_cast<void>(search(other));
  EXPECT_TRUE(search(copied).empty());
}

TEST_F(MatchTest, WaitsForNobodyOnceItHasFailed) {
  // Goal: a block whose search never comes keeps no other one waiting when the transfer has ended.
  const auto never = finder_.place(kMaxMatchedBlockBytes);
  const Bytes raw(kMaxMatchedBlockBytes);
  const auto place = finder_.place(raw.size());
  const std::jthread failing(
      [&] { finder_.fail(std::make_exception_ptr(Error(ErrorKind::interrupted, "it is over"))); });
  testkit::expect_error(ErrorKind::interrupted, "it is over",
                        [&] { static_cast<void>(finder_.search(place, raw, raw.size())); });
  EXPECT_EQ(never.bytes, kMaxMatchedBlockBytes);
}

/// The frames of a matched block whose literals are stored as they are.
Bytes matched_run(std::size_t offset, ByteSpan raw, const std::vector<Match>& matches) {
  Buffer literals;
  append_literals(literals, raw, matches);
  const BlockHeader header{.offset = offset,
                           .raw_bytes = raw.size(),
                           .codec = static_cast<std::uint8_t>(CodecId::raw),
                           .checksum = xxh3_64(raw)};
  return joined({encode_frame(MatchedBlockHeader{.block = header, .matches = matches}),
                 literals.empty() ? Bytes() : packet_frame(literals),
                 encode_frame(BlockEnd{literals.size()})});
}

TEST_F(MatchTest, TheWindowMakesOfThemWhatWasSearched) {
  // Goal: blocks of all lengths that copy from near and far, more than a window of them, searched
  // and made by several threads at once, arrive as they were.
  const Bytes pieces = testkit::some_noise(3 << 20, rng_);
  Bytes all;
  std::vector<std::size_t> ends;
  while (all.size() < kMatchWindowBytes + (16 << 20)) {
    const std::size_t block = 1 + testkit::up_to(rng_, 1 << 19);
    while (all.size() < (ends.empty() ? 0 : ends.back()) + block) {
      const std::size_t offset = testkit::up_to(rng_, pieces.size() - 1);
      const std::size_t length =
          1 + testkit::up_to(rng_, std::min<std::size_t>(200'000, pieces.size() - offset) - 1);
      const Bytes some = testkit::up_to(rng_, 2) == 0 ? testkit::some_noise(length, rng_)
                                                      : part(pieces, offset, length);
      all.insert(all.end(), some.begin(), some.end());
    }
    ends.push_back(all.size());
  }
  std::vector<Bytes> runs(ends.size());
  std::atomic<std::size_t> copied = 0;
  {
    std::mutex turn;
    std::size_t next = 0;
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 3; ++thread)
      threads.emplace_back([&] {
        while (true) {
          std::unique_lock lock(turn);
          if (next == ends.size()) return;
          const std::size_t number = next++;
          const std::size_t begin = number == 0 ? 0 : ends[number - 1];
          const ByteSpan raw = ByteSpan(all).subspan(begin, ends[number] - begin);
          const auto place = finder_.place(raw.size());
          lock.unlock();
          const auto matches = finder_.search(place, raw, raw.size());
          copied += matched_bytes(matches);
          runs[number] = matched_run(begin, raw, matches);
        }
      });
  }
  EXPECT_GT(copied.load(), all.size() / 2);
  Bytes frames;
  for (const Bytes& run : runs) frames.insert(frames.end(), run.begin(), run.end());
  EXPECT_TRUE(received(frames, 3) == all);
}

class MatchedBlocksTest : public testing::Test {
 protected:
  void refuses(std::string_view fragment, const Bytes& frames,
               const testkit::ReceivingEnd& end = {}) {
    SCOPED_TRACE(fragment);
    for (const std::size_t threads : {1U, 4U})
      testkit::expect_corrupt(fragment, [&] { static_cast<void>(received(frames, threads, end)); });
  }
  [[nodiscard]] Bytes run(std::size_t offset, std::size_t count,
                          const std::vector<Match>& matches) const {
    return matched_run(offset, ByteSpan(data_).subspan(offset, count), matches);
  }

  testkit::Rng rng_ = testkit::seeded_rng();
  Bytes half_ = testkit::some_noise(5'000, rng_);
  Bytes data_ = joined({half_, half_});
  Bytes first_ = run(0, 5'000, {});
};

TEST_F(MatchedBlocksTest, WhollyCopiedOnesHoldNothing) {
  // Goal: a block without any literals has no packets either.
  const Bytes second = run(5'000, 5'000, {{.literals = 0, .length = 5'000, .distance = 5'000}});
  for (const std::size_t threads : {1U, 2U, 8U})
    EXPECT_TRUE(received(joined({first_, second}), threads) == data_);
}

TEST_F(MatchedBlocksTest, AThreadThatWaitsForABlockKeepsNoMemoryFromIt) {
  // Goal: where less memory is left than there are threads, a long path's records have some of it,
  // blocks that each copy from the one before are made all the same.
  const std::vector<Match> before{
      {.literals = 0, .length = half_.size(), .distance = half_.size()}};
  Bytes frames = first_;
  Bytes all = half_;
  for (int i = 0; i < 2'000; ++i) {
    frames = joined({std::move(frames), matched_run(all.size(), half_, before)});
    all.insert(all.end(), half_.begin(), half_.end());
  }
  for (const std::size_t shares : {1U, 2U})
    EXPECT_TRUE(received(frames, 4, {.shares = shares}) == all);
}

TEST_F(MatchedBlocksTest, CutOnesEndAmongLiterals) {
  // Goal: what follows the end is left out; an end within a copy is refused.
  const std::vector<Match> matches{{.literals = 100, .length = 1'000, .distance = 4'900},
                                   {.literals = 500, .length = 2'000, .distance = 3'400}};
  const auto cut_at = [&](std::size_t raw_bytes, std::size_t literals) {
    const ByteSpan raw = ByteSpan(data_).subspan(5'000, raw_bytes);
    const BlockHeader header{.offset = 5'000, .raw_bytes = 5'000, .checksum = 1};
    return joined(
        {first_, encode_frame(MatchedBlockHeader{.block = header, .matches = matches}),
         packet_frame(joined({part(data_, 5'000, 100), part(data_, 6'100, literals - 100)})),
         encode_frame(
             Cut{.stored_bytes = literals, .raw_bytes = raw_bytes, .checksum = xxh3_64(raw)})});
  };
  EXPECT_TRUE(received(cut_at(1'300, 300)) == part(data_, 0, 6'300));
  refuses("within a match", cut_at(700, 300));
  EXPECT_EQ(raw_bytes_of(100, matches), 100U);
  EXPECT_EQ(raw_bytes_of(300, matches), 1'300U);
  EXPECT_EQ(raw_bytes_of(700, matches), 3'700U);
}

TEST_F(MatchedBlocksTest, WhatIsNotThereIsRefused) {
  // Goal: a copy from before the first matched block, or by a peer that was not asked for any, and
  // literals that are not those of the block.
  const std::vector<Match> too_far{{.literals = 0, .length = 100, .distance = 5'001}};
  refuses("refers to more", joined({first_, run(5'000, 200, too_far)}));
  refuses("refers to more", run(0, 200, {{.literals = 0, .length = 100, .distance = 100}}));
  refuses("does not take matched blocks", first_, {.takes_matches = false});
  const std::vector<Match> all{{.literals = 0, .length = 5'000, .distance = 5'000}};
  const BlockHeader header{.offset = 5'000, .raw_bytes = 5'000, .codec = 3, .checksum = 1};
  const Bytes opening = encode_frame(MatchedBlockHeader{.block = header, .matches = all});
  refuses("holds more",
          joined({first_, opening, packet_frame(part(data_, 0, 10)), encode_frame(BlockEnd{10})}));
  refuses("checksum", joined({first_, opening, encode_frame(BlockEnd{0})}));
}

}  // namespace
}  // namespace adoc
