#include "wire/far_side.hpp"

namespace adoc {

namespace {

constexpr std::size_t kMaxProgramBytes = 64;
constexpr std::size_t kMaxFarNameBytes = 4'096;
constexpr std::uint8_t kOnlyChannel = 1;
constexpr std::uint8_t kReports = 2;

bool flag(ByteReader& in, std::string_view field) { return in.bounded(1, field) == 1; }

}  // namespace

void FarRequest::encode(ByteWriter& out) const {
  out.u16(version);
  out.string(program);
  out.u8(static_cast<std::uint8_t>(role));
  out.string(key);
  out.varint(arguments.size());
  for (const std::string& argument : arguments) out.string(argument);
}

FarRequest FarRequest::decode(ByteSpan record) {
  ByteReader in(record, "request to the far side");
  FarRequest request;
  request.version = in.u16();
  request.program = in.string(kMaxProgramBytes);
  const std::uint8_t role = in.u8();
  if (role != static_cast<std::uint8_t>(Role::sender) &&
      role != static_cast<std::uint8_t>(Role::receiver))
    in.fail("there is no role " + std::to_string(role));
  request.role = static_cast<Role>(role);
  request.key = in.string(kMaxFarKeyBytes);
  const std::uint64_t count = in.bounded(kMaxFarArguments, "number of arguments");
  for (std::uint64_t i = 0; i < count; ++i)
    request.arguments.push_back(in.string(kMaxFarArgumentBytes));
  in.expect_end();
  return request;
}

void Whereabouts::encode(ByteWriter& out) const {
  out.u16(port);
  out.varint(addresses.size());
  for (const std::string& address : addresses) out.string(address);
  out.string(peer);
}

Whereabouts Whereabouts::decode(ByteReader& in) {
  Whereabouts whereabouts;
  whereabouts.port = in.u16();
  const std::uint64_t count = in.bounded(kMaxFarAddresses, "number of addresses");
  for (std::uint64_t i = 0; i < count; ++i)
    whereabouts.addresses.push_back(in.string(kMaxFarAddressBytes));
  whereabouts.peer = in.string(kMaxFarAddressBytes);
  return whereabouts;
}

void FarAnswer::encode(ByteWriter& out) const {
  out.u16(version);
  out.string(program);
  out.u8(error_kind);
  out.string(message);
  whereabouts.encode(out);
  out.varint(is_directory_or_little ? 1 : 0);
  out.string(name);
  out.varint(sources);
}

FarAnswer FarAnswer::decode(ByteSpan record) {
  ByteReader in(record, "answer of the far side");
  FarAnswer answer;
  answer.version = in.u16();
  answer.program = in.string(kMaxProgramBytes);
  answer.error_kind = in.u8();
  if (answer.failed() && answer.error_kind > kMaxErrorKind)
    in.fail("there is no error kind " + std::to_string(answer.error_kind));
  answer.message = in.string(kMaxMessageBytes);
  answer.whereabouts = Whereabouts::decode(in);
  answer.is_directory_or_little = flag(in, "directory-or-little");
  answer.name = in.string(kMaxFarNameBytes);
  answer.sources = in.varint();
  in.expect_end();
  return answer;
}

void FarGo::encode(ByteWriter& out) const {
  whereabouts.encode(out);
  out.string(name);
  out.u8(static_cast<std::uint8_t>((only_channel ? kOnlyChannel : 0) | (reports ? kReports : 0)));
}

FarGo FarGo::decode(ByteSpan record) {
  ByteReader in(record, "start of the far side");
  FarGo go;
  go.whereabouts = Whereabouts::decode(in);
  go.name = in.string(kMaxFarNameBytes);
  const std::uint8_t flags = in.u8();
  if ((flags & ~(kOnlyChannel | kReports)) != 0) in.fail("it has unknown flags");
  go.only_channel = (flags & kOnlyChannel) != 0;
  go.reports = (flags & kReports) != 0;
  in.expect_end();
  return go;
}

}  // namespace adoc
