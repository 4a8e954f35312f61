#include "cli/cp_far.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <system_error>
#include <thread>

#include "adoc/error.hpp"
#include "adoc/send.hpp"
#include "adoc/version.hpp"
#include "cli/cp_asked.hpp"
#include "cli/cp_connection.hpp"
#include "cli/cp_little.hpp"
#include "cli/cp_options.hpp"
#include "cli/cp_paths.hpp"
#include "cli/cp_receive.hpp"
#include "cli/cp_ways.hpp"
#include "cli/exit_code.hpp"
#include "cli/lossy_values.hpp"
#include "cli/recv_observer.hpp"
#include "cli/send_observer.hpp"
#include "cli/signals.hpp"
#include "cli/words.hpp"
#include "destination/output_tree.hpp"
#include "io/record_pipe.hpp"
#include "util/owner_names.hpp"
#include "util/safe_name.hpp"
#include "util/sandbox.hpp"
#include "util/wakeup.hpp"
#include "wire/far_side.hpp"

namespace adoc::cli {
namespace {

/// Standard input and output, out of the way of whatever else reads and writes there.
struct Channel {
  Fd in{::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)};
  Fd out{::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)};

  Channel() {
    const Fd nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
    if (!in || !out || !nothing || ::dup2(nothing.get(), STDIN_FILENO) < 0 ||
        ::dup2(nothing.get(), STDOUT_FILENO) < 0)
      throw Error(ErrorKind::internal, "standard input or output is not there");
  }
};

/// What the request is about, once it is clear that something can come of it.
struct Task {
  FarRequest request{};
  CpCommand command{};
  Destination destination{};           ///< of one that receives
  std::vector<std::string> sources{};  ///< of one that sends
};

void take(Task& task) {
  const FarRequest& request = task.request;
  if (request.version != kProtocolVersion)
    throw Error(ErrorKind::connect, "adoc-cp " + request.program + " speaks another protocol (" +
                                        std::to_string(request.version) + ") than adoc-cp " +
                                        std::string(version()) + " (" +
                                        std::to_string(kProtocolVersion) + ")");
  task.command = parse_far_words(request.arguments);
  std::vector<std::string> paths;
  for (const Place& place : task.command.sources) paths.push_back(expand_home(place.path));
  if (request.role == Role::receiver) {
    if (paths.size() != 1) throw Error(ErrorKind::internal, "there is not one destination");
    task.destination = task.command.into_directory ? make_destination(paths.front())
                                                   : find_destination(paths.front());
    // As long as there is somebody who is told what is wrong with it.
    static_cast<void>(open_destination(task.destination.directory));
    return;
  }
  for (const std::string& path : paths)
    for (std::string& found : expand_pattern(path.empty() ? "." : path))
      task.sources.push_back(plain_path(std::move(found)));
  expect_source(task.sources);
}

FarAnswer answer_to(Task& task, const Rendezvous* rendezvous) {
  FarAnswer answer{.program = std::string(version())};
  answer.whereabouts.peer = ssh_client();
  if (rendezvous != nullptr) answer.whereabouts.port = rendezvous->port();
  answer.is_directory_or_little = task.request.role == Role::receiver
                                      ? task.destination.is_directory
                                      : is_little(task.sources, task.command.send);
  answer.name = task.destination.name;
  answer.sources = task.sources.size();
  return answer;
}

constexpr uid_t kNobodysId = 0xffff'fff0;

/// From here on the whole process reads what was asked for, or writes below the destination, and
/// nothing else; this is its only thread.
void confine(const Task& task) {
  const SendOptions& send = task.command.send;
  if (task.request.role == Role::receiver) {
    static_cast<void>(confine_to(task.destination.directory));
    return;
  }
  const bool may_follow = task.command.recursive || send.listed;
  // A right is for a directory that is there.
  std::error_code ignored;
  if (!send.path_metrics_directory.empty())
    std::filesystem::create_directories(send.path_metrics_directory, ignored);
  std::vector<std::string> paths = task.sources;
  const Keep& keep = send.keep;
  if ((keep.owner || keep.group || keep.access_lists) && !keep.numeric_ids) {
    // Of an id that nobody has, all is asked that there is to ask, and loaded before.
    OwnerNames names;
    static_cast<void>(names.user(kNobodysId));
    static_cast<void>(names.group(kNobodysId));
    paths.insert(paths.end(), {"/etc/passwd", "/etc/group", "/etc/nsswitch.conf"});
  }
  static_cast<void>(confine_to_reading({.paths = std::move(paths),
                                        .reads_all = send.copy_links && may_follow,
                                        .writes_below = send.path_metrics_directory}));
}

/// Of a side that sends, and whose user is at another: only what the one that receives does not
/// know is said, on the standard error that ssh carries. Who sends to a third machine says it all.
class FarSendObserver final : public SendObserver {
 public:
  FarSendObserver(spdlog::logger& log, bool says_all)
      : SendObserver(Setup{}), log_(log), says_all_(says_all) {}

  void on_left_out(std::string_view path, std::string_view why) override {
    log_.warn(left_out_text(path, why));
  }
  void on_changed(std::string_view path) override { log_.warn(changed_text(path)); }
  void on_broken_items(std::string_view path, std::size_t item_bytes) override {
    log_.warn(broken_items_text(path, item_bytes));
  }
  void on_lossy(std::string_view path, const LossyFigures& figures) override {
    log_.debug("{}: lossy, {}", adoc::quoted(path), lost_text(figures));
  }
  void on_lossy_text(std::string_view path) override { log_.warn(lossy_text_text(path)); }
  void on_retry(const Retry& retry) override {
    if (says_all_) SendObserver::on_retry(retry);
  }
  void on_entry(std::string_view path, EntryOutcome outcome, std::string_view message) override {
    if (says_all_) SendObserver::on_entry(path, outcome, message);
  }

