// The questions to a store, which both back ends answer by functions of the same names.
#pragma once

#include "rating_store/store_base.hpp"

namespace palate::store {

/// A back end's store derives from this as `Store`. It has look(work) and look_at_one_state(work),
/// which hand `work` what its read_...() functions take.
template <class Store>
class StoreReads : public StoreBase {
 public:
  using StoreBase::StoreBase;

  [[nodiscard]] std::vector<Criterion> criteria() const final {
    return look([](auto&& read) { return read_criteria(read); });
  }
  [[nodiscard]] std::optional<StoredUser> find_user(std::string_view id) const final {
    return look([&](auto&& read) { return read_user(read, id); });
  }
  [[nodiscard]] std::optional<StoredItem> find_item(std::string_view id) const final {
    return look([&](auto&& read) { return read_item(read, id); });
  }
  [[nodiscard]] std::vector<StoredRating> ratings_of(std::string_view user) const final {
    return look([&](auto&& read) { return read_ratings_of(read, user); });
  }
  [[nodiscard]] std::optional<StoredRating> find_rating(std::string_view user,
                                                        std::string_view item) const final {
    return look([&](auto&& read) { return read_rating(read, user, item); });
  }
  [[nodiscard]] std::vector<StoredUser> users(std::string_view after,
                                              std::size_t limit) const final {
    return look([&](auto&& read) { return read_users(read, after, limit); });
  }
  [[nodiscard]] std::vector<StoredItem> items(std::string_view after,
                                              std::size_t limit) const final {
    return look([&](auto&& read) { return read_items(read, after, limit); });
  }
  [[nodiscard]] StoreCounts counts() const final {
    return look([](auto&& read) { return read_counts(read); });
  }
  [[nodiscard]] std::uint64_t last_sequence() const final {
    return look([](auto&& read) { return read_sequence(read); });
  }

 private:
  [[nodiscard]] FoundChanges find_changes(std::uint64_t sequence, std::size_t limit) const final {
    return self().look_at_one_state(
        [&](auto&& read) { return read_changes(read, sequence, limit); });
  }
  template <class Work>
  auto look(const Work& work) const {
    return self().look(work);
  }
  [[nodiscard]] const Store& self() const { return static_cast<const Store&>(*this); }
};

}  // namespace palate::store
