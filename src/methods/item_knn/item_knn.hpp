// Item-kNN: S_ij = <r_i, r_j> / (|r_i| |r_j| + shrink) over the overall ratings; of each item the k
// most similar others are kept; score_ui = sum over those j of S_ij r_uj. Pearson's correlation is
// the same of ratings less the item's mean over all people, who count 0 where they did not rate;
// where it is below 0, it counts 0.
#pragma once

#include "methods/linear/linear_recommender.hpp"
#include "methods/method_entry.hpp"

namespace palate {

struct ItemKnn {
  enum class Similarity { cosine, pearson };
  std::size_t neighbours = 100;
  double shrink = 0.0;
  Similarity similarity = Similarity::cosine;
};

[[nodiscard]] std::unique_ptr<const Recommender> fit_item_knn(const Ratings& train,
                                                              const ItemKnn& settings,
                                                              const FitResources& resources);
[[nodiscard]] MethodEntry item_knn_method();

}  // namespace palate
