#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "util/bytes.hpp"
#include "wire/hello.hpp"
#include "wire/protocol.hpp"

namespace adoc {

// How a program and the one that it has started on another machine, through ssh, agree on a
// transfer. The one over there says kFarMagic first, so that what a login shell prints before it
// is told apart; then
//
//   to the far side   = far-request far-go
//   from the far side = far-answer
//
// and the connection of the transfer begins, over one that both find beside this
// (io/rendezvous.hpp) or, in records of io/channel_stream.hpp, over this.

inline constexpr std::array<std::uint8_t, 8> kFarMagic{0x89, 'A', 'd', 'O', 'C', 'c', 'p', '\n'};

inline constexpr std::size_t kMaxFarArguments = 65'536;
inline constexpr std::size_t kMaxFarArgumentBytes = 65'536;
inline constexpr std::size_t kMaxFarAddresses = 16;
inline constexpr std::size_t kMaxFarAddressBytes = 64;
inline constexpr std::size_t kMaxFarKeyBytes = 64;

/// What the far side is to do:
///
///   far-request = version:u16 program:string role:u8 key:string count:varint argument:string*
struct FarRequest {
  static constexpr FrameType kType = FrameType::far_request;

  std::uint16_t version = kProtocolVersion;
  std::string program{};                 ///< its version, for messages
  Role role = Role::receiver;            ///< of the far side
  std::string key{};                     ///< of this transfer alone, as Key::text()
  std::vector<std::string> arguments{};  ///< options and paths; no shell sees them

  void encode(ByteWriter& out) const;
  /// Throws Error(corrupt).
  [[nodiscard]] static FarRequest decode(ByteSpan record);
};

/// Where one side can be connected to, and where it sees the other:
///
///   whereabouts = port:u16 count:varint address:string* peer:string
struct Whereabouts {
  std::uint16_t port = 0;                ///< it listens there; 0: it does not
  std::vector<std::string> addresses{};  ///< of its own, in numbers
  std::string peer{};                    ///< the address that the other one came from; or empty

  void encode(ByteWriter& out) const;
  [[nodiscard]] static Whereabouts decode(ByteReader& in);

  bool operator==(const Whereabouts&) const = default;
};

/// What there is at the far side:
///
///   far-answer = version:u16 program:string kind:u8 message:string whereabouts
///                directory-or-little:u8 name:string sources:varint
struct FarAnswer {
  static constexpr FrameType kType = FrameType::far_answer;
  static constexpr std::uint8_t kNoError = 0xff;

  std::uint16_t version = kProtocolVersion;
  std::string program{};
  std::uint8_t error_kind = kNoError;  ///< else an ErrorKind: nothing comes of it
  std::string message{};               ///< of the error
  Whereabouts whereabouts{};
  /// Of one that receives: sources go below the destination. Of one that sends: they are so little
  /// that a connection of their own would take longer than they do.
  bool is_directory_or_little = false;
  std::string name{};         ///< of one that receives, else: what the one source is called there
  std::uint64_t sources = 0;  ///< of one that sends: how many there are

  [[nodiscard]] bool failed() const noexcept { return error_kind != kNoError; }

  void encode(ByteWriter& out) const;
  /// Throws Error(corrupt).
  [[nodiscard]] static FarAnswer decode(ByteSpan record);
};

/// The transfer begins:
///
///   far-go = whereabouts name:string flags:u8
///   flags  = 1 only through the channel · 2 what goes wrong is said on standard error
struct FarGo {
  static constexpr FrameType kType = FrameType::far_go;

  Whereabouts whereabouts{};  ///< of the other end of the transfer
  std::string name{};         ///< that the one source gets; empty: its own
  bool only_channel = false;
  bool reports = false;  ///< nobody else tells the user

  void encode(ByteWriter& out) const;
  /// Throws Error(corrupt).
  [[nodiscard]] static FarGo decode(ByteSpan record);
};

}  // namespace adoc
