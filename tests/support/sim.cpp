#include "support/sim.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <list>
#include <optional>

#include "control/raw_patience.hpp"
#include "support/sim_parts.hpp"

namespace adoc::sim {
namespace {

/// How often the policy sees the link while a block is made; CompressStage does with its packets.
constexpr double kObserveSeconds = 5e-3;
/// As in the compress stage: what the paper's law lets go first at level 0.
constexpr double kShortFifoPackets = 8;

/// As of a TCP connection.
constexpr double kClearlyQueuedSeconds = 5e-3;

/// As in the block emitter: a shorter block is soon over anyway.
constexpr double kCuttableBytes = 1 << 20;

/// As in the compress stage: a shorter block shows nothing of dense levels.
constexpr double kLeastSampleBytes = 1 << 20;

class Transfer {
 public:
  Transfer(const Setup& setup, Policy& policy)
      : setup_(setup),
        policy_(policy),
        maker_(setup),
        workers_(setup.threads),
        decompressors_(setup.receiver_threads) {
    for (const Section& section : setup.data) left_ += section.bytes;
    section_left_ = setup.data.empty() ? 0 : setup.data.front().bytes;
    head_ = blocks_.end();
    arriving_ = blocks_.end();
  }

  Outcome run() {
    for (;;) {
      for (Worker& worker : workers_) start(worker);
      if (finished() || now_ > setup_.limit_seconds) break;
      set_rates();
      advance(next_event());
      settle();
    }
    outcome_.seconds = now_;
    outcome_.wire_bytes = drained_;
    return std::move(outcome_);
  }

 private:
  // What of the queue can leave, and all of it.
  [[nodiscard]] double ready() const {
    return closed_wire_ + (head_ != blocks_.end() ? head_->produced() : 0);
  }
  [[nodiscard]] double sent() const {
    return std::min(ready(), std::max(taken_, drained_ + way_bytes() + kernel_bytes_));
  }
  // Of that, what has left the machine: it has arrived, or waits in a queue on its way.
  [[nodiscard]] double departed() const {
    return std::min(sent(), std::max(departed_, drained_ + way_bytes()));
  }
  [[nodiscard]] double way_bytes() const { return setup_.way_seconds * link_rate(); }
  [[nodiscard]] double queue_seconds() const {
    const double bytes = departed() - drained_;
    return bytes > kClearlyQueuedSeconds * link_rate() ? bytes / link_rate() : 0;
  }
  [[nodiscard]] double queued() const {
    double lanes = 0;
    for (auto block = head_; block != blocks_.end(); ++block) lanes += block->produced();
    return closed_wire_ + lanes - sent();
  }
  [[nodiscard]] double fifo_packets() const { return std::ceil(queued() / setup_.packet_bytes); }
  [[nodiscard]] double link_rate() const { return rate_at(setup_.link, now_); }
  [[nodiscard]] double received() const { return drained_ - written_wire_; }
  [[nodiscard]] bool finished() const {
    return left_ <= 0 && blocks_.empty() &&
           std::all_of(decompressors_.begin(), decompressors_.end(),
                       [](const Decompressor& d) { return d.state == Decompressor::State::idle; });
  }

  [[nodiscard]] LinkState state() const {
    return {.seconds = now_,
            .sent_bytes = static_cast<std::uint64_t>(departed()),
            .arrived_bytes = static_cast<std::uint64_t>(drained_),
            .unsent_bytes = static_cast<std::uint64_t>(sent() - departed()),
            .ready_bytes = static_cast<std::uint64_t>(ready() - departed()),
            .queued_bytes = static_cast<std::uint64_t>(queued() + sent() - departed()),
            .fifo_packets = static_cast<std::size_t>(fifo_packets()),
            .queue_seconds = queue_seconds(),
            .receiver = report_};
  }

