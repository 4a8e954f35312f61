#include "bench/papers/seismic/shot.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <iterator>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>

#include "bench/papers/seismic/lifting.hpp"

namespace papers {
namespace {

Quantised quantised(const Traces& traces, const ShotSetup& setup) {
  std::vector<double> all;
  for (const auto& trace : traces) {
    std::vector<double> lifted = trace;
    lift_forward(lifted, setup.levels);
    all.insert(all.end(), lifted.begin(), lifted.end());
  }
  return quantise(all, setup.bits);
}

void check(const ShotSetup& setup) {
  if (setup.levels < 0 || setup.levels > 16) throw std::invalid_argument("0 to 16 levels");
  if (setup.sections < 1) throw std::invalid_argument("at least one section");
}

}  // namespace

std::size_t CodedShot::bytes() const {
  std::size_t sum = sizeof step + dictionary.size();
  for (const Section& section : sections) sum += section.bytes.size();
  return sum;
}

std::vector<std::int16_t> indices_of(const Traces& traces, const ShotSetup& setup) {
  check(setup);
  return quantised(traces, setup).indices;
}

CodedShot encode_shot(const Traces& traces, const ShotSetup& setup) {
  check(setup);
  const Quantised whole = quantised(traces, setup);
  CodedShot coded{setup, whole.step, {}, {}};
  if (whole.indices.empty()) return coded;
  const HuffmanCode code = HuffmanCode::of(whole.indices);
  coded.dictionary = code.dictionary();
  const auto count = std::min(static_cast<std::size_t>(setup.sections), traces.size());
  std::size_t at = 0;
  for (std::size_t section = 0, trace = 0; section < count; ++section) {
    const std::size_t end = traces.size() * (section + 1) / count;
    std::size_t samples = 0;
    const std::size_t first = trace;
    for (; trace < end; ++trace) samples += traces[trace].size();
    const auto part = std::span(whole.indices).subspan(at, samples);
    coded.sections.push_back({end - first, code.encode(part)});
    at += samples;
  }
  return coded;
}

Traces decode_section(const CodedShot& shot, const HuffmanCode& code, std::size_t section,
                      std::span<const std::size_t> lengths) {
  const CodedShot::Section& own = shot.sections.at(section);
  if (lengths.size() != own.traces) throw std::runtime_error("a section of other traces");
  std::size_t samples = 0;
  for (const std::size_t length : lengths) samples += length;
  // A code has at least one bit.
  if (samples > own.bytes.size() * 8) throw std::runtime_error("a section ends too early");
  std::vector<std::int16_t> indices(samples);
  code.decode(own.bytes, indices);
  Traces traces;
  traces.reserve(lengths.size());
  std::size_t at = 0;
  for (const std::size_t length : lengths) {
    traces.push_back(dequantise(std::span(indices).subspan(at, length), shot.step));
    lift_inverse(traces.back(), shot.setup.levels);
    if (!std::ranges::all_of(traces.back(), [](double one) { return std::isfinite(one); })) {
      throw std::runtime_error("samples that are not finite");
    }
    at += length;
  }
  return traces;
}

Traces decode_shot(const CodedShot& shot, std::span<const std::size_t> lengths) {
  std::size_t traces = 0;
  for (const auto& section : shot.sections) {
    if (section.traces == 0 || section.traces > lengths.size() - traces) {
      throw std::runtime_error("a shot of other traces");
    }
    traces += section.traces;
  }
  if (shot.sections.empty() && std::ranges::all_of(lengths, [](auto one) { return one == 0; })) {
    return Traces(lengths.size());
  }
  if (traces != lengths.size()) throw std::runtime_error("a shot of other traces");
  const HuffmanCode code = HuffmanCode::from_dictionary(shot.dictionary);
  std::vector<Traces> parts(shot.sections.size());
  std::mutex mutex;
  std::exception_ptr error;
  {
    std::vector<std::jthread> cores;
    std::size_t first = 0;
    for (std::size_t section = 0; section < parts.size(); ++section) {
      const auto own = lengths.subspan(first, shot.sections[section].traces);
      first += own.size();
      cores.emplace_back([&, section, own] {
        try {
          parts[section] = decode_section(shot, code, section, own);
        } catch (...) {
          const std::lock_guard lock(mutex);
          error = std::current_exception();
        }
      });
    }
  }
  if (error) std::rethrow_exception(error);
  Traces all;
  for (Traces& part : parts) std::ranges::move(part, std::back_inserter(all));
  return all;
}

double schedule_seconds(double dictionary_seconds, std::span<const double> send_seconds,
                        std::span<const double> decode_seconds) {
  if (send_seconds.size() != decode_seconds.size()) {
    throw std::invalid_argument("a core for each section");
  }
  double sent = dictionary_seconds;
  double end = sent;
  for (std::size_t i = 0; i < send_seconds.size(); ++i) {
    sent += send_seconds[i];
    end = std::max(end, sent + decode_seconds[i]);
  }
  return end;
}

}  // namespace papers
