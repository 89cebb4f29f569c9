// What the other end of stdout or stderr can show, and drawing on it.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace palate::cli {

struct Screen {
  bool terminal = false;
  bool colour = false;  ///< a terminal, and neither NO_COLOR nor TERM=dumb
  bool utf8 = false;    ///< the locale's encoding
  std::size_t width = 80;
};

[[nodiscard]] Screen screen_of(int descriptor);

enum class Tone { bold, dim, good, bad };
[[nodiscard]] std::string toned(const Screen& screen, Tone tone, std::string_view text);

/// A bar that fills `share` (0 to 1) of `columns`, in the colour of series `series`.
[[nodiscard]] std::string bar(const Screen& screen, double share, std::size_t columns,
                              std::size_t series);

/// Positive parts side by side, `scale` filling all `columns`. Series are told apart by colour, or
/// by their fill where there is none.
[[nodiscard]] std::string stacked_bar(const Screen& screen, std::span<const double> parts,
                                      double scale, std::size_t columns);

/// The fill of each series with its name, in lines that fit the screen.
[[nodiscard]] std::string legend(const Screen& screen, std::span<const std::string> names);

/// A plain table; columns marked `shrink` are cut when the screen is too narrow for all.
class Table {
 public:
  struct Column {
    std::string title;
    bool right = false;
    bool shrink = false;
  };
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  void row(std::vector<std::string> cells);
  [[nodiscard]] std::string text(const Screen& screen) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace palate::cli
