#include "methods/adaptive/wide_kernel.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "base/huge_buffer.hpp"
#include "kernels/dense/weighted_rows.hpp"
#include "kernels/graph/power.hpp"
#include "methods/adaptive/kernel.hpp"
#include "methods/adaptive/strongest.hpp"
#include "methods/linear/spd_inverse.hpp"
#include "palate/error.hpp"

namespace palate {
namespace {

// Up to so many items are inverted as a whole; of more than that, a core of so many. An inverse
// takes time by the third power: two cores need about three seconds for the former.
constexpr std::size_t most_inverted = 8192;
constexpr std::size_t largest_core = 6144;
// A matrix of all pairs is kept up to here, half a gigabyte in 16 bits; of more items so many of
// the largest weights of each, which costs a thousandth of NDCG on the beer ratings.
constexpr std::size_t most_in_pairs = 16'384;
constexpr std::size_t most_kept = 1000;
constexpr std::size_t rows_at_once = 64;
// Columns of Q that are taken out together, to stay near the core.
constexpr std::size_t panel = 32;

// Rows that came in any order, as one graph.
class Rows {
 public:
  explicit Rows(std::size_t items) : rows_(items) {}

  void set(std::size_t i, std::span<const Strongest::Entry> entries, float factor = 1) {
    for (const Strongest::Entry& entry : entries) {
      rows_[i].columns.push_back(entry.index);
      rows_[i].values.push_back(entry.value * factor);
    }
  }
  void set(std::size_t i, std::vector<std::uint32_t> columns, std::vector<float> values) {
    rows_[i] = {std::move(columns), std::move(values)};
  }
  [[nodiscard]] ItemGraph graph() {
    std::vector<std::uint64_t> offsets = {0};
    for (const Row& row : rows_) offsets.push_back(offsets.back() + row.columns.size());
    std::vector<std::uint32_t> columns;
    std::vector<float> values;
    columns.reserve(offsets.back());
    values.reserve(offsets.back());
    for (Row& row : rows_) {
      columns.insert(columns.end(), row.columns.begin(), row.columns.end());
      values.insert(values.end(), row.values.begin(), row.values.end());
      row = {};
    }
    return {{std::move(offsets), std::move(columns)}, std::move(values)};
  }

 private:
  struct Row {
    std::vector<std::uint32_t> columns;
    std::vector<float> values;
  };
  std::vector<Row> rows_;
};

std::span<const float> values_of(const ItemGraph& graph, std::size_t i) {
  const std::uint64_t from = graph.pattern.offsets[i];
  return graph.values.span().subspan(from, graph.pattern.offsets[i + 1] - from);
}

std::vector<double> diagonal_of(const ItemGraph& n) {
  std::vector<double> out(n.pattern.items(), 0.0);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto row = n.pattern.row(i);
    const auto at = std::lower_bound(row.begin(), row.end(), i);
    if (at == row.end() || *at != i) continue;
    out[i] = static_cast<double>(values_of(n, i)[static_cast<std::size_t>(at - row.begin())]);
  }
  return out;
}

ItemGraph graph_kernel(const ItemGraph& n, const std::vector<float>& source,
                       const Adaptive& settings, std::size_t kept, ThreadPool& pool) {
  Array<float> powered = hadamard_power(n.values, settings.link_power, pool);
  const std::size_t items = n.pattern.items();
  if (n.pattern.entries() <= kept * items) return {n.pattern, std::move(powered)};
  const ItemGraph all{n.pattern, std::move(powered)};
  Rows rows(items);
  pool.for_chunks(items, rows_at_once, [&](std::size_t begin, std::size_t end, unsigned) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto row = all.pattern.row(i);
      const auto values = values_of(all, i);
      Strongest best(kept);
      for (std::size_t k = 0; k < row.size(); ++k) {
        best.offer(values[k] * source[row[k]], values[k], row[k]);
      }
      rows.set(i, best.sorted());
    }
  });
  return rows.graph();
}

