"""Recommendation from ratings on several criteria, with reasons.

>>> import palate
>>> ratings = palate.synthesize(users=300, items=80, criteria=["food", "service"], seed=1)
>>> train, test = palate.split(ratings, 0.2, seed=7)
>>> model = palate.Adaptive().fit(train)
>>> ids, scores = model.recommend(train.user_ids[0], n=5, weights={"service": 2.0})
>>> why = model.explain(train.user_ids[0], ids[0])
>>> marks = palate.evaluate(model, test)
>>> marks["ndcg@10"] > 0
True
"""

from . import _methods
from ._choice import Choice, choose_filters, tune
from ._errors import (
    CorruptFileError,
    DataError,
    Error,
    FileError,
    InternalError,
    NotFittedError,
    NotFoundError,
    TooLargeError,
    UnsupportedError,
    UsageError,
)
from ._evaluation import Comparison, Difference, Evaluation, compare, evaluate, evaluate_lists
from ._filters import Filter, inward, linear, outward
from ._input import as_ratings, read, read_split, synthesize
from ._methods import *  # noqa: F403  (a class for each method, made from its description)
from ._models import CAGF, load
from ._palate import version as __version__
from ._plots import plot_attributions, plot_responses
from ._ratings import Ratings, Split, SplitInThree, folds, split
from ._recommender import Recommender
from ._results import Explanation, Recommendations

__all__ = [
    "CAGF",
    "Choice",
    "Comparison",
    "CorruptFileError",
    "DataError",
    "Difference",
    "Error",
    "Evaluation",
    "Explanation",
    "FileError",
    "Filter",
    "InternalError",
    "NotFittedError",
    "NotFoundError",
    "Ratings",
    "Recommendations",
    "Recommender",
    "Split",
    "SplitInThree",
    "TooLargeError",
    "UnsupportedError",
    "UsageError",
    "__version__",
    "as_ratings",
    "choose_filters",
    "compare",
    "evaluate",
    "evaluate_lists",
    "folds",
    "inward",
    "linear",
    "load",
    "outward",
    "plot_attributions",
    "plot_responses",
    "read",
    "read_split",
    "split",
    "synthesize",
    "tune",
]
__all__ += _methods.__all__
