"""Ratings that are sparse matrices already, and lists for everybody."""

from __future__ import annotations

from typing import Any

import numpy as np

import palate


def made_up(users: int, items: int, criteria: int) -> list[Any]:
    """One array of users by items per criterion, 0 where nobody rated."""
    random = np.random.default_rng(3)
    rated = random.random((users, items)) < 0.1
    return [np.where(rated, random.integers(1, 6, rated.shape), 0) for _ in range(criteria)]


def main() -> None:
    model = palate.CAGF(filters={"overall": "outward:0.85"})
    model.fit(made_up(300, 80, 3), criteria=["rooms", "location"], threads=2)
    found = model.recommend(n=5)
    print(found.ids.shape, found.scores.dtype, found.lengths.min())
    for user, (ids, scores) in zip(model.ratings_.user_ids[:3], found.lists()):
        print(user, ids.tolist(), scores.round(3).tolist())


if __name__ == "__main__":
    main()
