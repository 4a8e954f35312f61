#include "cli/keep_options.hpp"

#include "cli/command_line.hpp"

namespace adoc::cli {

KeepOptions::KeepOptions(CommandLine& line, Names names) {
  CLI::App& app = line.app();
  const bool rsync = names == Names::rsync;
  app.option_defaults()->group("Files");
  app.add_flag("-a,--archive", archive_,
               rsync ? "keep owners and groups, too, as in rsync: all else\nof -a is kept anyway"
                     : "as in rsync: -r, -p, --links, --owner and --group");
  app.add_flag(rsync ? "-o,--owner" : "--owner", keep_.owner,
               "keep owners, by name (if root receives)");
  app.add_flag(rsync ? "-g,--group" : "--group", keep_.group,
               "keep groups, by name (those that the receiver\nbelongs to, if it is not root)");
  app.add_flag("--numeric-ids", keep_.numeric_ids, "owners and groups by number, not by name");
  app.add_flag("-H,--hard-links", keep_.hard_links, "keep names of one file names of one file");
  app.add_flag(rsync ? "-X,--xattrs" : "--xattrs", keep_.attributes, "keep extended attributes");
  app.add_flag(rsync ? "-A,--acls" : "--acls", keep_.access_lists, "keep access control lists");
}

Keep KeepOptions::keep() const noexcept {
  Keep keep = keep_;
  keep.owner = keep.owner || archive_;
  keep.group = keep.group || archive_;
  return keep;
}

}  // namespace adoc::cli