// Sorts; where many are reached, by going through all.
void put_in_order(std::vector<std::uint32_t>& columns, const std::vector<std::uint8_t>& reached) {
  constexpr std::size_t many = 32;
  if (columns.size() * many < reached.size()) {
    std::sort(columns.begin(), columns.end());
    return;
  }
  columns.clear();
  for (std::uint32_t i = 0; i < reached.size(); ++i) {
    if (reached[i] != 0) columns.push_back(i);
  }
}

// The `most` items with the largest sums; those of the others are forgotten.
void keep_strongest(std::vector<std::uint32_t>& columns, std::vector<double>& sum,
                    std::vector<std::uint8_t>& reached, std::size_t most) {
  const auto cut = columns.begin() + static_cast<std::ptrdiff_t>(most);
  std::nth_element(columns.begin(), cut, columns.end(), [&](std::uint32_t a, std::uint32_t b) {
    return sum[a] != sum[b] ? sum[a] > sum[b] : a < b;
  });
  for (auto at = cut; at != columns.end(); ++at) {
    sum[*at] = 0;
    reached[*at] = 0;
  }
  columns.erase(cut, columns.end());
}

// Weights from some items to others: to targets[c] from sources[r] at values[r * panel + c], or the
// other way round.
struct Block {
  std::span<const std::uint32_t> rows, columns;
  const float* values;
};

// Takes K block by block: the strongest few of each item that is scored.
class StrongestSink {
 public:
  StrongestSink(std::size_t items, std::size_t kept, std::vector<float> source)
      : source_(std::move(source)), best_(items, Strongest(kept)) {}

  void take_sources(const Block& block, ThreadPool& pool) {
    pool.for_chunks(block.columns.size(), 1, [&](std::size_t c, std::size_t, unsigned) {
      for (std::size_t r = 0; r < block.rows.size(); ++r) {
        offer(block.rows[r], block.columns[c], block.values[r * panel + c]);
      }
    });
  }
  void take_targets(const Block& block, ThreadPool& pool) {
    pool.for_chunks(block.rows.size(), rows_at_once, [&](auto begin, auto end, unsigned) {
      for (std::size_t r = begin; r < end; ++r) {
        for (std::size_t c = 0; c < block.columns.size(); ++c) {
          offer(block.columns[c], block.rows[r], block.values[r * panel + c]);
        }
      }
    });
  }
  [[nodiscard]] ItemGraph graph(const std::vector<float>& factors, ThreadPool& pool) {
    Rows rows(best_.size());
    pool.for_chunks(best_.size(), rows_at_once, [&](std::size_t begin, std::size_t end, unsigned) {
      for (std::size_t i = begin; i < end; ++i) {
        rows.set(i, best_[i].sorted(), factors[i]);
        best_[i] = Strongest(0);
      }
    });
    return rows.graph();
  }

 private:
  void offer(std::uint32_t j, std::uint32_t i, float value) {
    best_[i].offer(std::abs(value) * source_[j], value, j);
  }

  std::vector<float> source_;
  std::vector<Strongest> best_;
};

// Takes all of K. Items that stand together in a block do so in the matrix, nearly.
class MatrixSink {
 public:
  explicit MatrixSink(std::size_t items) : items_(items), matrix_(items * items) {}

  void take_sources(const Block& block, ThreadPool& pool) {
    pool.for_chunks(block.rows.size(), rows_at_once, [&](auto begin, auto end, unsigned) {
      for (std::size_t r = begin; r < end; ++r) {
        float* row = matrix_.data() + block.rows[r] * items_;
        for (std::size_t c = 0; c < block.columns.size(); ++c) {
          row[block.columns[c]] = block.values[r * panel + c];
        }
      }
    });
  }
  void take_targets(const Block& block, ThreadPool& pool) {
    pool.for_chunks(block.columns.size(), 1, [&](std::size_t c, std::size_t, unsigned) {
      float* row = matrix_.data() + block.columns[c] * items_;
      for (std::size_t r = 0; r < block.rows.size(); ++r) {
        row[block.rows[r]] = block.values[r * panel + c];
      }
    });
  }
  [[nodiscard]] ItemMatrix matrix(const std::vector<float>& factors, ThreadPool& pool) {
    pool.for_chunks(items_, rows_at_once, [&](std::size_t begin, std::size_t end, unsigned) {
      for (std::size_t j = begin; j < end; ++j) {
        for (std::size_t i = 0; i < items_; ++i) matrix_[j * items_ + i] *= factors[i];
      }
    });
    return matrix_;
  }

