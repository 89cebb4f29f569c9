"""One suite that every method passes, and what is particular to some."""

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from conftest import same_ratings, seen

import palate


def test_fit_returns_the_model_itself(method, ratings):
    assert method.fit(ratings) is method
    assert method.ratings_ is ratings and method.criteria_ == ratings.criteria
    assert method.info()["users"] == ratings.n_users
    assert sum(method.stages_.values()) > 0


def test_parameters_in_the_manner_of_scikit_learn(method):
    given = method.get_params()
    again = type(method)(**given)
    assert again.get_params() == given and repr(again) == repr(method)
    assert all(again.get_params()[name] is value for name, value in given.items())
    assert method.set_params(**given) is method
    with pytest.raises(ValueError, match="has no parameter 'colour'"):
        method.set_params(colour="red")


def test_scikit_learn_clones_it(method, ratings):
    base = pytest.importorskip("sklearn.base")
    twin = base.clone(method.fit(ratings))
    assert twin.get_params() == method.get_params()
    with pytest.raises(palate.NotFittedError):
        twin.recommend(ratings.user_ids[0])


def test_one_user_has_one_dimension_and_many_have_two(method, ratings):
    method.fit(ratings)
    one = ratings.user_ids.tolist()[5]
    ids, scores = method.recommend(one, n=4)
    assert ids.shape == scores.shape == (4,) and scores.dtype == np.float32
    assert np.all(np.diff(scores) <= 0) and np.isfinite(scores).all()
    some = ratings.user_ids[[5, 2, 5]]
    ids2, scores2 = method.recommend(some, n=4)
    assert ids2.shape == scores2.shape == (3, 4)
    assert ids2[0].tolist() == ids2[2].tolist() == ids.tolist()
    assert np.array_equal(scores2[0], scores)
    everybody = method.recommend(n=4)
    assert everybody.ids.shape == (ratings.n_users, 4)
    assert everybody.ids[5].tolist() == ids.tolist()
    assert everybody.asked.tolist() == ratings.user_ids.tolist()


def test_nothing_seen_or_forbidden_is_recommended(method, ratings):
    method.fit(ratings)
    allowed = ratings.item_ids[::2]
    forbidden = ratings.item_ids[:10]
    found = method.recommend(n=50, items=allowed, exclude=forbidden)
    for user, (ids, _) in zip(ratings.user_ids.tolist(), found.lists()):
        wanted = set(allowed.tolist()) - set(forbidden.tolist()) - seen(ratings, user)
        assert set(ids.tolist()) == wanted and len(set(ids.tolist())) == len(ids)
    user = ratings.user_ids.tolist()[0]
    whole = method.recommend(user, n=ratings.n_items, filter_seen=False).ids
    assert sorted(whole.tolist()) == sorted(ratings.item_ids.tolist())


def test_short_lists_are_masked_and_never_padded_silently(method, ratings):
    method.fit(ratings)
    ids, scores = found = method.recommend(n=ratings.n_items)
    assert isinstance(ids, np.ma.MaskedArray) and isinstance(scores, np.ma.MaskedArray)
    expected = [ratings.n_items - len(seen(ratings, u)) for u in ratings.user_ids.tolist()]
    assert found.lengths.tolist() == expected == ids.count(axis=1).tolist()
    assert ids.shape[1] == max(expected) and np.array_equal(ids.mask, scores.mask)
    for row, (one, marks) in enumerate(found.lists()):
        assert len(one) == len(marks) == expected[row] and np.isfinite(marks).all()
    # Lists that are equally short need no mask.
    few = ratings.item_ids[:3]
    same = method.recommend(ratings.user_ids[:4], n=10, items=few, filter_seen=False)
    assert same.ids.shape == (4, 3) and not isinstance(same.ids, np.ma.MaskedArray)
    assert method.recommend(ratings.user_ids.tolist()[0], n=10, items=few, filter_seen=False).ids.shape == (3,)  # fmt: skip


