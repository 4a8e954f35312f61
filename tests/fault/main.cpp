// Goal: whatever goes wrong in a transfer, what is under its final name is identical to the source,
// the exit codes tell the truth, nothing is written outside of the destination, nothing is left
// over after success, and a retry without faults completes.
//
//   fault --bin DIR [--plans N] [--seed S]     N plans that follow from the seed
//   fault --bin DIR --plan P [--keep]          just one, as a failing run prints it
//   --limit SECONDS                            how long a program may take; default: 20
//   --until-failed                             no further plan after one that failed
//
// Each plan is a small random tree with random options, and one or several faults: of the link
// (support/fault_link.hpp), of the calls that either program makes (support/fault_files.cpp), or
// of a process that is killed or stopped.

#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <optional>
#include <string>

#include "fault/plan.hpp"
#include "fault/trial.hpp"

namespace {

namespace fs = std::filesystem;
using namespace adoc::fault;
using Clock = std::chrono::steady_clock;

struct Command {
  std::string bin;
  std::uint64_t plans = 100;
  std::uint64_t seed = 1;
  std::optional<std::uint64_t> plan;
  std::uint64_t limit_s = 20;
  bool keep = false;
  bool until_failed = false;
};

[[noreturn]] void usage() {
  std::cerr << "usage: fault --bin DIR [--plans N] [--seed S] [--limit SECONDS] [--until-failed] | "
               "--plan P [--keep]\n";
  std::exit(2);
}

Command parse(int argc, char** argv) {
  Command command;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--keep") {
      command.keep = true;
      continue;
    }
    if (name == "--until-failed") {
      command.until_failed = true;
      continue;
    }
    if (i + 1 == argc) usage();
    const std::string value = argv[++i];
    if (name == "--bin")
      command.bin = value;
    else if (name == "--plans")
      command.plans = std::stoull(value);
    else if (name == "--seed")
      command.seed = std::stoull(value);
    else if (name == "--limit")
      command.limit_s = std::stoull(value);
    else if (name == "--plan")
      command.plan = std::stoull(value);
    else
      usage();
  }
  if (command.bin.empty()) usage();
  return command;
}

/// In memory where that is possible: what a power failure would do is not the point.
std::string make_directory() {
  const bool in_memory = ::access("/dev/shm", W_OK) == 0;
  std::string pattern =
      (in_memory ? fs::path("/dev/shm") : fs::temp_directory_path()) / "adoc-fault-XXXXXX";
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary directory");
  return pattern;
}

/// Neighbouring seeds and numbers give unlike plans.
std::uint64_t mixed(std::uint64_t seed, std::uint64_t number) {
  std::uint64_t x = seed * 0x9e3779b97f4a7c15 + number + 1;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return (x ^ (x >> 31)) >> 16;  // short enough to type
}

struct Tally {
  std::uint64_t plans = 0;
  std::uint64_t failed = 0;
  std::uint64_t link_faults = 0;
  std::map<std::string, std::uint64_t> ended;
  std::map<std::string, std::uint64_t> calls;

  void add(const Outcome& outcome) {
    ++plans;
    if (!outcome.violations.empty()) ++failed;
    link_faults += outcome.link_faults_struck;
    ++ended["adoc-send " + outcome.send_ended + ", adoc-recv " + outcome.recv_ended];
    for (const std::string& call : outcome.calls_struck) ++calls[call.substr(0, call.find('@'))];
  }

  void print(double seconds) const {
    std::cout << plans << " plans in " << seconds << " s, " << failed << " failed\n"
              << "faults that struck: link and signals " << link_faults;
    for (const auto& [call, count] : calls) std::cout << ", " << call << ' ' << count;
    std::cout << "\nhow the transfers with faults ended:\n";
    for (const auto& [how, count] : ended) std::cout << "  " << count << "  " << how << '\n';
  }
};

Outcome run_one(std::uint64_t number, const Command& command, const Programs& programs) {
  const std::string directory = make_directory();
  const Plan plan = make_plan(number, directory + "/canary/directory/file");
  if (command.plan) std::cout << plan.describe() << std::flush;
  const Outcome outcome = run_trial(plan, programs, directory);
  if (!outcome.violations.empty()) {
    std::cout << "FAILED: " << plan.describe() << "ended: adoc-send " << outcome.send_ended
              << ", adoc-recv " << outcome.recv_ended << '\n';
    for (const std::string& violation : outcome.violations) std::cout << "  " << violation << '\n';
    std::cout << "again: fault --bin " << command.bin << " --plan " << number << " --keep\n"
              << std::flush;
  }
  if (command.keep)
    std::cout << "kept: " << directory << '\n';
  else
    fs::remove_all(directory);
  return outcome;
}

int run(const Command& command) {
  const fs::path bin = fs::canonical(command.bin);
  const Programs programs{.send = bin / "adoc-send",
                          .recv = bin / "adoc-recv",
                          .fault_files = ADOC_FAULT_FILES_LIBRARY,
                          .limit = std::chrono::seconds(command.limit_s)};
  const Clock::time_point begin = Clock::now();
  Tally tally;
  if (command.plan) {
    tally.add(run_one(*command.plan, command, programs));
  } else {
    for (std::uint64_t i = 0; i < command.plans && !(command.until_failed && tally.failed > 0); ++i)
      tally.add(run_one(mixed(command.seed, i), command, programs));
  }
  tally.print(std::chrono::duration<double>(Clock::now() - begin).count());
  return tally.failed == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(parse(argc, argv));
  } catch (const std::exception& error) {
    std::cerr << "fault: " << error.what() << '\n';
    return 2;
  }
}
