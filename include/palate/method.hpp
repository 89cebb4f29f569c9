// Methods and their settings: which there are, and which one is meant. Implemented in src/methods.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "palate/filter.hpp"
#include "palate/ratings.hpp"

#pragma GCC visibility push(default)
namespace palate {

// ------------------------------------------------------------- what a method says of itself

/// One setting of a method. Everything that shows or takes settings goes by this: JSON, options of
/// the tool, classes in Python, tables in the documents.
struct Setting {
  enum class Kind {
    flag,             ///< true or false
    count,            ///< a whole number from 0
    number,           ///< a finite number
    optional_number,  ///< a finite number, or "off"
    choice,           ///< one of `choices`
    filter,           ///< as parse_filter takes it
    filters,          ///< a filter by criterion
    text,             ///< something that is only asked for, such as the name of a preset
  };
  std::string name = {};
  Kind kind = Kind::text;
  std::string help = {};           ///< one or two sentences
  std::string default_value = {};  ///< as Method::set() takes it
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  bool above_least = false;                     ///< `least` itself is too little
  std::vector<std::string> choices = {};        ///< what may be written
  std::vector<std::string> short_choices = {};  ///< the same in short, where there is such a way
  bool computing = false;                       ///< says how a model is computed, not what it is
  bool option = false;                          ///< the tool has an option of that name
  bool repeatable = false;                      ///< may be asked for more than once
};

/// What the models of a method can do.
struct Abilities {
  bool explain = false;          ///< say what a score is made of
  bool weigh_criteria = false;   ///< take a weight per criterion at the moment of asking
  bool serve_newcomers = false;  ///< recommend to someone from a profile alone
  bool follow_live = false;      ///< learn from new ratings without a fit (LiveModel)
  bool find_similar = false;     ///< name the items most alike
};

struct MethodDescription {
  std::string name = {};        ///< "ca-gf"
  std::string class_name = {};  ///< "CAGF": its class in Python
  std::string summary = {};     ///< one sentence
  std::vector<Setting> settings = {};
  /// What may be asked for besides, and becomes settings when the ratings are known (resolve()).
  std::vector<Setting> asks = {};
  Abilities can = {};
  bool trained = false;         ///< by gradient descent, with a seed
  bool reconstruction = false;  ///< rebuilt from a summary: its authors' code was not to be had
  /// A name of its own for one value of a choice: "overall-only" is ca-gf with that variant.
  struct Alias {
    std::string name = {}, class_name = {}, setting = {}, value = {}, summary = {};
  };
  std::vector<Alias> aliases = {};
};

/// All of them, in the order for display.
[[nodiscard]] std::span<const MethodDescription> methods();
/// The description of a method or an alias. Throws Error{usage} naming those there are.
[[nodiscard]] const MethodDescription& describe_method(std::string_view name);
/// A description as the text of a JSON object.
[[nodiscard]] std::string to_json(const MethodDescription& method);
/// Names of methods and aliases.
[[nodiscard]] std::vector<std::string> method_names();

// --------------------------------------------------------------------------- settings of CA-GF

/// Parts of CA-GF taken away or exchanged, for ablation. The paper's letters are accepted too.
enum class Variant {
  full,
  overall_graph,        ///< m: graph from overall ratings only
  overall_only,         ///< single: overall ratings only, in graph and signal, linear, s = 1
  unit_powers,          ///< s: every power is 1
  linear_filters,       ///< f: linear filter for every criterion, with the power given to linear
  no_preference,        ///< p: every criterion counts the same
  graph_per_criterion,  ///< mc: one graph per criterion
};

/// How filters of second order are computed where items are linked to many others; where they are
/// linked to few, all are exact (docs/design-of-speed.md).
enum class Solver {
  automatic,  ///< exact; fast where the lists of a sample of people hardly change, or links are
              ///< bounded
  exact,      ///< the formulas to the rounding of single precision
  fast,       ///< second orders by the leading directions of the graph
};

/// Criteria-aware graph filtering (docs/method.md).
struct CaGf {
  struct CriterionFilter {
    std::string criterion = {};
    Filter filter = {};
  };
  std::vector<CriterionFilter> filters = {};  ///< by criterion name
  Filter other = {};                          ///< for criteria not named above: linear, s = 1
  std::optional<double> preference = 2.0;     ///< power s_T of the criteria preference; or off
  Variant variant = Variant::full;

  /// How it is computed, apart from what it is.
  struct Computing {
    Solver solver = Solver::automatic;
    /// Links kept per item, the strongest; 0: all, or as many as memory allows.
    std::size_t neighbours = 0;
  };
  Computing computing = {};
};

/// The verified published settings "ym", "ta", "ba", laid over the criteria of `ratings` by index.
[[nodiscard]] std::span<const std::string_view> preset_names() noexcept;
[[nodiscard]] CaGf preset(std::string_view name, std::span<const Criterion> criteria);
/// Whether a preset is for so many criteria.
[[nodiscard]] bool preset_suits(std::string_view name,
                                std::span<const Criterion> criteria) noexcept;

// ------------------------------------------------------------------------ a method, as a value

/// A method with its settings. A value: cheap to copy, always valid.
class Method {
 public:
  /// CA-GF with linear filters.
  Method();
  /// With default settings, then those given: Method("ease", {{"lambda", "200"}}). Throws
  /// Error{usage} for an unknown name, setting or value, saying which there are.
  explicit Method(
      std::string_view name,
      std::initializer_list<std::pair<std::string_view, std::string_view>> settings = {});
  Method(const CaGf& settings);  // NOLINT(google-explicit-constructor): fit(ratings, CaGf{...})

  /// "ca-gf", or the name of an alias that says it all.
  [[nodiscard]] std::string name() const;
  [[nodiscard]] const MethodDescription& description() const noexcept;

  /// Changes one setting, written as the tool takes it: "200", "off", "outward:0.85".
  Method& set(std::string_view setting, std::string_view value);
  /// The value of a setting, written in the same way.
  [[nodiscard]] std::string get(std::string_view setting) const;

  /// {"method": "ease", "lambda": 200, ...}
  [[nodiscard]] std::string to_json() const;
  /// A setting that is missing has its default. Throws Error{usage} naming an unknown one.
  [[nodiscard]] static Method from_json(std::string_view json);

  /// The settings of CA-GF; null for other methods.
  [[nodiscard]] const CaGf* ca_gf() const noexcept;

  friend bool operator==(const Method& a, const Method& b) { return a.to_json() == b.to_json(); }

 private:
  friend struct MethodAccess;  // src/methods/method_entry.hpp
  struct Impl;
  std::shared_ptr<const Impl> impl_;
};

}  // namespace palate
#pragma GCC visibility pop
