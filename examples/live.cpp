// A model that follows ratings as they come, without being fitted again. Whoever asks holds a
// snapshot, which stays as it is while others rate.
#include <iostream>
#include <palate/palate.hpp>

namespace {

// A fitted model and a snapshot are asked alike.
void show(const char* when, const palate::Advisor& advisor, const std::string& user) {
  std::cout << when << ", " << advisor.interactions() << " ratings:";
  for (const palate::Recommended& one : advisor.recommend(user, {.top = 3}).items) {
    std::cout << "  " << one.title;
  }
  std::cout << '\n';
}

}  // namespace

int main() {
  const palate::Ratings ratings = palate::synthesize({.users = 400, .items = 120, .seed = 7});
  const palate::Model model = palate::fit(ratings);
  const std::string user(ratings.user_id(0));
  show("fitted", model, user);

  palate::LiveModel live(model);
  const palate::LiveSnapshot before = live.snapshot();

  // One value per criterion, overall first. The user and the item may be new.
  const std::string liked = model.recommend(user).items.front().item;
  const palate::RatingChange rating{user, liked, {5, 5, 4, 4, 5}};
  live.apply({&rating, 1});
  show("after a rating", live.snapshot(), user);
  show("held since before", before, user);

  // Many changes at once: the person's own ratings count at once, the graph when it follows.
  std::vector<palate::RatingChange> many;
  for (std::uint32_t item = 0; item < 10; ++item) {
    many.push_back({"newcomer", std::string(ratings.item_id(item)), {4, 4, 4, 4, 4}});
  }
  live.apply(many, palate::Follow::later);
  std::cout << "the graph is " << live.snapshot().behind() << " ratings behind\n";
  live.follow();
  show("newcomer", live.snapshot(), "newcomer");

  // A model like any other, on the ratings as they are now; it can be saved.
  show("fitted anew", live.refit(), "newcomer");
}
