"""What people may hand in, and what they get for it."""

import numpy as np
import pytest
from conftest import same_ratings, through_matrices

import palate

nan = float("nan")
WIDE = {
    "user": ["bob", "ann", "ann"],
    "beer": [20, 3, 20],
    "overall": [4.0, 3.0, 4.5],
    "aroma": [nan, 2.0, 5.0],
    "taste": [3.5, nan, nan],
}


def wide() -> palate.Ratings:
    return palate.as_ratings({name: np.array(column) for name, column in WIDE.items()})


def test_columns_become_ratings_by_user_and_item():
    ratings = wide()
    assert ratings.criteria == ("overall", "aroma", "taste")
    assert ratings.user_ids.tolist() == ["ann", "bob"]
    assert ratings.item_ids.tolist() == [3, 20]
    assert ratings.item_ids.dtype == np.int64
    assert ratings.of("ann") == {
        3: {"overall": 3.0, "aroma": 2.0},
        20: {"overall": 4.5, "aroma": 5.0},
    }
    assert ratings.of("bob") == {20: {"overall": 4.0, "taste": 3.5}}
    assert len(ratings) == 3 and ratings.shape == (2, 2, 3)
    assert ratings.scales["aroma"] == (2.0, 5.0) and ratings.counts["aroma"] == 2
    assert "ann" in ratings and "zoe" not in ratings and 3 not in ratings


def test_a_pandas_frame_of_any_shape_of_columns():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(WIDE)
    assert same_ratings(palate.as_ratings(frame), wide())
    frame["user"] = frame["user"].astype("category")
    frame["overall"] = frame["overall"].astype("Float64")
    frame["aroma"] = frame["aroma"].astype("float32")
    frame["taste"] = pandas.array([4, None, None], dtype="Int64")
    frame.index = [7, 7, 9]
    ratings = palate.as_ratings(frame)
    assert ratings.of("bob") == {20: {"overall": 4.0, "taste": 4.0}}
    assert ratings.user_ids.tolist() == ["ann", "bob"]


def test_the_title_of_a_review_is_no_title_of_the_item():
    rows = {
        "author": [f"p{k % 40}" for k in range(200)],
        "airline_name": [f"air-{k % 7}" for k in range(200)],
        "title": [f"Air {k % 7} customer review" for k in range(200)],
        "overall_rating": [1 + k * 7 % 5 for k in range(200)],
        "seat_rating": [1 + k * 3 % 5 for k in range(200)],
    }
    assert palate.as_ratings(rows).item_titles is None
    assert palate.as_ratings(rows, criteria=["seat_rating"]).item_titles is None
    assert palate.as_ratings(rows, title="title").item_titles is not None
    rows["title"] = [f"Air {k % 7}" for k in range(200)]
    assert palate.as_ratings(rows).item_titles[0] == "Air 0"


def test_a_polars_frame():
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({**WIDE, "taste": [3.5, None, None]})
    assert same_ratings(palate.as_ratings(frame), wide())
    assert same_ratings(palate.as_ratings(frame.lazy()), wide())
    words = frame.with_columns(polars.col("user").cast(polars.Categorical))
    assert same_ratings(palate.as_ratings(words), wide())


