// What the registry knows of a method: its description, and how to fit and load its models.
// `Describe` (describe.hpp) makes one from a settings struct.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/fit_resources.hpp"
#include "core/recommender.hpp"
#include "palate/method.hpp"
#include "palate/run.hpp"

namespace palate {

/// A setting's value. A choice is its place among the choices.
using SettingValue = std::variant<bool, std::size_t, double, std::optional<double>, Filter,
                                  std::vector<CaGf::CriterionFilter>>;

/// One field of a settings struct.
struct SettingField {
  Setting about;
  std::function<SettingValue(const void* settings)> read;
  std::function<void(void* settings, SettingValue value)> write;
};

/// What is asked for by words, in order.
using Words = std::span<const std::pair<std::string, std::string>>;

/// How asks become settings, for a method that has some.
class Asks {
 public:
  virtual ~Asks() = default;

  /// Throws Error{usage} for what is wrong whatever the ratings are.
  virtual void check(Words asks) const = 0;
  /// Whether the asks leave it open which settings to take, so that they are to be chosen on the
  /// ratings. `given` are the settings that are named.
  [[nodiscard]] virtual bool open(Words asks, const Method& given) const = 0;
  /// The settings to begin with, where they are not open.
  [[nodiscard]] virtual Method start(Words asks, std::span<const Criterion> criteria) const = 0;
  /// What is asked for on top of that.
  [[nodiscard]] virtual Method finish(Words asks, Method method,
                                      std::span<const Criterion> criteria) const = 0;
};

struct MethodEntry {
  MethodDescription description;
  std::vector<SettingField> fields;                                 ///< as description.settings
  std::function<std::shared_ptr<void>(const void* settings)> copy;  ///< of null: the defaults
  std::function<std::unique_ptr<const Recommender>(const Ratings& train, const void* settings,
                                                   const FitResources& resources)>
      fit;
  /// Throws Error{corrupt} for parts that save() would not write.
  std::function<std::unique_ptr<const Recommender>(const Parts& parts, const void* settings,
                                                   const Ratings& train)>
      load;
  std::shared_ptr<const Asks> asks;  ///< null: everything is a setting
};

struct Method::Impl {
  const MethodEntry* entry;
  std::shared_ptr<const void> settings;
};

/// What stands behind a Method, for those who fit it.
struct MethodAccess {
  [[nodiscard]] static const MethodEntry& entry(const Method& method) {
    return *method.impl_->entry;
  }
  [[nodiscard]] static const void* settings(const Method& method) {
    return method.impl_->settings.get();
  }
};

/// Writes a setting's value as Method::set takes it, and reads it. Throws Error{usage}.
[[nodiscard]] std::string to_text(const Setting& about, const SettingValue& value);
[[nodiscard]] SettingValue from_text(const Setting& about, std::string_view text);
/// Throws Error{usage} for a number out of bounds.
void check_bounds(const Setting& about, const SettingValue& value);

}  // namespace palate
