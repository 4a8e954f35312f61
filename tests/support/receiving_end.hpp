#pragma once

#include <exception>
#include <thread>
#include <vector>

#include "pipeline/block_assembler.hpp"
#include "pipeline/decompress_stage.hpp"
#include "pipeline/receive_memory.hpp"
#include "support/pipeline_ends.hpp"
#include "support/test_streams.hpp"
#include "transfer/lifeline.hpp"
#include "wire/frame.hpp"

namespace adoc::testkit {

/// What the receiving stages make of recorded frames, with as many threads that decompress; an end
/// frame is put behind them. Throws what a stage throws first.
struct ReceivingEnd {
  std::size_t shares = 3;  ///< of memory, of the threads that decompress
  bool takes_matches = true;
};
[[nodiscard]] inline Bytes received(Bytes frames, std::size_t threads = 1,
                                    const ReceivingEnd& end_of = {}) {
  const Bytes end = encode_frame(End{1});
  frames.insert(frames.end(), end.begin(), end.end());
  RecordedStream stream(std::move(frames), [] { return SIZE_MAX; });
  FrameReader reader(stream);
  StoredQueue stored(1 << 20);
  InboundQueue inbound(1 << 20);
  BufferStock stock;
  ReceiveMeter meter;
  const auto memory = std::make_shared<MemoryShares>(end_of.shares);
  std::stop_source over;
  SharesInOrder in_order(*memory, over.get_token());
  MatchWindow window;
  PipelineCounters counters;
  MemorySink sink;
  Lifeline lifeline([&](const std::exception_ptr& failure) {
    over.request_stop();
    stored.fail(failure);
    inbound.fail(failure);
    window.fail(failure);
  });
  {
    std::vector<std::jthread> workers;
    while (workers.size() < threads)
      workers.push_back(lifeline.start([&] {
        DecompressStage({stored, inbound, stock, meter, in_order, window}).run();
      }));
    workers.push_back(
        lifeline.start([&] { WriteStage(inbound, stock, sink, counters, meter).run(); }));
    lifeline.guard([&] {
      BlockAssembler assembler({.reader = reader,
                                .stored = stored,
                                .inbound = inbound,
                                .stock = stock,
                                .meter = meter,
                                .window = end_of.takes_matches ? &window : nullptr});
      while (const auto frame = reader.next()) assembler.take(*frame);
      stored.close();
    });
  }
  if (const auto failure = lifeline.failure()) std::rethrow_exception(failure);
  return std::move(sink.data);
}

}  // namespace adoc::testkit