def test_an_arrow_table_and_parquet(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = pyarrow.table({**WIDE, "taste": [3.5, None, None]})
    assert same_ratings(palate.as_ratings(table), wide())
    parquet.write_table(table, tmp_path / "beers.parquet")
    assert same_ratings(palate.read(tmp_path / "beers.parquet"), wide())


def test_a_structured_array():
    rows = np.array(
        [(1, 5, 4.0, 3.0), (2, 5, 2.0, nan)],
        dtype=[("user", "i4"), ("item", "u1"), ("rating", "f4"), ("food", "f8")],
    )
    ratings = palate.as_ratings(rows)
    assert ratings.of(1) == {5: {"overall": 4.0, "food": 3.0}}
    assert ratings.of(2) == {5: {"overall": 2.0}}


def long_rows():
    return {
        "user": ["bob", "bob", "ann", "ann", "ann", "ann"],
        "beer": [20, 20, 3, 3, 20, 20],
        "criterion": ["overall", "taste", "overall", "aroma", "overall", "aroma"],
        "rating": [4.0, 3.5, 3.0, 2.0, 4.5, 5.0],
    }


def test_a_long_table_is_the_same_as_a_wide_one():
    ratings = palate.as_ratings(long_rows(), criteria=["aroma", "taste"])
    assert same_ratings(ratings, wide())
    renamed = long_rows()
    renamed["which"] = renamed.pop("criterion")
    renamed["points"] = renamed.pop("rating")
    again = palate.as_ratings(
        renamed, criterion="which", rating="points", criteria=["aroma", "taste"]
    )
    assert same_ratings(again, wide())


@pytest.mark.parametrize("rule, kept", [("last", 1.0), ("first", 5.0), ("mean", 3.0)])
@pytest.mark.parametrize("is_long", [False, True])
def test_repeated_pairs_are_settled_by_the_rule(rule, kept, is_long):
    rows = {"user": ["a", "a"], "item": ["x", "x"]}
    rows["rating" if is_long else "overall"] = [5.0, 1.0]
    if is_long:
        rows["criterion"] = ["overall", "overall"]
    assert palate.as_ratings(rows, duplicates=rule).of("a") == {"x": {"overall": kept}}
    with pytest.raises(ValueError, match="more than once"):
        palate.as_ratings(rows, duplicates="error")
    with pytest.raises(ValueError, match="no rule"):
        palate.as_ratings(rows, duplicates="best")


@pytest.mark.parametrize("is_long", [False, True])
def test_the_newest_counts_where_times_are_known(is_long):
    rows = {
        "user": ["a", "a"],
        "item": ["x", "x"],
        "rating": [5.0, 1.0],
        "timestamp": np.array(["2020-01-02", "2020-01-01"], dtype="datetime64[D]"),
    }
    if is_long:
        rows["criterion"] = ["overall", "overall"]
    ratings = palate.as_ratings(rows)
    assert ratings.of("a") == {"x": {"overall": 5.0}}
    assert ratings.times.tolist() == [1577923200]


def test_times_may_be_seconds_or_milliseconds_and_may_be_missing():
    rows = {"user": [1, 2, 3], "item": [1, 1, 1], "overall": [1, 2, 3]}
    rows["time"] = [1.5e9, 1.5e12, nan]
    times = palate.as_ratings(rows).times.tolist()
    assert times == [1_500_000_000, 1_500_000_000, np.iinfo(np.int64).min]


def test_titles_come_along():
    rows = {"user": [1, 2], "item": [7, 7], "title": ["Seven", "Seven"], "overall": [4, 5]}
    assert palate.as_ratings(rows).item_titles.tolist() == ["Seven"]
    assert palate.as_ratings({k: v for k, v in rows.items() if k != "title"}).item_titles is None


def test_zero_is_not_rated_unless_told():
    rows = {"user": [1, 2], "item": [1, 1], "overall": [4, 3], "food": [0, 2]}
    assert palate.as_ratings(rows).of(1) == {1: {"overall": 4.0}}
    assert palate.as_ratings(rows, zero_is_missing=False).of(1) == {1: {"overall": 4.0, "food": 0}}


OVERALL = np.array([[5, 0, 3], [0, 4, 1]])
SERVICE = np.array([[4, 0, 0], [2, 4, 0]])


def expected():
    return {
        0: {0: {"overall": 5.0, "service": 4.0}, 2: {"overall": 3.0}},
        1: {0: {"service": 2.0}, 1: {"overall": 4.0, "service": 4.0}, 2: {"overall": 1.0}},
    }


@pytest.mark.parametrize(
    "kind", ["csr_matrix", "csr_array", "csc_matrix", "coo_array", "lil_matrix"]
)
@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int64, np.float32, np.float64])
def test_sparse_matrices_of_any_format_and_type(kind, dtype):
    sparse = pytest.importorskip("scipy.sparse")
    make = getattr(sparse, kind)
    given = [make(OVERALL.astype(dtype)), make(SERVICE.astype(dtype))]
    ratings = palate.as_ratings(given, criteria=["service"])
    assert {u: ratings.of(u) for u in (0, 1)} == expected()


