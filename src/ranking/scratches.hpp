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
  // What an exception has left half used is not lent again.
  struct Return {
    Scratches* to;
    int exceptions = std::uncaught_exceptions();

    void operator()(T* object) const {
      std::unique_ptr<T> back(object);
      if (std::uncaught_exceptions() != exceptions) return;
      const std::lock_guard lock(to->mutex_);
      to->free_.push_back(std::move(back));
    }
  };

 public:
  using Lease = std::unique_ptr<T, Return>;

  /// `arguments` make an object if none is free.
  template <class... Arguments>
  [[nodiscard]] Lease lend(Arguments&&... arguments) {
    {
      const std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        Lease object(free_.back().release(), Return{this});
        free_.pop_back();
        return object;
      }
    }
    return Lease(new T(std::forward<Arguments>(arguments)...), Return{this});
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<T>> free_;
};

}  // namespace palate
