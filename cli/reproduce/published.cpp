#include "reproduce/published.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace palate::cli::reproduce {
namespace {

struct Accuracy {
  std::string_view data, method;
  std::vector<double> values;
};

// Recall@5, Recall@10, NDCG@5, NDCG@10, the latter as the paper's code discounts.
const std::vector<Accuracy>& accuracies() {
  static const std::vector<Accuracy> all = {
      {"TA", "ngcf", {.0370, .0513, .0310, .0363}},
      {"TA", "lightgcn", {.0550, .0724, .0512, .0586}},
      {"TA", "gf-cf", {.0596, .0728, .0570, .0612}},
      {"TA", "diffrec", {.0574, .0637, .0527, .0637}},
      {"TA", "extended-sae", {.0024, .0048, .0012, .0025}},
      {"TA", "aemc", {.0538, .0664, .0530, .0574}},
      {"TA", "dmcf", {.0312, .0388, .0334, .0401}},
      {"TA", "cfm", {.0411, .0501, .0357, .0398}},
      {"TA", "cpa-lgc", {.0630, .0830, .0550, .0650}},
      {"TA", "gf-cf-mc", {.0617, .0753, .0595, .0645}},
      {"TA", "ca-gf", {.0750, .0854, .0738, .0774}},
      {"YM", "ngcf", {.0855, .1352, .1056, .1183}},
      {"YM", "lightgcn", {.0970, .1502, .1154, .1325}},
      {"YM", "gf-cf", {.1217, .1753, .1440, .1574}},
      {"YM", "diffrec", {.0834, .1003, .1123, .1420}},
      {"YM", "extended-sae", {.0766, .1150, .0912, .1001}},
      {"YM", "aemc", {.0802, .1112, .0909, .0990}},
      {"YM", "dmcf", {.0333, .0470, .0541, .0614}},
      {"YM", "cfm", {.0420, .0613, .0392, .0538}},
      {"YM", "cpa-lgc", {.1211, .1725, .1392, .1532}},
      {"YM", "gf-cf-mc", {.1223, .1755, .1457, .1588}},
      {"YM", "ca-gf", {.1224, .1765, .1476, .1608}},
      {"BA", "ngcf", {.0551, .0925, .1255, .1275}},
      {"BA", "lightgcn", {.0566, .0937, .1320, .1298}},
      {"BA", "gf-cf", {.0645, .1034, .1333, .1344}},
      {"BA", "diffrec", {.0695, .1030, .1230, .1392}},
      {"BA", "extended-sae", {.0018, .0044, .0026, .0052}},
      {"BA", "aemc", {.0353, .0588, .0737, .0752}},
      {"BA", "dmcf", {.0307, .0411, .0312, .0401}},
      {"BA", "cfm", {.0375, .0531, .0891, .0920}},
      {"BA", "cpa-lgc", {.0625, .0966, .1388, .1396}},
      {"BA", "gf-cf-mc", {.0643, .1038, .1329, .1344}},
      {"BA", "ca-gf", {.0704, .1144, .1464, .1477}},
      // Recall@20, NDCG@20 on the split of LightGCN.
      {"gowalla", "popularity", {.04163, .03169}},
      {"gowalla", "item-knn", {.156994, .121364}},
      {"gowalla", "ease", {.176493, .146657}},
      {"gowalla", "gf-cf", {.1849, .1518}},
      {"gowalla", "turbo-cf", {.1835, .1531}},
      {"gowalla", "pgsp", {.1916, .1605}},
      {"gowalla", "bspm", {.1920, .1597}},
      {"gowalla", "chebycf", {.1941, .1616}},
      {"yelp2018", "popularity", {.01245, .01011}},
      {"yelp2018", "item-knn", {.063913, .053094}},
      {"yelp2018", "ease", {.065707, .055216}},
      {"yelp2018", "gf-cf", {.0697, .0571}},
      {"yelp2018", "turbo-cf", {.0693, .0574}},
      {"yelp2018", "bspm", {.0720, .0593}},
      {"amazon-book", "popularity", {.00510, .00436}},
      {"amazon-book", "item-knn", {.073649, .060600}},
      {"amazon-book", "ease", {.070962, .056734}},
      {"amazon-book", "gf-cf", {.0710, .0584}},
      {"amazon-book", "turbo-cf", {.0730, .0611}},
      {"amazon-book", "bspm", {.0733, .0610}},
      {"amazon-book", "chebycf", {.0738, .0613}},
  };
  return all;
}

struct Number {
  std::string_view data, what;
  double value;
};

// Recall@10.
constexpr std::array<Number, 18> published_ablations = {{
    {"TA", "", .0854},
    {"TA", "m", .0718},
    {"TA", "s", .0713},
    {"TA", "f", .0725},
    {"TA", "p", .0840},
    {"TA", "mc", .0802},
    {"YM", "", .1765},
    {"YM", "m", .1751},
    {"YM", "s", .1698},
    {"YM", "f", .1751},
    {"YM", "p", .1760},
    {"YM", "mc", .1759},
    {"BA", "", .1147},
    {"BA", "m", .1031},
    {"BA", "s", .1076},
    {"BA", "f", .1077},
    {"BA", "p", .1143},
    {"BA", "mc", .1077},
}};

// On a 12-core i7-9700K with an RTX A6000.
constexpr std::array<Number, 27> published_times = {{
    {"TA", "extended-sae", 2657},  {"TA", "aemc", 871},      {"TA", "cpa-lgc", 2345},
    {"TA", "gf-cf-mc", 316},       {"TA", "lightgcn", 3242}, {"TA", "diffrec", 827},
    {"TA", "gf-cf", 77},           {"TA", "ca-gf:m", 0.1},   {"TA", "ca-gf", 0.2},
    {"YM", "extended-sae", 45},    {"YM", "aemc", 27},       {"YM", "cpa-lgc", 731},
    {"YM", "gf-cf-mc", 34},        {"YM", "lightgcn", 1154}, {"YM", "diffrec", 300},
    {"YM", "gf-cf", 27},           {"YM", "ca-gf:m", 0.02},  {"YM", "ca-gf", 0.03},
    {"BA", "extended-sae", 11520}, {"BA", "aemc", 1022},     {"BA", "cpa-lgc", 10020},
    {"BA", "gf-cf-mc", 274},       {"BA", "lightgcn", 6770}, {"BA", "diffrec", 1725},
    {"BA", "gf-cf", 161},          {"BA", "ca-gf:m", 0.17},  {"BA", "ca-gf", 0.2},
}};

std::optional<double> find(std::span<const Number> all, std::string_view data,
                           std::string_view what) {
  for (const Number& one : all) {
    if (one.data == data && one.what == what) return one.value;
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::size_t> DataSet::at() const {
  std::vector<std::size_t> out;
  for (const std::string_view metric : metrics) {
    const std::string_view digits = metric.substr(metric.find('@') + 1);
    std::size_t k = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), k);
    if (std::find(out.begin(), out.end(), k) == out.end()) out.push_back(k);
  }
  return out;
}

std::span<const DataSet> data_sets() {
  const std::vector<std::string_view> paper = {"recall@5", "recall@10", "ndcg_paper@5",
                                               "ndcg_paper@10"};
  const std::vector<std::string_view> usual = {"recall@20", "ndcg@20"};
  static const std::vector<DataSet> all = {
      {"YM", paper, "recall@10", true},        {"TA", paper, "recall@10", true},
      {"BA", paper, "recall@10", true},        {"gowalla", usual, "recall@20", false},
      {"yelp2018", usual, "recall@20", false}, {"amazon-book", usual, "recall@20", false}};
  return all;
}

std::span<const Row> rows() {
  static constexpr std::array<Row, 22> all = {{
      {"popularity", "Popularity"},
      {"item-knn", "Item-kNN"},
      {"ngcf", "NGCF", true},
      {"lightgcn", "LightGCN", true},
      {"diffrec", "DiffRec", true},
      {"extended-sae", "ExtendedSAE (reconstruction)", true},
      {"aemc", "AEMC (reconstruction)", true},
      {"dmcf", "DMCF (reconstruction)", true},
      {"cfm", "CFM", true},
      {"cpa-lgc", "CPA-LGC", true},
      {"svr", "SVR aggregation (reconstruction)", true},
      {"gf-cf", "GF-CF"},
      {"gf-cf-mc", "GF-CF_MC"},
      {"turbo-cf", "Turbo-CF"},
      {"pgsp", "PGSP"},
      {"bspm", "BSPM"},
      {"chebycf", "ChebyCF"},
      {"sgfcf", "SGFCF"},
      {"ease", "EASE^R"},
      {"edlae", "EDLAE"},
      {"ca-gf", "CA-GF"},
      {"adaptive", "Adaptive (default settings)"},
  }};
  return all;
}

std::vector<double> published_accuracy(std::string_view data, std::string_view method) {
  for (const Accuracy& one : accuracies()) {
    if (one.data == data && one.method == method) return one.values;
  }
  return {};
}

std::span<const Ablation> ablations() {
  static constexpr std::array<Ablation, 6> all = {{{"full", ""},
                                                   {"overall-graph", "m"},
                                                   {"unit-powers", "s"},
                                                   {"linear-filters", "f"},
                                                   {"no-preference", "p"},
                                                   {"graph-per-criterion", "mc"}}};
  return all;
}

std::optional<double> published_ablation(std::string_view data, std::string_view letter) {
  return find(published_ablations, data, letter);
}

std::optional<double> published_seconds(std::string_view data, std::string_view method) {
  return find(published_times, data, method);
}

std::span<const Pair> attributed_pairs() {
  static constexpr std::array<Pair, 6> all = {{{"TA", "1", "7"},
                                               {"TA", "1844", "1"},
                                               {"YM", "1", "125"},
                                               {"YM", "165", "1855"},
                                               {"BA", "10", "1544"},
                                               {"BA", "4895", "1382"}}};
  return all;
}

std::span<const ScalingSize> scaling_sizes() {
  static constexpr std::array<ScalingSize, 7> all = {{{"0.3M", 1500, 3000},
                                                      {"1M", 2500, 5500},
                                                      {"1.8M", 4000, 6000},
                                                      {"3.4M", 5000, 9000},
                                                      {"6M", 8000, 10000},
                                                      {"11M", 10000, 15000},
                                                      {"38M", 25000, 20000}}};
  return all;
}

}  // namespace palate::cli::reproduce