 private:
  std::size_t items_;
  ItemMatrix matrix_;
};

// The ridge on core and tail. Items stand in places: those of the core, then those of the tail,
// each in the order of items.
template <class Sink>
class WideRidge {
 public:
  WideRidge(const ItemGraph& n, const std::vector<std::uint32_t>& raters, const Adaptive& settings,
            std::size_t core, const FitResources& resources, Sink& sink)
      : n_(n),
        raters_(raters),
        settings_(settings),
        core_(std::min(core, raters.size())),
        resources_(resources),
        pool_(resources.pool),
        sink_(sink),
        item_at_(raters.size()),
        place_of_(raters.size()),
        q_(core_ * core_) {
    std::iota(item_at_.begin(), item_at_.end(), 0U);
    const auto end_of_core = item_at_.begin() + static_cast<std::ptrdiff_t>(core_);
    std::stable_sort(item_at_.begin(), item_at_.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return raters[a] > raters[b]; });
    std::sort(item_at_.begin(), end_of_core);
    std::sort(end_of_core, item_at_.end());
    for (std::uint32_t p = 0; p < item_at_.size(); ++p) place_of_[item_at_[p]] = p;
    const std::vector<double> diagonal = diagonal_of(n);
    const std::vector<double> added = ridge(diagonal, raters, settings);
    for (std::size_t i = 0; i < diagonal.size(); ++i) {
      root_.push_back(static_cast<float>(std::sqrt(diagonal[i])));
      strength_.push_back(diagonal[i] + added[i]);
    }
  }

  // What K_ji is to be multiplied by, by item i.
  [[nodiscard]] std::vector<float> run() {
    place_links();
    invert_spd(q_.span(), core_, resources_);
    mirror(q_, core_, pool_, [](float both, std::size_t) { return both; });
    std::vector<double> met(tail(), 0.0);  // A_tc W_ct
    for (std::size_t first = 0; first < core_; first += panel) {
      add_panel(first, met);
      tell(first);
    }
    std::vector<float> factors(item_at_.size(), 1.0F);
    for (std::size_t t = 0; t < tail(); ++t) {
      const std::uint32_t item = item_at_[core_ + t];
      factors[item] = static_cast<float>(1 / (1 + met[t] / strength_[item]));
    }
    return factors;
  }

 private:
  struct Link {
    std::uint32_t place;
    float value;
  };

  [[nodiscard]] std::size_t tail() const { return item_at_.size() - core_; }
  [[nodiscard]] std::span<const std::uint32_t> core_places(std::size_t t) const {
    return std::span(places_).subspan(offsets_[t], offsets_[t + 1] - offsets_[t]);
  }
  [[nodiscard]] std::span<const float> core_values(std::size_t t) const {
    return std::span(values_).subspan(offsets_[t], offsets_[t + 1] - offsets_[t]);
  }
  void tell(std::size_t done) const {
    if (resources_.progress && !resources_.progress("weights of the tail", done, core_)) {
      throw Error(ErrorCode::cancelled, "stopped on request");
    }
  }

  // M_ij = sqrt(N_ii N_jj) C_ij^s to the items of the core, by place.
  std::vector<Link> core_links(std::size_t item) const {
    const auto row = n_.pattern.row(item);
    const auto values = values_of(n_, item);
    std::vector<Link> out;
    std::vector<float> powered;
    for (std::size_t k = 0; k < row.size(); ++k) {
      if (place_of_[row[k]] >= core_ || row[k] == item || values[k] == 0) continue;
      out.push_back({place_of_[row[k]], root_[item] * root_[row[k]]});
      powered.push_back(values[k] / out.back().value);
    }
    kernels::power(powered, settings_.link_power, powered);
    for (std::size_t k = 0; k < out.size(); ++k) out[k].value *= powered[k];
    std::sort(out.begin(), out.end(),
              [](const Link& a, const Link& b) { return a.place < b.place; });
    return out;
  }

  void place_links() {
    pool_.for_chunks(core_, rows_at_once, [&](std::size_t begin, std::size_t end, unsigned) {
      for (std::size_t p = begin; p < end; ++p) {
        // From the row of the item with fewer ratings: it is the one less likely to be cut short.
        for (const Link& link : core_links(item_at_[p])) {
          const std::uint32_t own = raters_[item_at_[p]];
          const std::uint32_t other = raters_[item_at_[link.place]];
          if (own > other || (own == other && p < link.place)) continue;
          q_[std::min<std::size_t>(link.place, p) * core_ + std::max<std::size_t>(link.place, p)] =
              link.value;
        }
        q_[p * core_ + p] = static_cast<float>(strength_[item_at_[p]]);
      }
    });
    std::vector<std::vector<Link>> links(tail());
    pool_.for_chunks(tail(), rows_at_once, [&](std::size_t begin, std::size_t end, unsigned) {
      for (std::size_t t = begin; t < end; ++t) links[t] = core_links(item_at_[core_ + t]);
    });
    for (std::vector<Link>& row : links) {
      for (const Link& link : row) {
        places_.push_back(link.place);
        values_.push_back(link.value);
      }
      offsets_.push_back(places_.size());
      row = {};
    }
  }

  // W for the items [first, first + panel) of the core, and with it all weights to them.
  void add_panel(std::size_t first, std::vector<double>& met) {
    const std::size_t width = std::min(panel, core_ - first);
    packed_.resize(core_ * panel);
    block_.resize(item_at_.size() * panel);
    pool_.for_chunks(core_, 1024, [&](std::size_t begin, std::size_t end, unsigned) {
      for (std::size_t p = begin; p < end; ++p) {
        std::copy_n(q_.data() + p * core_ + first, width, packed_.data() + p * panel);
      }
    });
    pool_.for_chunks(tail(), rows_at_once, [&](std::size_t begin, std::size_t end, unsigned) {
      for (std::size_t t = begin; t < end; ++t) {
        const auto places = core_places(t);
        const auto values = core_values(t);
        float* w = block_.data() + (core_ + t) * panel;
        kernels::weighted_rows(packed_.data(), panel, places, values, panel, w);
        auto k = static_cast<std::size_t>(std::lower_bound(places.begin(), places.end(), first) -
                                          places.begin());
        for (; k < places.size() && places[k] < first + width; ++k) {
          met[t] += static_cast<double>(values[k]) * static_cast<double>(w[places[k] - first]);
        }
      }
    });
    const std::span<const std::uint32_t> items(item_at_);
    const auto own = items.subspan(first, width);
    sink_.take_targets({items.subspan(core_), own, block_.data() + core_ * panel}, pool_);
    turn_into_weights(first, width);
    sink_.take_sources({items, own, block_.data()}, pool_);
  }

  // To the items of the panel: -Q_ji / Q_ii from the core, W_ij / d_j / Q_ii from the tail.
  void turn_into_weights(std::size_t first, std::size_t width) {
    std::array<float, panel> inverse{};
    for (std::size_t c = 0; c < width; ++c) inverse[c] = 1 / q_[(first + c) * (core_ + 1)];
    pool_.for_chunks(item_at_.size(), 1024, [&](std::size_t begin, std::size_t end, unsigned) {
      for (std::size_t p = begin; p < end; ++p) {
        float* to = block_.data() + p * panel;
        const float* from = p < core_ ? packed_.data() + p * panel : to;
        const float factor = p < core_ ? -1.0F : static_cast<float>(1 / strength_[item_at_[p]]);
        for (std::size_t c = 0; c < width; ++c) to[c] = from[c] * factor * inverse[c];
        if (p >= first && p < first + width) to[p - first] = 0;
      }
    });
  }

  const ItemGraph& n_;
  const std::vector<std::uint32_t>& raters_;
  const Adaptive& settings_;
  const std::size_t core_;
  const FitResources& resources_;
  ThreadPool& pool_;
  Sink& sink_;
  std::vector<std::uint32_t> item_at_, place_of_;
  std::vector<float> root_;
  std::vector<double> strength_;  // M_ii + r_i
  HugeBuffer<float> q_;           // A_cc, then Q
  std::vector<std::uint64_t> offsets_ = {0};
  std::vector<std::uint32_t> places_;  // A_tc by item of the tail
  std::vector<float> values_;
  std::vector<float> packed_, block_;
};

}  // namespace

