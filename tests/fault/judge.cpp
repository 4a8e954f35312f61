#include "fault/judge.hpp"

#include <signal.h>

#include <filesystem>
#include <utility>

#include "support/read_file.hpp"
#include "util/safe_name.hpp"

namespace adoc::fault {

namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

bool may_kill(const Plan& plan, int deed, const std::string& call_faults) {
  for (const testkit::LinkFault& fault : plan.link.faults)
    if (fault.kind == testkit::LinkFault::Kind::call && fault.what == deed) return true;
  return call_faults.find("=KILL") != call_faults.npos;
}

}  // namespace

std::string in_words(int code) {
  if (code == kHung) return "nothing, it hangs";
  return code < kSignalled ? std::to_string(code) : "signal " + std::to_string(code - kSignalled);
}

std::string contents_of(const std::string& path) { return testkit::read_file(path).value_or(""); }

Judge::Judge(const Plan& plan, std::string directory)
    : plan_(plan), top_(std::move(directory)), before_(read_tree(top_ + "/out")) {
  surroundings_ = read_surroundings();
  const bool under_its_name = plan_.source == Plan::Source::directory;
  for (auto& [name, node] : read_tree(top_ + (under_its_name ? "/source" : "/source/tree"))) {
    const auto old = before_.find(name);
    const bool kept = plan_.keep_existing && old != before_.end() && node.type != S_IFDIR;
    wanted_[name] = kept ? old->second : node;
  }
}

void Judge::judge(const Ends& ends) {
  ends_ = ends;
  check_what_is_there();
  check_surroundings("the transfer");
  check_code(ends.send, "adoc-send", may_kill(plan_, kKillSender, plan_.send_faults));
  check_code(ends.recv, "adoc-recv", may_kill(plan_, kKillReceiver, plan_.recv_faults));
  if (ends.never_reached) return;
  if (ends.send == 0) check_all_identical("adoc-send");
  if (ends.recv == 0) check_all_identical("adoc-recv");
  if (plan_.harmless && ends.send != 0)
    violated("nothing harmful happened, but adoc-send ended with " + in_words(ends.send));
  if (plan_.harmless && ends.recv != (ends.told_to_end ? 130 : 0))
    violated("nothing harmful happened, but adoc-recv ended with " + in_words(ends.recv));
  const std::string said = '\n' + contents_of(top_ + "/send.err");
  for (const auto& [name, node] : wanted_)
    if (said.find("\nadoc-send: " + adoc::quoted(name) + ": committed\n") != said.npos &&
        !is_whole(name))
      violated("adoc-send says that this is committed, but it is not: " + adoc::quoted(name));
  // But what can be gone on with is left on purpose, and its directory with it.
  if (left_over_ && ends.recv < kSignalled) violated("adoc-recv has left a temporary file");
}

void Judge::judge_retry(const Ends& ends) {
  ends_ = ends;
  if (ends.send != 0 || ends.recv != 0)
    violated("without faults, again: adoc-send ended with " + in_words(ends.send) +
             ", adoc-recv with " + in_words(ends.recv));
  check_what_is_there();
  check_all_identical("the retry");
  check_surroundings("the retry");
}

Tree Judge::read_surroundings() const {
  Tree tree;
  for (const std::string name : {"canary", "source"})
    for (auto& [path, node] : read_tree(top_ + "/" + name))
      tree[name + "/" + path] = std::move(node);
  for (const auto& item : fs::directory_iterator(top_)) tree[item.path().filename().string()];
  for (const char* ours : {"send.err", "recv.err", "send.struck", "recv.struck", "cache"})
    tree.erase(ours);
  return tree;
}

bool Judge::is_temporary(const std::string& name) {
  return name.starts_with(".adoc/.adoc-") && name.ends_with(".part");
}