def test_lists_as_a_frame(model, ratings):
    pytest.importorskip("pandas")
    frame = model.recommend(ratings.user_ids[:3], n=50).to_frame()
    assert list(frame.columns)[:6] == ["user", "rank", "item", "title", "score", "match"]
    told = [f"predicted_{name}" for name in model.prediction_errors()]
    assert list(frame.columns)[6:] == told
    lengths = model.recommend(ratings.user_ids[:3], n=50).lengths
    assert len(frame) == lengths.sum()
    assert frame["rank"].tolist() == [k for n in lengths for k in range(1, n + 1)]
    assert frame["score"].notna().all()
    someone = model.recommend_for({}, n=2).to_frame()
    assert list(someone.columns)[:5] == ["rank", "item", "title", "score", "match"]


def test_matches_and_predicted_ratings(method, ratings):
    method.fit(ratings)
    users = ratings.user_ids[:20]
    found = method.recommend(users, n=7)
    match = np.ma.filled(found.match, np.nan)
    assert match.shape == found.scores.shape
    assert np.nanmin(match) >= 0 and np.nanmax(match) <= 100
    assert not np.any(np.diff(match, axis=1) > 0)
    errors = method.prediction_errors()
    assert set(found.predicted) == set(errors)
    assert all(0 < one["mae"] < one["trivial_mae"] for one in errors.values())
    why = method.explain(users[0], found.ids[0, 0])
    assert why.match == pytest.approx(match[0, 0], abs=101 / ratings.n_items * 2)
    assert set(why.predicted) == set(errors)
    for name, value in why.predicted.items():
        assert value == pytest.approx(found.predicted[name][0, 0], rel=1e-5)


def test_similar_items_have_scores_alone(model, ratings):
    found = model.similar_items(ratings.item_ids[0], n=3)
    assert found.match is None and found.predicted == {}
    assert "score" in str(found)


def test_nobody_and_no_item_of_that_name(method, ratings):
    method.fit(ratings)
    user, item = ratings.user_ids.tolist()[0], ratings.item_ids.tolist()[0]
    for call in (
        lambda: method.recommend("nobody at all"),
        lambda: method.recommend([user, "nobody at all"]),
        lambda: method.recommend(user, items=["no such thing"]),
        lambda: method.recommend(user, exclude=["no such thing"]),
        lambda: method.recommend_for({"no such thing": 4}),
        lambda: method.similar_items("no such thing"),
        lambda: method.explain(user, "no such thing"),
        lambda: method.explain("nobody at all", item),
    ):
        with pytest.raises(KeyError, match="is not known"):
            call()


def test_an_id_with_a_slip_is_asked_back():
    ratings = palate.as_ratings(
        {"user": ["ann", "bob", "bob"], "item": ["stout", "stout", "porter"], "overall": [4, 5, 3]}
    )
    model = palate.Popularity().fit(ratings)
    with pytest.raises(KeyError, match="'stuot' is not known .*did you mean 'stout'"):
        model.similar_items("stuot")
    with pytest.raises(KeyError, match="'anne' is not known .*did you mean 'ann'"):
        model.recommend("anne")
    assert "anne" not in ratings and "ann" in ratings


def test_ids_of_the_other_kind_are_not_known_and_the_error_says_why():
    ratings = palate.as_ratings({"user": [1, 2, 2], "item": ["1", "2", "1"], "overall": [4, 5, 3]})
    model = palate.Popularity().fit(ratings)
    with pytest.raises(KeyError, match="'1' is not known .*integers"):
        model.recommend("1")
    with pytest.raises(KeyError, match="1 is not known .*text"):
        model.similar_items(1)
    assert model.recommend(np.int32(1), filter_seen=False).ids.tolist() == ["1", "2"]
    assert model.recommend(np.array([2], dtype=np.uint8), n=1, filter_seen=False).ids.tolist() == [["1"]]  # fmt: skip


