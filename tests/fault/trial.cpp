#include "fault/trial.hpp"

#include <arpa/inet.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <charconv>
#include <filesystem>
#include <memory>
#include <sstream>
#include <thread>
#include <utility>

#include "adoc/key.hpp"
#include "fault/child.hpp"
#include "fault/judge.hpp"

namespace adoc::fault {

namespace {

using namespace std::chrono_literals;

/// A stopped process goes on after this.
constexpr auto kStopped = 20ms;

/// Of this process alone: a port that its receiver has left may be another one's at once, and a
/// sender that tries again would then reach that one.
std::uint32_t own_address() { return 0x7f400000U + static_cast<std::uint32_t>(::getpid()); }

std::string own_host() {
  const in_addr address{.s_addr = htonl(own_address())};
  char text[INET_ADDRSTRLEN];
  return ::inet_ntop(AF_INET, &address, text, sizeof(text));
}

class Trial {
 public:
  Trial(const Plan& plan, const Programs& programs, std::string directory)
      : plan_(plan), programs_(programs), top_(std::move(directory)) {
    write_tree(top_ + "/canary/directory",
               {{"file", {.type = S_IFREG, .mode = 0644, .contents = "tweet"}}});
    write_tree(top_ + "/source/tree", plan_.tree);
    write_tree(top_ + (plan_.source == Plan::Source::directory ? "/out/tree" : "/out"),
               plan_.before);
  }

  Outcome run() {
    Judge judge(plan_, top_);
    Ends ends;
    for (unsigned round = 0; round < plan_.rounds && judge.violations().empty(); ++round) {
      ends = transfer_with_faults();
      judge.judge(ends);
    }
    Rng rng(plan_.seed);
    if (plan_.damages) damage_files(rng, top_ + "/out/.adoc");
    if (judge.violations().empty()) judge.judge_retry(transfer_again());
    return {.violations = judge.violations(),
            .send_ended = in_words(ends.send),
            .recv_ended = in_words(ends.recv),
            .link_faults_struck = link_faults_struck_,
            .calls_struck = calls_struck()};
  }

 private:
  [[nodiscard]] Child::Setup program(const std::string& path, const std::string& side,
                                     const std::string& faults) const {
    Child::Setup setup{.command = {path},
                       // What a sanitizer finds is no exit code of the programs.
                       .environment = {"ASAN_OPTIONS=exitcode=99:verify_asan_link_order=0",
                                       "UBSAN_OPTIONS=exitcode=99:print_stacktrace=1",
                                       "TSAN_OPTIONS=exitcode=99:halt_on_error=1",
                                       // What a plan does depends on no transfer before it.
                                       "XDG_CACHE_HOME=" + top_ + "/cache"},
                       .errors = top_ + "/" + side + ".err"};
    if (plan_.encrypted)
      setup.environment.emplace_back("ADOC_KEY=" + key_);
    else
      setup.command.emplace_back("--insecure");
    if (!faults.empty())
      setup.environment.insert(setup.environment.end(),
                               {"LD_PRELOAD=" + programs_.fault_files, "ADOC_FAULT_FILES=" + faults,
                                "ADOC_FAULT_BELOW=" + top_ + (side == "send" ? "/source" : "/out"),
                                "ADOC_FAULT_STRUCK=" + top_ + "/" + side + ".struck"});
    return setup;
  }

  /// Sets receiver_port_, to 0 when it cannot be reached.
  std::unique_ptr<Child> start_receiver(bool once, const std::string& faults) {
    Child::Setup setup = program(programs_.recv, "recv", faults);
    setup.command.insert(setup.command.end(), {"--out", top_ + "/out", "--listen",
                                               own_host() + ":0", "--log-level", "debug"});
    if (once) setup.command.emplace_back("--once");
    setup.command.insert(setup.command.end(), plan_.recv_options.begin(), plan_.recv_options.end());
    said_before_ = contents_of(setup.errors).size();
    auto receiver = std::make_unique<Child>(setup);
    const std::string line = receiver->line(programs_.limit);
    receiver_port_ = 0;
    const std::size_t colon = line.rfind(':');
    if (line.starts_with("listening on ") && colon != line.npos)
      std::from_chars(line.data() + colon + 1, line.data() + line.size(), receiver_port_);
    return receiver;
  }

