"""Measuring and comparing."""

import pickle

import numpy as np
import pytest
from conftest import same_ratings

import palate


def test_splits_share_ids_and_lose_nothing(ratings):
    train, test = palate.split(ratings, 0.25, seed=3)
    assert len(train) + len(test) == len(ratings)
    assert train.user_ids.tolist() == test.user_ids.tolist() == ratings.user_ids.tolist()
    again = palate.split(ratings, 0.25, seed=3)
    assert same_ratings(again.train, train)
    train, validation, test = palate.split(ratings, 0.2, validation=0.1)
    assert len(train) + len(validation) + len(test) == len(ratings)
    last = palate.split(ratings, 1, rule="leave-last-out")
    assert max(len(last.test.of(user)) for user in ratings.user_ids.tolist()) == 1
    newest = palate.split(ratings, 0.3, rule="time")
    assert newest.test.times.min() >= newest.train.times.max()
    assert sum(len(fold.test) for fold in palate.folds(ratings, 3)) == len(ratings)


def test_wrong_splits_are_refused(ratings):
    with pytest.raises(ValueError, match="no rule 'odd'"):
        palate.split(ratings, rule="odd")
    with pytest.raises(ValueError):
        palate.split(ratings, 2.0)
    with pytest.raises(ValueError, match="sets nothing aside"):
        palate.split(ratings, 0.2, validation=0.0)
    with pytest.raises(TypeError, match="as_ratings"):
        palate.split([1, 2])


def test_metrics_are_a_mapping(parts, method):
    marks = palate.evaluate(method.fit(parts.train), parts.test, at=[3, 7])
    assert set(marks) >= {"recall@3", "ndcg@7", "coverage@7", "gini@3"}
    assert all(
        0 <= marks[m] <= 1 for m in marks if m.split("@")[0] in ("recall", "ndcg", "mrr", "map")
    )
    assert len(marks.per_user["recall@3"]) == len(marks.users)
    assert marks["recall@3"] == pytest.approx(marks.per_user["recall@3"].mean(), rel=1e-5)
    low, high = marks.interval("recall@3")
    assert low <= marks["recall@3"] <= high
    assert marks.name == type(method).__name__ and marks.relevance == "overall >= 3"
    with pytest.raises(KeyError, match="no metric 'ndcg'"):
        marks["ndcg"]


def test_a_test_part_may_come_as_a_table(parts):
    model = palate.ItemKNN().fit(parts.train)
    rows = parts.test.to_columns()
    strangers = {name: np.append(column, column[:1]) for name, column in rows.items()}
    strangers["user"][-1] = "a stranger" if strangers["user"].dtype == object else 10**9
    wanted = palate.evaluate(model, parts.test)
    assert dict(palate.evaluate(model, strangers)) == dict(wanted)


def test_relevance_rules(parts):
    model = palate.Popularity().fit(parts.train)
    strict = palate.evaluate(model, parts.test, threshold=5, relevance="at_least")
    mean = palate.evaluate(model, parts.test, relevance="above_user_mean")
    assert len(strict.users) < len(mean.users) or strict["recall@5"] != mean["recall@5"]
    with pytest.raises(ValueError, match="no relevance rule"):
        palate.evaluate(model, parts.test, relevance="nice")
    with pytest.raises(ValueError, match="relevant"):
        palate.evaluate(model, parts.test, threshold=50)


def test_what_is_relevant_follows_from_the_scale():
    wide = palate.synthesize(users=60, items=30, seed=1).to_columns()
    wide["overall"] = wide["overall"] * 2
    train, test = palate.split(palate.as_ratings(wide), 0.2)
    model = palate.Popularity().fit(train)
    assert "middle of the scale" in palate.evaluate(model, test).relevance
    assert palate.evaluate(model, test, threshold=3).relevance == "overall >= 3"
    lists = palate.evaluate_lists(model.recommend().ids, train, test)
    assert lists.relevance == palate.evaluate(model, test).relevance


