#include <iostream>
#include <palate/palate.hpp>

int main() {
  palate::RatingsBuilder beers({"overall", "taste"});
  beers.add("ann", "stout", std::vector{5.0F, 4.0F});
  beers.add("bob", "stout", std::vector{4.0F, 5.0F});
  beers.add("bob", "porter", std::vector{5.0F, 5.0F});
  const palate::Model model = palate::fit(beers.build());
  for (const auto& r : model.recommend("ann").items) std::cout << "ann: " << r.item << '\n';
}
