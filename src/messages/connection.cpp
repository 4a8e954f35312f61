#include "messages/connection.hpp"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <system_error>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "messages/codec_stock.hpp"
#include "util/guarded.hpp"
#include "util/large_memory_hold.hpp"

namespace adoc::messages {

namespace {

using Shared = std::shared_ptr<Connection>;

struct HashIdentity {
  std::size_t operator()(const Identity& identity) const noexcept {
    return static_cast<std::size_t>(identity.inode) * 31 +
           static_cast<std::size_t>(identity.device);
  }
};

/// By number, so that what a number stood for before is dropped when it is seen again, and by what
/// it is, so that duplicates share it.
struct Table {
  std::vector<Shared> by_number{};
  std::unordered_map<Identity, std::weak_ptr<Connection>, HashIdentity> by_identity{};

  void add(const Shared& connection) {
    if (by_identity.size() > 2 * by_number.size() + 64)
      std::erase_if(by_identity, [](const auto& one) { return one.second.expired(); });
    by_identity[connection->identity] = connection;
  }

  /// What is still being sent keeps its place, for duplicates that are seen later.
  void drop(std::size_t number) noexcept {
    const Shared dropped = std::exchange(by_number[number], nullptr);
    if (dropped.use_count() == 1) by_identity.erase(dropped->identity);
  }
};

/// What is to be sent behind the calls, with a descriptor of its own for each: the caller's may be
/// closed meanwhile.
struct Sending {
  struct Item {
    Fd fd;
    Shared connection;
  };
  std::vector<Item> added{};
  std::vector<int> descriptors{};  ///< of all that are not through, for a child to close
  bool has_thread = false;
  Fd wakeup{};

