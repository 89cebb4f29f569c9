// Method: a method with its settings, as text, as JSON and back.
#include <nlohmann/json.hpp>

#include "methods/registry.hpp"
#include "palate/error.hpp"

namespace palate {
namespace {

using Json = nlohmann::ordered_json;

const SettingField& need_field(const MethodEntry& entry, std::string_view name) {
  std::string known;
  for (const SettingField& field : entry.fields) {
    if (field.about.name == name) return field;
    known += (known.empty() ? "" : ", ") + field.about.name;
  }
  throw Error(ErrorCode::usage,
              entry.description.name + " has no setting '" + std::string(name) + "'", {},
              known.empty() ? "it has none" : "it has " + known);
}

Json filter_json(const Filter& filter) {
  return {{"filter", filter_name(filter)},
          {"coefficients", filter.coefficients},
          {"power", filter.power}};
}

Filter filter_from(const Json& json) {
  return {json.at("coefficients").get<std::vector<double>>(), json.at("power").get<double>()};
}

Json value_json(const Setting& about, const SettingValue& value) {
  switch (about.kind) {
    case Setting::Kind::flag:
      return std::get<bool>(value);
    case Setting::Kind::count:
      return std::get<std::size_t>(value);
    case Setting::Kind::number:
      return std::get<double>(value);
    case Setting::Kind::optional_number: {
      const auto& number = std::get<std::optional<double>>(value);
      return number ? Json(*number) : Json(nullptr);
    }
    case Setting::Kind::filter:
      return filter_json(std::get<Filter>(value));
    case Setting::Kind::filters: {
      Json out = Json::array();
      for (const auto& [criterion, filter] : std::get<std::vector<CaGf::CriterionFilter>>(value)) {
        Json one = {{"criterion", criterion}};
        one.update(filter_json(filter));
        out.push_back(std::move(one));
      }
      return out;
    }
    default:
      return to_text(about, value);
  }
}

SettingValue value_from(const Setting& about, const Json& json) {
  switch (about.kind) {
    case Setting::Kind::flag:
      return json.get<bool>();
    case Setting::Kind::count:
      if (!json.is_number_unsigned() &&
          !(json.is_number_integer() && json.get<std::int64_t>() >= 0)) {
        throw Error(ErrorCode::usage, about.name + " has to be a whole number from 0");
      }
      return json.get<std::size_t>();
    case Setting::Kind::number:
      return json.get<double>();
    case Setting::Kind::optional_number:
      return json.is_null() ? std::optional<double>() : std::optional(json.get<double>());
    case Setting::Kind::filter:
      return json.is_string() ? parse_filter(json.get<std::string>()) : filter_from(json);
    case Setting::Kind::filters: {
      std::vector<CaGf::CriterionFilter> out;
      for (const Json& one : json) {
        out.push_back({one.at("criterion").get<std::string>(), filter_from(one)});
      }
      return out;
    }
    default:
      return from_text(about, json.get<std::string>());
  }
}

}  // namespace

Method::Method() : Method(CaGf{}) {}

Method::Method(const CaGf& settings)
    : impl_(std::make_shared<Impl>(
          Impl{find_method("ca-gf").entry, std::make_shared<const CaGf>(settings)})) {}

Method::Method(std::string_view name,
               std::initializer_list<std::pair<std::string_view, std::string_view>> settings) {
  const NamedMethod named = find_method(name);
  impl_ = std::make_shared<Impl>(Impl{named.entry, named.entry->copy(nullptr)});
  if (named.alias != nullptr) set(named.alias->setting, named.alias->value);
  for (const auto& [key, value] : settings) set(key, value);
}

const MethodDescription& Method::description() const noexcept { return impl_->entry->description; }

std::string Method::name() const {
  for (const MethodDescription::Alias& alias : description().aliases) {
    if (get(alias.setting) == alias.value) return alias.name;
  }
  return description().name;
}

Method& Method::set(std::string_view setting, std::string_view value) {
  const SettingField& field = need_field(*impl_->entry, setting);
  SettingValue parsed = from_text(field.about, value);
  check_bounds(field.about, parsed);
  auto copy = impl_->entry->copy(impl_->settings.get());
  field.write(copy.get(), std::move(parsed));
  impl_ = std::make_shared<Impl>(Impl{impl_->entry, std::move(copy)});
  return *this;
}

std::string Method::get(std::string_view setting) const {
  const SettingField& field = need_field(*impl_->entry, setting);
  return to_text(field.about, field.read(impl_->settings.get()));
}

// Names that are not UTF-8 are shown with replacement characters rather than refused.
std::string Method::to_json() const {
  Json out = {{"method", description().name}};
  for (const SettingField& field : impl_->entry->fields) {
    out[field.about.name] = value_json(field.about, field.read(impl_->settings.get()));
  }
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Method Method::from_json(std::string_view text) {
  try {
    const Json json = Json::parse(text);
    Method out(json.at("method").get<std::string>());
    const MethodEntry& entry = *out.impl_->entry;
    auto settings = entry.copy(out.impl_->settings.get());
    for (const auto& [name, value] : json.items()) {
      if (name == "method") continue;
      const SettingField& field = need_field(entry, name);
      SettingValue parsed = value_from(field.about, value);
      check_bounds(field.about, parsed);
      field.write(settings.get(), std::move(parsed));
    }
    out.impl_ = std::make_shared<Impl>(Impl{&entry, std::move(settings)});
    return out;
  } catch (const Json::exception& error) {
    throw Error(ErrorCode::usage, std::string("the settings are damaged: ") + error.what());
  }
}

const CaGf* Method::ca_gf() const noexcept {
  return description().name == "ca-gf" ? static_cast<const CaGf*>(impl_->settings.get()) : nullptr;
}

}  // namespace palate
