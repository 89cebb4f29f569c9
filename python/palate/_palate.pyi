# The extension module: the public C++ API with arrays. The package palate is what people use.
from typing import Any, Callable, Optional, Union

import numpy as np
import numpy.typing as npt

_Ids = Union[list[str], npt.NDArray[np.int64]]
_Codes = npt.NDArray[np.uint32]
_Progress = Optional[Callable[[str, int, int], Any]]
_Weights = list[tuple[str, float]]
_PlainFilter = tuple[list[float], float]
_NamedFilters = list[tuple[str, list[float], float]]
_Lists = tuple[
    npt.NDArray[np.uint32], npt.NDArray[np.float32], npt.NDArray[np.int64], npt.NDArray[np.uint8]
]
_Profile = list[tuple[int, list[tuple[str, float]]]]
_Choice = tuple[_NamedFilters, float | None, float, float, int, list[tuple[str, float, bool]]]

version: str
no_time: int
error_kinds: list[tuple[str, str]]

class Ratings:
    @property
    def users(self) -> int: ...
    @property
    def items(self) -> int: ...
    @property
    def interactions(self) -> int: ...
    @property
    def criteria(self) -> list[tuple[str, float, float, int]]: ...
    @property
    def has_times(self) -> bool: ...
    @property
    def has_titles(self) -> bool: ...
    def texts(self, of_users: bool) -> list[str]: ...
    def numbers(self, of_users: bool) -> npt.NDArray[np.int64] | None: ...
    def find(self, of_users: bool, ids: _Ids) -> _Codes: ...
    def titles(self) -> list[str]: ...
    def offsets(self) -> npt.NDArray[np.int64]: ...
    def item_index(self) -> _Codes: ...
    def values(self) -> npt.NDArray[np.float32]: ...
    def present(self) -> npt.NDArray[np.uint32]: ...
    def times(self) -> npt.NDArray[np.int64]: ...

class Settings: ...

class Model:
    @property
    def ratings(self) -> Ratings: ...
    def info(self) -> dict[str, Any]: ...
    def recommend(
        self,
        users: _Codes | None,
        top: int,
        exclude_seen: bool,
        weights: _Weights,
        allow: _Codes | None,
        deny: _Codes | None,
        threads: int,
        progress: _Progress,
    ) -> _Lists: ...
    def recommend_for(
        self,
        profile: _Profile,
        top: int,
        exclude_seen: bool,
        weights: _Weights,
        allow: _Codes | None,
        deny: _Codes | None,
    ) -> _Lists: ...
    def similar(self, items: _Codes, top: int) -> _Lists: ...
    def explain(self, user: int, item: int, weights: _Weights) -> dict[str, Any]: ...
    def explain_for(self, profile: _Profile, item: int, weights: _Weights) -> dict[str, Any]: ...
    def attributions(
        self, user: int, items: _Codes, weights: _Weights
    ) -> npt.NDArray[np.float64]: ...
    def save(self, path: str) -> None: ...
    @staticmethod
    def load(path: str) -> Model: ...

class Evaluation:
    def __init__(self) -> None: ...
    name: str
    metrics: list[str]
    mean: dict[str, float]
    users: list[int]
    per_user: list[list[float]]
    relevance: str
    seconds: list[tuple[str, float]]

def make_ratings(
    criteria: list[str],
    users: _Ids,
    items: _Ids,
    user: _Codes,
    item: _Codes,
    values: npt.NDArray[np.float32],
    times: npt.NDArray[np.int64] | None,
    titles: list[str] | None,
    scales: list[tuple[float, float]],
    duplicates: str,
) -> Ratings: ...
def subset(ratings: Ratings, keep: npt.NDArray[np.uint8]) -> Ratings: ...
def split(
    ratings: Ratings, rule: str, test: float, validation: float, seed: int
) -> tuple[Ratings, Ratings, Ratings | None]: ...
def folds(ratings: Ratings, k: int, seed: int) -> list[tuple[Ratings, Ratings]]: ...
def read(
    like: Ratings | None,
    path: str,
    columns: dict[str, str],
    criteria: list[str],
    duplicates: str,
    zero_is_missing: bool,
    strict: bool,
    threads: int,
    progress: _Progress,
) -> tuple[Ratings, Ratings | None, dict[str, Any]]: ...
def write_csv(ratings: Ratings, path: str) -> None: ...
def write_inter(ratings: Ratings, path: str) -> None: ...
def synthesize(
    users: int,
    items: int,
    ratings_per_user: float,
    criteria: list[str],
    missing: float,
    popularity_skew: float,
    taste_groups: int,
    noise: float,
    titles: bool,
    times: bool,
    seed: int,
) -> Ratings: ...
def user_fit(column: str) -> int: ...
def item_fit(column: str) -> int: ...
def overall_fit(column: str) -> int: ...
def time_fit(column: str) -> int: ...
def title_fit(column: str) -> int: ...
def never_a_rating(name: str) -> bool: ...
def methods() -> list[str]: ...
def resolve(
    method: str,
    settings: list[tuple[str, str]],
    train: Ratings,
    validation: float,
    seed: int,
    threshold: float,
    threads: int,
    memory: int,
    progress: _Progress,
) -> tuple[Settings, _Choice | None]: ...
def preset_names() -> list[str]: ...
def choose_filters(
    train: Ratings,
    validation: float,
    seed: int,
    at: int,
    powers: list[float],
    threshold: float,
    threads: int,
    memory: int,
    progress: _Progress,
) -> _Choice: ...
def parse_filter(text: str) -> _PlainFilter: ...
def filter_name(coefficients: list[float], power: float) -> str: ...
def frequency_response(
    coefficients: list[float], power: float, x: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]: ...
def fit(
    ratings: Ratings, settings: Settings, threads: int, memory: int, progress: _Progress
) -> tuple[Model, list[tuple[str, float]]]: ...
def evaluate(
    model: Model,
    test: Ratings,
    at: list[int],
    threshold: float,
    rule: str,
    weights: _Weights,
    threads: int,
    progress: _Progress,
) -> Evaluation: ...
def evaluate_lists(
    train: Ratings,
    test: Ratings,
    offsets: npt.NDArray[np.int64],
    items: _Codes,
    at: list[int],
    threshold: float,
    rule: str,
    threads: int,
    progress: _Progress,
) -> Evaluation: ...
def compare(
    evaluations: list[Evaluation],
    metrics: list[str],
    resamples: int,
    confidence: float,
    seed: int,
) -> list[tuple[str, str, str, float, float, float, float, float, float, int]]: ...
def mean_interval(
    evaluation: Evaluation, metric: str, resamples: int, confidence: float, seed: int
) -> tuple[float, float]: ...