def test_integer_ids_come_back_as_integers():
    ratings = palate.as_ratings({"user": [10, 10, 9], "item": [300, 7, 300], "overall": [4, 5, 3]})
    for model in (palate.OverallOnly(), palate.ItemKNN(), palate.Popularity()):
        ids = model.fit(ratings).recommend([9, 10], n=1, filter_seen=False).ids
        assert ids.dtype == np.int64 and set(ids.ravel().tolist()) <= {300, 7}


def test_a_profile_gets_what_a_user_with_these_ratings_gets(method, ratings):
    method.fit(ratings)
    for user in ratings.user_ids.tolist()[:8]:
        profile = ratings.of(user)
        wanted, found = method.recommend(user, n=5), method.recommend_for(profile, n=5)
        assert found.ids.tolist() == wanted.ids.tolist()
        assert np.array_equal(found.scores, wanted.scores)


def test_a_profile_may_be_a_frame(model, ratings):
    pandas = pytest.importorskip("pandas")
    user = ratings.user_ids.tolist()[7]
    rows = [{"item": item, **given} for item, given in ratings.of(user).items()]
    found = model.recommend_for(pandas.DataFrame(rows), n=5)
    assert found.ids.tolist() == model.recommend(user, n=5).ids.tolist()


def test_profiles_of_overall_ratings_and_of_nothing(method, ratings):
    method.fit(ratings)
    a, b = ratings.item_ids.tolist()[:2]
    found = method.recommend_for({a: 5, b: {"overall": 2, "food": 1}}, n=3)
    assert found.ids.shape == (3,) and not {a, b} & set(found.ids.tolist())
    nothing = method.recommend_for({}, n=3)
    assert nothing.popular is True
    assert (
        nothing.ids.tolist() == palate.Popularity().fit(ratings).recommend_for({}, n=3).ids.tolist()
    )
    with pytest.raises(ValueError, match="NaN"):
        method.recommend_for({a: float("nan")})
    with pytest.raises(ValueError, match="not negative"):
        method.recommend_for({a: -1})
    with pytest.raises(KeyError, match="no criterion 'colour'"):
        method.recommend_for({a: {"colour": 3}})
    with pytest.raises(TypeError, match="a profile is"):
        method.recommend_for(7)


def test_similar_items(method, ratings):
    method.fit(ratings)
    first, second = ratings.item_ids.tolist()[:2]
    if isinstance(method, palate.Popularity):
        with pytest.raises(palate.UnsupportedError, match="cannot find similar items"):
            method.similar_items(first)
        return
    ids, scores = method.similar_items(first, n=5)
    assert first not in ids.tolist() and len(ids) <= 5 and np.all(np.diff(scores) <= 0)
    both = method.similar_items([first, second], n=5)
    assert len(list(both.lists())) == 2
    assert next(both.lists())[0].tolist() == ids.tolist()
    pytest.importorskip("pandas")
    assert "similar_to" in both.to_frame().columns


def test_parts_of_an_explanation_add_up_to_the_score(method, ratings):
    method.fit(ratings)
    for user in ratings.user_ids.tolist()[:5]:
        ids, scores = method.recommend(user, n=2)
        for item, score in zip(ids.tolist(), scores.tolist()):
            why = method.explain(user, item)
            assert why.score == pytest.approx(score, rel=1e-4)
            assert why.baseline + sum(why.by_criterion.values()) == pytest.approx(
                why.score, rel=1e-9
            )
            assert why.baseline + sum(why.by_item.values()) == pytest.approx(why.score, rel=1e-9)
            assert set(why.by_item) <= set(ratings.of(user))
            sizes = np.abs(list(why.by_item.values()))
            assert np.all(np.diff(sizes) <= 1e-12)
            assert why.matrix()[1].sum() + why.baseline == pytest.approx(why.score, rel=1e-9)


