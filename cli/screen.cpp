#include "screen.hpp"

#include <fmt/format.h>
#include <langinfo.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "text.hpp"

namespace palate::cli {
namespace {

bool set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

std::size_t width_of(int descriptor, bool terminal) {
  winsize size{};
  if (terminal && ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  if (const char* columns = std::getenv("COLUMNS"); columns != nullptr) {
    const long value = std::strtol(columns, nullptr, 10);
    if (value >= 20 && value <= 1000) return static_cast<std::size_t>(value);
  }
  return 100;
}

// Of the 256-colour palette: clear on light and on dark, and apart for the colour-blind in this
// order.
constexpr std::array<int, 8> palette = {33, 208, 35, 170, 220, 44, 160, 141};

std::string painted(const Screen& screen, std::size_t series, std::string_view text) {
  if (!screen.colour || text.empty()) return std::string(text);
  return fmt::format("\033[38;5;{}m{}\033[0m", palette[series % palette.size()], text);
}

std::string fill_of(const Screen& screen, std::size_t series) {
  constexpr std::array<std::string_view, 4> shades = {"█", "▓", "▒", "░"};
  constexpr std::string_view ascii = "#=+:o*%@abcdefghijklmnpqrstuvwxy";
  if (screen.colour && screen.utf8) return std::string(shades[series / palette.size() % 4]);
  if (screen.utf8 && series < shades.size()) return std::string(shades[series]);
  return std::string(1, ascii[series % ascii.size()]);
}

std::string repeated(std::string_view text, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += text;
  return out;
}

}  // namespace

Screen screen_of(int descriptor) {
  Screen screen;
  const char* term = std::getenv("TERM");
  const bool dumb = term == nullptr || std::string_view(term) == "dumb";
  screen.terminal = isatty(descriptor) == 1;
  screen.colour = screen.terminal && !dumb && !set("NO_COLOR");
  screen.utf8 = std::string_view(nl_langinfo(CODESET)) == "UTF-8";
  screen.width = width_of(descriptor, screen.terminal);
  return screen;
}

std::string toned(const Screen& screen, Tone tone, std::string_view text) {
  if (!screen.colour || text.empty()) return std::string(text);
  constexpr std::array<std::string_view, 4> codes = {"1", "2", "32", "31"};
  return fmt::format("\033[{}m{}\033[0m", codes[static_cast<std::size_t>(tone)], text);
}

std::string bar(const Screen& screen, double share, std::size_t columns, std::size_t series) {
  share = std::isfinite(share) ? std::clamp(share, 0.0, 1.0) : 0.0;
  constexpr std::array<std::string_view, 8> eighths = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  if (!screen.utf8 || (!screen.colour && series > 0)) {
    const auto full = static_cast<std::size_t>(std::lround(share * static_cast<double>(columns)));
    return painted(screen, series, repeated(fill_of(screen, series), full));
  }
  const auto steps =
      static_cast<std::size_t>(std::lround(share * static_cast<double>(columns) * 8));
  return painted(screen, series, repeated("█", steps / 8) + std::string(eighths[steps % 8]));
}

std::string stacked_bar(const Screen& screen, std::span<const double> parts, double scale,
                        std::size_t columns) {
  std::string out;
  if (!(scale > 0) || !std::isfinite(scale)) return out;
  double sum = 0;
  std::size_t drawn = 0;
  for (std::size_t c = 0; c < parts.size(); ++c) {
    if (parts[c] > 0) sum += parts[c];
    const double position = std::min(1.0, sum / scale) * static_cast<double>(columns);
    const auto end = static_cast<std::size_t>(std::lround(position));
    if (end > drawn) out += painted(screen, c, repeated(fill_of(screen, c), end - drawn));
    drawn = std::max(drawn, end);
  }
  return out;
}

std::string legend(const Screen& screen, std::span<const std::string> names) {
  std::string out;
  std::size_t used = 0;
  for (std::size_t c = 0; c < names.size(); ++c) {
    const std::string entry =
        painted(screen, c, repeated(fill_of(screen, c), 2)) + " " + printable(names[c]);
    const std::size_t width = columns_of(entry);
    if (used > 0 && used + 3 + width > screen.width) {
      out += "\n";
      used = 0;
    }
    out += used > 0 ? "   " : "";
    out += entry;
    used += width + (used > 0 ? 3 : 0);
  }
  return out + "\n";
}

void Table::row(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  rows_.push_back(std::move(cells));
}

std::string Table::text(const Screen& screen) const {
  std::vector<std::size_t> widths;
  std::size_t total = 0;
  std::size_t shrinkable = 0;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::size_t width = columns_of(columns_[c].title);
    for (const auto& cells : rows_) width = std::max(width, columns_of(cells[c]));
    widths.push_back(width);
    total += width + (c > 0 ? 2 : 0);
    shrinkable += columns_[c].shrink ? 1 : 0;
  }
  for (std::size_t c = 0; c < columns_.size() && total > screen.width; ++c) {
    if (!columns_[c].shrink) continue;
    const std::size_t excess = (total - screen.width + shrinkable - 1) / shrinkable;
    const std::size_t smaller = std::max<std::size_t>(8, widths[c] - std::min(excess, widths[c]));
    if (smaller < widths[c]) {
      total -= widths[c] - smaller;
      widths[c] = smaller;
    }
    --shrinkable;
  }

  std::string out;
  const auto line = [&](const auto& cell_of) {
    std::string text;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const std::string cell =
          columns_[c].shrink ? cut(cell_of(c), widths[c], screen.utf8) : std::string(cell_of(c));
      text += c > 0 ? "  " : "";
      text += columns_[c].right ? pad_left(cell, widths[c]) : pad_right(cell, widths[c]);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
  };
  const bool headed = std::any_of(columns_.begin(), columns_.end(),
                                  [](const Column& column) { return !column.title.empty(); });
  if (headed) {
    out += toned(screen, Tone::bold, line([&](std::size_t c) { return columns_[c].title; })) + "\n";
  }
  for (const auto& cells : rows_) out += line([&](std::size_t c) { return cells[c]; }) + "\n";
  return out;
}

}  // namespace palate::cli