@pytest.mark.parametrize(
    "given", [list, tuple, np.array, lambda m: dict(zip(["overall", "service"], m))]
)
def test_dense_matrices_in_any_container(given):
    ratings = palate.as_ratings(given([OVERALL, SERVICE]))
    assert ratings.criteria in {("overall", "service"), ("overall", "criterion1")}
    values = {u: ratings.of(u) for u in (0, 1)}
    assert str(values).replace("criterion1", "service") == str(expected())
    holes = np.where(OVERALL == 0, nan, OVERALL)
    assert palate.as_ratings([holes]).of(0) == {0: {"overall": 5.0}, 2: {"overall": 3.0}}


def test_one_matrix_is_overall_ratings():
    sparse = pytest.importorskip("scipy.sparse")
    assert palate.as_ratings(sparse.csr_matrix(OVERALL)).criteria == ("overall",)
    assert palate.as_ratings(OVERALL).criteria == ("overall",)


def test_matrices_have_ids_of_their_own_if_given():
    ratings = palate.as_ratings([OVERALL], user_ids=["z", "a"], item_ids=[30, 10, 20])
    assert ratings.user_ids.tolist() == ["a", "z"]
    assert ratings.item_ids.tolist() == [10, 20, 30]
    assert ratings.of("z") == {20: {"overall": 3.0}, 30: {"overall": 5.0}}


def test_what_is_handed_in_is_not_changed():
    sparse = pytest.importorskip("scipy.sparse")
    unsorted = sparse.csr_matrix(
        (np.array([3.0, 0.0, 5.0]), np.array([2, 1, 0]), np.array([0, 3])), shape=(1, 3)
    )
    before = unsorted.data.copy(), unsorted.indices.copy()
    assert palate.as_ratings([unsorted]).of(0) == {0: {"overall": 5.0}, 2: {"overall": 3.0}}
    assert np.array_equal(unsorted.data, before[0]) and np.array_equal(unsorted.indices, before[1])


def test_round_trips():
    ratings = wide()
    assert same_ratings(palate.as_ratings(ratings.to_columns()), ratings)
    assert palate.as_ratings(ratings) is ratings
    pytest.importorskip("scipy")
    assert same_ratings(through_matrices(ratings), ratings)
    pytest.importorskip("pandas")
    assert same_ratings(palate.as_ratings(ratings.to_frame()), ratings)


def test_files_go_out_and_come_in(tmp_path, ratings):
    for name, write in (("r.csv", ratings.to_csv), ("r.csv.gz", ratings.to_csv)):
        write(tmp_path / name)
        again = palate.read(tmp_path / name)
        assert same_ratings(again, ratings)
        assert again.report["kept"] == len(ratings) and "user" in again.report["text"]
    ratings.to_inter(tmp_path / "r.inter")
    assert len(palate.as_ratings(tmp_path / "r.inter")) == len(ratings)


def test_ids_of_a_file_are_integers_if_all_are_written_so(tmp_path):
    file = tmp_path / "r.csv"
    file.write_text("user,item,overall\n1,07,4\n2,7,3\n")
    ratings = palate.read(file)
    assert ratings.user_ids.tolist() == [1, 2] and ratings.item_ids.tolist() == ["07", "7"]
    assert palate.read(file, ids="str").user_ids.tolist() == ["1", "2"]
    with pytest.raises(ValueError, match="integers"):
        palate.read(file, ids="int")


def test_bad_rows_of_a_file_are_a_warning_or_an_error(tmp_path):
    file = tmp_path / "r.csv"
    file.write_text("user,item,overall\na,x,4\na,y,many\n")
    with pytest.warns(UserWarning, match="line 3"):
        assert len(palate.read(file)) == 1
    with pytest.raises(ValueError, match="line 3"):
        palate.read(file, strict=True)


def test_negative_and_large_integers_stay_what_they_are():
    rows = {"user": np.array([-5, 2**62]), "item": np.array([0, 0]), "overall": [1, 2]}
    ratings = palate.as_ratings(rows)
    assert sorted(ratings.user_ids.tolist()) == [-5, 2**62]
    assert ratings.of(-5) == {0: {"overall": 1.0}}


