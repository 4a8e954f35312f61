// The far side of a copy, which means harm to whoever copies from it, for
// tests/e2e/96-cp-hostile.sh. It is started by adoc-cp in the place of its own far side:
//
//   hostile_far ATTACK OUTSIDE --far
//
// OUTSIDE is a directory that nothing may change. It was asked for a file "asked" or a tree "tree".

#include <poll.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <map>
#include <optional>
#include <random>
#include <thread>

#include "adoc/error.hpp"
#include "adoc/key.hpp"
#include "codec/codec.hpp"
#include "io/channel_stream.hpp"
#include "io/record_pipe.hpp"
#include "io/rendezvous.hpp"
#include "io/tcp_listener.hpp"
#include "support/made_up_frames.hpp"
#include "util/clock.hpp"
#include "wire/hello.hpp"
#include "wire/outcome.hpp"

namespace adoc::testkit {
namespace {

constexpr std::chrono::seconds kForEver{90};

void hear_out(Stream& stream) noexcept {
  Bytes into(65'536);
  try {
    while (stream.read_some(into) != 0) {
    }
  } catch (const std::exception&) {
    // The victim has had enough.
  }
}

class Far {
 public:
  explicit Far(std::string outside) : outside_(std::move(outside)) {}

  [[nodiscard]] const std::string& outside() const noexcept { return outside_; }
  /// That the one source is to have at the victim; empty: its own.
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

  void write(ByteSpan bytes) { pipe_.write(bytes); }
  /// Longer than anybody may wait for it, and no longer than the test goes on.
  void be_silent() const {
    const auto end = Clock::now() + kForEver;
    while (Clock::now() < end && ::access(outside_.c_str(), F_OK) == 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  void say_magic() { write(std::as_bytes(std::span(kFarMagic))); }
  void answer(const FarAnswer& answer) {
    say_magic();
    key_ = pipe_.hear_in_letters<FarRequest>().key;
    pipe_.say(answer);
  }
  /// As an honest far side up to where the transfer begins.
  void begin(const Whereabouts& whereabouts = {}) {
    answer({.program = "0", .whereabouts = whereabouts, .sources = 1});
    const FarGo go = pipe_.hear_in_letters<FarGo>();
    name_ = go.name;
    port_ = go.whereabouts.port;
    if (go.only_channel) std::fputs("only the channel\n", stderr);
  }
  /// Where the victim listens, and what opens that.
  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
  [[nodiscard]] const std::string& key() const noexcept { return key_; }
  /// That the connection beside this is lost, and that it is for the victim, too.
  void say_lost() {
    pipe_.write(Bytes(kLostBytes));
    Bytes said(kLostBytes);
    pipe_.read_exactly(said);
  }
  /// All of this as an end of a transfer, and whatever is said to it is heard.
  void say(std::initializer_list<Bytes> frames, Role role = Role::sender) {
    begin();
    say_on(frames, role);
  }
  enum class Then { ends, is_silent };
  void say_on(std::initializer_list<Bytes> frames, Role role = Role::sender,
              Then then = Then::ends) {
    ChannelStream stream({.in = Fd(::dup(STDIN_FILENO)),
                          .out = Fd(::dup(STDOUT_FILENO)),
                          .peer = "the victim",
                          .link_name = ""});
    const std::jthread hearing([&] { hear_out(stream); });
    stream.write_all(joined({Hello{.role = role}.encode(), joined(frames)}));
    if (then == Then::ends) stream.finish_writing();
  }

 private:
  std::string outside_;
  std::string name_;
  std::string key_;
  std::uint16_t port_ = 0;
  static constexpr std::size_t kLostBytes = 6;
  RecordPipe pipe_{{.in = STDIN_FILENO, .out = STDOUT_FILENO, .peer = "the victim"}};
};

Bytes random_bytes(std::size_t count) {
  std::minstd_rand random(1);
  Bytes bytes(count);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random() >> 7);
  return bytes;
}

Bytes offer_of(Bytes manifest) {
  const std::size_t bytes = manifest.size();
  return encode_frame(
      Offer{.batch = 0, .last = true, .raw_bytes = bytes, .stored = std::move(manifest)});
}
Bytes offer(const std::vector<Entry>& entries) { return encode_frame(raw_offer(0, entries, true)); }
Bytes done(std::uint64_t stream_bytes) {
  return encode_frame(Done{.batch = 0, .stream_bytes = stream_bytes, .failures = {}});
}
/// Entries of four bytes each as far as they are files, to the end of the transfer.
Bytes whole(const std::vector<Entry>& entries) {
  Bytes frames = offer(entries);
  std::uint64_t offset = 0;
  for (const Entry& entry : entries)
    if (entry.kind == EntryKind::file)
      frames = joined({frames, raw_block(0, std::exchange(offset, offset + 4), "evil")});
  return joined({frames, done(offset), encode_frame(End{1})});
}
Entry evil(std::string name) { return file_entry(std::move(name), 4); }

// Before the transfer.

void babbles(Far& far) {
  const Bytes much(1 << 16, std::byte{'x'});
  while (true) far.write(much);
}
/// As a login shell does that then waits for something.
void greets(Far& far) {
  far.write(as_byte_span("Welcome!\n"));
  far.be_silent();
}
void no_answer(Far& far) {
  far.say_magic();
  far.be_silent();
}
void half_an_answer(Far& far) {
  far.say_magic();
  const Bytes answer = encode_frame(FarAnswer{.program = "0"});
  far.write(ByteSpan(answer).first(answer.size() / 2));
  far.be_silent();
}
void garbage_for_answer(Far& far) {
  far.say_magic();
  far.write(random_bytes(100'000));
}
void endless_answer(Far& far) {
  far.say_magic();
  Bytes header;
  ByteWriter out(header);
  out.u8(static_cast<std::uint8_t>(FrameType::far_answer));
  out.u32(0xffff'ffff);
  far.write(header);
  babbles(far);
}
void unknown_failure(Far& far) {
  far.answer({.program = "0", .error_kind = 99, .message = "\x1b[2Jnothing"});
}
void claims_interruption(Far& far) {
  far.answer({.program = "0", .error_kind = 6, .message = "it was you who stopped it"});
}
void garbage_records(Far& far) {
  far.begin();
  far.write(random_bytes(1 << 20));
}
void no_hello(Far& far) {
  far.begin();
  far.be_silent();
}
void hello_of_a_web_server(Far& far) {
  far.begin();
  Bytes record;
  ByteWriter out(record);
  const std::string_view text = "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n";
  out.u32(0);
  out.u16(static_cast<std::uint16_t>(text.size()));
  out.bytes(as_byte_span(text));
  far.write(record);
  far.be_silent();
}

// Entries that were not asked for.

void name_of(Far& far, const std::string& name) {
  far.say({offer_of(manifest_naming(name)), done(0), encode_frame(End{1})});
}
void another_name(Far& far) { far.say({whole({evil("asked"), evil("passwd")})}); }
void parent(Far& far) { name_of(far, "../x"); }
void parent_below(Far& far) { name_of(far, "asked/../../x"); }
void absolute(Far& far) { name_of(far, far.outside() + "/x"); }
void own_directory(Far& far) { name_of(far, ".adoc/x"); }
void nul(Far& far) { name_of(far, std::string("asked\0/../../x", 14)); }
void long_name(Far& far) { name_of(far, std::string(70'000, 'a')); }
void a_link(Far& far) { far.say({whole({symlink_entry("asked", far.outside() + "/canary")})}); }
void a_directory(Far& far) { far.say({whole({evil("asked/more"), directory_entry("asked")})}); }
void implied_directory(Far& far) { far.say({whole({evil("asked/more")})}); }
void through_a_link(Far& far) {
  far.say({whole({symlink_entry("tree", far.outside()), evil("tree/canary")})});
}
void through_a_link_below(Far& far) {
  far.say({whole(
      {symlink_entry("tree/d", far.outside()), evil("tree/d/canary"), directory_entry("tree")})});
}
void excluded(Far& far) {
  far.begin();
  const std::string top = far.name().empty() ? "tree" : far.name();
  far.say_on({whole({evil(top + "/x.o"), directory_entry(top)})});
}

// Against what the user said.

void overwrites(Far& far) { far.say({whole({evil("asked")})}); }
void forces(Far& far) {
  Offer forced = raw_offer(0, {evil("asked")}, true);
  forced.force = true;
  far.say({encode_frame(forced), raw_block(0, 0, "evil"), done(4), encode_frame(End{1})});
}
void only_lists(Far& far) {
  Offer listing = raw_offer(0, {evil("asked")}, true);
  listing.dry_run = true;
  far.say({encode_frame(listing), done(0), encode_frame(End{1})});
}

void keeps(Far& far) {
  Entry entry = evil("asked");
  entry.metadata = Metadata{.user = Owner{1, ""}};
  far.say({whole({entry})});
}

void privileged(Far& far) {
  Entry entry = evil("asked");
  entry.mode = 06755;
  far.say({whole({entry})});
}

// Data that are not what was offered.

void more_than_offered(Far& far) {
  far.say(
      {offer({evil("asked")}), raw_block(0, 0, "evil and more"), done(13), encode_frame(End{1})});
}
void less_than_offered(Far& far) {
  far.say({offer({file_entry("asked", 200'000)}), raw_block(0, 0, "evil"), done(4),
           encode_frame(End{1})});
}
void ends_in_the_middle(Far& far) {
  far.say({offer({file_entry("asked", 200'000)}), raw_block(0, 0, std::string(100'000, 'x'))});
}
void wrong_checksum(Far& far) {
  far.say({offer({evil("asked")}), encode_frame(BlockHeader{.raw_bytes = 4, .checksum = 1}),
           packet_frame(as_byte_span("evil")), encode_frame(BlockEnd{4}), done(4),
           encode_frame(End{1})});
}
void bomb(Far& far) {
  const Bytes zeros(256 << 20);
  Bytes stored(1 << 20);
  const auto compressor = make_compressor(CodecId::zstd);
  compressor->begin(zeros, 1);
  stored.resize(compressor->next_packet(stored));
  const BlockHeader header{.raw_bytes = 4, .codec = static_cast<std::uint8_t>(CodecId::zstd)};
  far.say({offer({evil("asked")}), encode_frame(header), packet_frame(stored),
           encode_frame(BlockEnd{stored.size()}), done(4), encode_frame(End{1})});
}
void endless_list(Far& far) {
  // So many that whoever reads finds it out, whatever has been looked at by then.
  Bytes offers;
  for (std::uint64_t batch = 0; batch <= kMaxBatchesInWideWindow; ++batch)
    offers = joined({offers, encode_frame(raw_offer(
                                 batch, {evil("tree/file" + std::to_string(batch))}, false))});
  far.say({offers});
}
void more_after_the_end(Far& far) { far.say({whole({evil("asked")}), encode_frame(End{1})}); }
/// Of a transfer that has begun, the rest does not come.
void silent_offer(Far& far) {
  far.begin();
  far.say_on({offer({evil("asked")})}, Role::sender, Far::Then::is_silent);
}
void silent_block(Far& far) {
  far.begin();
  far.say_on({offer({file_entry("asked", 200'000)}), raw_block(0, 0, std::string(100'000, 'x'))},
             Role::sender, Far::Then::is_silent);
}
/// Says all, and then stays although nobody wants it any more.
void stays(Far& far) {
  far.say({whole({evil("asked")})});
  far.be_silent();
}
void stays_after_harm(Far& far) {
  parent(far);
  far.be_silent();
}

// On standard error, which ssh passes on.
void writes_escapes(Far& far) {
  std::fputs("\x1b]0;the title\x07 and \x1b[2J\r\nno end", stderr);
  far.say({whole({evil("asked")})});
}

// Beside the channel.

/// Says that it listens there, tells whether somebody connects, and is honest otherwise.
void wait_at(Far& far, TcpListener& listener, const std::vector<std::string>& addresses) {
  far.begin({.port = listener.local().port, .addresses = addresses, .peer = "127.0.0.1"});
  pollfd polled{listener.fd(), POLLIN, 0};
  std::fputs(::poll(&polled, 1, 1'000) > 0 ? "somebody connects\n" : "nobody connects\n", stderr);
  far.say_on({whole({evil("asked")})});
}
void names_an_address(Far& far) {
  TcpListener listener({.host = "127.0.0.2", .port = 0});
  wait_at(far, listener, {"127.0.0.2"});
}
void names_a_port(Far& far) {
  TcpListener listener({.host = "127.0.0.1", .port = 0});
  wait_at(far, listener, {});
}
/// Where a service of the victim may be.
void names_a_low_port(Far& far) {
  for (std::uint16_t port = 1'023; port > 512; --port) {
    std::optional<TcpListener> listener;
    try {
      listener.emplace(Endpoint{.host = "127.0.0.1", .port = port});
    } catch (const Error&) {
      continue;
    }
    return wait_at(far, *listener, {});
  }
}
/// As behind a jump host, which is what it sees of the victim.
void is_behind_another(Far& far) {
  far.begin({.port = 12'345, .peer = "192.0.2.1"});
  far.say_on({whole({evil("asked")})});
}
/// Again and again, and brings nothing.
void comes_again(Far& far) {
  far.begin({.peer = "127.0.0.1"});
  Rendezvous rendezvous(Key::parse(far.key()), Role::sender);
  while (true) {
    const auto meeting = rendezvous.meet({.targets = {{.host = "127.0.0.1", .port = far.port()}},
                                          .patience = std::chrono::seconds(10),
                                          .slower_way = STDIN_FILENO});
    if (!meeting.stream) return;
    meeting.stream->write_all(
        joined({Hello{.role = Role::sender}.encode(), offer({file_entry("asked", 200'000)})}));
    meeting.stream->finish_writing();
    hear_out(*meeting.stream);
    far.say_lost();
  }
}

// As the receiver.

void claims_to_have_it_all(Far& far) { far.say({encode_frame(End{1})}, Role::receiver); }

int attack(int argc, char** argv) {
  static const std::map<std::string, void (*)(Far&)> kAttacks{
      {"babbles", babbles},
      {"greets", greets},
      {"no-answer", no_answer},
      {"half-an-answer", half_an_answer},
      {"garbage-for-answer", garbage_for_answer},
      {"endless-answer", endless_answer},
      {"unknown-failure", unknown_failure},
      {"claims-interruption", claims_interruption},
      {"garbage-records", garbage_records},
      {"no-hello", no_hello},
      {"silent-offer", silent_offer},
      {"silent-block", silent_block},
      {"hello-of-a-web-server", hello_of_a_web_server},
      {"another-name", another_name},
      {"parent", parent},
      {"parent-below", parent_below},
      {"absolute", absolute},
      {"own-directory", own_directory},
      {"nul", nul},
      {"long-name", long_name},
      {"a-link", a_link},
      {"a-directory", a_directory},
      {"implied-directory", implied_directory},
      {"through-a-link", through_a_link},
      {"through-a-link-below", through_a_link_below},
      {"excluded", excluded},
      {"overwrites", overwrites},
      {"forces", forces},
      {"only-lists", only_lists},
      {"keeps", keeps},
      {"privileged", privileged},
      {"claims-to-have-it-all", claims_to_have_it_all},
      {"writes-escapes", writes_escapes},
      {"names-an-address", names_an_address},
      {"names-a-port", names_a_port},
      {"names-a-low-port", names_a_low_port},
      {"is-behind-another", is_behind_another},
      {"comes-again", comes_again},
      {"more-than-offered", more_than_offered},
      {"less-than-offered", less_than_offered},
      {"ends-in-the-middle", ends_in_the_middle},
      {"wrong-checksum", wrong_checksum},
      {"bomb", bomb},
      {"endless-list", endless_list},
      {"more-after-the-end", more_after_the_end},
      {"stays", stays},
      {"stays-after-harm", stays_after_harm}};
  const auto found = argc >= 3 ? kAttacks.find(argv[1]) : kAttacks.end();
  if (found == kAttacks.end()) {
    std::fputs("usage: hostile_far ATTACK OUTSIDE\n", stderr);
    return 2;
  }
  // It holds on to what it has as long as it can.
  for (const int number : {SIGPIPE, SIGHUP}) std::signal(number, SIG_IGN);
  try {
    Far far(argv[2]);
    found->second(far);
  } catch (const std::exception&) {
    // The victim is gone.
  }
  return 0;
}

}  // namespace
}  // namespace adoc::testkit

int main(int argc, char** argv) { return adoc::testkit::attack(argc, argv); }
