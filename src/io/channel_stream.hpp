#pragma once

#include <memory>
#include <optional>
#include <string>

#include "io/channel_record.hpp"
#include "io/stream.hpp"
#include "util/fd.hpp"

namespace adoc {

/// A connection through another program that carries bytes between two machines, such as ssh: two
/// pipes, or one socket, to that program. How much it, its windows and the pipes hold is invisible
/// from outside. So each side says how much has arrived, which bounds what is on its way and tells
/// the rate of the link (channel_record.hpp has the format, channel_window.hpp the rule): on its
/// way is at most the delivery rate times the shortest round trip, what it takes to find out that
/// the link has got faster, and what set_unsent_limit() allows beside that, or what arrives while
/// a process on the way waits for a processor. Whoever writes much must have a thread that reads,
/// or every record waits until it is clear that nobody does.
///
/// One thread may read while another writes.
class ChannelStream final : public Stream {
 public:
  struct Setup {
    Fd in;                  ///< from the other side; may be the same file as `out`
    Fd out;                 ///< to the other side
    std::string peer;       ///< "host through ssh", for messages
    std::string link_name;  ///< what remembers the link between two transfers; empty: nothing
    /// The header of the first record, where that was read already.
    std::optional<ChannelRecord::Header> begun{};
  };

  /// Both descriptors become non-blocking. Throws Error(internal) when there is no descriptor left.
  explicit ChannelStream(Setup setup);
  ~ChannelStream() override;

  // As Stream says.
  [[nodiscard]] std::size_t read_some(std::span<std::byte> into) override;
  [[nodiscard]] std::size_t write_some(std::span<const ByteSpan> pieces) override;
  void finish_writing() noexcept override;
  void stop_reading() noexcept override;
  void linger(std::chrono::milliseconds limit) noexcept override;
  void abort() noexcept override;
  void set_read_timeout(std::chrono::milliseconds limit) override;
  void set_silence_limit(std::chrono::milliseconds limit) override;
  void set_unsent_limit(std::size_t bytes) noexcept override;
  [[nodiscard]] std::optional<Delivery> delivery() const noexcept override;
  [[nodiscard]] bool delivery_waits() const noexcept override;
  [[nodiscard]] std::optional<std::chrono::nanoseconds> waited_to_read() const noexcept override;
  [[nodiscard]] PeerEnd peer_end() const noexcept override;
  [[nodiscard]] const std::string& peer() const noexcept override;
  [[nodiscard]] std::string link_name() const override;

 private:
  struct State;
  class Reading;
  std::unique_ptr<State> state_;
};

}  // namespace adoc
