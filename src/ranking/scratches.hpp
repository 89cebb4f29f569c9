// Scratch memory that is kept from call to call: making it anew costs as much as a short question.
#pragma once

#include <exception>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace palate {

/// Lends objects of type T; as many exist as were ever lent at once. Safe to use from many threads.
template <class T>
class Scratches {
 public:
  class Lease {
   public:
    Lease(Scratches& from, std::unique_ptr<T> object) : from_(from), object_(std::move(object)) {}
    ~Lease() {
      // What an exception has left half used is not lent again.
      if (std::uncaught_exceptions() != exceptions_) return;
      const std::lock_guard lock(from_.mutex_);
      from_.free_.push_back(std::move(object_));
    }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    [[nodiscard]] T* operator->() const noexcept { return object_.get(); }

   private:
    Scratches& from_;
    std::unique_ptr<T> object_;
    int exceptions_ = std::uncaught_exceptions();
  };

  /// `arguments` make an object if none is free.
  template <class... Arguments>
  [[nodiscard]] Lease lend(Arguments&&... arguments) {
    {
      const std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        std::unique_ptr<T> object = std::move(free_.back());
        free_.pop_back();
        return Lease(*this, std::move(object));
      }
    }
    return Lease(*this, std::make_unique<T>(std::forward<Arguments>(arguments)...));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<T>> free_;
};

}  // namespace palate
