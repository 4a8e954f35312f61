#pragma once

#include <atomic>
#include <cstddef>
#include <utility>

namespace adoc {

/// Descriptors that are left for what can do with fewer: who gets none does the same with what it
/// has, more slowly, and waits for nobody. Any thread.
class DescriptorBudget {
 public:
  explicit DescriptorBudget(std::size_t count) noexcept : left_(count) {}

  /// So many of a budget, which outlives it, until it is destroyed.
  class Permit {
   public:
    Permit() noexcept = default;
    Permit(Permit&& other) noexcept
        : budget_(std::exchange(other.budget_, nullptr)), count_(other.count_) {}
    Permit& operator=(Permit&& other) noexcept {
      if (this != &other) {
        give_back();
        budget_ = std::exchange(other.budget_, nullptr);
        count_ = other.count_;
      }
      return *this;
    }
    ~Permit() { give_back(); }

    explicit operator bool() const noexcept { return budget_ != nullptr; }
    void give_back() noexcept {
      if (budget_ != nullptr) std::exchange(budget_, nullptr)->left_ += count_;
    }

   private:
    friend class DescriptorBudget;
    Permit(DescriptorBudget* budget, std::size_t count) noexcept : budget_(budget), count_(count) {}

    DescriptorBudget* budget_ = nullptr;
    std::size_t count_ = 0;
  };

  /// None when there are not so many.
  [[nodiscard]] Permit try_take(std::size_t count) noexcept {
    for (std::size_t left = left_; left >= count;)
      if (left_.compare_exchange_weak(left, left - count)) return {this, count};
    return {};
  }

 private:
  std::atomic<std::size_t> left_;
};

}  // namespace adoc
