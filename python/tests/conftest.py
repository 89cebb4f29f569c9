"""Small data that many tests use."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import palate

ROOT = Path(__file__).resolve().parents[2]

#: Every method, with settings that are quick and not all defaults.
METHODS = {
    "cagf": palate.CAGF(filters={"overall": "outward:0.85", "food": "inward:1.2"}),
    "auto": palate.CAGF(),
    "overall-only": palate.OverallOnly(),
    "item-knn": palate.ItemKNN(neighbours=20, shrink=1.0),
    "ease": palate.EASE(lambda_=20.0, stacked=True),
    "popularity": palate.Popularity(),
}


@pytest.fixture(scope="session")
def ratings():
    return palate.synthesize(users=120, items=50, criteria=["food", "service"], seed=4)


@pytest.fixture(scope="session")
def parts(ratings):
    return palate.split(ratings, 0.25, seed=3)


@pytest.fixture(scope="session")
def model(ratings):
    return palate.CAGF(filters={"overall": "outward:0.85", "food": "inward:1.2"}).fit(ratings)


@pytest.fixture(params=sorted(METHODS))
def method(request):
    """An unfitted model of each method."""
    kind = METHODS[request.param]
    return type(kind)(**kind.get_params())


def shared_folder() -> Path:
    return Path(os.environ.get("PALATE_SHARED", ROOT.parent / "shared"))


def same_ratings(one: palate.Ratings, other: palate.Ratings) -> bool:
    return (
        one.criteria == other.criteria
        and np.array_equal(one.user_ids, other.user_ids)
        and np.array_equal(one.item_ids, other.item_ids)
        and np.array_equal(one.item_index, other.item_index)
        and np.array_equal(one.user_index, other.user_index)
        and np.array_equal(one.values, other.values)
        and np.array_equal(one.rated, other.rated)
    )


def through_matrices(ratings: palate.Ratings) -> palate.Ratings:
    """What becomes of the ratings if they go out as matrices and come in again."""
    return palate.as_ratings(
        ratings.to_matrices(),
        criteria=ratings.criteria,
        user_ids=ratings.user_ids,
        item_ids=ratings.item_ids,
    )


def seen(ratings: palate.Ratings, user: object) -> set:
    """What the user rated overall."""
    return {item for item, given in ratings.of(user).items() if "overall" in given}