def test_text_of_any_script_and_even_broken_text_is_an_id():
    odd = ["Zoë", "日本酒", 'a,b"c', "🍺", "\udcff", "line\nend"]
    ratings = palate.as_ratings({"user": odd, "item": odd, "overall": [3] * len(odd)})
    assert sorted(ratings.user_ids.tolist()) == sorted(odd)
    assert all(ratings.of(one) == {one: {"overall": 3.0}} for one in odd)


def test_a_test_part_may_be_laid_over_the_ids_of_train():
    train = palate.as_ratings(
        {"user": ["a", "b"], "item": ["x", "y"], "overall": [4, 5], "food": [1, 2]}
    )
    later = {"user": ["b", "c"], "item": ["x", "x"], "overall": [3, 2]}
    with pytest.raises(KeyError, match="'c' is not known"):
        palate.as_ratings(later, like=train)
    test = palate.as_ratings(later, like=train, unknown="drop")
    assert test.user_ids.tolist() == ["a", "b"] and test.criteria == train.criteria
    assert test.of("b") == {"x": {"overall": 3.0}} and test.of("a") == {}
    with pytest.raises(KeyError, match="no criterion 'price '"):
        palate.as_ratings({**later, "price ": [1, 1]}, like=train, criteria=["price "])
    rows = palate.as_ratings([OVERALL], user_ids=["b", "q"], item_ids=["x", "y", "z"], like=train, unknown="drop")  # fmt: skip
    assert rows.of("b") == {"x": {"overall": 5.0}}
    with pytest.raises(ValueError, match="ratings already"):
        palate.as_ratings(train, user="user")
    with pytest.raises(ValueError, match="other users"):
        palate.as_ratings(palate.as_ratings(later), like=train)


# ------------------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    "data, kind, sentence",
    [
        (5, TypeError, "cannot take ratings from int; pass a pandas or polars frame"),
        ([], TypeError, "empty list"),
        ([1, 2], TypeError, "a list of int"),
        (np.zeros(3), TypeError, "1 dimension"),
        ({"user": [1], "overall": [1]}, ValueError, "no column looks like the item"),
        ({"item": [1], "overall": [1]}, ValueError, "no column looks like the user"),
        ({"user": [1], "item": [1]}, ValueError, "no column looks like the overall rating"),
        ({"user": [], "item": [], "overall": []}, ValueError, "no rows"),
        ({"user": [1.5], "item": [1], "overall": [1]}, TypeError, "must be integers or text"),
        ({"user": [True], "item": [1], "overall": [1]}, TypeError, "must be integers or text"),
        ({"user": [1, "a"], "item": [1, 1], "overall": [1, 2]}, TypeError, "all integers or all text"),
        ({"user": ["a", None], "item": [1, 1], "overall": [1, 2]}, ValueError, "row 1: the user id is missing"),
        ({"user": [1.0, nan], "item": [1, 1], "overall": [1, 2]}, ValueError, "row 1: the user id is missing"),
        ({"user": [1, 2], "item": ["", "x"], "overall": [1, 2]}, ValueError, "item id is empty"),
        ({"user": [1, 2], "item": [1, 1], "overall": [1, -2]}, ValueError, "row 1: a rating must be"),
        ({"user": [1, 2], "item": [1, 1], "overall": [1, float("inf")]}, ValueError, "row 1: a rating must be"),
        ({"user": [1, 2], "item": [1, 1], "overall": [1, nan]}, ValueError, "row 1: there is no rating"),
        ({"user": [1, 2], "item": [1, 1], "overall": ["4", "good"]}, ValueError, "row 1: 'good' is not a rating"),
        ({"user": [2**63], "item": [1], "overall": [1]}, ValueError, "64 bits"),
    ],
)  # fmt: skip
def test_unusable_data_are_refused_with_a_sentence(data, kind, sentence):
    with pytest.raises(kind, match=sentence):
        palate.as_ratings(data)