 private:
  spdlog::logger& log_;
  bool says_all_;
};

/// Where the far side sends or receives from, once both know all that there is to know.
class FarEnd {
 public:
  FarEnd(const Task& task, const FarGo& go, CpWays& ways)
      : ways_(ways), log_(spdlog::default_logger()->clone("adoc-cp")), sending_(*log_, go.reports) {
    log_->set_level(task.command.output.log_level);
    if (task.request.role == Role::receiver) {
      std::optional<Asked> asked;
      if (const auto& paths = task.command.asked; !paths.empty())
        asked = asked_for(task.command, paths, task.destination);
      receiver_.emplace(CpReceiver::Setup{.command = task.command,
                                          .directory = task.destination.directory,
                                          .asked = std::move(asked),
                                          .observer = &receiving_});
      return;
    }
    SendOptions options = task.command.send;
    options.paths = task.sources;
    options.name = go.name;
    options.peer.host = "adoc-cp";
    sender_.emplace(std::move(options), ways_, &sending_);
    if (task.command.lossy) sender_->lose(*task.command.lossy, &sending_);
  }

  int run(const std::stop_token& stop) {
    if (!sender_) return exit_code(receiver_->serve(ways_, stop));
    const Statistics statistics = sender_->run(stop);
    log_not_kept(statistics.not_kept, *log_);
    if (const std::string line = lossy_line(sender_->lossy_totals()); !line.empty())
      log_->info("{}", line);
    return exit_code(statistics);
  }

 private:
  CpWays& ways_;
  std::shared_ptr<spdlog::logger> log_;  ///< for what is said whoever reports the rest
  FarSendObserver sending_;
  CpObserver receiving_{{}};
  std::optional<Sender> sender_;
  std::optional<CpReceiver> receiver_;
};

/// As hear_task().
std::optional<FarGo> hear_go(RecordPipe& pipe) {
  try {
    return pipe.hear_in_letters<FarGo>();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::connect) throw;
    return std::nullopt;
  }
}

int serve(Task& task, RecordPipe& pipe, const Channel& channel,
          std::optional<StopOnSignals>& signals) {
  std::optional<Rendezvous> rendezvous;
  if (task.command.via != Via::ssh)
    rendezvous.emplace(Key::parse(task.request.key), task.request.role);
  const FarAnswer answer = answer_to(task, rendezvous ? &*rendezvous : nullptr);
  pipe.say(answer);
  const bool sends_little = task.request.role == Role::sender && answer.is_directory_or_little;
  if (rendezvous && !sends_little) rendezvous->prepare();
  const std::optional<FarGo> said = hear_go(pipe);
  if (!said) return kExitConnect;
  const FarGo& go = *said;
  if (!go.reports) spdlog::set_level(spdlog::level::off);
  std::vector<Endpoint> targets;
  for (const std::string& address : go.whereabouts.addresses)
    targets.push_back({.host = address, .port = go.whereabouts.port});
  CpWays ways({.role = task.request.role,
               .via = task.command.via,
               .rendezvous = go.only_channel || !rendezvous ? nullptr : &*rendezvous,
               .targets = std::move(targets),
               .in = channel.in.get(),
               .out = channel.out.get(),
               .peer = "the other side",
               .stop = signals->token(),
               .timeout = task.command.send.timeout});
  ways.find();
  FarEnd end(task, go, ways);
  // Its thread would not be confined. Signals that come meanwhile wait.
  const std::stop_token stopped = signals->token();
  signals.reset();
  if (stopped.stop_requested()) return kExitInterrupted;
  confine(task);
  signals.emplace();
  // A sender that reports has a far side as its receiver, which is confined like itself.
  ways.confined(!go.reports);
  // A connection of its own does not tell of it when ssh is gone.
  std::stop_source stop;
  const std::stop_callback by_signal(signals->token(), [stop]() mutable { stop.request_stop(); });
  ways.watch([stop]() mutable { stop.request_stop(); });
  return end.run(stop.get_token());
}

/// None for one that went away before anything had begun: that has told the user why.
std::optional<Task> hear_task(RecordPipe& pipe) {
  Task task;
  try {
    pipe.write(std::as_bytes(std::span(kFarMagic)));
    task.request = pipe.hear_in_letters<FarRequest>();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::connect) throw;
    return std::nullopt;
  }
  return task;
}

}  // namespace

int run_far_side() {
  spdlog::set_level(spdlog::level::err);
  std::optional<StopOnSignals> signals(std::in_place);
  const Channel channel;
  RecordPipe pipe({.in = channel.in.get(),
                   .out = channel.out.get(),
                   .peer = "the other side",
                   .stop = signals->token()});
  std::optional<Task> task = hear_task(pipe);
  if (!task) return kExitConnect;
  try {
    take(*task);
  } catch (const Error& error) {
    const FarAnswer answer{.program = std::string(version()),
                           .error_kind = static_cast<std::uint8_t>(error.kind()),
                           .message = words_of(error).substr(0, kMaxMessageBytes)};
    pipe.say(answer);
    return exit_code(error.kind());
  }
  return serve(*task, pipe, channel, signals);
}

}  // namespace adoc::cli
