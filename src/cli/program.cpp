#include "cli/program.hpp"

#include <signal.h>
#include <spdlog/spdlog.h>

#include <exception>
#include <memory>
#include <new>

#include "adoc/error.hpp"
#include "cli/address_space.hpp"
#include "cli/exit_code.hpp"
#include "cli/no_core_dump.hpp"
#include "cli/signals.hpp"
#include "cli/standard_streams.hpp"
#include "cli/words.hpp"

namespace adoc::cli {

int run_program(const std::string& name, const std::function<int(StatusLine&)>& body) noexcept {
  end_at_once_on_signals();
  forbid_core_dumps();
  spare_address_space_where_it_is_limited();
  fill_closed_standard_streams();
  // A file that is longer than `ulimit -f` allows is an error of that file.
  ::signal(SIGXFSZ, SIG_IGN);
  const std::shared_ptr<StatusLine> status = start_log(name);
  try {
    return body(*status);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::usage) {
      spdlog::error("{} (try {} --help)", words_of(error), name);
    } else {
      spdlog::error("{}", words_of(error));
    }
    return exit_code(error.kind());
  } catch (const std::bad_alloc&) {
    spdlog::error("out of memory");
  } catch (const std::exception& error) {
    spdlog::error("internal error, please report it: {}", error.what());
  }
  return kExitInternal;
}

}  // namespace adoc::cli