def test_an_explanation_as_text_and_as_a_frame(model, ratings):
    user = ratings.user_ids.tolist()[0]
    item = model.recommend(user, n=1).ids.tolist()[0]
    why = model.explain(user, item, weights={"service": 3.0})
    assert [(dial.criterion, dial.weight) for dial in why.dials] == [("service", 3.0)]
    assert why.by_criterion == model.explain(user, item).by_criterion
    assert model.explain(user, item, weights=[1, 1, 3]).dials == why.dials
    added = model.attributions(user, [item])
    assert added[0] == pytest.approx(list(why.by_criterion.values()), rel=1e-4)
    assert "food" in str(why) and why.title in str(why)
    assert model.explain_for(ratings.of(user), item).score == pytest.approx(model.explain(user, item).score)  # fmt: skip
    pytest.importorskip("pandas")
    frame = why.to_frame()
    assert list(frame.columns) == ["item", "title", "criterion", "rating", "value"]
    dialled = sum(dial.value for dial in why.dials)
    assert frame["value"].sum() + dialled == pytest.approx(why.score)
    for row in frame.head(5).itertuples():
        assert ratings.of(user)[row.item][row.criterion] == row.rating


@pytest.mark.parametrize(
    "weights, sentence",
    [
        ({"colour": 1.0}, "no criterion 'colour'"),
        ({"food": -1.0}, "from 0 to"),
        ({"food": float("nan")}, "NaN"),
        ([1.0, 2.0], "2 weights for 3 criteria"),
    ],
)
def test_weights_that_mean_nothing_are_refused(model, ratings, weights, sentence):
    with pytest.raises(ValueError, match=sentence):
        model.recommend(ratings.user_ids.tolist()[0], weights=weights)


def test_dials_work_with_a_method_that_knows_no_criteria(ratings):
    model = palate.ItemKNN().fit(ratings)
    user = ratings.user_ids.tolist()[0]
    turned = model.recommend(user, n=1, weights={"food": 4.0})
    why = model.explain(user, turned.ids.tolist()[0], weights={"food": 4.0})
    assert why.dials[0].criterion == "food" and why.dials[0].value != 0
    assert why.score == pytest.approx(float(turned.scores[0]), rel=1e-5)


def test_someone_without_ratings_gets_what_is_popular():
    ratings = palate.as_ratings([np.array([[4, 5], [3, 0], [0, 0]])], user_ids=["a", "b", "quiet"])
    found = (
        palate.CAGF(filters="linear").fit(ratings).recommend(["a", "quiet"], n=2, filter_seen=False)
    )
    assert found.popular.tolist() == [False, True]
    assert found.ids[1].tolist() == [0, 1]


def test_files_hold_the_whole_model(method, ratings, tmp_path):
    method.fit(ratings)
    method.save(tmp_path / "m.palate")
    again = palate.load(tmp_path / "m.palate")
    assert type(again) is type(method)
    assert same_ratings(again.ratings_, ratings)
    assert np.array_equal(again.recommend(n=5).scores, method.recommend(n=5).scores)
    assert type(method).load(tmp_path / "m.palate").info()["users"] == ratings.n_users
    twin = type(again)(**again.get_params()).fit(ratings)
    assert np.array_equal(twin.recommend(n=5).ids, method.recommend(n=5).ids)
    other = palate.ItemKNN if not isinstance(method, palate.ItemKNN) else palate.Popularity
    with pytest.raises(ValueError, match=f"not a {other.__name__}"):
        other.load(tmp_path / "m.palate")


