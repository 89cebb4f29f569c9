"""Is it better than something simple? Methods side by side, and a foreign one among them."""

from __future__ import annotations

import numpy as np

import palate


def random_lists(train: palate.Ratings, n: int) -> dict[object, list[object]]:
    """What a coin would recommend."""
    random = np.random.default_rng(0)
    out: dict[object, list[object]] = {}
    for user in train.user_ids.tolist():
        new = [item for item in train.item_ids.tolist() if item not in train.of(user)]
        out[user] = [new[k] for k in random.permutation(len(new))[:n]]
    return out


def main() -> None:
    train, test = palate.split(palate.synthesize(users=400, items=100, seed=5), 0.2)
    models: list[palate.Recommender] = [palate.Popularity(), palate.EASE(), palate.Adaptive()]
    marks = [palate.evaluate(model.fit(train), test) for model in models]
    marks.append(palate.evaluate_lists(random_lists(train, 10), train, test, name="coin"))
    for one in marks:
        low, high = one.interval("ndcg@10")
        print(f"{one.name:12} {one['ndcg@10']:.4f} [{low:.4f}, {high:.4f}]")
    print(palate.compare(marks, metrics=["ndcg@10"]))


if __name__ == "__main__":
    main()
