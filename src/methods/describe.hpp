// From a plain settings struct to a method's entry in the registry. A method's description reads:
//
//   Describe<Ease>("ease", "EASE", "Ridge regression ...")
//       .setting(&Ease::lambda, {.name = "lambda", .help = "...", .least = 0})
//       .can({.explain = true})
//       .entry(fit, load);
//
// The type of a field says what the setting accepts, and its value in a struct just made is the
// default: neither is written twice.
#pragma once

#include <functional>
#include <type_traits>

#include "methods/method_entry.hpp"

namespace palate {

template <class Settings>
class Describe {
 public:
  using Fit = std::unique_ptr<const Recommender>(const Ratings&, const Settings&,
                                                 const FitResources&);
  using Load = std::unique_ptr<const Recommender>(const Parts&, const Settings&, const Ratings&);

  Describe(std::string name, std::string class_name, std::string summary) {
    entry_.description.name = std::move(name);
    entry_.description.class_name = std::move(class_name);
    entry_.description.summary = std::move(summary);
    entry_.copy = [](const void* from) -> std::shared_ptr<void> {
      return from == nullptr ? std::make_shared<Settings>()
                             : std::make_shared<Settings>(*static_cast<const Settings*>(from));
    };
  }

  /// `get`: a pointer to the member, or a function from Settings& to a reference.
  template <class Get>
  Describe& setting(Get get, Setting about) {
    using Value = std::remove_reference_t<std::invoke_result_t<Get, Settings&>>;
    about.kind = kind_of<Value>();
    SettingField field{
        std::move(about),
        [get](const void* settings) -> SettingValue {
          // invoke() is the same for both kinds of `get` on what is not const.
          return stored(std::invoke(get, *const_cast<Settings*>(  // NOLINT: only read
                                             static_cast<const Settings*>(settings))));
        },
        [get](void* settings, SettingValue value) {
          give(std::invoke(get, *static_cast<Settings*>(settings)), std::move(value));
        }};
    const Settings defaults;
    field.about.default_value = to_text(field.about, field.read(&defaults));
    entry_.description.settings.push_back(field.about);
    entry_.fields.push_back(std::move(field));
    return *this;
  }
  Describe& can(Abilities abilities) {
    entry_.description.can = abilities;
    return *this;
  }
  Describe& alias(MethodDescription::Alias alias) {
    entry_.description.aliases.push_back(std::move(alias));
    return *this;
  }
  /// What may be asked for besides, and who makes settings of it.
  Describe& asks(std::vector<Setting> what, std::shared_ptr<const Asks> how) {
    entry_.description.asks = std::move(what);
    entry_.asks = std::move(how);
    return *this;
  }

  [[nodiscard]] MethodEntry entry(Fit* fit, Load* load) {
    entry_.fit = [fit](const Ratings& train, const void* settings, const FitResources& resources) {
      return fit(train, *static_cast<const Settings*>(settings), resources);
    };
    entry_.load = [load](const Parts& parts, const void* settings, const Ratings& train) {
      return load(parts, *static_cast<const Settings*>(settings), train);
    };
    return std::move(entry_);
  }

 private:
  template <class Value>
  static constexpr Setting::Kind kind_of() {
    if constexpr (std::is_same_v<Value, bool>) return Setting::Kind::flag;
    if constexpr (std::is_same_v<Value, std::size_t>) return Setting::Kind::count;
    if constexpr (std::is_same_v<Value, double>) return Setting::Kind::number;
    if constexpr (std::is_same_v<Value, std::optional<double>>) {
      return Setting::Kind::optional_number;
    }
    if constexpr (std::is_same_v<Value, Filter>) return Setting::Kind::filter;
    if constexpr (std::is_enum_v<Value>) return Setting::Kind::choice;
    return Setting::Kind::filters;
  }
  template <class Value>
  static SettingValue stored(const Value& value) {
    if constexpr (std::is_enum_v<Value>) {
      return static_cast<std::size_t>(value);
    } else {
      return value;
    }
  }
  template <class Value>
  static void give(Value& to, SettingValue value) {
    if constexpr (std::is_enum_v<Value>) {
      to = static_cast<Value>(std::get<std::size_t>(value));
    } else {
      to = std::get<Value>(std::move(value));
    }
  }

  MethodEntry entry_;
};

}  // namespace palate