  void start(Worker& worker) {
    if (left_ <= 0 && !worker.block) try_out(worker);
    if (worker.block || left_ <= 0 || queued() >= setup_.fifo_bytes) {
      worker.yields_until = -1;
      return;
    }
    if (remake(worker)) return;
    const Plan plan = policy_.plan(state());
    if (plan.gives_way && gives_way(worker)) return;
    if (plan.lets_send_seconds > 0 && lets_send(worker, plan)) return;
    worker.yields_until = -1;
    const auto& section = setup_.data[section_];
    const double raw = std::min(static_cast<double>(plan.block_bytes), section_left_);
    left_ -= raw;
    section_left_ -= raw;
    worker.block = begin(blocks_.end(), section.kind, maker_.look_at(*section.kind), raw);
    (*worker.block)->work += raw / setup_.read_rate;
    if (section_left_ <= 0 && section_ + 1 < setup_.data.size())
      section_left_ = setup_.data[++section_].bytes;
    if (section_left_ <= 0) left_ = 0;
  }

  // A worker that finds nothing left to be made does, until the queue is empty.
  void try_out(Worker& worker) {
    const bool tries = std::any_of(workers_.begin(), workers_.end(),
                                   [](const Worker& other) { return other.trial.has_value(); });
    if (tries || !sample_ || queued() <= 0) return;
    const auto trial =
        policy_.trial(state(), sample_->look, static_cast<std::size_t>(sample_->raw));
    if (!trial) return;
    worker.trial = fresh(sample_->kind, sample_->look, sample_->raw, {.level = trial->level});
    worker.trial_until = now_ + trial->most_seconds;
  }

  void settle_trial(Worker& worker) {
    if (!worker.trial) return;
    Block& trial = *worker.trial;
    const bool done = trial.worked >= trial.work - kTiny;
    const bool late = now_ >= worker.trial_until - kTiny;
    if (!done && !late && queued() > 0) return;
    if (!done && late) static_cast<void>(trial.shorten());
    if (done || late) learn(trial, {.trial = true});
    worker.trial.reset();
  }

  // What waits in the queue, none of it with the system, may become one block of the worker's.
  bool remake(Worker& worker) {
    const Waiting waiting(blocks_, arriving_, arrived_wire_ - sent());
    const auto& kept = waiting.kept;
    if (kept.empty()) return false;
    const auto choice = policy_.remake(state(), waiting.told);
    if (!choice) return false;
    const auto first = kept[choice->first];
    const auto end = std::next(kept[choice->first + choice->count - 1]);
    double raw = 0;
    double wire = 0;
    for (auto block = first; block != end; ++block) {
      raw += block->raw;
      wire += block->wire;
    }
    // Nothing behind an open block can leave.
    const auto is_before_head = [&] {
      for (auto block = first; block != blocks_.end(); ++block)
        if (block == head_) return true;
      return head_ == blocks_.end();
    };
    const bool is_head = is_before_head();
    if (is_head)
      for (auto block = first; block != head_; ++block) closed_wire_ -= block->wire;
    worker.block = make(first, first->kind, choice->look, raw, choice->choice);
    (*worker.block)->instead_of = {.raw_bytes = static_cast<std::size_t>(raw),
                                   .wire_bytes = static_cast<std::size_t>(wire)};
    if (is_head) head_ = *worker.block;
    if (arriving_ == first) arriving_ = *worker.block;
    blocks_.erase(first, end);
    return true;
  }

  bool lets_send(Worker& worker, const Plan& plan) {
    if (worker.yields_until < 0) worker.yields_until = now_ + plan.lets_send_seconds;
    return ready() - sent() > static_cast<double>(plan.lets_send_bytes) &&
           now_ < worker.yields_until - kTiny;
  }

  bool gives_way(Worker& worker) {
    if (worker.yields_until < 0) {
      yield_begin_ = now_;
      worker.yields_until = now_ + patience_.earn(static_cast<std::size_t>(setup_.packet_bytes));
    }
    if (fifo_packets() >= kShortFifoPackets && now_ < worker.yields_until - kTiny) return true;
    patience_.spend(now_ - yield_begin_);
    worker.yields_until = -1;
    return false;
  }

  std::list<Block>::iterator begin(std::list<Block>::iterator before, const Kind* kind,
                                   const Look& look, double raw) {
    const auto it =
        make(before, kind, look, raw, policy_.choose(state(), look, static_cast<std::size_t>(raw)));
    if (it->choice.keeps && raw >= kLeastSampleBytes) sample_ = *it;
    if (head_ == blocks_.end()) head_ = it;
    if (arriving_ == blocks_.end()) arriving_ = it;
    return it;
  }

