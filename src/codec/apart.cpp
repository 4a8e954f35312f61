#include "codec/apart.hpp"

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <system_error>
#include <thread>
#include <utility>

#include "util/clock.hpp"

namespace adoc {
namespace {

/// Short beside the half second in which a program that is told to stop has to.
constexpr std::chrono::milliseconds kStep{5};

/// Works that nobody waits for any more.
std::atomic<int> left_alone{0};

/// What the thread that works and the one that waits have in common.
class Job {
 public:
  // What the work owns is freed before it counts as done.
  explicit Job(std::function<void()> work)
      : task([work = std::move(work)]() mutable {
          const double begin = thread_seconds();
          std::exchange(work, nullptr)();
          return thread_seconds() - begin;
        }) {}

  void run() {
    task();
    if (state_.exchange(State::done) == State::left) --left_alone;
  }

  void leave() noexcept {
    ++left_alone;
    if (state_.exchange(State::left) == State::done) --left_alone;
  }

  std::packaged_task<double()> task;

 private:
  enum class State { waited_for, left, done };
  std::atomic<State> state_ = State::waited_for;
};

/// Until the work is done, or `meanwhile` throws.
void wait_for(const std::future<double>& done, const Meanwhile& meanwhile) {
  while (done.wait_for(kStep) != std::future_status::ready) meanwhile();
}

}  // namespace

double run_apart(std::function<void()> work, const Meanwhile& meanwhile) {
  if (!meanwhile) {
    work();
    return 0;
  }
  const auto job = std::make_shared<Job>(std::move(work));
  std::future<double> done = job->task.get_future();
  try {
    std::thread([job] { job->run(); }).detach();
  } catch (const std::system_error&) {
    job->run();
  }
  try {
    wait_for(done, meanwhile);
  } catch (...) {
    job->leave();
    throw;
  }
  return done.get();
}

bool work_is_left_alone() noexcept { return left_alone.load() != 0; }

void wait_for_work_left_alone(const Meanwhile& meanwhile) {
  while (work_is_left_alone()) {
    std::this_thread::sleep_for(kStep);
    meanwhile();
  }
}

}  // namespace adoc