  void forget(int fd) noexcept { std::erase(descriptors, fd); }
  /// In a child, where the thread is not.
  void abandon() noexcept {
    for (Item& item : added) static_cast<void>(item.fd.release());
    for (const int fd : descriptors) ::close(fd);
    *this = Sending{};
  }
};

/// None of these is ever destroyed: threads may be at them while the process exits.
struct State {
  Guarded<Table> table;
  Guarded<Sending> sending;
};

State& state() {
  static auto* const kState = new State();
  return *kState;
}

/// All locks that another thread might hold, from before a fork() to behind it.
struct HeldForFork {
  decltype(state().table.lock()) table = state().table.lock();
  decltype(state().sending.lock()) sending = state().sending.lock();
  std::vector<Shared> quiet{};  ///< connections that nobody is at
};

HeldForFork*& held_for_fork() {
  static HeldForFork* held = nullptr;
  return held;
}

void before_fork() {
  auto* const held = new HeldForFork();
  for (const Shared& one : held->table->by_number) {
    if (!one || !one->writing.try_lock()) continue;
    if (one->reading.try_lock()) {
      held->quiet.push_back(one);
      one->reading.unlock();
    }
    one->writing.unlock();
  }
  hold_codec_stock();
  hold_large_memory();
  held_for_fork() = held;
}

void release_all(HeldForFork* held) {
  release_large_memory();
  release_codec_stock();
  delete held;
}

void after_fork_in_parent() { release_all(std::exchange(held_for_fork(), nullptr)); }

// What the parent keeps it sends itself. Who was at a connection has not come along, and what it
// was at is of no use here.
void after_fork_in_child() {
  HeldForFork* const held = std::exchange(held_for_fork(), nullptr);
  Table& table = *held->table;
  for (Shared& one : table.by_number) {
    if (!one) continue;
    bool quiet = false;
    for (const Shared& other : held->quiet) quiet = quiet || other == one;
    if (quiet) {
      one->out.forget_kept();
      one->out_carries = false;
      one->in_background = false;
    } else {
      table.by_identity.erase(one->identity);
      // Its locks are held by nobody: it must not be destroyed.
      static_cast<void>(new Shared(std::move(one)));
      one = nullptr;
    }
  }
  held->sending->abandon();
  release_all(held);
}

void watch_forks() {
  static const bool kWatched = [] {
    ::pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
    return true;
  }();
  static_cast<void>(kWatched);
}

/// Whether it has nothing more to send.
bool send_some(const Sending::Item& item) {
  const std::unique_lock lock(item.connection->writing);
  const Count sent = item.connection->out.flush_now(item.fd.get());
  if (sent == -EAGAIN || sent == -EINTR) return false;
  // The next write finds out what is wrong.
  item.connection->in_background = false;
  state().sending.lock()->forget(item.fd.get());
  return true;
}

void send_all() {
  std::vector<Sending::Item> items;
  std::vector<pollfd> polled;
  for (;;) {
    {
      const auto sending = state().sending.lock();
      for (Sending::Item& item : sending->added) items.push_back(std::move(item));
      sending->added.clear();
      if (items.empty()) {
        sending->has_thread = false;
        return;
      }
      polled.assign(1, {.fd = sending->wakeup.get(), .events = POLLIN, .revents = 0});
    }
    for (const Sending::Item& item : items)
      polled.push_back({.fd = item.fd.get(), .events = POLLOUT, .revents = 0});
    static_cast<void>(::poll(polled.data(), polled.size(), -1));
    eventfd_t count = 0;
    if (polled.front().revents != 0) static_cast<void>(::eventfd_read(polled.front().fd, &count));
    std::vector<Sending::Item> left;
    for (std::size_t i = 0; i < items.size(); ++i)
      if (polled[i + 1].revents == 0 || !send_some(items[i])) left.push_back(std::move(items[i]));
    items = std::move(left);
  }
}

/// Signals are for the threads of the program.
bool start_thread() {
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  bool started = true;
  try {
    std::thread(send_all).detach();
  } catch (const std::system_error&) {
    started = false;
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return started;
}

}  // namespace

Count connection_of(int fd, std::shared_ptr<Connection>& connection) {
  Identity identity;
  mode_t mode = 0;
  if (const Count failed = identify(fd, identity, mode); failed < 0) return failed;
  const auto number = static_cast<std::size_t>(fd);
  watch_forks();
  const auto table = state().table.lock();
  if (number < table->by_number.size() && table->by_number[number]) {
    if (table->by_number[number]->identity == identity) {
      connection = table->by_number[number];
      return 0;
    }
    table->drop(number);
  }
  Shared found;
  if (const auto known = table->by_identity.find(identity); known != table->by_identity.end())
    found = known->second.lock();
  if (!found) {
    Channel channel{};
    if (const Count failed = kind_of(fd, mode, channel); failed < 0) return failed;
    found = std::make_shared<Connection>(identity, channel);
    table->add(found);
  }
  if (number >= table->by_number.size()) table->by_number.resize(number + 1);
  table->by_number[number] = found;
  connection = std::move(found);
  return 0;
}

std::shared_ptr<Connection> likely_connection_of(int fd) {
  const auto number = static_cast<std::size_t>(fd);
  const auto table = state().table.lock();
  if (fd < 0 || number >= table->by_number.size()) return nullptr;
  const Shared& known = table->by_number[number];
  return known && !known->out_carries && !known->in_carries ? known : nullptr;
}

std::shared_ptr<Connection> other_connection_of(int fd, const Connection& likely) noexcept {
  try {
    Shared found;
    if (connection_of(fd, found) < 0 || found.get() == &likely) return nullptr;
    return found;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void forget(int fd) noexcept {
  const auto number = static_cast<std::size_t>(fd);
  const auto table = state().table.lock();
  if (fd >= 0 && number < table->by_number.size() && table->by_number[number]) table->drop(number);
}

void send_in_background(int fd, const std::shared_ptr<Connection>& connection) noexcept {
  if (connection->in_background) return;
  try {
    Fd own(::fcntl(fd, F_DUPFD_CLOEXEC, 0));
    if (!own) return;
    const auto sending = state().sending.lock();
    if (!sending->wakeup) sending->wakeup = Fd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!sending->wakeup) return;
    sending->descriptors.reserve(sending->descriptors.size() + 1);
    sending->added.push_back({std::move(own), connection});
    if (!sending->has_thread && !start_thread()) {
      sending->added.pop_back();
      return;
    }
    sending->has_thread = true;
    sending->descriptors.push_back(sending->added.back().fd.get());
    connection->in_background = true;
    static_cast<void>(::eventfd_write(sending->wakeup.get(), 1));
  } catch (const std::bad_alloc&) {
  }
}

}  // namespace adoc::messages
