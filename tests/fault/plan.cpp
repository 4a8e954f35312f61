#include "fault/plan.hpp"

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>

namespace adoc::fault {

namespace {

using namespace std::chrono_literals;
using testkit::any_size;
using testkit::LinkFault;
using testkit::up_to;

bool one_in(Rng& rng, std::uint64_t count) { return up_to(rng, count - 1) == 0; }

template <std::size_t N>
std::string one_of(Rng& rng, const std::array<std::string_view, N>& values) {
  return std::string(values[up_to(rng, N - 1)]);
}

std::string number(Rng& rng, std::uint64_t least, std::uint64_t most) {
  return std::to_string(least + up_to(rng, most - least));
}

/// A call that may fail, and how.
struct CallFault {
  std::string_view call;
  std::array<std::string_view, 4> effects;
  std::uint64_t often;  ///< it is made about so often in a transfer
};

// What a program has to live with: the transfer succeeds.
constexpr std::array kHarmlessToSender{
    CallFault{"pread", {"EINTR", "short:1", "short:100", "short:4096"}, 30},
    CallFault{"read", {"EINTR", "short:1", "short:100", "short:4096"}, 10},
    CallFault{"recv", {"EINTR", "short:1", "short:3", "short:20"}, 20},
    CallFault{"send", {"EINTR", "short:1", "short:3", "short:1000"}, 20},
    CallFault{"close", {"EINTR", "EIO", "EINTR", "EIO"}, 20},
};
constexpr std::array kHarmlessToReceiver{
    CallFault{"pwrite", {"EINTR", "short:1", "short:100", "short:4096"}, 30},
    CallFault{"pread", {"EINTR", "short:1", "short:100", "short:4096"}, 10},
    CallFault{"recv", {"EINTR", "short:1", "short:3", "short:1000"}, 30},
    CallFault{"send", {"EINTR", "short:1", "short:3", "short:20"}, 10},
    CallFault{"close", {"EINTR", "EIO", "EINTR", "EIO"}, 20},
    CallFault{"accept", {"EINTR", "ECONNABORTED", "EMFILE", "ENOMEM"}, 1},
};
constexpr std::array kHarmfulToSender{
    CallFault{"open", {"EACCES", "EIO", "EMFILE", "ENOMEM"}, 20},
    CallFault{"pread", {"EIO", "EIO", "EIO", "KILL"}, 30},
    CallFault{"read", {"EIO", "EIO", "EIO", "KILL"}, 10},
    CallFault{"stat", {"EIO", "EACCES", "EIO", "KILL"}, 30},
    CallFault{"readlink", {"EIO", "EACCES", "ENOMEM", "KILL"}, 2},
    CallFault{"readdir", {"EIO", "EIO", "EIO", "EIO"}, 20},
    CallFault{"send", {"ECONNRESET", "ENOMEM", "KILL", "KILLED"}, 30},
    CallFault{"recv", {"ECONNRESET", "ENOMEM", "KILL", "KILLED"}, 20},
};
constexpr std::array kHarmfulToReceiver{
    CallFault{"open", {"EACCES", "EIO", "EMFILE", "KILLED"}, 20},
    CallFault{"pwrite", {"ENOSPC", "EIO", "EDQUOT", "KILL"}, 40},
    CallFault{"ftruncate", {"ENOSPC", "EIO", "KILL", "KILLED"}, 10},
    CallFault{"fchmod", {"EPERM", "EIO", "KILL", "KILLED"}, 15},
    CallFault{"futimens", {"EPERM", "EIO", "KILL", "KILLED"}, 15},
    CallFault{"fsync", {"EIO", "ENOSPC", "KILL", "KILLED"}, 15},
    CallFault{"rename", {"EIO", "ENOSPC", "KILL", "KILLED"}, 15},
    CallFault{"mkdir", {"ENOSPC", "EIO", "EROFS", "KILLED"}, 5},
    CallFault{"symlink", {"ENOSPC", "EIO", "KILL", "KILLED"}, 3},
    CallFault{"utimensat", {"EIO", "EPERM", "KILL", "KILLED"}, 3},
    CallFault{"stat", {"EIO", "EACCES", "EIO", "KILL"}, 20},
    CallFault{"send", {"ECONNRESET", "ENOMEM", "KILL", "KILLED"}, 10},
    CallFault{"recv", {"ECONNRESET", "ENOMEM", "KILL", "KILLED"}, 30},
};

/// "call@n=effect" of one of the table.
template <std::size_t N>
void add_call_fault(Rng& rng, const std::array<CallFault, N>& table, std::string& faults) {
  const CallFault& fault = table[up_to(rng, N - 1)];
  const std::string effect = one_of(rng, fault.effects);
  const std::uint64_t nth = 1 + any_size(rng, fault.often);
  // One that stays, as a full disk does. All calls being interrupted is no system's behaviour.
  // And megabytes byte by byte take too long.
  const bool may_stay =
      effect != "EINTR" && effect.front() != 'K' && effect != "short:1" && fault.call != "accept";
  const bool stays = may_stay && one_in(rng, 3);
  if (!faults.empty()) faults += ';';
  faults += std::string(fault.call) + '@' + std::to_string(nth) + (stays ? "+=" : "=") + effect;
}

std::uint64_t random_place(Rng& rng, std::uint64_t total) {
  switch (up_to(rng, 2)) {
    case 0:
      return up_to(rng, 300);
    case 1:
      return any_size(rng, total);
    default:
      return up_to(rng, total);
  }
}

void add_link_fault(Rng& rng, LinkFault::Kind kind, Plan& plan) {
  std::uint64_t raw_bytes = 0;
  for (const auto& [name, node] : plan.tree) raw_bytes += node.contents.size() + name.size() + 20;
  LinkFault fault{.kind = kind,
                  .way = one_in(rng, 3) ? LinkFault::Way::to_sender : LinkFault::Way::to_receiver};
  fault.at = random_place(
      rng, fault.way == LinkFault::Way::to_receiver ? raw_bytes : 100 + plan.tree.size() * 6);
  fault.bit = static_cast<unsigned>(up_to(rng, 7));
  fault.time = std::chrono::milliseconds(1 + any_size(rng, 120));
  fault.what = static_cast<int>(up_to(rng, 1));
  plan.link.faults.push_back(fault);
}

void add_harmless(Rng& rng, Plan& plan) {
  switch (up_to(rng, 4)) {
    case 0:
      return add_link_fault(rng, LinkFault::Kind::stall, plan);
    case 1:
      add_link_fault(rng, LinkFault::Kind::call, plan);
      plan.link.faults.back().what += kStopSender;
      return;
    case 2:
      return add_call_fault(rng, kHarmlessToSender, plan.send_faults);
    default:
      return add_call_fault(rng, kHarmlessToReceiver, plan.recv_faults);
  }
}

void add_harmful(Rng& rng, Plan& plan) {
  plan.harmless = false;
  const std::uint64_t dice = up_to(rng, 99);
  if (dice < 20) return add_link_fault(rng, LinkFault::Kind::reset, plan);
  if (dice < 30) return add_link_fault(rng, LinkFault::Kind::finish, plan);
  if (dice < 45) {
    // A length that is another one may leave both sides waiting for the rest.
    plan.link.idle_limit = 400ms;
    return add_link_fault(rng, LinkFault::Kind::flip, plan);
  }
  if (dice < 60) {
    // A sender of standard input that is killed might come back, as far as its receiver knows.
    plan.recv_options.insert(plan.recv_options.end(), {"--timeout", "5"});
    return add_link_fault(rng, LinkFault::Kind::call, plan);
  }
  if (dice < 61) {
    // A link that is dead, which both sides have to find out.
    add_link_fault(rng, LinkFault::Kind::stall, plan);
    plan.link.faults.back().time = 10s;
    for (auto* options : {&plan.send_options, &plan.recv_options})
      options->insert(options->end(), {"--timeout", "1"});
    return;
  }
  if (dice < 72) return add_call_fault(rng, kHarmfulToSender, plan.send_faults);
  add_call_fault(rng, kHarmfulToReceiver, plan.recv_faults);
}

void add_send_options(Rng& rng, std::vector<std::string>& options) {
  const auto add = [&](const char* name, std::string value) {
    options.insert(options.end(), {name, std::move(value)});
  };
  switch (up_to(rng, 5)) {
    case 0:
      add("--policy", "adoc");
      break;
    case 1:
      add("--policy", "selective");
      break;
    case 2:
    case 3:
      add("--level", number(rng, 0, 3));
      break;
    default:
      break;
  }
  if (one_in(rng, 2)) add("--ladder", one_of<4>(rng, {"auto", "zlib", "zstd", "lz4"}));
  if (one_in(rng, 3)) add("--threads", number(rng, 1, 4));
  if (one_in(rng, 3)) add("--block-size", number(rng, 1, 64) + "K");
  if (one_in(rng, 4)) add("--packet-size", number(rng, 64, 9'000));
  if (one_in(rng, 4)) add("--fifo-packets", number(rng, 1, 20));
  if (one_in(rng, 6)) add("--memory", number(rng, 4, 16) + "M");
  // More attempts would only take more time.
  add("--retry", one_in(rng, 4) ? "1" : "0");
}

void add_recv_options(Rng& rng, std::vector<std::string>& options) {
  const auto add = [&](const char* name, std::string value) {
    options.insert(options.end(), {name, std::move(value)});
  };
  if (one_in(rng, 3)) add("--threads", number(rng, 1, 4));
  if (one_in(rng, 3)) add("--fifo-packets", number(rng, 1, 20));
  if (one_in(rng, 6)) add("--memory", number(rng, 120, 200) + "M");
}

/// What any link may be like.
void shape(Rng& rng, Plan& plan) {
  std::uint64_t raw_bytes = 0;
  for (const auto& [name, node] : plan.tree) raw_bytes += node.contents.size();
  if (one_in(rng, 4)) plan.link.delay = std::chrono::microseconds(any_size(rng, 3'000));
  if (one_in(rng, 4)) plan.link.bytes_per_second = 50'000 + raw_bytes * (5 + up_to(rng, 20));
  if (one_in(rng, 3)) plan.link.most_at_once = 1 + any_size(rng, 10'000) + raw_bytes / 100;
}

void make_standard_input(Plan& plan) {
  Node input{.type = S_IFREG, .mode = 0644};
  for (const auto& [name, node] : plan.tree)
    if (node.type == S_IFREG) input.contents += node.contents;
  plan.source = Plan::Source::standard_input;
  plan.tree = {{"input", std::move(input)}};
}

const char* name_of(LinkFault::Kind kind, int what) {
  switch (kind) {
    case LinkFault::Kind::reset:
      return "reset";
    case LinkFault::Kind::finish:
      return "finish";
    case LinkFault::Kind::flip:
      return "flip a bit";
    case LinkFault::Kind::stall:
      return "stall";
    case LinkFault::Kind::call:
      break;
  }
  switch (what) {
    case kKillSender:
      return "SIGKILL to the sender";
    case kKillReceiver:
      return "SIGKILL to the receiver";
    case kStopSender:
      return "SIGSTOP, SIGCONT to the sender";
    default:
      return "SIGSTOP, SIGCONT to the receiver";
  }
}

}  // namespace

Plan make_plan(std::uint64_t seed, const std::string& canary) {
  Rng rng(seed);
  Plan plan{.seed = seed, .tree = random_tree(rng, canary)};
  add_send_options(rng, plan.send_options);
  add_recv_options(rng, plan.recv_options);
  plan.once = one_in(rng, 2);
  // With --once a receiver waits on for one that gets through the handshake.
  plan.encrypted = !plan.once && one_in(rng, 2);
  if (one_in(rng, 10)) {
    make_standard_input(plan);
  } else {
    if (one_in(rng, 2)) plan.source = Plan::Source::contents;
    const bool by_contents = one_in(rng, 5);
    if (by_contents) plan.send_options.emplace_back("--checksum");
    if (one_in(rng, 4)) plan.before = older_versions(rng, plan.tree, canary, by_contents);
    plan.keep_existing = one_in(rng, 10);
    if (plan.keep_existing) plan.send_options.emplace_back("--no-overwrite");
  }
  shape(rng, plan);
  const bool harmless = one_in(rng, 5);
  if (!harmless && one_in(rng, 4)) plan.rounds += 1 + static_cast<unsigned>(up_to(rng, 1));
  plan.damages = one_in(rng, 3);
  for (std::uint64_t count = 1 + up_to(rng, 2); count > 0; --count) {
    if (harmless || one_in(rng, 3))
      add_harmless(rng, plan);
    else
      add_harmful(rng, plan);
  }
  return plan;
}

std::string Plan::describe() const {
  std::ostringstream out;
  std::uint64_t bytes = 0;
  for (const auto& [name, node] : tree) bytes += node.contents.size();
  out << "seed " << seed << ": " << tree.size() << " entries, " << bytes << " bytes";
  if (!before.empty()) out << ", " << before.size() << " entries there before";
  out << (source == Source::standard_input ? ", from standard input" : "");
  out << "\nadoc-send" << (encrypted ? "" : " --insecure");
  for (const std::string& option : send_options) out << ' ' << option;
  out << "\nadoc-recv" << (once ? " --once" : "") << (encrypted ? "" : " --insecure");
  for (const std::string& option : recv_options) out << ' ' << option;
  out << "\nlink: " << link.bytes_per_second << " bytes/s (0: any), delay " << link.delay.count()
      << " us, " << link.most_at_once << " bytes at once\n";
  for (const LinkFault& fault : link.faults)
    out << "at byte " << fault.at
        << (fault.way == LinkFault::Way::to_receiver ? " to the receiver: " : " to the sender: ")
        << name_of(fault.kind, fault.what) << ", bit " << fault.bit << ", " << fault.time.count()
        << " ms\n";
  if (!send_faults.empty()) out << "adoc-send's calls: " << send_faults << '\n';
  if (!recv_faults.empty()) out << "adoc-recv's calls: " << recv_faults << '\n';
  if (rounds > 1) out << "tried " << rounds << " times\n";
  if (damages) out << "what is left unfinished is damaged before the retry\n";
  out << (harmless ? "is to succeed all the same\n" : "may fail\n");
  return out.str();
}

}  // namespace adoc::fault
