#include "unit/report/check_page.hpp"

#include <set>
#include <vector>

namespace palate::testing {
namespace {

bool is_void(std::string_view tag) {
  return tag == "meta" || tag == "input" || tag == "br" || tag == "hr" || tag == "img";
}

struct Tag {
  std::string_view name, inside;
  bool closing = false, alone = false;
};

// The tag that begins at `at`; moves `at` behind it. An attribute value may hold any character
// but its quote.
Tag next_tag(std::string_view page, std::size_t& at) {
  Tag tag;
  std::size_t end = at + 1;
  for (char quote = 0; end < page.size() && (quote != 0 || page[end] != '>'); ++end) {
    if (page[end] == '"') quote = quote == 0 ? '"' : 0;
  }
  tag.inside = page.substr(at + 1, end - at - 1);
  tag.closing = tag.inside.starts_with('/');
  tag.alone = tag.inside.ends_with('/');
  const std::string_view rest = tag.inside.substr(tag.closing ? 1 : 0);
  tag.name = rest.substr(0, rest.find_first_of(" \n/"));
  at = end + 1;
  return tag;
}

std::string_view attribute(std::string_view inside, std::string_view name) {
  const std::string start = " " + std::string(name) + "=\"";
  const std::size_t at = inside.find(start);
  if (at == std::string_view::npos) return {};
  const std::size_t from = at + start.size();
  return inside.substr(from, inside.find('"', from) - from);
}

}  // namespace

std::string page_fault(std::string_view page) {
  if (!page.starts_with("<!DOCTYPE html>")) return "does not begin with a doctype";
  std::vector<std::string_view> open;
  std::set<std::string_view> ids;
  for (std::size_t at = page.find('<', 1); at < page.size(); at = page.find('<', at)) {
    const Tag tag = next_tag(page, at);
    const std::string name(tag.name);
    if (name.empty()) return "a bare <";
    if (tag.inside.find('<') != std::string_view::npos) return "a < inside the tag " + name;
    if (tag.closing) {
      if (open.empty() || open.back() != tag.name) return "</" + name + "> closes nothing";
      open.pop_back();
      continue;
    }
    const std::string_view id = attribute(tag.inside, "id");
    if (!id.empty() && !ids.insert(id).second) return "the id " + std::string(id) + " twice";
    if (tag.alone || is_void(tag.name)) continue;
    open.push_back(tag.name);
    if (name == "script" || name == "style") at = page.find("</" + name, at);
  }
  return open.empty() ? std::string() : "<" + std::string(open.back()) + "> is left open";
}

nlohmann::json embedded_data(std::string_view page) {
  const std::size_t at = page.find("id=\"people-data\">");
  if (at == std::string_view::npos) return nullptr;
  const std::size_t from = page.find('>', at) + 1;
  return nlohmann::json::parse(page.substr(from, page.find("</script>", from) - from));
}

std::string visible_text(std::string_view page) {
  std::string out;
  for (std::size_t at = page.find("<body>"); at < page.size();) {
    if (page[at] != '<') {
      out += page[at++];
      continue;
    }
    const Tag tag = next_tag(page, at);
    if (!tag.closing && (tag.name == "script" || tag.name == "style")) {
      at = page.find("</" + std::string(tag.name), at);
    }
  }
  return out;
}

bool has_section(std::string_view page, std::string_view id) {
  return page.find("<section id=\"" + std::string(id) + "\"") != std::string_view::npos;
}

Ratings small_town() {
  return synthesize({.users = 60, .items = 40, .ratings_per_user = 12, .seed = 3});
}

}  // namespace palate::testing