  std::list<Block>::iterator make(std::list<Block>::iterator before, const Kind* kind,
                                  const Look& look, double raw, const Choice& choice) {
    return blocks_.insert(before, fresh(kind, look, raw, choice));
  }

  Block fresh(const Kind* kind, const Look& look, double raw, const Choice& choice) {
    Block block = maker_.make(*kind, look, raw, choice);
    block.begin = now_;
    block.fifo_before = fifo_packets();
    return block;
  }

  void set_rates() {
    departed_ = departed();
    taken_ = sent();
    if (now_ > setup_.kernel_seconds)
      kernel_bytes_ =
          std::clamp(setup_.kernel_seconds * link_rate(), kLeastKernelBytes, kMostKernelBytes);
    const bool rx_full = received() >= setup_.receive_bytes;
    head_waits_ = head_ != blocks_.end() &&
                  ready() - sent() >= setup_.fifo_bytes - (head_waits_ ? setup_.packet_bytes : 0);
    const double link = rx_full ? 0 : link_rate();
    const bool supply = drained_ < ready() - kTiny || working(head_);

    std::vector<double>& sender = demands_;
    sender.clear();
    for (const Worker& worker : workers_)
      if (worker.block && !(head_waits_ && *worker.block == head_)) sender.push_back(1);
    for (const Worker& worker : workers_)
      if (worker.trial) sender.push_back(1);
    for (int i = 0; i < setup_.spinners; ++i) sender.push_back(1);
    // What is sent as it is made needs no more of a processor than that.
    const double made = working(head_) && head_->streams ? head_->wire / head_->work : 0;
    const double flow = drained_ < ready() - 1 ? link : std::min(link, made);
    const double socket = supply ? std::min(1.0, flow / setup_.socket_rate) : 0;
    sender.push_back(socket);
    receiver_demands_.clear();
    for (const Decompressor& d : decompressors_)
      if (d.state == Decompressor::State::decompressing) receiver_demands_.push_back(1);
    receiver_demands_.push_back(socket);
    if (setup_.shared_machine) {
      sender.insert(sender.end(), receiver_demands_.begin(), receiver_demands_.end());
      share_ = receiver_share_ = fair_share(sender, setup_.cores);
    } else {
      share_ = fair_share(sender, setup_.cores);
      receiver_share_ = fair_share(receiver_demands_, setup_.receiver_cores);
    }
    full_rate_ =
        std::min({link, share_ * setup_.socket_rate, receiver_share_ * setup_.socket_rate});
    production_ =
        working(head_) && !head_waits_ && head_->streams ? head_->wire / head_->work * share_ : 0;
    dry_ = drained_ >= ready() - 1e-6;
    drain_ = dry_ ? std::min(full_rate_, production_) : full_rate_;
    stalls_ = rx_full;
    waits_ = !rx_full && drain_ < receiver_share_ * setup_.socket_rate * (1 - 1e-6);
    if (!dry_ || head_ == blocks_.end())
      dry_since_ = kNever;
    else if (dry_since_ == kNever)
      dry_since_ = now_;
  }

  [[nodiscard]] bool working(std::list<Block>::iterator block) const {
    return block != blocks_.end() && block->open;
  }

