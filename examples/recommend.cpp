// Reads a CSV file, finds settings, fits a model, recommends for one person, and says what the
// first recommendation is made of.
//
//   recommend [FILE USER]
#include <filesystem>
#include <fstream>
#include <iostream>
#include <palate/palate.hpp>

namespace {

// Nobody has to rate every criterion: fields may be empty.
std::filesystem::path some_beers() {
  const auto path = std::filesystem::temp_directory_path() / "palate_example_beers.csv";
  std::ofstream(path) << "user,beer,overall,aroma,taste\n"
                         "ann,Old Oak Stout,4.5,4.5,5\n"
                         "ann,River Pale,3,,2.5\n"
                         "bob,Old Oak Stout,4,4,4.5\n"
                         "bob,Night Porter,5,4.5,5\n"
                         "cem,River Pale,4,4,3.5\n"
                         "cem,Hay Wheat,4.5,4,4\n"
                         "dee,Night Porter,4,5,4\n"
                         "dee,Hay Wheat,2,3,\n";
  return path;
}

void show(const std::string& file, const std::string& user) {
  const palate::Import in = palate::read(file);
  std::cout << in.report.text();

  const palate::Model model = palate::fit(in.ratings, palate::tune(in.ratings));
  const palate::Recommendations list = model.recommend(user, {.top = 3});
  for (const palate::Recommended& one : list.items) {
    std::cout << user << ": " << one.title << "  " << one.score << '\n';
  }
  if (list.items.empty()) return;

  const palate::Explanation why = model.explain(user, list.items.front().item);
  std::cout << why.title << ", because of\n";
  for (const auto& part : why.parts) {
    std::cout << "  " << part.title << ", " << why.criteria[part.criterion] << ' ' << part.rating
              << ": " << part.value << '\n';
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    show(argc > 2 ? argv[1] : some_beers().string(), argc > 2 ? argv[2] : "ann");
  } catch (const palate::Error& error) {  // what(): place, message and hint in one sentence
    std::cerr << error.what() << '\n';
    return palate::kind_of(error.code()).exit_status;
  }
}
