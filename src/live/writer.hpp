// Makes one state after the other. One thread at a time; the states it gives out are anyone's.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "live/graph_writer.hpp"
#include "live/ledger.hpp"
#include "live/state.hpp"
#include "methods/ca_gf.hpp"
#include "palate/live.hpp"

namespace palate::live {

class Writer {
 public:
  /// Throws Error{unsupported} if the graph of the model has only the strongest links.
  Writer(const Ratings& ratings, const CaGfRecommender& fitted);

  [[nodiscard]] const std::shared_ptr<const State>& state() const noexcept { return state_; }

  /// As LiveModel.
  void apply(std::span<const RatingChange> changes);
  void add_user(std::string_view id);
  void add_item(std::string_view id, std::string_view title);
  void remove_user(std::string_view id);
  void remove_item(std::string_view id);

 private:
  class Step;  // one state in the making

  void rebuild(State& next, bool rows);
  [[nodiscard]] bool is_large(const State& next, std::span<const std::uint32_t> users) const;

  ThreadPool pool_;
  std::shared_ptr<const State> state_;
  std::optional<Ledger> ledger_;
  std::optional<GraphWriter> graphs_;
  bool torn_ = false;  // a step was left half done: the sums are not those of state_
};

}  // namespace palate::live