  double next_event() {
    double dt = std::min(reporter_.next(), observed_ + kObserveSeconds) - now_;
    for (const Worker& worker : workers_) {
      if (worker.trial)
        dt = std::min(
            {dt, (worker.trial->work - worker.trial->worked) / share_, worker.trial_until - now_});
      if (worker.block && !(head_waits_ && *worker.block == head_))
        dt = std::min(dt, std::max(0.0, (*worker.block)->work - (*worker.block)->worked) / share_);
      if (worker.yields_until >= 0) {
        dt = std::min(dt, std::max(0.0, worker.yields_until - now_));
        dt = std::min(
            dt, time_to(queued() - (kShortFifoPackets - 1) * setup_.packet_bytes, drain_) + 1e-7);
      }
    }
    for (const LinkStep& step : setup_.link)
      if (step.at_seconds > now_) dt = std::min(dt, step.at_seconds - now_);
    if (left_ > 0) dt = std::min(dt, time_to(queued() - setup_.fifo_bytes, drain_) + 1e-6);
    const double shrinks = drain_ - production_;
    const double backlog = ready() - drained_;
    const double held = way_bytes() + kernel_bytes_;
    dt = std::min(dt, time_to(backlog, shrinks));
    dt = std::min(dt, time_to(backlog - way_bytes(), shrinks));
    dt = std::min(dt, time_to(backlog - held, shrinks));
    dt = std::min(
        dt, time_to(backlog - held - setup_.fifo_bytes + setup_.packet_bytes, shrinks) + 1e-6);
    dt = std::min(dt, time_to(held + setup_.fifo_bytes - backlog, -shrinks) + 1e-6);
    if (arriving_ != blocks_.end() && !arriving_->open)
      dt = std::min(dt, time_to(arrived_wire_ + arriving_->wire - drained_, drain_));
    dt = std::min(dt, time_to(setup_.receive_bytes - received(), drain_) + 1e-6);
    for (const Decompressor& d : decompressors_) {
      if (d.state == Decompressor::State::decompressing)
        dt = std::min(dt, d.work / receiver_share_);
      if (d.state == Decompressor::State::writing)
        dt = std::min(dt, std::max(0.0, d.written_at - now_));
    }
    if (dry_since_ != kNever && setup_.cut_after_seconds != kNever)
      if (dry_since_ + setup_.cut_after_seconds > now_)
        dt = std::min(dt, dry_since_ + setup_.cut_after_seconds - now_ + 1e-9);
    return std::max(dt, 1e-9);
  }

  void advance(double dt) {
    for (Worker& worker : workers_) {
      if (worker.trial) worker.trial->worked += share_ * dt;
      if (!worker.block) continue;
      if (head_waits_ && *worker.block == head_)
        head_->waited += dt;
      else
        (*worker.block)->worked += share_ * dt;
    }
    drained_ = std::min(drained_ + drain_ * dt, ready());
    for (Decompressor& d : decompressors_)
      if (d.state == Decompressor::State::decompressing) d.work -= receiver_share_ * dt;
    reporter_.passes(dt, stalls_, waits_, decompressors_);
    now_ += dt;
  }

  // What has ended at this moment.
  void settle() {
    for (Worker& worker : workers_) {
      settle_trial(worker);
      if (!worker.block) continue;
      const auto block = *worker.block;
      if (block->worked >= block->work - kTiny) {
        finish(worker);
      } else if (block == head_ && dry_since_ + setup_.cut_after_seconds <= now_ &&
                 block->streams && block->choice.may_cut && block->choice.level != 0 &&
                 block->raw >= kCuttableBytes) {
        cut(worker);
      }
    }
    settle_arrivals();
    for (Decompressor& d : decompressors_) settle(d);
    take();
    if (now_ >= reporter_.next() - kTiny) report_ = reporter_.report();
    if (now_ >= observed_ + kObserveSeconds - kTiny) {
      observed_ = now_;
      if (working(head_) && head_->streams) policy_.observe(state());
    }
  }

  void finish(Worker& worker) {
    const auto block = *worker.block;
    worker.block.reset();
    if (block->rest <= 0) {
      close(block);
      learn(*block);
      return;
    }
    learn(*block);
    const double next =
        std::min(block->rest, static_cast<double>(policy_.plan(state()).block_bytes));
    worker.block = begin(std::next(block), block->kind, block->look, next);
    (*worker.block)->rest = block->rest - next;
    close(block);
  }

  void close(std::list<Block>::iterator block) {
    block->open = false;
    while (head_ != blocks_.end() && !head_->open) {
      closed_wire_ += head_->wire;
      ++head_;
    }
  }

  struct Ended {
    bool cut = false;
    bool trial = false;
  };

  void learn(const Block& block) { learn(block, {}); }

