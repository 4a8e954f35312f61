#include "codec/ladder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "adoc/error.hpp"

namespace adoc {
namespace {

constexpr const char* kNames[] = {"auto", "zlib", "zstd", "lz4"};

TEST(Ladder, LevelZeroIsRawAndNothingElseIs) {
  // Goal: "level 0" means "not compressed" on every ladder, and no other level does.
  for (const auto* name : kNames) {
    const auto ladder = Ladder::named(name);
    EXPECT_EQ(ladder.name(), name);
    EXPECT_EQ(ladder[0], (Rung{CodecId::raw, 0})) << name;
    for (int level = 1; level <= ladder.last(); ++level) {
      EXPECT_NE(ladder[level].codec, CodecId::raw) << name << " " << level;
    }
  }
}

TEST(Ladder, SettingsRiseWithinEachCodec) {
  // Goal: each level asks its codec for more than the one below, and no codec comes twice.
  for (const auto* name : kNames) {
    const auto ladder = Ladder::named(name);
    for (int level = 2; level <= ladder.last(); ++level) {
      const Rung& below = ladder[level - 1];
      const Rung& here = ladder[level];
      if (here.codec == below.codec) {
        EXPECT_LT(below.setting, here.setting) << name << " " << level;
      } else {
        EXPECT_EQ(below.codec, here.codec == CodecId::zstd ? CodecId::lz4 : CodecId::zstd)
            << name << " " << level;
      }
    }
  }
}

TEST(Ladder, ZlibIsThePapersLadder) {
  // Goal: level n of "zlib" is zlib's own level n, up to 9 (Jeannot 2002, section 3).
  const auto ladder = Ladder::named("zlib");
  ASSERT_EQ(ladder.top(), 9);
  for (int level = 1; level <= 9; ++level) {
    EXPECT_EQ(ladder[level], (Rung{CodecId::zlib, level}));
  }
}

TEST(Ladder, ZstdHoldsFastLevelsAndOneToNineteen) {
  // Goal: "zstd" goes from negative levels through 1 to 19, leaving out none of the latter.
  const auto ladder = Ladder::named("zstd");
  EXPECT_LT(ladder[1].setting, 0);
  ASSERT_GT(ladder.top(), 19);
  for (int setting = 1; setting <= 19; ++setting) {
    EXPECT_EQ(ladder[ladder.top() - 19 + setting], (Rung{CodecId::zstd, setting}));
  }
}

TEST(Ladder, Lz4HoldsAccelerationsAndEveryHcLevel) {
  // Goal: "lz4" goes from accelerations through 1 to HC 3..12.
  const auto ladder = Ladder::named("lz4");
  EXPECT_LT(ladder[1].setting, 0);
  ASSERT_GT(ladder.top(), 11);
  EXPECT_EQ(ladder[ladder.top() - 10], (Rung{CodecId::lz4, 1}));
  for (int setting = 3; setting <= 12; ++setting) {
    EXPECT_EQ(ladder[ladder.top() - 12 + setting], (Rung{CodecId::lz4, setting}));
  }
}

TEST(Ladder, AutoReachesFromLz4ToZstdNineteen) {
  // Goal: "auto" spans the whole range, from the fastest codec to the densest setting.
  const auto ladder = Ladder::named("auto");
  EXPECT_EQ(ladder[1].codec, CodecId::lz4);
  EXPECT_EQ(ladder[ladder.top()], (Rung{CodecId::zstd, 19}));
  EXPECT_EQ(ladder.top(), 20);
}

TEST(Ladder, AboveTheTopOfAutoAreTheDenseRungs) {
  // Goal: they have levels of their own above those that policies climb, in blocks of up to 4 MiB;
  // other ladders have none.
  for (const auto* name : {"zlib", "zstd", "lz4"})
    EXPECT_EQ(Ladder::named(name).last(), Ladder::named(name).top());
  const auto ladder = Ladder::named("auto");
  if (!has_codec(CodecId::bzip3)) {
    EXPECT_EQ(ladder.last(), 20);
    return;
  }
  ASSERT_EQ(ladder.last(), 23);
  EXPECT_EQ(to_string(ladder[21]), "bzip3 1");
  for (int level = 21; level <= 23; ++level) {
    const Rung& rung = ladder[level];
    EXPECT_TRUE(is_dense(rung.codec));
    EXPECT_EQ(block_shape(rung).block_bytes, static_cast<std::size_t>(rung.setting) << 20);
  }
}

TEST(Ladder, DenserRungsOfACodecHaveBlocksThatAreNoSmaller) {
  // Goal: block shapes grow with the level, and stay within what the wire takes.
  for (const auto* name : kNames) {
    const auto ladder = Ladder::named(name);
    for (int level = 0; level <= ladder.top(); ++level) {
      const auto shape = block_shape(ladder[level]);
      EXPECT_GE(shape.block_bytes, std::size_t{200} << 10) << name << " " << level;
      EXPECT_LE(shape.block_bytes + shape.prefix_bytes, std::size_t{16} << 20)
          << name << " " << level;
      if (level > 0 && ladder[level - 1].codec == ladder[level].codec) {
        EXPECT_GE(shape.block_bytes, block_shape(ladder[level - 1]).block_bytes) << name << level;
      }
    }
  }
}

TEST(Ladder, PapersLadderHasThePapersBlocks) {
  // Goal: 204,800 bytes (Jeannot 2002, section 3.5.1).
  EXPECT_EQ(block_shape({CodecId::zlib, 1}).block_bytes, 204'800U);
  EXPECT_EQ(block_shape({CodecId::zlib, 9}).prefix_bytes, 0U);
}

TEST(Ladder, CompressorsOfAMachineFitIntoMemory) {
  // Goal: two threads at the densest level leave room for their blocks in 256 MiB; low levels take
  // a few MiB.
  constexpr std::size_t kMiB = std::size_t{1} << 20;
  EXPECT_EQ(compressor_bytes({}), 0U);
  EXPECT_LE(compressor_bytes({CodecId::lz4, 12}), kMiB);
  EXPECT_LE(compressor_bytes({CodecId::zstd, -50}), 2 * kMiB);
  EXPECT_LE(compressor_bytes({CodecId::zstd, 3}), 8 * kMiB);
  EXPECT_LE(compressor_bytes({CodecId::zstd, 19}), 100 * kMiB);
  EXPECT_EQ(compressor_bytes({CodecId::zstd, 22}), compressor_bytes({CodecId::zstd, 19}));
}

TEST(Ladder, TablesArePartOfWhatACompressorTakesAndGrowWithItsLevel) {
  for (const char* name : {"auto", "zlib", "zstd", "lz4"}) {
    const Ladder ladder = Ladder::named(name);
    std::size_t lighter = 0;
    for (int level = 0; level <= ladder.top(); ++level) {
      const std::size_t tables = table_bytes(ladder[level]);
      EXPECT_LE(tables, compressor_bytes(ladder[level])) << name << level;
      EXPECT_GE(tables, lighter) << name << level;
      lighter = tables;
    }
  }
}

TEST(Ladder, UnknownNameIsAUsageErrorThatNamesAllFour) {
  // Goal: who mistypes a ladder is told which ones there are.
  for (const auto* name : {"", "gzip", "ZLIB", "zstd "}) {
    try {
      static_cast<void>(Ladder::named(name));
      FAIL() << name;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      const std::string text = error.what();
      EXPECT_NE(text.find("'" + std::string(name) + "'"), std::string::npos) << text;
      for (const auto* known : kNames) EXPECT_NE(text.find(known), std::string::npos) << text;
    }
  }
}

TEST(Ladder, LevelBeyondTheTopIsNoRung) {
  // Goal: a level that does not exist is never read from beyond the ladder.
  const auto ladder = Ladder::named("zlib");
  EXPECT_THROW(static_cast<void>(ladder[ladder.top() + 1]), std::out_of_range);
  EXPECT_THROW(static_cast<void>(ladder[-1]), std::out_of_range);
}

TEST(Ladder, RungsAreWrittenForPeople) {
  // Goal: a rung reads like the command line of the tool that people know.
  EXPECT_EQ(to_string(Rung{}), "raw");
  EXPECT_EQ(to_string(Rung{CodecId::lz4, 1}), "lz4 1");
  EXPECT_EQ(to_string(Rung{CodecId::zstd, -5}), "zstd -5");
}

}  // namespace
}  // namespace adoc
