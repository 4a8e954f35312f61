#include <utility>
#include <variant>

#include "support/sim_transfer.hpp"

namespace adoc::sim {

// Does what the scheduler says, until there is something to make or to wait for.
void Transfer::start(Worker& worker) {
  while (!worker.block && !worker.ended && !waits(worker)) {
    const auto number = static_cast<Scheduler::Worker>(&worker - workers_.data());
    const Scheduler::Job job = scheduler_.next(
        number, {.link = state(), .room = has_room(), .left_alone = !left_alone_.empty()});
    worker.wait.reset();
    worker.yield.reset();
    std::visit([&](const auto& one) { take(worker, one); }, job);
  }
}

bool Transfer::waits(const Worker& worker) const {
  if (worker.yield) {
    const bool full =
        fifo_packets() > static_cast<double>(worker.yield->fifo_packets) ||
        ready() - departed() + overdue() > static_cast<double>(worker.yield->ready_bytes);
    return full && now_ < worker.until - kTiny;
  }
  if (!worker.wait) return false;
  return *worker.wait == Scheduler::Wait::for_room ? !has_room() : !scheduler_.can_read();
}

void Transfer::take(Worker& worker, const Scheduler::Yield& yield) {
  worker.yield = yield;
  worker.until = now_ + yield.seconds;
}

void Transfer::take(Worker& worker, const Scheduler::Read& job) {
  if (job.rest) {
    Block& lane = **worker.lane;
    const double raw = std::min(static_cast<double>(job.bytes), lane.raw);
    const double rest = lane.raw - raw;
    const auto place = *std::exchange(worker.lane, std::nullopt);
    worker.block = place;
    *place = begin(job.ticket, *lane.kind, lane.stats, lane.offset, raw);
    place->rest = rest;
    return;
  }
  if (left_ <= 0) return scheduler_.cancel(job.ticket);
  const auto& section = setup_.data[section_];
  const double raw = std::min(static_cast<double>(job.bytes), section_left_);
  const double offset = std::exchange(read_, read_ + raw);
  left_ -= raw;
  section_left_ -= raw;
  Block block = begin(job.ticket, *section.kind, maker_.sample_stats(*section.kind), offset, raw);
  block.work += raw / setup_.read_rate;
  worker.block = append(block);
  if (section_left_ <= 0 && section_ + 1 < setup_.data.size())
    section_left_ = std::floor(setup_.data[++section_].bytes);
  if (section_left_ <= 0) left_ = 0;
}

Block Transfer::begin(Scheduler::Ticket ticket, const Kind& kind, const SampleStats& stats,
                      double offset, double raw) {
  const Scheduler::Order order = scheduler_.begin(
      ticket, state(), {.raw_bytes = static_cast<std::size_t>(raw), .stats = stats});
  Block block = maker_.make(kind, stats, offset, raw, order.choice);
  block.ticket = ticket;
  block.begin = now_;
  return block;
}

std::list<Block>::iterator Transfer::append(const Block& block) {
  const auto it = blocks_.insert(blocks_.end(), block);
  if (head_ == blocks_.end()) head_ = it;
  if (arriving_ == blocks_.end()) arriving_ = it;
  return it;
}

void Transfer::finish(Worker& worker) {
  const auto block = *std::exchange(worker.block, std::nullopt);
  keep_lane(worker, block);
  close(block);
  learn(*block);
}

// What follows has the worker's lane, so it comes right behind.
void Transfer::keep_lane(Worker& worker, std::list<Block>::iterator block) {
  if (block->rest <= 0) return;
  worker.lane = blocks_.insert(std::next(block), {.kind = block->kind,
                                                  .stats = block->stats,
                                                  .offset = block->offset + block->raw,
                                                  .raw = block->rest,
                                                  .work = kNever,
                                                  .streams = false});
}

void Transfer::close(std::list<Block>::iterator block) {
  block->open = false;
  while (head_ != blocks_.end() && !head_->open) {
    closed_wire_ += head_->wire;
    ++head_;
  }
}

void Transfer::learn(const Block& block) {
  scheduler_.done(
      block.ticket, state(),
      {.raw_bytes = static_cast<std::size_t>(block.raw),
       .wire_bytes = static_cast<std::size_t>(block.wire),
       .compress_seconds = (now_ - block.begin - block.waited) * block.compress_work / block.work,
       .processor_seconds = block.compress_work,
       .waited = block.waited > 0});
  outcome_.steps.push_back({.seconds = now_,
                            .chosen_seconds = block.begin,
                            .level = block.choice.level,
                            .kind = block.kind->name,
                            .reason = block.choice.reason,
                            .raw_bytes = block.raw,
                            .wire_bytes = block.wire,
                            .queued_bytes = queued()});
}

void Transfer::cut(Worker& worker) {
  const auto block = *worker.block;
  block->rest += block->shorten();
  finish(worker);
  dry_since_ = kNever;
}

// None of a block of a dense codec has left before all is made.
void Transfer::reconsider(Worker& worker) {
  const auto block = *worker.block;
  if (!is_dense((*setup_.ladder)[block->choice.level].codec)) return;
  if (!scheduler_.gives_up(block->ticket, state())) return;
  worker.block.reset();
  left_alone_.push_back(block->work - block->worked);
  block->raw += std::exchange(block->rest, 0);
  block->wire = 0;
  block->work = kNever;
  block->worked = 0;
  block->streams = false;
  worker.lane = block;
}

}  // namespace adoc::sim
