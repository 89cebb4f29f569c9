"""Pictures show what they say."""

import numpy as np
import pytest

import palate

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402


@pytest.fixture(autouse=True)
def close():
    yield
    pyplot.close("all")


def words(ax):
    return " ".join(t.get_text() for t in [*ax.get_xticklabels(), *ax.get_yticklabels(), ax.title])


def test_an_explanation_is_a_map_of_items_by_criteria(model, ratings, tmp_path):
    user = ratings.user_ids.tolist()[0]
    why = model.explain(user, model.recommend(user, n=1).ids.tolist()[0])
    ax = why.plot(top=5)
    assert ax.images[0].get_array().shape == (5, 3)
    np.testing.assert_allclose(ax.images[0].get_array(), why.matrix(5)[1])
    assert "food" in words(ax) and why.title[:10] in words(ax)
    ax.figure.savefig(tmp_path / "why.png")
    mine = pyplot.subplots()[1]
    assert why.plot(ax=mine) is mine


def test_a_score_from_popularity_alone_has_a_picture_too(ratings):
    item = ratings.item_ids.tolist()[0]
    palate.Popularity().fit(ratings).explain_for({}, item).plot().figure.canvas.draw()


def test_attributions_of_a_list(model, ratings):
    user = ratings.user_ids.tolist()[0]
    ax = palate.plot_attributions(model, user, n=4)
    assert ax.images[0].get_array().shape == (4, 3)


def test_what_each_part_of_a_choice_gives(ratings):
    choice = palate.tune(ratings)
    ax = choice.plot()
    assert len(ax.patches) == len(choice.without) + len(choice.against)
    assert "over popularity" in words(ax)


def test_responses_of_filters(model):
    ax = model.plot_filters()
    assert len(ax.lines) == 3 + 1  # three shapes of filters, and the axis at 0
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert "outward: overall (s = 0.85)" in labels and "linear: service" in labels
    shared = palate.plot_responses({"a": "linear", "b": palate.linear(2)})
    assert [t.get_text() for t in shared.get_legend().get_texts()] == ["linear: a, b (s = 2)"]
    np.testing.assert_allclose(shared.lines[0].get_ydata(), 1 - shared.lines[0].get_xdata())
