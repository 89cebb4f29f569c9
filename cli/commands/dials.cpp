// palate dials: what turning a criterion up or down does to people's lists.
#include <fmt/format.h>

#include "commands.hpp"
#include "data.hpp"
#include "json.hpp"
#include "measuring.hpp"
#include "settings.hpp"
#include "text.hpp"

namespace palate::cli {
namespace {

struct DialArguments {
  DataOptions data;
  PartOptions parts;
  MeasureOptions measure;
  MethodOptions method;
};

std::string effect_table(const Session& session, const DialReport& report) {
  Table table({{"criterion", false, true},
               {"weight", true},
               {"shift", true},
               {"others of 10", true},
               {"NDCG@10", true}});
  std::string_view before;
  for (const DialEffect& one : report.effects) {
    const double change = report.ndcg > 0 ? 100 * (one.ndcg / report.ndcg - 1) : 0;
    table.row({one.criterion == before ? "" : printable(one.criterion),
               fmt::format("{}", one.weight), fmt::format("{:+.2f}", one.shift),
               fmt::format("{:.1f}", one.changed), fmt::format("{:+.1f} %", change)});
    before = one.criterion;
  }
  return table.text(session.out);
}

void run_dials(const DialArguments& options, Session& session) {
  const MethodRequest request = options.method.request();
  const double read = 0.05;
  const double chosen = request.automatic() ? 0.6 : read;
  const double fitted = chosen + 0.2;
  const Loaded data = [&] {
    const auto part = session.part(0, read);
    return load_data(session, options.data);
  }();
  const std::optional<Split> can = parts_or_word(session, data, options);
  if (!can) return;
  const Split& parts = *can;
  const Resolved settled = [&] {
    const auto part = session.part(read, chosen);
    return settle(session, request, parts.train,
                  choose_options(options.measure, options.parts.seed));
  }();
  const Model model = [&] {
    const auto part = session.part(chosen, fitted);
    session.stage("fitting");
    return fit(parts.train, settled, session.run());
  }();
  const auto rest = session.part(fitted, 1);
  session.stage("measuring dials");
  const DialReport report =
      measure_dials(model, parts.test, evaluate_options(options.measure), session.run());
  if (session.json()) {
    print_json(session, server::dials_json(report, model));
    return;
  }
  session.print(
      toned(session.out, Tone::bold,
            fmt::format("{}: {}, NDCG@10 {:.4f} without dials, relevant: {}", model.info().method,
                        counted(report.users, "user"), report.ndcg, report.relevance)) +
      "\n\n" + effect_table(session, report) +
      "\nShift: how much higher the ten items are rated on the criterion than their overall says\n"
      "(overall: how much higher they are rated), in standard deviations over all items.\n");
}

}  // namespace

void add_dials(Tree& tree) {
  auto [command, options] = tree.add<DialArguments>(
      "dials", "Measure what turning a criterion up or down does to lists.", run_dials);
  command.describe(
      "Fits on the train part and turns each criterion to 1/4, 1/2, 2 and 4, as --weight of "
      "recommend does: how far the lists move, how many items are others, and what it costs.");
  add_data_argument(command, options.data.path);
  add_test_options(command, options.parts);
  add_measure_options(command, options.measure);
  add_method_options(command, options.method, tree.common);
  add_read_options(command, options.data);
  command.example("palate dials beers.csv", "Does 'aroma matters more to me' do what it says?");
}

}  // namespace palate::cli
