// palate::guess_columns: the guesses of `read` for a table that lies in memory.
#include "io/columns.hpp"
#include "palate/error.hpp"

namespace palate {
namespace {

using namespace io;

class CellReader final : public RowReader {
 public:
  CellReader(const std::vector<std::string>& names,
             const std::vector<std::vector<std::string>>& cells)
      : cells_(cells), fields_(names.size()) {
    for (const std::string& name : names) columns_.push_back({name, {}});
  }

  [[nodiscard]] const std::vector<Column>& columns() const noexcept override { return columns_; }
  bool next(Row& row) override {
    if (cells_.empty() || at_ >= cells_.front().size()) return false;
    for (std::size_t c = 0; c < fields_.size(); ++c) fields_[c] = cells_[c][at_];
    ++at_;
    row.fields = fields_;
    return true;
  }
  void rewind() override { at_ = 0; }
  void seek(std::uint64_t /*position*/) override {}
  [[nodiscard]] std::uint64_t position() const noexcept override { return 0; }
  [[nodiscard]] std::vector<std::string> notes() const override { return {}; }

 private:
  const std::vector<std::vector<std::string>>& cells_;
  std::vector<Column> columns_;
  std::vector<std::string_view> fields_;
  std::size_t at_ = 0;
};

}  // namespace

ColumnRoles guess_columns(const std::vector<std::string>& names,
                          const std::vector<std::vector<std::string>>& cells,
                          const ReadOptions& options) {
  for (const std::vector<std::string>& column : cells) {
    if (cells.size() != names.size() || column.size() != cells.front().size()) {
      throw Error(ErrorCode::usage, "each column needs a name and as many cells as the others");
    }
  }
  Table table;
  table.source = std::make_unique<Source>(Source::none());
  table.rows = std::make_unique<CellReader>(names, cells);
  const ColumnPlan plan = plan_columns(table, options, RatingRule(options), nullptr);
  const auto name = [&](int k) { return k < 0 ? "" : names[static_cast<std::size_t>(k)]; };
  ColumnRoles out;
  out.user = name(plan.user);
  out.item = name(plan.item);
  out.overall = name(plan.ratings.front());
  out.time = name(plan.time);
  out.title = name(plan.title);
  for (std::size_t c = 1; c < plan.ratings.size(); ++c) {
    out.criteria.push_back(name(plan.ratings[c]));
  }
  out.highest = plan.highest;
  out.ignored = plan.ignored;
  out.advice = plan.advice;
  return out;
}

}  // namespace palate
