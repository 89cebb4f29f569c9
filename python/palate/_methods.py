"""A class for each method. Made by tools/generate.py: `make generate` writes it anew."""

from __future__ import annotations

from ._described import Described

__all__ = [
    "Adaptive",
    "EASE",
    "ItemKNN",
    "OverallOnly",
    "Popularity",
]


class Adaptive(Described):
    """Weights between items, by ridge regression or from the graph, whose shape is found on the
    data.

    ``weights``
        ridge: each item explained by all others. graph: how often two items were rated by the
        same people. One of ridge, graph.
    ``user_power``
        The larger, the less people with many ratings count (a).
    ``level_power``
        The larger, the less low ratings link two items; 0: all count alike (g).
    ``link_power``
        Power of each link: above 1 strong links gain (s).
    ``lambda_``
        Strength of the ridge, as a multiple of the mean of the diagonal.
    ``lambda_power``
        How much stronger the ridge is for items with many ratings (t).
    ``source_power``
        The larger, the less a rating of a popular item says (alpha).
    ``target_power``
        The larger, the less popular items are recommended (beta).
    ``rating_power``
        How much more a high rating says than a low one; 0: the same (p).
    ``signal``
        criteria: the mean over what was rated by every criterion. overall: the overall rating.
        One of overall, criteria.
    ``precision``
        Bits of a weight where most pairs of items have one: 32, or 16, which halve the memory and
        change hardly any list. auto: 32 up to 8192 items, 16 beyond. One of auto, 32, 16.
    """

    _method = "adaptive"

    def __init__(
        self,
        weights: str = "ridge",
        user_power: float = 0.25,
        level_power: float = 0.0,
        link_power: float = 1.5,
        lambda_: float = 8.0,
        lambda_power: float = 0.3,
        source_power: float = 0.1,
        target_power: float = 0.2,
        rating_power: float = 0.65,
        signal: str = "criteria",
        precision: str = "auto",
    ) -> None:
        self.weights = weights
        self.user_power = user_power
        self.level_power = level_power
        self.link_power = link_power
        self.lambda_ = lambda_
        self.lambda_power = lambda_power
        self.source_power = source_power
        self.target_power = target_power
        self.rating_power = rating_power
        self.signal = signal
        self.precision = precision


class OverallOnly(Described):
    """CA-GF on the overall ratings alone: what the other criteria are worth shows beside it.

    ``solver``
        How filters of second order are computed where many items are linked: exact, fast (by the
        leading directions of the graph), or auto: exact, or on large data fast if that changes at
        most 1 in 2,000 places of a sample of lists, or if links are left out. One of auto, exact,
        fast.
    ``neighbours``
        Links kept per item, the strongest; 0: all, or 400 where all would be too many for memory
        or time.
    """

    _method = "overall-only"

    def __init__(self, solver: str = "auto", neighbours: int | None = None) -> None:
        self.solver = solver
        self.neighbours = neighbours


class EASE(Described):
    """EASE^R: weights between all items by ridge regression in closed form.

    ``lambda_``
        Strength of the ridge: the larger, the less a rarely rated item counts.
    ``input``
        binary: what was rated counts 1. raw: ratings count as they are. One of binary, raw.
    ``stacked``
        Learns from the ratings on every criterion, stacked, instead of from the overall ratings
        alone.
    """

    _method = "ease"

    def __init__(
        self,
        lambda_: float = 250.0,
        input: str = "binary",
        stacked: bool = False,
    ) -> None:
        self.lambda_ = lambda_
        self.input = input
        self.stacked = stacked


class ItemKNN(Described):
    """The items most like those that someone rated, by the overall ratings.

    ``neighbours``
        Most similar items kept per item.
    ``shrink``
        Added to the product of norms: damps similarities of rarely rated items.
    ``similarity``
        cosine of the ratings, or Pearson's correlation over all people. One of cosine, pearson.
    """

    _method = "item-knn"

    def __init__(
        self,
        neighbours: int = 100,
        shrink: float = 0.0,
        similarity: str = "cosine",
    ) -> None:
        self.neighbours = neighbours
        self.shrink = shrink
        self.similarity = similarity


class Popularity(Described):
    """Items by how many people rated them overall: the least that a method has to beat."""

    _method = "popularity"

    def __init__(self) -> None:
        pass
