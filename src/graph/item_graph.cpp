#include "graph/item_graph.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/ratings_data.hpp"
#include "kernels/graph/pair_dots.hpp"
#include "kernels/graph/power.hpp"
#include "palate/error.hpp"

namespace palate {
namespace {

// The chosen criteria of every interaction side by side, scaled, and the way from an item to its
// raters.
struct ScaledRatings {
  std::size_t width = 0;
  std::vector<float> values;                 // interactions x width
  std::vector<std::uint64_t> item_offsets;   // items + 1
  std::vector<std::uint32_t> item_users;     // raters of an item, ascending
  std::vector<std::uint64_t> item_position;  // where the interaction stands
};

std::vector<std::uint32_t> members(CriterionSet set) {
  std::vector<std::uint32_t> out;
  for (; set != 0; set &= set - 1) out.push_back(static_cast<std::uint32_t>(std::countr_zero(set)));
  return out;
}

void index_by_item(const Ratings& ratings, ScaledRatings& out) {
  const Ratings::Data& data = ratings.data();
  out.item_offsets.assign(ratings.items() + 1, 0);
  for (const std::uint32_t item : data.items) ++out.item_offsets[item + 1];
  std::partial_sum(out.item_offsets.begin(), out.item_offsets.end(), out.item_offsets.begin());
  out.item_users.resize(data.items.size());
  out.item_position.resize(data.items.size());
  std::vector<std::uint64_t> next(out.item_offsets.begin(), out.item_offsets.end() - 1);
  for (std::uint32_t user = 0; user < ratings.users(); ++user) {
    for (std::uint64_t k = data.offsets[user]; k < data.offsets[user + 1]; ++k) {
      const std::uint64_t at = next[data.items[k]]++;
      out.item_users[at] = user;
      out.item_position[at] = k;
    }
  }
}

// r_uci / sqrt(d_uc): then a product of two such values is r_uci r_ucj / d_uc, whichever comes
// first.
ScaledRatings scale_by_user(const Ratings& ratings, CriterionSet set) {
  const std::vector<std::uint32_t> criteria = members(set);
  const std::size_t all = ratings.criteria().size();
  ScaledRatings out;
  out.width = criteria.size();
  out.values.resize(ratings.interactions() * out.width);
  float* to = out.values.data();
  std::vector<double> factor(out.width);
  for (std::uint32_t user = 0; user < ratings.users(); ++user) {
    const UserRatings row = ratings.of(user);
    for (std::size_t c = 0; c < out.width; ++c) {
      double sum = 0;
      for (std::size_t k = 0; k < row.size(); ++k) {
        sum += static_cast<double>(row.values[k * all + criteria[c]]);
      }
      factor[c] = sum > 0 ? 1.0 / std::sqrt(sum) : 0.0;
    }
    for (std::size_t k = 0; k < row.size(); ++k) {
      for (std::size_t c = 0; c < out.width; ++c) {
        *to++ =
            static_cast<float>(static_cast<double>(row.values[k * all + criteria[c]]) * factor[c]);
      }
    }
  }
  index_by_item(ratings, out);
  return out;
}

// Some rows of the upper triangle, diagonal included.
struct UpperRows {
  std::vector<std::uint32_t> counts;
  std::vector<std::uint32_t> columns;
  std::vector<float> values;
};

class RowBuilder {
 public:
  RowBuilder(const Ratings& ratings, const ScaledRatings& scaled)
      : data_(ratings.data()), scaled_(scaled), sums_(ratings.items(), 0.0) {}

  // Row i of sum_u <x_ui, x_uj>, columns j >= i or all, each entry handed to `keep(j, sum)`.
  template <class Keep>
  void build(std::size_t i, bool whole, const Keep& keep) {
    const std::size_t width = scaled_.width;
    std::size_t work = 0;
    touched_.clear();
    for (std::uint64_t n = scaled_.item_offsets[i]; n < scaled_.item_offsets[i + 1]; ++n) {
      const std::uint32_t user = scaled_.item_users[n];
      const std::uint64_t at = scaled_.item_position[n];
      const std::uint64_t from = whole ? data_.offsets[user] : at;
      const auto items = data_.items.span().subspan(from, data_.offsets[user + 1] - from);
      kernels::add_pair_dots({scaled_.values.data() + at * width, width}, items,
                             scaled_.values.data() + from * width, sums_.data());
      work += items.size();
      if (work < sums_.size() / 8) touched_.insert(touched_.end(), items.begin(), items.end());
    }
    const auto flush = [&](std::size_t j) {
      if (sums_[j] > 0) keep(j, sums_[j]);
      sums_[j] = 0;
    };
    if (work < sums_.size() / 8) {  // few links: visit those alone
      std::sort(touched_.begin(), touched_.end());
      for (const std::uint32_t j : touched_) flush(j);
    } else {
      for (std::size_t j = whole ? 0 : i; j < sums_.size(); ++j) flush(j);
    }
  }