def test_files_that_are_no_models(tmp_path, model):
    with pytest.raises(FileNotFoundError):
        palate.load(tmp_path / "none.palate")
    (tmp_path / "text.palate").write_text("not a model")
    with pytest.raises(ValueError, match="text.palate"):
        palate.load(tmp_path / "text.palate")
    model.save(tmp_path / "m.palate")
    content = (tmp_path / "m.palate").read_bytes()
    (tmp_path / "cut.palate").write_bytes(content[: len(content) // 2])
    with pytest.raises(palate.CorruptFileError):
        palate.load(tmp_path / "cut.palate")
    with pytest.raises(OSError):
        model.save(tmp_path / "no such folder" / "m.palate")


def test_models_pickle_and_copy(method, ratings):
    unfitted = pickle.loads(pickle.dumps(method))
    assert unfitted.get_params() == method.get_params()
    method.fit(ratings)
    wanted = method.recommend(n=5)
    for twin in (pickle.loads(pickle.dumps(method)), copy.deepcopy(method), copy.copy(method)):
        assert type(twin) is type(method) and twin.get_params() == method.get_params()
        found = twin.recommend(n=5)
        assert np.array_equal(found.ids, wanted.ids) and np.array_equal(found.scores, wanted.scores)
        assert twin.ratings_.user_ids.dtype == ratings.user_ids.dtype
    again = pickle.loads(pickle.dumps(wanted))
    assert np.array_equal(again.ids, wanted.ids) and again.asked.tolist() == wanted.asked.tolist()


def test_text_ids_that_look_like_numbers_survive_a_pickle():
    ratings = palate.as_ratings({"user": ["1", "2"], "item": ["7", "7"], "overall": [4, 5]})
    model = pickle.loads(pickle.dumps(palate.Popularity().fit(ratings)))
    assert model.recommend("1", filter_seen=False).ids.tolist() == ["7"]


def test_ratings_pickle_with_their_parts_in_step(parts):
    train, test = pickle.loads(pickle.dumps(parts))
    assert same_ratings(train, parts.train) and same_ratings(test, parts.test)
    assert train.item_titles.tolist() == parts.train.item_titles.tolist()
    assert train.times.tolist() == parts.train.times.tolist()
    assert train.scales == parts.train.scales
    assert copy.deepcopy(train) is train


def test_lists_do_not_depend_on_threads(method, ratings):
    one = method.fit(ratings, threads=1).recommend(n=5, threads=1)
    two = method.fit(ratings, threads=2).recommend(n=5, threads=2)
    assert np.array_equal(one.ids, two.ids) and np.array_equal(one.scores, two.scores)
    for bad, kind in ((0, ValueError), (-1, ValueError), (1.5, TypeError)):
        with pytest.raises(kind, match="threads"):
            method.fit(ratings, threads=bad)


def test_many_threads_may_ask_one_model(method, ratings):
    method.fit(ratings)
    users = ratings.user_ids.tolist() * 3
    wanted = {user: method.recommend(user, n=5).ids.tolist() for user in set(users)}
    with ThreadPoolExecutor(8) as pool:
        lists = list(pool.map(lambda user: method.recommend(user, n=5).ids.tolist(), users))
    assert lists == [wanted[user] for user in users]


def test_filters_by_name_by_criterion_and_by_object(ratings):
    by_name = palate.CAGF(filters="outward:0.85").fit(ratings)
    by_object = palate.CAGF(filters=palate.outward(0.85)).fit(ratings)
    each = palate.CAGF(filters={c: palate.Filter((2, -1), 0.85) for c in ratings.criteria})
    assert by_name.filters_ == by_object.filters_ == each.fit(ratings).filters_
    assert np.array_equal(by_name.recommend(n=3).scores, each.recommend(n=3).scores)
    assert palate.CAGF(filters=None).fit(ratings).filters_["food"] == palate.linear()
    for bad, kind, sentence in (
        ("sideways", ValueError, "sideways"),
        ({"colour": "linear"}, ValueError, "no criterion 'colour'"),
        ({"food": 3}, TypeError, "a filter is"),
        ("ym", ValueError, "5 criteria"),
    ):
        with pytest.raises(kind, match=sentence):
            palate.CAGF(filters=bad).fit(ratings)


def test_automatic_filters_are_those_that_choose_filters_finds(ratings):
    model = palate.CAGF(seed=5).fit(ratings)
    choice = palate.choose_filters(ratings, seed=5)
    assert model.choice_ == choice and model.filters_ == choice.filters
    assert model.preference_ == choice.preference
    assert choice.end >= choice.start and len(choice.steps) > 10
    assert palate.CAGF(filters="linear").fit(ratings).choice_ is None


def test_adaptive_finds_its_settings_and_a_file_remembers_how(ratings, tmp_path):
    model = palate.Adaptive().fit(ratings)
    choice = palate.tune(ratings)
    assert model.choice_ == choice and choice.seed == 1 and choice.validation == 0.1
    simple = {step.tried.split(",")[0] for step in choice.against}
    assert {"popularity", "plain linear filters", "EASE^R"} <= simple
    shown = repr(choice)
    assert "worth" in shown and "but with" in shown and "popularity" in shown
    model.save(tmp_path / "m.palate")
    again = palate.load(tmp_path / "m.palate")
    assert again.choice_ == choice
    assert pickle.loads(pickle.dumps(again)).choice_ == choice
    assert palate.Adaptive(lambda_=3.0).fit(ratings).choice_ is None
    assert palate.CAGF(filters="linear", preference=None).fit(ratings).preference_ is None


@pytest.mark.parametrize(
    "params, kind, sentence",
    [
        (dict(preference="much"), ValueError, "a number, None or 'auto'"),
        (dict(variant="z"), ValueError, "no variant 'z'"),
        (dict(solver="z"), ValueError, "no solver 'z'"),
        (dict(neighbours=0), ValueError, "neighbours=0"),
        (dict(neighbours=1.5), TypeError, "neighbours"),
    ],
)
def test_parameters_that_mean_nothing_are_refused(ratings, params, kind, sentence):
    with pytest.raises(kind, match=sentence):
        palate.CAGF(filters="linear", **params).fit(ratings)


def test_memory_that_does_not_suffice_is_said_before_the_work(ratings):
    with pytest.raises(MemoryError):
        palate.CAGF(filters="linear", neighbours=40).fit(ratings, memory=1000)
    palate.CAGF(filters="linear").fit(ratings, memory="1GB")
    for bad in ("lots", 0, "0"):
        with pytest.raises(ValueError, match="memory"):
            palate.CAGF(filters="linear").fit(ratings, memory=bad)


def test_a_failed_fit_leaves_the_model_as_it_was(ratings):
    model = palate.CAGF(filters="linear").fit(ratings)
    before = model.recommend(n=3).ids.tolist()
    with pytest.raises(ValueError):
        model.set_params(filters="sideways").fit(ratings)
    assert model.recommend(n=3).ids.tolist() == before


def test_asking_before_fitting_is_an_error(method):
    for call in (
        lambda: method.recommend(1),
        lambda: method.recommend_for({}),
        lambda: method.similar_items(1),
        lambda: method.explain(1, 1),
        lambda: method.save("x"),
        lambda: method.info(),
        lambda: method.criteria_,
        lambda: palate.evaluate(method, None),
    ):
        with pytest.raises(palate.NotFittedError, match="call fit first"):
            call()


@pytest.mark.parametrize(
    "n, kind", [(0, ValueError), (-3, ValueError), (2.5, TypeError), (True, TypeError)]
)
def test_a_list_has_a_whole_number_of_places(model, ratings, n, kind):
    with pytest.raises(kind, match="n"):
        model.recommend(ratings.user_ids.tolist()[0], n=n)


def test_nothing_allowed_is_a_wrong_call_and_nobody_asked_is_fine(model, ratings):
    with pytest.raises(ValueError, match="items is empty"):
        model.recommend(ratings.user_ids.tolist()[0], items=[])
    assert model.recommend([], n=3).ids.shape[0] == 0


def test_fit_takes_what_as_ratings_takes(ratings):
    pytest.importorskip("scipy")
    columns = {("guest" if k == "user" else k): v for k, v in ratings.to_columns().items()}
    one = palate.OverallOnly().fit(columns, user="guest", item="item")
    two = palate.OverallOnly().fit(ratings.to_matrices())
    assert np.array_equal(one.recommend(n=5).scores, two.recommend(n=5).scores)