  [[nodiscard]] std::unique_ptr<Child> start_sender(std::uint16_t port,
                                                    const std::string& faults) const {
    Child::Setup setup = program(programs_.send, "send", faults);
    setup.command.insert(setup.command.end(), {"-v", "--progress", "never"});
    setup.command.insert(setup.command.end(), plan_.send_options.begin(), plan_.send_options.end());
    const std::string tree = top_ + "/source/tree";
    switch (plan_.source) {
      case Plan::Source::directory:
        setup.command.push_back(tree);
        break;
      case Plan::Source::contents:
        setup.command.push_back(tree + "/");
        break;
      case Plan::Source::standard_input:
        setup.command.insert(setup.command.end(), {"--name", "input", "-"});
        setup.input = tree + "/input";
    }
    setup.command.push_back(own_host() + ":" + std::to_string(port));
    return std::make_unique<Child>(setup);
  }

  [[nodiscard]] int end_of(Child& child) const {
    const auto status = child.wait(programs_.limit);
    if (!status) return kHung;
    return WIFEXITED(*status) ? WEXITSTATUS(*status) : kSignalled + WTERMSIG(*status);
  }

  Ends transfer_with_faults() {
    const auto receiver = start_receiver(plan_.once, plan_.recv_faults);
    if (receiver_port_ == 0) return {.recv = end_of(*receiver), .never_reached = true};
    std::unique_ptr<Child> sender;  // outlives the link, whose thread may be about to hit it
    std::atomic<Child*> sender_to_hit = nullptr;
    testkit::LinkPlan link_plan = plan_.link;
    link_plan.on_call = [&](int deed) {
      const bool hits_receiver = deed == kKillReceiver || deed == kStopReceiver;
      Child* const child = hits_receiver ? receiver.get() : sender_to_hit.load();
      if (child == nullptr) return;  // a connection before its process is known here
      const bool kills = deed == kKillSender || deed == kKillReceiver;
      child->signal(kills ? SIGKILL : SIGSTOP);
      if (kills) return;
      std::this_thread::sleep_for(kStopped);
      child->signal(SIGCONT);
    };
    testkit::FaultLink link(receiver_port_, link_plan, own_address());
    sender = start_sender(link.port(), plan_.send_faults);
    sender_to_hit = sender.get();
    Ends ends{.send = end_of(*sender)};
    if (!plan_.once || !transfer_has_begun()) {
      ends.told_to_end = true;
      receiver->signal(SIGTERM);
    }
    ends.recv = end_of(*receiver);
    link_faults_struck_ = link.struck();
    return ends;
  }

  /// With --once a receiver goes on waiting until somebody has said hello and offered something.
  [[nodiscard]] bool transfer_has_begun() const {
    const std::string said = contents_of(top_ + "/recv.err");
    return said.find("transfer 1 from ", said_before_) != std::string::npos;
  }

  Ends transfer_again() {
    const auto receiver = start_receiver(true, {});
    if (receiver_port_ == 0) return {.recv = end_of(*receiver), .never_reached = true};
    const auto sender = start_sender(receiver_port_, {});
    Ends ends{.send = end_of(*sender)};
    if (ends.send != 0) receiver->signal(SIGTERM);
    ends.recv = end_of(*receiver);
    return ends;
  }

  [[nodiscard]] std::vector<std::string> calls_struck() const {
    std::vector<std::string> calls;
    for (const std::string side : {"send", "recv"}) {
      std::istringstream lines(contents_of(top_ + "/" + side + ".struck"));
      for (std::string line; std::getline(lines, line);) calls.push_back(side + " " + line);
    }
    return calls;
  }

  const Plan& plan_;
  const Programs& programs_;
  std::string top_;
  std::string key_ = Key::generate().text();
  std::uint16_t receiver_port_ = 0;
  std::size_t said_before_ = 0;  ///< bytes of the receiver's words, by receivers before it
  std::size_t link_faults_struck_ = 0;
};

}  // namespace

Outcome run_trial(const Plan& plan, const Programs& programs, const std::string& directory) {
  return Trial(plan, programs, directory).run();
}

}  // namespace adoc::fault
