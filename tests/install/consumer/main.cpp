#include <iostream>
#include <palate/palate.hpp>

int main() {
  std::cout << "palate " << palate::version << " is number " << palate::version_number << '\n';
  palate::RatingsBuilder beers({"overall", "taste"});
  beers.add("ann", "stout", std::vector{5.0F, 4.0F});
  beers.add("bob", "stout", std::vector{4.0F, 5.0F});
  beers.add("bob", "porter", std::vector{5.0F, 5.0F});
  const palate::Model model = palate::fit(beers.build());
  for (const auto& r : model.recommend("ann").items) std::cout << "ann: " << r.item << '\n';
  try {
    std::cout << model.recommend("eve").items.size() << '\n';
  } catch (const palate::Error& error) {  // from inside of the library
    std::cout << "eve: " << palate::kind_of(error.code()).name << '\n';
  }
}
