// Makes one state after the other as far as people and their ratings go, which count at once. The
// links follow (graph_writer.hpp): what they do not count yet waits for them here.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "live/graph_writer.hpp"
#include "live/ledger.hpp"
#include "live/state.hpp"
#include "palate/live.hpp"

namespace palate::live {

/// One thread at a time; the states it gives out are anyone's.
class Writer {
 public:
  /// `first` is given its totals here, and gets its links by give(), if lists rest on some.
  explicit Writer(State first);

  [[nodiscard]] const std::shared_ptr<const State>& state() const noexcept { return state_; }

  /// As LiveModel, links aside.
  void apply(std::span<const RatingChange> changes);
  void add_user(std::string_view id);
  void add_item(std::string_view id, std::string_view title);
  void remove_user(std::string_view id);
  void remove_item(std::string_view id);

  /// Whether there are changes that no links given so far count. Without links nothing waits.
  [[nodiscard]] bool anything_waits() const noexcept {
    return following_ || !waiting_.before.empty();
  }
  /// What the links of state() do not count. give() is to follow.
  [[nodiscard]] Waiting take_waiting();
  /// In place of give(), if no links could be made of it.
  void put_back(Waiting taken);
  /// Links that count the ratings of version `version`, and thus what was taken last.
  void give(std::shared_ptr<const Links> links, std::uint64_t version);

 private:
  class Step;  // one state in the making

  std::shared_ptr<const State> state_;
  std::optional<Ledger> ledger_;
  Waiting waiting_;
  bool following_ = false;  // something was taken, and no links have come for it
  bool torn_ = false;       // a step was left half done: the sums are not those of state_
};

}  // namespace palate::live
