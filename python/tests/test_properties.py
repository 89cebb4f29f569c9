"""What holds for any data."""

import numpy as np
import pytest
from conftest import same_ratings, seen, through_matrices

import palate

hypothesis = pytest.importorskip("hypothesis")
from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

settings.register_profile("palate", max_examples=40, deadline=None, database=None)
settings.load_profile("palate")

VALUES = st.one_of(st.none(), st.integers(1, 10).map(lambda x: x / 2))


@st.composite
def tables(draw, max_rows=40):
    """Columns of ratings with three criteria; every row has a rating."""
    ids = draw(st.sampled_from([st.integers(-3, 12), st.text("abßé0 ", min_size=1, max_size=3)]))
    row = st.tuples(ids, st.integers(0, 9), st.integers(1, 10).map(lambda x: x / 2), VALUES, VALUES)
    rows = draw(st.lists(row, min_size=1, max_size=max_rows, unique_by=lambda r: (r[0], r[1])))
    names = ("user", "item", "overall", "food", "service")
    columns = dict(zip(names, map(list, zip(*rows))))
    for name in names[3:]:
        columns[name] = np.array([np.nan if v is None else v for v in columns[name]])
    return columns


def from_table(columns):
    return palate.as_ratings(columns, criteria=["food", "service"])


@given(tables())
def test_every_rating_comes_back(columns):
    ratings = from_table(columns)
    for k, (user, item) in enumerate(zip(columns["user"], columns["item"])):
        wanted = {n: columns[n][k] for n in ("overall", "food", "service")}
        assert ratings.of(user)[item] == {n: v for n, v in wanted.items() if v == v}
    assert len(ratings) == len(columns["user"])


@given(tables())
def test_wide_long_and_matrices_are_the_same(columns):
    pytest.importorskip("scipy")
    ratings = from_table(columns)
    long = {"user": [], "item": [], "criterion": [], "rating": []}
    for k in range(len(columns["user"])):
        for name in ("overall", "food", "service"):
            long["user"].append(columns["user"][k])
            long["item"].append(columns["item"][k])
            long["criterion"].append(name)
            long["rating"].append(columns[name][k])
    assert same_ratings(palate.as_ratings(long, criteria=["food", "service"]), ratings)
    assert same_ratings(through_matrices(ratings), ratings)


@given(
    tables(),
    st.sampled_from(["linear", "inward:1.5", "outward:0.85", "0.7,0.1,0.05"]),
    st.integers(1, 12),
    st.lists(st.sampled_from([0.5, 1.0, 2.0]), min_size=3, max_size=3),
)
def test_lists_hold_what_they_may_and_explanations_add_up(columns, filters, n, weights):
    ratings = from_table(columns)
    model = palate.CAGF(filters=filters).fit(ratings, threads=1)
    found = model.recommend(n=n, weights=weights)
    assert np.isfinite(np.ma.getdata(found.scores)[~np.ma.getmaskarray(found.scores)]).all()
    for user, (ids, scores) in zip(ratings.user_ids.tolist(), found.lists()):
        left = ratings.n_items - len(seen(ratings, user))
        assert len(ids) == min(n, left) == len(set(ids.tolist()))
        assert not set(ids.tolist()) & seen(ratings, user)
        assert np.all(np.diff(scores) <= 0)
        alone = model.recommend(user, n=n, weights=weights)
        assert alone.ids.tolist() == ids.tolist()
        if len(ids):
            why = model.explain(user, ids.tolist()[0], weights=weights)
            assert why.score == pytest.approx(float(scores[0]), rel=1e-4, abs=1e-7)
            parts = [*why.by_criterion.values(), *(dial.value for dial in why.dials)]
            assert sum(parts) == pytest.approx(why.score, rel=1e-6, abs=1e-9)