bool all_inverted(std::size_t items, double bytes) {
  return items <= most_inverted && all_pairs(items, bytes);
}

bool all_pairs(std::size_t items, double bytes) {
  const auto pairs = static_cast<double>(items) * static_cast<double>(items);
  return items <= most_in_pairs && pairs * sizeof(float) <= bytes;
}

// A third of the memory is for each of core, links and weights; of the last two each entry is held
// twice while they are put together.
WideOptions wide_options(std::size_t items, double bytes) {
  constexpr double link_bytes = 2 * (sizeof(float) + sizeof(std::uint32_t));
  constexpr double weight_bytes = 2 * sizeof(Strongest::Entry) + link_bytes;
  const double each = bytes / 3 / static_cast<double>(std::max<std::size_t>(1, items));
  const auto core = static_cast<std::size_t>(std::sqrt(bytes / 3 / sizeof(float)));
  return {
      .core = std::min({core, largest_core, items}),
      .kept = std::clamp<std::size_t>(static_cast<std::size_t>(each / weight_bytes), 50, most_kept),
      .links = std::clamp<std::size_t>(static_cast<std::size_t>(each / link_bytes), 100,
                                       std::max<std::size_t>(100, items))};
}

ItemGraph sparse_gram(const Levels& levels, double user_power, double level_power, std::size_t most,
                      const FitResources& resources) {
  const RatersByItem index = index_by_item(levels);
  const std::vector<float> entry = entries(levels, user_power, level_power);
  struct Scratch {
    std::vector<double> sum;
    std::vector<std::uint8_t> reached;
  };
  std::vector<Scratch> scratches(resources.pool.size());
  Rows rows(levels.items);
  resources.pool.for_chunks(levels.items, 16, "graph", resources.progress,
                            [&](std::size_t first, std::size_t last, unsigned worker) {
                              auto& [sum, reached] = scratches[worker];
                              sum.resize(levels.items);
                              reached.resize(levels.items);
                              for (std::size_t j = first; j < last; ++j) {
                                std::vector<std::uint32_t> columns;
                                for (const auto& [place, begin, end] : index.of(j)) {
                                  const auto own = static_cast<double>(entry[place]);
                                  for (std::uint64_t at = begin; at < end; ++at) {
                                    const std::uint32_t i = levels.columns[at];
                                    if (reached[i] == 0) columns.push_back(i);
                                    reached[i] = 1;
                                    sum[i] += own * static_cast<double>(entry[at]);
                                  }
                                }
                                if (columns.size() > most)
                                  keep_strongest(columns, sum, reached, most);
                                put_in_order(columns, reached);
                                std::vector<float> values;
                                values.reserve(columns.size());
                                for (const std::uint32_t i : columns) {
                                  values.push_back(static_cast<float>(sum[i]));
                                  sum[i] = 0;
                                  reached[i] = 0;
                                }
                                rows.set(j, std::move(columns), std::move(values));
                              }
                            });
  return rows.graph();
}

ItemGraph wide_kernel(const ItemGraph& n, const std::vector<std::uint32_t>& raters,
                      const Adaptive& settings, const WideOptions& options,
                      const FitResources& resources) {
  std::vector<float> source = item_factors(raters, settings.source_power);
  const std::size_t kept = options.kept == 0 ? raters.size() : options.kept;
  if (settings.weights == Adaptive::Weights::graph) {
    return graph_kernel(n, source, settings, kept, resources.pool);
  }
  StrongestSink sink(raters.size(), kept, std::move(source));
  const std::vector<float> factors =
      WideRidge(n, raters, settings, options.core, resources, sink).run();
  return sink.graph(factors, resources.pool);
}

ItemMatrix wide_ridge(const ItemGraph& n, const std::vector<std::uint32_t>& raters,
                      const Adaptive& settings, const WideOptions& options,
                      const FitResources& resources) {
  MatrixSink sink(raters.size());
  const std::vector<float> factors =
      WideRidge(n, raters, settings, options.core, resources, sink).run();
  return sink.matrix(factors, resources.pool);
}

}  // namespace palate
