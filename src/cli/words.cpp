#include "cli/words.hpp"

namespace adoc::cli {

namespace {

/// Of a member of the options: its option; of the others: what to add.
const char* words_for(Hint hint) noexcept {
  switch (hint) {
    case Hint::policy:
      return "--policy";
    case Hint::level:
      return "--level";
    case Hint::min_level:
      return "--min-level";
    case Hint::max_level:
      return "--max-level";
    case Hint::block_bytes:
      return "--block-size";
    case Hint::packet_bytes:
      return "--packet-size";
    case Hint::fifo_packets:
      return "--fifo-packets";
    case Hint::threads:
      return "--threads";
    case Hint::memory_bytes:
      return "--memory";
    case Hint::item_bytes:
      return "--dtype";
    case Hint::name:
    case Hint::stdin_name:
      return "--name";
    case Hint::listed:
      return "--files-from";
    case Hint::shard:
      return "--shard";
    case Hint::bandwidth_limit:
      return "--bwlimit";
    case Hint::streams:
      return "--streams";
    case Hint::congestion:
      return "--congestion";
    case Hint::out_directory:
      return "--out";
    case Hint::max_depth:
      return "--max-depth";
    case Hint::max_transfers:
      return "--max-transfers";
    case Hint::timeout:
      return "--timeout";
    case Hint::insecure:
      return "--insecure";
    case Hint::add_stdin_name:
      return ": add --name NAME";
    case Hint::add_out_directory:
      return ": --out DIR";
    case Hint::add_key_or_insecure:
      return ": give one, or --insecure where the network is to be trusted";
    case Hint::look_at_timeout:
      return " (--timeout)";
    case Hint::look_at_memory:
      return " (--memory)";
    case Hint::raise_max_entries:
      return " (its --max-entries raises that)";
    case Hint::raise_max_bytes:
      return " (its --max-bytes raises that)";
    case Hint::raise_max_depth:
      return " (its --max-depth raises that)";
    case Hint::lower_min_free:
      return " (adoc-recv --min-free lowers that)";
    case Hint::start_receiver:
      return " (is adoc-recv running there?)";
    case Hint::one_side_receives:
      return ": one side runs adoc-recv";
    case Hint::one_side_sends:
      return ": one side runs adoc-send";
    case Hint::both_or_neither_insecure:
      return ": both sides must be given --insecure, or neither";
    case Hint::encrypt_there_or_neither:
      return ": start adoc-recv there without --insecure, or add --insecure here too if the "
             "network is to be trusted";
    case Hint::encrypt_here_or_neither:
      return ": leave out --insecure, and use its key (it prints the line to type), or start it "
             "with --insecure too if the network is to be trusted";
    case Hint::sender_is_insecure:
      return " (adoc-send --insecure?)";
    case Hint::save_new_key:
      return ", and then adoc-send --save-key";
    case Hint::make_new_key:
      return " (adoc-recv --new-key)";
    case Hint::choose_key_file:
      return " (--key-file FILE)";
    case Hint::receiver_shows_key:
      return "; adoc-recv prints it";
    case Hint::none:
      break;
  }
  return "";
}

}  // namespace

std::string words_of(const Error& error) {
  if (error.hint() == Hint::none) return error.what();
  return error.with(words_for(error.hint()));
}

}  // namespace adoc::cli
