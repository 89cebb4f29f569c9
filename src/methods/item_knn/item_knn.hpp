// Item-kNN: S_ij = <r_i, r_j> / (|r_i| |r_j| + shrink) over the overall ratings; of each item the k
// most similar others are kept; score_ui = sum over those j of S_ij r_uj.
#pragma once

#include "methods/linear/linear_recommender.hpp"
#include "methods/method_entry.hpp"

namespace palate {

struct ItemKnn {
  std::size_t neighbours = 100;
  double shrink = 0.0;
};

[[nodiscard]] std::unique_ptr<const Recommender> fit_item_knn(const Ratings& train,
                                                              const ItemKnn& settings,
                                                              const FitResources& resources);
[[nodiscard]] MethodEntry item_knn_method();

}  // namespace palate
