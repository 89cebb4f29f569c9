"""Why this one? The parts of a score as a table and as a picture (pandas and matplotlib)."""

from __future__ import annotations

import palate


def main() -> None:
    ratings = palate.synthesize(users=300, items=80, seed=2)
    model = palate.Adaptive().fit(ratings)
    user = ratings.user_ids[0]
    ids, _ = model.recommend(user, n=1)
    why = model.explain(user, ids[0])
    print(why.by_criterion)
    print(why.to_frame().head())
    why.plot(top=8).figure.savefig("why.png")
    palate.plot_attributions(model, user, n=8).figure.savefig("list.png")


if __name__ == "__main__":
    main()