  void learn(const Block& block, const Ended& ended) {
    double fifo_after = fifo_packets();
    if (block.waited > 0) fifo_after = std::max(fifo_after, block.fifo_before + 1);
    const double wall = (now_ - block.begin - block.waited) * block.compress_work / block.work;
    if (block.choice.level == 1) patience_.compressed(wall, static_cast<std::size_t>(block.raw));
    policy_.learn(state(), {.level = block.choice.level,
                            .look = block.look,
                            .raw_bytes = static_cast<std::size_t>(block.raw),
                            .wire_bytes = static_cast<std::size_t>(block.wire),
                            .compress_seconds = wall,
                            .processor_seconds = block.compress_work,
                            .fifo_before = static_cast<std::size_t>(block.fifo_before),
                            .fifo_after = static_cast<std::size_t>(fifo_after),
                            .cut = ended.cut,
                            .instead_of = block.instead_of,
                            .trial = ended.trial});
    if (ended.trial) return;
    outcome_.steps.push_back({.seconds = now_,
                              .chosen_seconds = block.begin,
                              .level = block.choice.level,
                              .kind = block.kind->name,
                              .reason = block.choice.reason,
                              .raw_bytes = block.raw,
                              .wire_bytes = block.wire,
                              .queued_bytes = queued()});
  }

  // What follows the cut has the worker's lane, so it comes right behind.
  void cut(Worker& worker) {
    const auto block = *worker.block;
    const double rest = block->shorten();
    learn(*block, {.cut = true});
    const double next = std::min(rest, static_cast<double>(policy_.plan(state()).block_bytes));
    worker.block = begin(std::next(block), block->kind, block->look, next);
    (*worker.block)->rest = block->rest + rest - next;
    close(block);
    dry_since_ = kNever;
  }

  void settle_arrivals() {
    while (arriving_ != blocks_.end() && !arriving_->open &&
           drained_ >= arrived_wire_ + arriving_->wire - 1e-3) {
      arrived_wire_ += arriving_->wire;
      arrived_.push_back(*arriving_);
      arriving_ = blocks_.erase(arriving_);
    }
  }

  void settle(Decompressor& d) {
    if (d.state == Decompressor::State::decompressing && d.work <= kTiny) {
      disk_free_ = std::max(disk_free_, now_) + d.raw / setup_.disk_rate;
      d.written_at = disk_free_;
      d.state = Decompressor::State::writing;
    }
    if (d.state == Decompressor::State::writing && now_ >= d.written_at - kTiny) {
      written_wire_ += d.wire;
      reporter_.wrote(d.raw);
      d.state = Decompressor::State::idle;
    }
  }

  void take() {
    for (Decompressor& d : decompressors_) {
      if (d.state != Decompressor::State::idle || arrived_.empty()) continue;
      const Block& block = arrived_.front();
      const auto& model = block.kind->levels[static_cast<std::size_t>(block.choice.level)];
      d = {.work = kBlockOverheadSeconds + block.raw / model.decompress_rate +
                   block.raw / setup_.store_rate,
           .wire = block.wire,
           .raw = block.raw,
           .state = Decompressor::State::decompressing};
      arrived_.pop_front();
    }
  }

  const Setup& setup_;
  Policy& policy_;
  BlockMaker maker_;
  std::vector<Worker> workers_;
  std::vector<Decompressor> decompressors_;
  std::list<Block> blocks_;  // not yet arrived, in order
  std::list<Block>::iterator head_;
  std::list<Block>::iterator arriving_;
  std::deque<Block> arrived_;
  RawPatience patience_;
  Reporter reporter_;
  ReceiverReport report_{};
  Outcome outcome_{};
  std::optional<Block> sample_;  // the last long block
  std::vector<double> demands_, receiver_demands_;

  double now_ = 0;
  double left_ = 0;
  std::size_t section_ = 0;
  double section_left_ = 0;
  double closed_wire_ = 0;   // of all blocks before the head
  double drained_ = 0;       // by the link
  double arrived_wire_ = 0;  // in whole blocks
  double written_wire_ = 0;
  double yield_begin_ = 0;
  double disk_free_ = 0;
  double observed_ = 0;
  double taken_ = 0;     // by the system, at least
  double departed_ = 0;  // of these, at least
  double kernel_bytes_ = kFirstKernelBytes;

  // Until the next event.
  double share_ = 1, receiver_share_ = 1;
  double full_rate_ = 0, production_ = 0, drain_ = 0;
  double dry_since_ = kNever;
  bool dry_ = true, head_waits_ = false, stalls_ = false, waits_ = false;
};

}  // namespace

Outcome run(const Setup& setup, Policy& policy) { return Transfer(setup, policy).run(); }

}  // namespace adoc::sim