 private:
  const Ratings::Data& data_;
  const ScaledRatings& scaled_;
  std::vector<double> sums_;
  std::vector<std::uint32_t> touched_;
};

constexpr std::size_t rows_per_chunk = 16;

// Loops outside the pool ask now and then, too, whether to go on.
void ask(const Progress& progress, std::size_t row, std::size_t items) {
  if (row % 256 != 0 || !progress || progress("graph", items, items)) return;
  throw Error(ErrorCode::cancelled, "stopped on request");
}

// Both triangles out of the upper one. Rows are visited in ascending order, so the columns of each
// row come out sorted.
ItemGraph mirror(const std::vector<UpperRows>& chunks, std::size_t items,
                 const Progress& progress) {
  const auto for_links = [&](const auto& visit) {  // visit(row, column, value)
    std::size_t row = 0;
    for (const UpperRows& chunk : chunks) {
      ask(progress, row, items);
      std::size_t k = 0;
      for (const std::uint32_t count : chunk.counts) {
        for (std::uint32_t n = 0; n < count; ++n, ++k) {
          visit(row, chunk.columns[k], chunk.values[k]);
          if (chunk.columns[k] != row) visit(chunk.columns[k], row, chunk.values[k]);
        }
        ++row;
      }
    }
  };
  std::vector<std::uint64_t> offsets(items + 1, 0);
  for_links([&](std::size_t row, std::size_t, float) { ++offsets[row + 1]; });
  std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
  std::vector<std::uint32_t> columns(offsets[items]);
  std::vector<float> values(offsets[items]);
  std::vector<std::uint64_t> next(offsets.begin(), offsets.end() - 1);
  for_links([&](std::size_t row, std::size_t column, float value) {
    columns[next[row]] = static_cast<std::uint32_t>(column);
    values[next[row]++] = value;
  });
  return {{std::move(offsets), std::move(columns)}, std::move(values)};
}

// Calls row(i, builder) for all items, with a builder for each worker.
template <class Row>
void for_rows(const Ratings& ratings, const ScaledRatings& scaled, ThreadPool& pool,
              const Progress& progress, const Row& row) {
  std::vector<std::unique_ptr<RowBuilder>> builders(pool.size());
  pool.for_chunks(ratings.items(), rows_per_chunk, "graph", progress,
                  [&](std::size_t begin, std::size_t end, unsigned worker) {
                    auto& mine = builders[worker];
                    if (!mine) mine = std::make_unique<RowBuilder>(ratings, scaled);
                    for (std::size_t i = begin; i < end; ++i) row(i, *mine);
                  });
}

// value(i, j, sum): the entry of the graph, given the sum of pair dots.
template <class Value>
ItemGraph build(const Ratings& ratings, const ScaledRatings& scaled, const Value& value,
                ThreadPool& pool, const Progress& progress) {
  const std::size_t items = ratings.items();
  std::vector<UpperRows> chunks((items + rows_per_chunk - 1) / rows_per_chunk);
  for_rows(ratings, scaled, pool, progress, [&](std::size_t i, RowBuilder& builder) {
    UpperRows& out = chunks[i / rows_per_chunk];
    const std::size_t before = out.columns.size();
    builder.build(i, false, [&](std::size_t j, double sum) {
      out.columns.push_back(static_cast<std::uint32_t>(j));
      out.values.push_back(static_cast<float>(value(i, j, sum)));
    });
    out.counts.push_back(static_cast<std::uint32_t>(out.columns.size() - before));
  });
  return mirror(chunks, items, progress);
}

// 1 / sqrt(d_i), 0 where d_i is.
std::vector<double> item_factors(const Ratings& ratings, CriterionSet criteria) {
  std::vector<double> factors = item_sums(ratings, criteria);
  for (double& d : factors) d = d > 0 ? 1.0 / std::sqrt(d) : 0.0;
  return factors;
}

struct Link {
  std::uint32_t item;
  float value;
};
using Sum = std::pair<double, std::uint32_t>;  // of pair dots, with an item

// The largest sums, by item again.
void keep_strongest(std::vector<Sum>& row, std::size_t count) {
  if (row.size() <= count) return;
  std::nth_element(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(count), row.end(),
                   [](const Sum& a, const Sum& b) {
                     return a.first > b.first || (a.first == b.first && a.second < b.second);
                   });
  row.resize(count);
  std::sort(row.begin(), row.end(), [](const Sum& a, const Sum& b) { return a.second < b.second; });
}

// Links that either end has kept.
ItemGraph either_way(std::vector<std::vector<Link>>& kept, ThreadPool& pool) {
  const std::size_t items = kept.size();
  std::vector<std::uint64_t> starts(items + 1, 0);  // of the links that others have kept
  for (const auto& row : kept) {
    for (const Link& link : row) ++starts[link.item + 1];
  }
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  std::vector<Link> others(starts[items]);
  std::vector<std::uint64_t> next(starts.begin(), starts.end() - 1);
  for (std::uint32_t i = 0; i < items; ++i) {
    for (const Link& link : kept[i]) others[next[link.item]++] = {i, link.value};
  }
  const auto merge = [&](std::size_t i, auto&& take) {
    const auto* theirs = others.data() + starts[i];
    const auto* last = others.data() + starts[i + 1];
    for (const Link& mine : kept[i]) {
      for (; theirs != last && theirs->item < mine.item; ++theirs) take(*theirs);
      if (theirs != last && theirs->item == mine.item) ++theirs;
      take(mine);
    }
    for (; theirs != last; ++theirs) take(*theirs);
  };
  std::vector<std::uint64_t> offsets(items + 1, 0);
  pool.for_chunks(items, 1024, [&](std::size_t begin, std::size_t end, unsigned) {
    for (std::size_t i = begin; i < end; ++i) merge(i, [&](const Link&) { ++offsets[i + 1]; });
  });
  std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
  std::vector<std::uint32_t> columns(offsets[items]);
  std::vector<float> values(offsets[items]);
  pool.for_chunks(items, 1024, [&](std::size_t begin, std::size_t end, unsigned) {
    for (std::size_t i = begin; i < end; ++i) {
      std::uint64_t at = offsets[i];
      merge(i, [&](const Link& link) {
        columns[at] = link.item;
        values[at++] = link.value;
      });
      kept[i] = {};
    }
  });
  return {{std::move(offsets), std::move(columns)}, std::move(values)};
}

}  // namespace

std::vector<double> item_sums(const Ratings& ratings, CriterionSet criteria) {
  std::vector<double> sums(ratings.items(), 0.0);
  const Ratings::Data& data = ratings.data();
  const std::size_t width = ratings.criteria().size();
  const std::vector<std::uint32_t> chosen = members(criteria);
  for (std::size_t k = 0; k < data.items.size(); ++k) {
    for (const std::uint32_t c : chosen) {
      sums[data.items[k]] += static_cast<double>(data.values[k * width + c]);
    }
  }
  return sums;
}

ItemGraph build_item_graph(const Ratings& ratings, CriterionSet criteria, ThreadPool& pool,
                           const Progress& progress) {
  const ScaledRatings scaled = scale_by_user(ratings, criteria);
  const std::vector<double> by_item = item_factors(ratings, criteria);
  const auto value = [&](std::size_t i, std::size_t j, double sum) {
    return sum * (by_item[i] * by_item[j]);
  };
  return build(ratings, scaled, value, pool, progress);
}

ItemGraph build_bounded_graph(const Ratings& ratings, CriterionSet criteria, std::size_t neighbours,
                              ThreadPool& pool, const Progress& progress) {
  const ScaledRatings scaled = scale_by_user(ratings, criteria);
  const std::vector<double> by_item = item_factors(ratings, criteria);
  std::vector<std::vector<Link>> kept(ratings.items());
  for_rows(ratings, scaled, pool, progress, [&](std::size_t i, RowBuilder& builder) {
    std::vector<Sum> row;
    builder.build(i, true, [&](std::size_t j, double sum) {
      row.emplace_back(sum, static_cast<std::uint32_t>(j));
    });
    keep_strongest(row, neighbours);
    kept[i].reserve(row.size());
    for (const auto& [sum, j] : row) {
      kept[i].push_back({j, static_cast<float>(sum * (by_item[i] * by_item[j]))});
    }
  });
  return either_way(kept, pool);
}

ItemGraph build_pair_graph(const Ratings& ratings, std::size_t criterion, const PairValue& value,
                           ThreadPool& pool, const Progress& progress) {
  const std::size_t width = ratings.criteria().size();
  const Ratings::Data& data = ratings.data();
  ScaledRatings plain;
  plain.width = 1;
  plain.values.resize(ratings.interactions());
  for (std::size_t k = 0; k < plain.values.size(); ++k) {
    plain.values[k] = data.values[k * width + criterion];
  }
  index_by_item(ratings, plain);
  return build(ratings, plain, value, pool, progress);
}

Array<float> hadamard_power(const Array<float>& values, double power, ThreadPool& pool) {
  if (power == 1.0) return values;
  std::vector<float> out(values.size());
  pool.for_chunks(values.size(), 1 << 16, [&](std::size_t begin, std::size_t end, unsigned) {
    kernels::power(values.span().subspan(begin, end - begin), power,
                   std::span(out).subspan(begin, end - begin));
  });
  return out;
}

void GraphPattern::save(Parts& parts, const std::string& name) const {
  parts.put(name + "/offsets", offsets);
  parts.put(name + "/columns", columns);
}

GraphPattern GraphPattern::load(const Parts& parts, const std::string& name, std::size_t items) {
  GraphPattern pattern{parts.get<std::uint64_t>(name + "/offsets"),
                       parts.get<std::uint32_t>(name + "/columns")};
  const auto& offsets = pattern.offsets;
  bool sound = offsets.size() == items + 1 && offsets[0] == 0 &&
               offsets[items] == pattern.columns.size() &&
               std::is_sorted(offsets.begin(), offsets.end());
  for (std::size_t i = 0; sound && i < items; ++i) {
    const auto row = pattern.row(i);
    sound = std::adjacent_find(row.begin(), row.end(), std::greater_equal<>()) == row.end() &&
            (row.empty() || row.back() < items);
  }
  if (!sound) throw Error(ErrorCode::corrupt, "the item graph in the model file is damaged");
  return pattern;
}

}  // namespace palate
