#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace papers {

/// All of a file, which is not empty.
[[nodiscard]] inline std::vector<std::byte> read_file(const std::string& path) {
  std::vector<std::byte> data(std::filesystem::file_size(path));
  if (data.empty()) throw std::runtime_error(path + " is empty");
  std::ifstream file(path, std::ios::binary);
  file.exceptions(std::ios::failbit | std::ios::badbit);
  file.read(reinterpret_cast<char*>(data.data()), static_cast<std::streamsize>(data.size()));
  return data;
}

inline void write_file(const std::string& path, std::span<const std::byte> data) {
  std::ofstream file(path, std::ios::binary);
  file.exceptions(std::ios::failbit | std::ios::badbit);
  file.write(reinterpret_cast<const char*>(data.data()), static_cast<std::streamsize>(data.size()));
  file.close();
}

}  // namespace papers
