#include "cli/habits.hpp"

#include <array>

namespace adoc::cli {

std::span<const Habit> send_habits() {
  static const std::array kHabits{
      Habit{{"-r", "-R", "--recursive"}, "directories are sent whole without it"},
      Habit{{"-p", "-t", "-l", "--perms", "--times", "--links"},
            "modes, times and links are kept without it; a port goes behind the host, HOST:PORT"},
      Habit{{"-z", "-C", "--compress"},
            "how hard to compress is found out without it; --level N fixes it"},
      Habit{{"--compress-level", "--zl"}, "it is called --level here"},
      Habit{{"--compress-choice", "--zc"}, "it is called --ladder here"},
      Habit{{"-P"},
            "a port goes behind the host, HOST:PORT; progress is shown on a terminal, and what was "
            "cut off goes on, without it"},
      Habit{{"--port"}, "the port goes behind the host, HOST:PORT"},
      Habit{{"--partial", "--append", "--append-verify", "--inplace"},
            "what was cut off goes on without it"},
      Habit{{"-c"}, "it is called --checksum here"},
      Habit{{"-S", "--sparse"}, "holes are kept without it"},
      Habit{{"-e", "-i", "-J", "-F", "--rsh"},
            "nothing goes over ssh here: adoc-recv runs on the other side"},
      Habit{{"-u", "--update"},
            "there is no such rule: --no-overwrite leaves whatever is there already"},
      Habit{{"--ignore-existing"}, "it is called --no-overwrite here"},
      Habit{{"--delete", "--delete-after", "--delete-excluded", "--remove-source-files"},
            "nothing is removed on either side, but for what --force replaces"},
      Habit{{"--stats"}, "the figures are shown without it, and --json prints them"},
      Habit{{"--list-only"}, "it is called --dry-run here"},
      Habit{{"-f", "--filter"},
            "rules are given with --exclude and --include, or in the file of --exclude-from"},
      Habit{{"--key", "--password", "--password-file"},
            "a key is in ADOC_KEY or in the file of --key-file, and not on the command line, where "
            "others can read it"},
      Habit{{"-4", "-6", "--ipv4", "--ipv6"}, "the address of the host decides"},
      Habit{{"--out", "--listen", "--once", "--keep-setuid", "--new-key", "--partial-age",
             "--max-bytes", "--max-entries", "--max-depth", "--max-transfers", "--min-free",
             "--no-force"},
            "it is an option of adoc-recv"},
  };
  return kHabits;
}

std::span<const Habit> recv_habits() {
  static const std::array kHabits{
      Habit{{"-p", "-P", "-l", "--port", "--bind", "--address"},
            "it is called --listen here, ADDR:PORT or PORT"},
      Habit{{"-o", "-d", "-O", "-C", "--dir", "--directory", "--output"},
            "it is called --out here"},
      Habit{{"-1"}, "it is called --once here"},
      Habit{{"-r", "-a", "-z", "--recursive", "--archive", "--compress"},
            "what is sent, and how, is up to adoc-send"},
      Habit{{"-D", "--daemon"}, "it serves until it is ended; `adoc-recv ... &` puts it behind"},
      Habit{{"--exclude",     "--include",    "--checksum",      "--overwrite",    "--no-overwrite",
             "--dry-run",     "--name",       "--files-from",    "--exclude-from", "--include-from",
             "--from0",       "--copy-links", "--allow-changed", "--policy",       "--level",
             "--min-level",   "--max-level",  "--ladder",        "--block-size",   "--packet-size",
             "--list-levels", "--bwlimit",    "--retry",         "--wait",         "--trace",
             "--shard",       "--streams",    "--congestion"},
            "it is an option of adoc-send"},
      Habit{{"-k", "--key", "--password"},
            "a key is in ADOC_KEY or in the file of --key-file, and not on the command line, where "
            "others can read it"},
  };
  return kHabits;
}

std::span<const Habit> cp_habits() {
  static const std::array kHabits{
      Habit{{"-z", "--compress"},
            "how hard to compress is found out without it; --level N fixes it"},
      Habit{{"--compress-level", "--zl"}, "it is called --level here"},
      Habit{{"--compress-choice", "--zc"}, "it is called --ladder here"},
      Habit{{"-t", "--times"}, "modification times are kept without it"},
      Habit{{"--perms", "--preserve"}, "it is called -p here"},
      Habit{{"-d"}, "it is called --links here"},
      Habit{{"-g"}, "it is called --group here"},
      Habit{{"--port"}, "it is called -P here"},
      Habit{{"-e", "--rsh"},
            "ssh connects; -S PROGRAM runs another in its place, -o gives options"},
      Habit{{"--rsync-path"}, "it is called --far-program here"},
      Habit{{"-f"},
            "what exists there is replaced without it; filters are --exclude and --include"},
      Habit{{"--filter"},
            "rules are given with --exclude and --include, or in the file of --exclude-from"},
      Habit{{"-u", "--update"},
            "there is no such rule: --no-overwrite leaves whatever is there already"},
      Habit{{"--ignore-existing", "--no-clobber"}, "it is called --no-overwrite here"},
      Habit{{"--delete", "--delete-after", "--delete-excluded", "--remove-source-files"},
            "nothing is removed on either side, but for what --force replaces"},
      Habit{{"--partial", "--append", "--append-verify", "--inplace", "--retry", "--wait"},
            "a copy goes on where it was cut off without it, when the same command is given again"},
      Habit{{"--sparse"}, "holes are kept without it"},
      Habit{{"--stats"}, "-v shows the figures, and --json prints them"},
      Habit{{"--list-only"}, "it is called --dry-run here"},
      Habit{{"--key-file", "--key", "--insecure", "--save-key"},
            "each copy has a key of its own, which goes through ssh"},
      Habit{{"--name", "--trace", "--list-levels"}, "it is an option of adoc-send"},
      Habit{{"--out", "--listen", "--once", "--keep-setuid", "--show-key", "--new-key",
             "--max-bytes", "--max-entries", "--max-depth", "--max-transfers", "--min-free"},
            "it is an option of adoc-recv"},
  };
  return kHabits;
}

}  // namespace adoc::cli
