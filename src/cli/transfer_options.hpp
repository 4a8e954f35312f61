#pragma once

#include <optional>
#include <string>
#include <vector>

#include "adoc/lossy.hpp"
#include "adoc/options.hpp"

namespace adoc::cli {

class CommandLine;

/// What a program that sends is told about the files and their compression, whoever the other side
/// is. Lives as long as the command line is parsed.
class TransferOptions {
 public:
  TransferOptions(CommandLine& line, SendOptions& send, std::optional<Lossy>& lossy)
      : line_(line), send_(send), lossy_(lossy) {}
  TransferOptions(const TransferOptions&) = delete;
  TransferOptions& operator=(const TransferOptions&) = delete;

  void add_file_options();
  void add_compression_options();

  /// After the command line was parsed. Throws Error(usage).
  void finish();

 private:
  void add_filter_option(const char* name, std::vector<std::string>& values, const char* help);
  /// The rules in the order of the options on the command line, those of a file where its is.
  [[nodiscard]] std::vector<FilterRule> filters_in_order() const;
  /// The option with which nothing is filtered, if there is one.
  [[nodiscard]] std::string without_filters() const;
  void finish_numbers();
  void refuse_two_readers() const;

  CommandLine& line_;
  SendOptions& send_;
  std::optional<Lossy>& lossy_;
  // Values as they stand on the command line, until all of it is known.
  std::string policy_, level_, min_level_, max_level_, ladder_, dtype_, loss_;
  std::string block_size_, packet_size_, fifo_packets_, threads_, memory_;
  std::vector<std::string> excludes_, includes_, exclude_files_, include_files_;
  std::string files_from_, shard_;
  bool from0_ = false;
};

}  // namespace adoc::cli
