#include <utility>
#include <variant>

#include "support/sim_transfer.hpp"

namespace adoc::sim {

// Does what the scheduler says, until there is something to make or to wait for.
void Transfer::start(Worker& worker) {
  while (!worker.block && !worker.trial && !waits(worker)) {
    const auto number = static_cast<Scheduler::Worker>(&worker - workers_.data());
    const Scheduler::Job job = scheduler_.next(
        number, {.link = state(), .room = has_room(), .bytes_ahead = [this](auto ticket) {
                   return bytes_ahead(ticket);
                 }});
    static_cast<void>(scheduler_.let_go());
    worker.wait.reset();
    worker.yield.reset();
    std::visit([&](const auto& one) { take(worker, one); }, job);
  }
}

bool Transfer::waits(const Worker& worker) const {
  if (worker.yield) {
    const bool full = fifo_packets() > static_cast<double>(worker.yield->fifo_packets) ||
                      ready() - sent() > static_cast<double>(worker.yield->ready_bytes);
    return full && now_ < worker.until - kTiny;
  }
  if (!worker.wait) return false;
  switch (*worker.wait) {
    case Scheduler::Wait::for_room:
      return !has_room();
    case Scheduler::Wait::for_reader:
      return !scheduler_.can_read();
    case Scheduler::Wait::for_queue:
      return now_ < worker.until - kTiny;
    case Scheduler::Wait::all_made:
      break;
  }
  return false;
}

void Transfer::take(Worker& worker, const Scheduler::Yield& yield) {
  worker.yield = yield;
  worker.until = now_ + yield.seconds;
}

void Transfer::take(Worker& worker, Scheduler::Wait wait) {
  worker.wait = wait;
  worker.until = now_ + kObserveSeconds;
}

void Transfer::take(Worker& worker, const Scheduler::Read& job) {
  if (job.rest) {
    Block& lane = **worker.lane;
    const double raw = std::min(static_cast<double>(job.bytes), lane.raw);
    const double rest = lane.raw - raw;
    const auto place = *std::exchange(worker.lane, std::nullopt);
    worker.block = place;
    *place = begin(job.ticket, lane.kind, lane.look, {.offset = lane.offset, .raw = raw});
    place->rest = rest;
    return;
  }
  if (left_ <= 0) return scheduler_.cancel(job.ticket, state());
  const auto& section = setup_.data[section_];
  const double raw = std::min(static_cast<double>(job.bytes), section_left_);
  left_ -= raw;
  section_left_ -= raw;
  Block block = begin(job.ticket, section.kind, maker_.look_at(*section.kind),
                      {.offset = offset_, .raw = raw});
  block.work += raw / setup_.read_rate;
  offset_ += raw;
  worker.block = insert(blocks_.end(), block);
  if (section_left_ <= 0 && section_ + 1 < setup_.data.size())
    section_left_ = std::floor(setup_.data[++section_].bytes);
  if (section_left_ <= 0) left_ = 0;
}

// A worker that finds nothing left to be made does, until the queue is empty.
void Transfer::take(Worker& worker, const Scheduler::TryLevel& job) {
  worker.trial = fresh(job.ticket, *sample_, sample_->raw, {.level = job.trial.level});
  worker.until = now_ + job.trial.most_seconds;
}

void Transfer::settle_trial(Worker& worker) {
  if (!worker.trial) return;
  Block& trial = *worker.trial;
  const bool done = trial.worked >= trial.work - kTiny;
  const bool late = now_ >= worker.until - kTiny;
  if (!done && !late && queued() > 0) return;
  if (!done && late) static_cast<void>(trial.shorten());
  if (done || late)
    static_cast<void>(scheduler_.done(trial.ticket, state(), made(trial)));
  else
    scheduler_.cancel(trial.ticket, state());
  worker.trial.reset();
}

std::optional<std::uint64_t> Transfer::bytes_ahead(Scheduler::Ticket ticket) const {
  double ahead = arrived_wire_ - sent();
  for (std::list<Block>::const_iterator block = arriving_; block != blocks_.end(); ++block) {
    if (ahead < 0 && block->ticket == ticket) break;
    if (block->ticket == ticket) return static_cast<std::uint64_t>(ahead);
    ahead += block->produced();
  }
  return std::nullopt;
}

// What waits in the queue, none of it with the system, becomes one block of the worker's.
void Transfer::take(Worker& worker, const Scheduler::Recompress& job) {
  const auto is = [](Scheduler::Ticket ticket) {
    return [ticket](const Block& block) { return block.ticket == ticket; };
  };
  const auto first = std::find_if(arriving_, blocks_.end(), is(job.run.front()));
  const auto end = std::next(first, static_cast<std::ptrdiff_t>(job.run.size()));
  double raw = 0;
  for (auto block = first; block != end; ++block) raw += block->raw;
  // Nothing behind an open block can leave.
  const auto is_before_head = [&] {
    for (auto block = first; block != blocks_.end(); ++block)
      if (block == head_) return true;
    return head_ == blocks_.end();
  };
  const bool is_head = is_before_head();
  if (is_head)
    for (auto block = first; block != head_; ++block) closed_wire_ -= block->wire;
  const Scheduler::Order order = scheduler_.begin_run(job.ticket, 0);
  Block of = *first;
  of.look = order.look;
  worker.block = blocks_.insert(first, fresh(job.ticket, of, raw, order.choice));
  if (is_head) head_ = *worker.block;
  if (arriving_ == first) arriving_ = *worker.block;
  blocks_.erase(first, end);
}

Block Transfer::begin(Scheduler::Ticket ticket, const Kind* kind, const Look& look,
                      const Part& part) {
  const Scheduler::Order order =
      scheduler_.begin(ticket, state(),
                       {.offset = static_cast<std::uint64_t>(part.offset),
                        .raw_bytes = static_cast<std::size_t>(part.raw),
                        .look = look});
  return fresh(ticket, {.kind = kind, .look = look, .offset = part.offset}, part.raw, order.choice);
}

std::list<Block>::iterator Transfer::insert(std::list<Block>::iterator before, const Block& block) {
  const auto it = blocks_.insert(before, block);
  if (head_ == blocks_.end()) head_ = it;
  if (arriving_ == blocks_.end()) arriving_ = it;
  return it;
}

Block Transfer::fresh(Scheduler::Ticket ticket, const Block& of, double raw, const Choice& choice) {
  Block block = maker_.make(*of.kind, of.look, raw, choice);
  block.ticket = ticket;
  block.offset = of.offset;
  block.begin = now_;
  return block;
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
                                                  .look = block->look,
                                                  .raw = block->rest,
                                                  .work = kNever,
                                                  .streams = false,
                                                  .offset = block->offset + block->raw});
}

void Transfer::close(std::list<Block>::iterator block) {
  block->open = false;
  while (head_ != blocks_.end() && !head_->open) {
    closed_wire_ += head_->wire;
    ++head_;
  }
}

Scheduler::Made Transfer::made(const Block& block) const {
  const bool linked = block_shape((*setup_.ladder)[block.choice.level]).prefix_bytes != 0;
  const auto raw = static_cast<std::size_t>(block.raw);
  return {
      .raw_bytes = raw,
      .wire_bytes = static_cast<std::size_t>(block.wire),
      .compress_seconds = (now_ - block.begin - block.waited) * block.compress_work / block.work,
      .processor_seconds = block.compress_work,
      .waited = block.waited > 0,
      .kept_bytes = linked ? 0 : raw,
      .sample_bytes = raw};
}

void Transfer::learn(const Block& block) {
  if (scheduler_.done(block.ticket, state(), made(block)).sample) sample_ = block;
  static_cast<void>(scheduler_.let_go());
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

}  // namespace adoc::sim
