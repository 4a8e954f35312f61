#include "support/sim.hpp"

#include "support/sim_transfer.hpp"

namespace adoc::sim {
namespace {

/// As in the block emitter: a shorter block is soon over anyway.
constexpr double kCuttableBytes = 1 << 20;

}  // namespace

void Transfer::set_rates() {
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
  sender.insert(sender.end(), static_cast<std::size_t>(setup_.spinners) + left_alone_.size(), 1);
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
  full_rate_ = std::min({link, share_ * setup_.socket_rate, receiver_share_ * setup_.socket_rate});
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

double Transfer::next_event() {
  double dt = std::min(reporter_.next(), observed_ + kObserveSeconds) - now_;
  for (const Worker& worker : workers_) {
    if (worker.block && !(head_waits_ && *worker.block == head_))
      dt = std::min(dt, std::max(0.0, (*worker.block)->work - (*worker.block)->worked) / share_);
    if (!worker.block && worker.yield) {
      dt = std::min(dt, std::max(0.0, worker.until - now_));
      const auto packets = static_cast<double>(worker.yield->fifo_packets);
      const auto bytes = static_cast<double>(worker.yield->ready_bytes);
      dt = std::min(dt, time_to(queued() - packets * setup_.packet_bytes, drain_) + 1e-7);
      dt = std::min(dt, time_to(ready() - departed() - bytes, drain_) + 1e-7);
      if (overdue() > 0) dt = std::min(dt, kYieldSeconds);
    }
  }
  for (const double work : left_alone_) dt = std::min(dt, std::max(0.0, work) / share_);
  if (link_step_ < setup_.link.size()) dt = std::min(dt, setup_.link[link_step_].at_seconds - now_);
  if (left_ > 0) dt = std::min(dt, time_to(queued() - setup_.fifo_bytes, drain_) + 1e-6);
  const double shrinks = drain_ - production_;
  const double backlog = ready() - drained_;
  const double held = way_bytes() + kernel_bytes_;
  dt = std::min(dt, time_to(backlog, shrinks));
  dt = std::min(dt, time_to(backlog - way_bytes(), shrinks));
  dt = std::min(dt, time_to(backlog - held, shrinks));
  dt = std::min(dt,
                time_to(backlog - held - setup_.fifo_bytes + setup_.packet_bytes, shrinks) + 1e-6);
  dt = std::min(dt, time_to(held + setup_.fifo_bytes - backlog, -shrinks) + 1e-6);
  if (arriving_ != blocks_.end() && !arriving_->open)
    dt = std::min(dt, time_to(arrived_wire_ + arriving_->wire - drained_, drain_));
  dt = std::min(dt, time_to(setup_.receive_bytes - received(), drain_) + 1e-6);
  for (const Decompressor& d : decompressors_) {
    if (d.state == Decompressor::State::decompressing) dt = std::min(dt, d.work / receiver_share_);
    if (d.state == Decompressor::State::writing)
      dt = std::min(dt, std::max(0.0, d.written_at - now_));
  }
  if (dry_since_ != kNever && setup_.cut_after_seconds != kNever)
    if (dry_since_ + setup_.cut_after_seconds > now_)
      dt = std::min(dt, dry_since_ + setup_.cut_after_seconds - now_ + 1e-9);
  return std::max(dt, 1e-9);
}

void Transfer::advance(double dt) {
  for (Worker& worker : workers_) {
    if (!worker.block) continue;
    if (head_waits_ && *worker.block == head_)
      head_->waited += dt;
    else
      (*worker.block)->worked += share_ * dt;
  }
  for (double& work : left_alone_) work -= share_ * dt;
  std::erase_if(left_alone_, [](double work) { return work <= kTiny; });
  drained_ = std::min(drained_ + drain_ * dt, ready());
  for (Decompressor& d : decompressors_)
    if (d.state == Decompressor::State::decompressing) d.work -= receiver_share_ * dt;
  reporter_.passes(dt, stalls_, waits_, decompressors_);
  now_ += dt;
  follow_link();
  if (setup_.round_trip_seconds <= 0) return;
  on_the_way_.push_back(
      {.at = now_ + setup_.round_trip_seconds, .drained = drained_, .departed = departed()});
  for (; on_the_way_.front().at <= now_; on_the_way_.pop_front()) {
    known_drained_ = on_the_way_.front().drained;
    known_departed_ = on_the_way_.front().departed;
  }
}

// What has ended at this moment.
void Transfer::settle() {
  for (Worker& worker : workers_) {
    if (!worker.block) continue;
    const auto block = *worker.block;
    if (block->worked >= block->work - kTiny) {
      finish(worker);
    } else if (block == head_ && dry_since_ + setup_.cut_after_seconds <= now_ && block->streams &&
               block->choice.may_cut && block->choice.level != 0 && block->raw >= kCuttableBytes) {
      cut(worker);
    }
  }
  settle_arrivals();
  for (Decompressor& d : decompressors_) settle(d);
  take();
  if (now_ >= reporter_.next() - kTiny) report_ = reporter_.report();
  if (now_ >= observed_ + kObserveSeconds - kTiny) {
    observed_ = now_;
    outcome_.progress.push_back({.seconds = now_, .raw_bytes = received_raw()});
    const bool yields = std::ranges::any_of(
        workers_, [](const Worker& worker) { return worker.yield.has_value(); });
    if (working(head_) || yields || (left_ <= 0 && queued() > 0)) scheduler_.progress(state());
    for (Worker& worker : workers_)
      if (worker.block && *worker.block == head_ && dry_) reconsider(worker);
  }
}

void Transfer::settle_arrivals() {
  while (arriving_ != blocks_.end() && !arriving_->open &&
         drained_ >= arrived_wire_ + arriving_->wire - 1e-3) {
    arrived_wire_ += arriving_->wire;
    arrived_raw_ += arriving_->raw;
    arrived_.push_back(*arriving_);
    arriving_ = blocks_.erase(arriving_);
  }
}

void Transfer::settle(Decompressor& d) {
  if (d.state == Decompressor::State::decompressing && d.work <= kTiny) {
    disk_free_ = std::max(disk_free_, now_) + d.raw / setup_.disk_rate;
    d.written_at = disk_free_;
    d.state = Decompressor::State::writing;
    reporter_.decompressed(now_ - d.begin);
  }
  if (d.state == Decompressor::State::writing && now_ >= d.written_at - kTiny) {
    written_wire_ += d.wire;
    reporter_.wrote(d.raw);
    d.state = Decompressor::State::idle;
  }
}

void Transfer::take() {
  for (Decompressor& d : decompressors_) {
    if (d.state != Decompressor::State::idle || arrived_.empty()) continue;
    const Block& block = arrived_.front();
    const auto& model = block.kind->levels[static_cast<std::size_t>(block.choice.level)];
    d = {.work = overhead_seconds(block.choice.level) + block.raw / model.decompress_rate +
                 block.raw / setup_.store_rate,
         .wire = block.wire,
         .raw = block.raw,
         .begin = now_,
         .state = Decompressor::State::decompressing};
    arrived_.pop_front();
  }
}

Outcome run(const Setup& setup, Policy& policy) { return Transfer(setup, policy).run(); }

}  // namespace adoc::sim