bool Judge::is_unfinished(const std::string& name) {
  return name == ".adoc" || (name.starts_with(".adoc/.adoc-") &&
                             (name.ends_with(".partial") || name.ends_with(".journal")));
}

// A receiver that cannot look at its own directory puts temporaries beside the files, and when it
// is killed as well, nobody finds them.
bool Judge::is_out_of_sight(const std::string& name) const {
  const std::string& faults = plan_.recv_faults;
  return faults.find("stat@") != faults.npos && faults.find("=KILL") != faults.npos &&
         fs::path(name).filename().string().starts_with(".adoc-") && name.ends_with(".part");
}

// What is under its final name is whole, whatever happened.
void Judge::check_what_is_there() {
  left_over_ = false;
  there_ = read_tree(top_ + "/out");
  for (const auto& [name, node] : there_) {
    const auto old = before_.find(name);
    if (is_whole(name) || (old != before_.end() && node.same(old->second))) continue;
    if (is_out_of_sight(name)) continue;
    if (is_temporary(name))
      left_over_ = true;
    else if (!is_unfinished(name))
      violated("the destination has something else than the source: " + adoc::quoted(name));
  }
  for (const auto& [name, node] : before_)
    if (!there_.contains(name)) violated("is gone: " + adoc::quoted(name));
}

bool Judge::is_whole(const std::string& name) const {
  const auto node = there_.find(name);
  const auto wanted = wanted_.find(name);
  return node != there_.end() && wanted != wanted_.end() && node->second.same(wanted->second);
}

void Judge::check_all_identical(const std::string& who) {
  const bool has_metadata = plan_.source != Plan::Source::standard_input;
  for (const auto& [name, wanted] : wanted_) {
    const auto node = there_.find(name);
    if (node == there_.end() ||
        !(has_metadata ? node->second.identical(wanted) : node->second.same(wanted)))
      violated(who + " ended well, but this is not there as it was sent: " + adoc::quoted(name));
  }
  // A receiver that cannot look at its own directory leaves it, empty.
  const bool may_leave_directory = who != "the retry" && !plan_.recv_faults.empty();
  for (const auto& [name, node] : there_)
    if (!wanted_.contains(name) && !before_.contains(name) && !is_out_of_sight(name) &&
        !(may_leave_directory && name == ".adoc"))
      violated(who + " ended well, but this is left over: " + adoc::quoted(name));
}

void Judge::check_code(int code, const std::string& who, bool may_be_killed) {
  const bool told = code == 0 || code == 1 || code == 3 || code == 5 || code == 6 || code == 7;
  // A flipped bit may make another version of the hello, or another kind of an error.
  const bool refused = code == 4 && plan_.link.idle_limit != 0ms;
  const bool asked = code == 130 && who == "adoc-recv" && ends_.told_to_end;
  const bool killed = code == kSignalled + SIGKILL && may_be_killed;
  if (!told && !refused && !asked && !killed) violated(who + " ended with " + in_words(code));
  const std::string said = contents_of(top_ + (who == "adoc-send" ? "/send.err" : "/recv.err"));
  if (said.find("Sanitizer") != said.npos || said.find("runtime error:") != said.npos)
    violated(who + " was stopped by a sanitizer");
  if (code > 0 && !killed && !asked && said.find(who + ": ") == said.npos)
    violated(who + " does not say why it ended with " + in_words(code));
}

void Judge::check_surroundings(const std::string& when) {
  const Tree now = read_surroundings();
  for (const auto& [name, node] : now) {
    const auto before = surroundings_.find(name);
    if (before == surroundings_.end())
      violated(when + " wrote outside of the destination: " + adoc::quoted(name));
    else if (!node.identical(before->second))
      violated(when + " changed something outside of the destination: " + adoc::quoted(name));
  }
  for (const auto& [name, node] : surroundings_)
    if (!now.contains(name))
      violated(when + " removed something outside of the destination: " + adoc::quoted(name));
}

}  // namespace adoc::fault