@pytest.mark.parametrize(
    "call, kind, sentence",
    [
        (dict(data=[OVERALL, SERVICE.T]), ValueError, "looks transposed"),
        (dict(data=[OVERALL, SERVICE[:1]]), ValueError, "matrix 1 has the shape 1 x 3"),
        (dict(data=[OVERALL], user_ids=[1, 2, 3], item_ids=[1, 2]), ValueError, "look transposed"),
        (dict(data=[OVERALL], user_ids=[1, 2, 3]), ValueError, "3 user ids for 2 rows"),
        (dict(data=[OVERALL], item_ids=["a", "a", "b"]), ValueError, "given twice"),
        (dict(data=[OVERALL], criteria=["a", "b"]), ValueError, "2 criteria are named"),
        (dict(data=[OVERALL], user="u"), ValueError, "names a column, but matrices have none"),
        (dict(data=[OVERALL.astype(complex)]), TypeError, "not numbers"),
        (dict(data=[-OVERALL]), ValueError, "not negative"),
        (dict(data=WIDE, user="nobody"), KeyError, "no column 'nobody'"),
        (dict(data=WIDE, user_ids=[1]), ValueError, "go with matrices"),
        (dict(data={**WIDE, "when": ["a", "b", "c"]}, time="when"), TypeError, "not times"),
        (dict(data={**WIDE, "taste": [1.0, 2.0]}), ValueError, "'taste' has 2 rows, the user column 3"),
        (dict(data={**WIDE, "beer": [1, 2]}), ValueError, "'beer' has 2 rows, the user column 3"),
        (dict(data={**long_rows(), "rating": [1.0]}), ValueError, "'rating' has 1 rows"),
        (dict(data=WIDE, unknown="maybe"), ValueError, "unknown='maybe'"),
        (dict(data=long_rows(), overall="smell"), ValueError, "none of the criteria is the overall"),
    ],
)  # fmt: skip
def test_wrong_calls_are_refused_with_a_sentence(call, kind, sentence):
    with pytest.raises(kind, match=sentence):
        palate.as_ratings(**call)


def test_stored_nan_and_doubled_entries_of_a_sparse_matrix_are_refused():
    sparse = pytest.importorskip("scipy.sparse")
    with pytest.raises(ValueError, match="stores NaN"):
        palate.as_ratings([sparse.csr_matrix(np.array([[1.0, nan]]))])
    twice = sparse.csr_matrix(
        (np.array([1.0, 2.0]), np.array([0, 0]), np.array([0, 2])), shape=(1, 2)
    )
    with pytest.raises(ValueError, match="stores a rating twice"):
        palate.as_ratings([twice])


def test_files_that_are_not_there_or_no_ratings(tmp_path):
    with pytest.raises(FileNotFoundError, match="no such file"):
        palate.read(tmp_path / "none.csv")
    empty = tmp_path / "empty.csv"
    empty.write_text("")
    with pytest.raises(ValueError, match="empty"):
        palate.read(empty)
    with pytest.raises(ValueError, match="wide"):
        palate.as_ratings(empty, criterion="c")
    file = tmp_path / "r.csv"
    file.write_text("user,item,overall\na,x,4\n")
    with pytest.raises(ValueError, match="no column"):
        palate.read(file, user="nobody")
    with pytest.raises(ValueError, match="no test part"):
        palate.read_split(file)


def films(tmp_path, cell):
    rows = [
        f"u{k % 20},f{k // 20},{1 + k * 7 % 5},{1 + (k * 3 + k // 20) % 5},{k % 2}"
        for k in range(400)
    ]
    rows[7] = f"u7,f0,4,{cell},1"
    path = tmp_path / "films.csv"
    path.write_text("user,film,overall,story,seen\n" + "\n".join(rows) + "\n")
    return path


@pytest.mark.parametrize("cell", ["-3", "abc", "5000"])
def test_an_odd_cell_of_a_file_is_a_bad_row_and_its_column_a_criterion(tmp_path, cell):
    with pytest.warns(UserWarning, match="line 9"):
        ratings = palate.read(films(tmp_path, cell))
    assert ratings.criteria == ("overall", "story")
    assert ratings.report["bad_rows"] == 1
    assert ratings.report["first_bad_rows"][0][1:4] == (9, 4, "story")
    assert "0 and 1" in ratings.report["ignored_columns"]["seen"]


