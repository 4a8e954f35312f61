#include "transfer/peer_error.hpp"

#include <exception>
#include <new>

#include "util/safe_name.hpp"

namespace adoc {

namespace {

constexpr std::size_t kFirstNames = 3;
constexpr std::size_t kMaxListedErrors = 1'000;
constexpr std::size_t kMaxListedBytes = 2'048;  ///< of each

/// The peer's local file is our remote file; what it heard badly, we said badly.
ErrorKind seen_from_here(std::uint8_t kind) noexcept {
  switch (static_cast<ErrorKind>(kind)) {
    case ErrorKind::local_file:
      return ErrorKind::remote_file;
    case ErrorKind::remote_file:
      return ErrorKind::local_file;
    case ErrorKind::corrupt:
      return ErrorKind::corrupt;
    case ErrorKind::refused:
      return ErrorKind::refused;
    default:
      return ErrorKind::connect;
  }
}

bool is_error_of(ErrorKind kind, const std::exception_ptr& failure) noexcept {
  if (failure == nullptr) return false;
  try {
    std::rethrow_exception(failure);
  } catch (const Error& error) {
    return error.kind() == kind;
  } catch (...) {
    return false;
  }
}

}  // namespace

Error peer_error(const ErrorFrame& frame, std::string_view who) {
  return {seen_from_here(frame.kind),
          "the " + std::string(who) + " gave up: " + printable(frame.message)};
}

bool is_lost_connection(const std::exception_ptr& failure) noexcept {
  return is_error_of(ErrorKind::connect, failure);
}

bool is_interrupted(const std::exception_ptr& failure) noexcept {
  return is_error_of(ErrorKind::interrupted, failure);
}

std::exception_ptr as_error(const std::exception_ptr& failure) noexcept {
  const auto internal = [](const char* what) {
    return std::make_exception_ptr(Error(ErrorKind::internal, what));
  };
  try {
    try {
      std::rethrow_exception(failure);
    } catch (const Error&) {
      return failure;
    } catch (const std::bad_alloc&) {
      return internal(kOutOfMemory);
    } catch (const std::exception& error) {
      return internal(error.what());
    } catch (...) {
      return internal("something was thrown that is no exception of the library's");
    }
  } catch (...) {
    // There is not even memory for the words.
    return failure;
  }
}

namespace {

void list_error(Statistics& statistics, const std::string& message) {
  if (statistics.errors.size() < kMaxListedErrors)
    statistics.errors.push_back(message.substr(0, kMaxListedBytes));
}

}  // namespace

void count_outcome(Statistics& statistics, const Settled& settled) {
  const bool is_directory = settled.entry.kind == EntryKind::directory;
  const bool is_link = settled.entry.kind == EntryKind::symlink;
  ++(is_directory ? statistics.directories : is_link ? statistics.links : statistics.files);
  switch (settled.outcome) {
    case EntryOutcome::incomplete:
      ++statistics.incomplete;
      list_error(statistics, settled.message);
      [[fallthrough]];
    case EntryOutcome::in_part:
    case EntryOutcome::committed:
      if (settled.outcome == EntryOutcome::in_part) ++statistics.in_parts;
      ++statistics.committed;
      if (is_directory) ++statistics.committed_directories;
      if (is_link) ++statistics.committed_links;
      if (statistics.first_names.size() < kFirstNames)
        statistics.first_names.push_back(settled.entry.name.str());
      break;
    case EntryOutcome::unchanged:
    case EntryOutcome::kept:
      ++statistics.skipped;
      break;
    case EntryOutcome::failed:
      ++statistics.failed;
      list_error(statistics, settled.message);
      break;
  }
}

}  // namespace adoc