def test_a_model_tells_what_its_settings_were_chosen_by():
    ratings = palate.synthesize(users=60, items=30, seed=1)
    choice = palate.Adaptive().fit(ratings).choice_
    assert choice.relevance == "overall >= 3" and not choice.too_few
    assert "overall >= 3" in repr(choice) and "overall &gt;= 3" in choice._repr_html_()
    three = {"user": ["a", "a", "b"], "item": ["x", "y", "x"], "overall": [4, 3, 5]}
    few = palate.Adaptive().fit(three).choice_
    assert few.too_few and "too few people" in repr(few) and "worth" not in few._repr_html_()


def test_too_few_users_are_no_measurement():
    three = {"user": ["a", "a", "b"], "item": ["x", "y", "x"], "overall": [4, 3, 5]}
    model = palate.Popularity().fit(three)
    marks = palate.evaluate(model, model.ratings_)
    assert marks.too_few and "too few to measure" in repr(marks)
    for text in (str(marks), marks._repr_html_()):
        assert "too few to measure: 2 users judged, and at least 6 are needed" in text
        assert "interval" not in text and "ndcg" not in text


def test_lists_from_elsewhere_are_judged_like_our_own(parts):
    model = palate.ItemKNN().fit(parts.train)
    wanted = palate.evaluate(model, parts.test)
    found = model.recommend(n=10)
    for lists in (
        found.ids,
        dict(zip(parts.train.user_ids.tolist(), [one for one, _ in found.lists()])),
    ):
        marks = palate.evaluate_lists(lists, *parts, name="theirs")
        assert dict(marks) == dict(wanted) and marks.name == "theirs"
    with pytest.raises(ValueError, match="lists for"):
        palate.evaluate_lists(found.ids[:5], *parts)
    user = parts.train.user_ids.tolist()[0]
    with pytest.raises(ValueError, match="rated in train"):
        palate.evaluate_lists({u: list(parts.train.of(u))[:1] for u in parts.train.user_ids.tolist()}, *parts)  # fmt: skip
    with pytest.raises(KeyError, match="is not known"):
        palate.evaluate_lists({user: ["no such thing"]}, *parts)


def test_comparison_is_paired_over_users(parts):
    marks = [palate.evaluate(m.fit(parts.train), parts.test) for m in (palate.Popularity(), palate.ItemKNN(), palate.OverallOnly())]  # fmt: skip
    found = palate.compare(marks, metrics=["ndcg@10", "recall@5"])
    assert [(d.method, d.metric) for d in found] == [
        ("ItemKNN", "ndcg@10"), ("ItemKNN", "recall@5"), ("OverallOnly", "ndcg@10"), ("OverallOnly", "recall@5"),
    ]  # fmt: skip
    for d in found:
        assert d.difference == pytest.approx(d.method_mean - d.baseline_mean)
        assert d.low <= d.difference <= d.high and 0 <= d.p_value <= 1
        assert d.users == len(marks[0].users)
    assert palate.compare([marks[0], marks[0]])[0].difference == 0
    assert "ItemKNN vs Popularity, ndcg@10" in repr(found)
    again = palate.compare(pickle.loads(pickle.dumps(marks)), metrics=["ndcg@10", "recall@5"])
    assert repr(again) == repr(found)
    with pytest.raises(ValueError, match="at least two"):
        palate.compare(marks[:1])
    pytest.importorskip("pandas")
    assert len(found.to_frame()) == 4
    assert marks[0].to_frame().loc["Popularity", "ndcg@10"] == marks[0]["ndcg@10"]
    assert len(marks[0].users_frame()) == len(marks[0].users)


def test_another_catalogue_is_no_test_part(parts):
    other = palate.synthesize(users=30, items=40, criteria=["food", "service"], seed=9)
    with pytest.raises(ValueError, match="other users or items"):
        palate.evaluate(palate.Popularity().fit(parts.train), other)
    with pytest.raises(TypeError, match="a model of palate"):
        palate.evaluate("model", parts.test)
