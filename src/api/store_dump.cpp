// A store as JSON lines, and back. The format is described in docs/file-formats.md.
#include <zlib.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/utf8.hpp"
#include "io/text_sink.hpp"
#include "palate/error.hpp"
#include "palate/rating_store.hpp"

namespace palate {
namespace {

using Json = nlohmann::ordered_json;

constexpr int dump_version = 1;
constexpr std::string_view attributes_name = ",\"attributes\":";

class Ticker {
 public:
  Ticker(const RunOptions& run, std::string_view stage, std::uint64_t total)
      : run_(run), stage_(stage), total_(total) {}
  void tick() {
    constexpr std::uint64_t step = 4096;
    if (++done_ % step == 0) tell();
  }
  void tell() const {
    if (run_.progress && !run_.progress(stage_, done_, total_)) {
      throw Error(ErrorCode::cancelled, "stopped; nothing was written");
    }
  }

 private:
  const RunOptions& run_;
  std::string_view stage_;
  std::uint64_t total_, done_ = 0;
};

std::string json_text(std::string_view text) { return Json(text).dump(); }

// Valid JSON has raw line breaks only between its parts, where a space does as well.
std::string on_one_line(std::string text) {
  for (char& ch : text) {
    if (ch == '\n' || ch == '\r') ch = ' ';
  }
  return text;
}

void put_rating(io::TextSink& out, const StoredRating& rating) {
  out.put("{\"user\":" + json_text(rating.user) + ",\"item\":" + json_text(rating.item) +
          ",\"values\":[");
  for (std::size_t c = 0; c < rating.values.size(); ++c) {
    if (c > 0) out.put(',');
    if (std::isnan(rating.values[c])) {
      out.put("null");
    } else {
      out.put_number(rating.values[c]);
    }
  }
  out.put(']');
  if (rating.time != no_time) {
    out.put(",\"time\":");
    out.put_number(rating.time);
  }
  out.put("}\n");
}

std::string text_of(const StoreCounts& counts) {
  return std::to_string(counts.users) + " users, " + std::to_string(counts.items) + " items and " +
         std::to_string(counts.ratings) + " ratings";
}

// The lines of a text file, one at a time, gzip undone.
class Lines {
 public:
  explicit Lines(const std::filesystem::path& path) : name_(path.string()) {
    std::error_code ignored;
    errno = 0;
    // Reads what is not compressed as it is.
    if (!std::filesystem::is_directory(path, ignored)) file_.reset(gzopen(path.c_str(), "rb"));
    if (file_) return;
    throw Error(
        ErrorCode::io,
        std::string("cannot be opened: ") + (errno == 0 ? "not a file" : std::strerror(errno)),
        {.file = name_}, "check the name and the folder");
  }

  /// The next line without its end; false after the last one.
  bool next(std::string& line) {
    constexpr std::size_t longest = std::size_t{1} << 24;
    line.clear();
    int ch = 0;
    while ((ch = gzgetc(file_.get())) >= 0 && ch != '\n') {
      line += static_cast<char>(ch);
      if (line.size() > longest) {
        throw Error(ErrorCode::bad_input,
                    "a line has no end; this is no text that was written here",
                    {.file = name_, .line = number_ + 1});
      }
    }
    if (ch < 0) require_sound();
    if (ch < 0 && line.empty()) return false;
    ++number_;
    if (line.ends_with('\r')) line.pop_back();
    return true;
  }
  [[nodiscard]] std::int64_t number() const { return number_; }  ///< of the last line, from 1
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  void require_sound() const {
    int problem = Z_OK;
    const char* message = gzerror(file_.get(), &problem);
    if (problem == Z_OK || problem == Z_STREAM_END) return;
    if (problem == Z_ERRNO) throw Error(ErrorCode::io, std::strerror(errno), {.file = name_});
    throw Error(ErrorCode::bad_input,
                std::string("the compressed file is cut off or damaged: ") + message,
                {.file = name_}, "copy it again from where it came");
  }

  struct Close {
    void operator()(gzFile file) const noexcept { gzclose(file); }
  };
  std::string name_;
  std::unique_ptr<gzFile_s, Close> file_;
  std::int64_t number_ = 0;
};

struct Header {
  std::vector<Criterion> criteria;
  StoreCounts counts;
};

// What is wrong with a line, said with its number.
class DumpReader {
 public:
  explicit DumpReader(const std::filesystem::path& path) : lines_(path) {}

  Header header() {
    if (!lines_.next(line_)) throw refused("the file is empty");
    const Json json = Json::parse(line_, nullptr, false);
    if (!json.is_object() || json.value("palate", Json()) != "store") {
      throw refused("this is no dump of a store", "palate dump writes them");
    }
    try {
      if (json.at("version").get<int>() != dump_version) {
        throw refused("the dump is of version " + json["version"].dump() +
                          ", and this program reads version " + std::to_string(dump_version),
                      "use the version of Palate that wrote it, or a newer one");
      }
      Header out;
      for (const Json& criterion : json.at("criteria")) {
        out.criteria.push_back({criterion.at("name").get<std::string>(),
                                criterion.at("min").get<float>(),
                                criterion.at("max").get<float>()});
      }
      out.counts = {json.at("users").get<std::size_t>(), json.at("items").get<std::size_t>(),
                    json.at("ratings").get<std::size_t>()};
      return out;
    } catch (const nlohmann::json::exception&) {
      throw refused("the first line lacks the criteria or the counts");
    }
  }