@pytest.mark.parametrize("repeats", [0, 30])
def test_rows_of_ratings_are_not_taken_for_a_matrix(repeats):
    rows = np.array([[k % 50, k // 50, 1 + k % 5] for k in range(1000)])
    rows = np.concatenate([rows, rows[:repeats]])
    with pytest.raises(ValueError, match="columns="):
        palate.as_ratings(rows)
    assert palate.as_ratings(rows, columns=["user", "item", "overall"]).n_interactions == 1000
    assert palate.as_ratings([rows]).n_items == 3, "in a list it is a matrix"


@pytest.mark.parametrize(
    "cell, why", [(-3, "not negative"), ("abc", "'abc' is not a rating"), (5000, "far above")]
)
@pytest.mark.parametrize("row", [7, 390])
def test_an_odd_cell_of_a_frame_is_a_row_set_aside(cell, why, row):
    story = [1 + (k * 3 + k // 20) % 5 for k in range(400)]
    story[row] = cell
    table = {
        "user": [f"u{k % 20}" for k in range(400)],
        "film": [f"f{k // 20}" for k in range(400)],
        "overall": [1 + k * 7 % 5 for k in range(400)],
        "story": story,
    }
    with pytest.warns(UserWarning, match=rf"1 of 400 rows .* row {row} \(story\): .*{why}"):
        ratings = palate.as_ratings(table)
    assert ratings.criteria == ("overall", "story")
    assert ratings.n_interactions == 399 and ratings.scales["story"] == (1, 5)
    with pytest.raises(ValueError, match=rf"story: row {row}: .*{why}"):
        palate.as_ratings(table, strict=True)


def test_rows_of_zeros_are_set_aside_and_say_what_to_pass():
    table = {
        "user": [f"u{k % 20}" for k in range(400)],
        "item": [f"i{k // 20}" for k in range(400)],
        "overall": [0 if k % 40 == 3 else 1 + k % 2 for k in range(400)],
    }
    with pytest.warns(UserWarning, match="10 of 400 rows .* row 3: .*zero_is_missing=False"):
        assert palate.as_ratings(table).n_interactions == 390
    assert palate.as_ratings(table, zero_is_missing=False).n_interactions == 400
    table["overall"] = [k % 2 for k in range(400)]
    with pytest.raises(ValueError, match="row 0: .*zero_is_missing=False"):
        palate.as_ratings(table)


def test_what_reading_is_told_besides_columns(tmp_path):
    path = films(tmp_path, "nix")
    assert palate.read(path, missing_words=["nix"]).report["bad_rows"] == 0
    with pytest.raises(ValueError, match="max_bad_rows="):
        palate.read(path, max_bad_rows=0)
    with pytest.raises(ValueError, match="with user="):
        palate.read(path, user="nobody")
    with pytest.warns(UserWarning, match="set aside"):
        assert palate.read(path, highest=4, delimiter=",").scales["overall"][1] == 4


def test_zeros_that_are_passed_over_are_a_warning(tmp_path):
    path = tmp_path / "small.csv"
    path.write_text("user,item,overall,fun\na,x,2,0\na,y,1,2\nb,x,2,1\n")
    with pytest.warns(UserWarning, match="zero_is_missing=False"):
        palate.read(path)
    assert palate.read(path, zero_is_missing=False).scales["fun"][0] == 0


def test_a_name_that_is_nearly_right_is_suggested(tmp_path):
    (tmp_path / "beers.csv").write_text("user,item,overall\na,x,2\n")
    with pytest.raises(FileNotFoundError, match="did you mean 'beers.csv'"):
        palate.read(tmp_path / "beer.csv")


def test_an_odd_cell_of_a_table_is_an_error_and_not_a_lost_criterion():
    rows = {"user": list("aabb"), "item": list("xyxy"), "overall": [1, 2, 3, 4]}
    with pytest.raises(ValueError, match="row 1: 'abc'"):
        palate.as_ratings({**rows, "fun": [4, "abc", 2, 5]})
    missing = palate.as_ratings({**rows, "fun": ["4", "n.a.", "2", "-"]})
    assert missing.counts["fun"] == 2