  bool next(const Header& header, StoreWrite& write) {
    if (!lines_.next(line_)) return false;
    const Json json = Json::parse(line_, nullptr, false);
    if (!json.is_object()) throw refused("the line is no JSON object");
    try {
      write = write_in(json);
      check_write(write, header.criteria);
    } catch (const nlohmann::json::exception&) {
      throw refused("the line is neither a user nor an item nor a rating");
    } catch (const Error& error) {
      throw refused(error.message(), error.hint(), error.where().field);
    }
    return true;
  }

  [[nodiscard]] Error refused(std::string message, std::string hint = {},
                              std::string field = {}) const {
    return {ErrorCode::bad_input,
            std::move(message),
            {.file = lines_.name(), .line = lines_.number(), .field = std::move(field)},
            std::move(hint)};
  }

 private:
  StoreWrite write_in(const Json& json) {
    if (json.contains("values")) {
      StoredRating rating{json.at("user").get<std::string>(), json.at("item").get<std::string>()};
      for (const Json& value : json["values"]) {
        rating.values.push_back(value.is_null() ? std::nanf("") : value.get<float>());
      }
      if (json.contains("time")) rating.time = json["time"].get<std::int64_t>();
      return rating;
    }
    if (json.contains("user")) {
      return StoredUser{json["user"].get<std::string>(), attributes_in(json)};
    }
    return StoredItem{json.at("item").get<std::string>(), json.value("title", std::string()),
                      attributes_in(json)};
  }

  // As they were written, to the digit: a number may have more of them than a double.
  std::string attributes_in(const Json& json) {
    if (!json.contains("attributes")) return "{}";
    const std::size_t begin = line_.find(attributes_name);
    const std::size_t end = line_.rfind('}');
    if (begin != std::string_view::npos && end > begin) {
      const std::string_view text = std::string_view(line_).substr(
          begin + attributes_name.size(), end - begin - attributes_name.size());
      if (text.starts_with('{') && Json::accept(text.begin(), text.end())) return std::string(text);
    }
    return json["attributes"].dump();
  }

  Lines lines_;
  std::string line_;
};

}  // namespace

StoreCounts dump_store(const RatingStore& store, const std::filesystem::path& path,
                       const RunOptions& run) {
  io::TextSink out(path);
  StoreCounts counts;
  std::optional<Ticker> ticker;
  StoreVisitor visitor;
  visitor.begin = [&](std::span<const Criterion> criteria, const StoreCounts& all,
                      std::uint64_t sequence) {
    counts = all;
    ticker.emplace(run, "dumping", all.users + all.items + all.ratings);
    Json list = Json::array();
    for (const Criterion& criterion : criteria) {
      list.push_back({{"name", criterion.name}, {"min", criterion.min}, {"max", criterion.max}});
    }
    const Json header = {{"palate", "store"},          {"version", dump_version},
                         {"sequence", sequence},       {"users", all.users},
                         {"items", all.items},         {"ratings", all.ratings},
                         {"criteria", std::move(list)}};
    out.put(header.dump() + "\n");
  };
  visitor.user = [&](const StoredUser& user) {
    out.put("{\"user\":" + json_text(user.id) + std::string(attributes_name) +
            on_one_line(user.attributes) + "}\n");
    ticker->tick();
  };
  visitor.item = [&](const StoredItem& item) {
    out.put("{\"item\":" + json_text(item.id) + ",\"title\":" + json_text(item.title) +
            std::string(attributes_name) + on_one_line(item.attributes) + "}\n");
    ticker->tick();
  };
  visitor.rating = [&](const StoredRating& rating) {
    put_rating(out, rating);
    ticker->tick();
  };
  store.read_each(visitor);
  ticker->tell();
  out.commit();
  return counts;
}

StoreCounts restore_store(RatingStore& store, const std::filesystem::path& path,
                          RatingStore::IfNotEmpty rule, const RunOptions& run) {
  DumpReader reader(path);
  const Header header = reader.header();
  const StoreCounts& counts = header.counts;
  Ticker ticker(run, "restoring", counts.users + counts.items + counts.ratings);
  StoreCounts got;
  const auto next = [&](StoreWrite& write) {
    ticker.tick();
    if (reader.next(header, write)) {
      got.users += static_cast<std::size_t>(std::holds_alternative<StoredUser>(write));
      got.items += static_cast<std::size_t>(std::holds_alternative<StoredItem>(write));
      got.ratings += static_cast<std::size_t>(std::holds_alternative<StoredRating>(write));
      return true;
    }
    if (got.users != counts.users || got.items != counts.items || got.ratings != counts.ratings) {
      throw reader.refused("the dump is not what its first line says: " + text_of(got) +
                               " where there should be " + text_of(counts),
                           "nothing was restored; copy the file again from where it came");
    }
    return false;
  };
  store.replace_all(header.criteria, next, rule);
  return counts;
}

}  // namespace palate
