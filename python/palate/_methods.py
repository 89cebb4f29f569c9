"""A class for each method. Made by tools/generate.py: `make generate` writes it anew."""

from __future__ import annotations

from ._described import Described

__all__ = [
    "Adaptive",
    "BSPM",
    "ChebyCF",
    "EASE",
    "EDLAE",
    "FIRE",
    "GFCF",
    "GFCFMC",
    "ItemKNN",
    "OverallOnly",
    "PGSP",
    "Popularity",
    "SGFCF",
    "TurboCF",
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


class GFCF(Described):
    """A linear and an ideal graph filter over the overall ratings.

    ``rank``
        Leading directions of the graph that the ideal filter lets through; 0: none.
    ``ideal``
        How much the ideal filter counts.
    ``input``
        raw: ratings count as they are. binary: what was rated counts 1. One of raw, binary.
    ``least``
        Ratings below it do not count.
    """

    _method = "gf-cf"

    def __init__(
        self,
        rank: int = 256,
        ideal: float = 0.3,
        input: str = "raw",
        least: float = 0.0,
    ) -> None:
        self.rank = rank
        self.ideal = ideal
        self.input = input
        self.least = least


class GFCFMC(Described):
    """GF-CF on every criterion by itself, the scores added up.

    ``rank``
        Leading directions of the graph that the ideal filter lets through; 0: none.
    ``ideal``
        How much the ideal filter counts.
    ``input``
        raw: ratings count as they are. binary: what was rated counts 1. One of raw, binary.
    ``least``
        Ratings below it do not count.
    """

    _method = "gf-cf-mc"

    def __init__(
        self,
        rank: int = 256,
        ideal: float = 0.3,
        input: str = "raw",
        least: float = 0.0,
    ) -> None:
        self.rank = rank
        self.ideal = ideal
        self.input = input
        self.least = least


class TurboCF(Described):
    """A polynomial graph filter over the overall ratings, with a power of every link.

    ``filter``
        The polynomial: linear P, second 2P - P^2, third 0.71P + 0.1P^2 - 0.01P^3. One of linear,
        second, third.
    ``user_power``
        How much sums of people are taken off; those of items by the rest to 1 (alpha).
    ``link_power``
        Power of each link: above 1 strong links gain (s).
    ``input``
        binary: what was rated counts 1. raw: ratings count as they are. One of binary, raw.
    """

    _method = "turbo-cf"

    def __init__(
        self,
        filter: str = "linear",
        user_power: float = 0.5,
        link_power: float = 1.0,
        input: str = "raw",
    ) -> None:
        self.filter = filter
        self.user_power = user_power
        self.link_power = link_power
        self.input = input


class PGSP(Described):
    """A linear filter, and an ideal one over a graph of people and items.

    ``linear``
        Share of the linear filter; the ideal one has the rest.
    ``rank``
        Leading directions of the graph that the ideal filter lets through.
    ``input``
        raw: ratings count as they are. binary: what was rated counts 1. One of raw, binary.
    ``least``
        Ratings below it do not count.
    """

    _method = "pgsp"

    def __init__(
        self,
        linear: float = 0.7,
        rank: int = 512,
        input: str = "raw",
        least: float = 0.0,
    ) -> None:
        self.linear = linear
        self.rank = rank
        self.input = input
        self.least = least


class BSPM(Described):
    """Ratings blurred over the graph and sharpened again.

    ``merge``
        Whether the ideal filter is added before sharpening or after it. One of early, late.
    ``solver``
        How the equation of sharpening is solved. One of euler, runge-kutta.
    ``steps``
        Steps of sharpening; 0: none, which is the linear filter.
    ``time``
        How long sharpening goes on.
    ``average``
        The mean of the blurred and all sharpened states instead of the last one.
    ``rank``
        Leading directions of the graph that the ideal filter lets through; 0: none.
    ``ideal``
        How much the ideal filter counts.
    ``input``
        raw: ratings count as they are. binary: what was rated counts 1. One of raw, binary.
    ``least``
        Ratings below it do not count.
    """

    _method = "bspm"

    def __init__(
        self,
        merge: str = "early",
        solver: str = "runge-kutta",
        steps: int = 1,
        time: float = 2.5,
        average: bool = False,
        rank: int = 448,
        ideal: float = 0.2,
        input: str = "raw",
        least: float = 0.0,
    ) -> None:
        self.merge = merge
        self.solver = solver
        self.steps = steps
        self.time = time
        self.average = average
        self.rank = rank
        self.ideal = ideal
        self.input = input
        self.least = least


class FIRE(Described):
    """GF-CF over a graph in which ratings fade with their age; without times the same as gf-cf.

    ``decay``
        How fast ratings fade, per second: after 1 / decay seconds they count 37 %.
    ``rank``
        Leading directions of the graph that the ideal filter lets through; 0: none.
    ``ideal``
        How much the ideal filter counts.
    ``input``
        raw: ratings count as they are. binary: what was rated counts 1. One of raw, binary.
    ``least``
        Ratings below it do not count.
    """

    _method = "fire"

    def __init__(
        self,
        decay: float = 1e-06,
        rank: int = 128,
        ideal: float = 0.2,
        input: str = "raw",
        least: float = 0.0,
    ) -> None:
        self.decay = decay
        self.rank = rank
        self.ideal = ideal
        self.input = input
        self.least = least


class ChebyCF(Described):
    """A graph filter with a plateau, as a Chebyshev polynomial.

    ``order``
        Degree of the polynomial.
    ``flatness``
        The larger, the flatter the middle of the response (phi).
    ``item_power``
        The larger, the less a popular item says, and the more it is recommended (b).
    ``rank``
        Leading directions of the graph that the ideal filter lets through; 0: none.
    ``ideal``
        How much the ideal filter counts.
    ``input``
        raw: ratings count as they are. binary: what was rated counts 1. One of raw, binary.
    ``least``
        Ratings below it do not count.
    """

    _method = "chebycf"

    def __init__(
        self,
        order: int = 8,
        flatness: float = 1.5,
        item_power: float = 0.4,
        rank: int = 512,
        ideal: float = 0.2,
        input: str = "raw",
        least: float = 0.0,
    ) -> None:
        self.order = order
        self.flatness = flatness
        self.item_power = item_power
        self.rank = rank
        self.ideal = ideal
        self.input = input
        self.least = least


class SGFCF(Described):
    """A graph filter with smoothed sums and a sharpened spectrum.

    ``smoothing``
        Added to the sums of people and items (alpha).
    ``power``
        Power of the sums: the larger, the less popular items and busy people count (e).
    ``rank``
        Leading directions.
    ``sharpness``
        Power of the spectrum, on either side (beta).
    ``rest``
        How much the whole spectrum counts beside the leading directions (gamma).
    ``input``
        raw: ratings count as they are. binary: what was rated counts 1. One of raw, binary.
    ``least``
        Ratings below it do not count.
    """

    _method = "sgfcf"

    def __init__(
        self,
        smoothing: float = 0.0,
        power: float = 0.35,
        rank: int = 256,
        sharpness: float = 1.0,
        rest: float = 0.5,
        input: str = "raw",
        least: float = 0.0,
    ) -> None:
        self.smoothing = smoothing
        self.power = power
        self.rank = rank
        self.sharpness = sharpness
        self.rest = rest
        self.input = input
        self.least = least


class EDLAE(Described):
    """Ridge regression that expects a share of the ratings to be missing.

    ``lambda_``
        Strength of the ridge, the same for all items.
    ``dropout``
        Share of the input that is expected to be missing: a stronger ridge for popular items (p).
    ``user_power``
        The larger, the less people with many ratings count (b).
    ``item_power``
        The larger, the less popular items are recommended (a).
    ``input``
        binary: what was rated counts 1. raw: ratings count as they are. One of binary, raw.
    """

    _method = "edlae"

    def __init__(
        self,
        lambda_: float = 10.0,
        dropout: float = 0.3,
        user_power: float = 0.0,
        item_power: float = 0.0,
        input: str = "binary",
    ) -> None:
        self.lambda_ = lambda_
        self.dropout = dropout
        self.user_power = user_power
        self.item_power = item_power
        self.input = input


class Popularity(Described):
    """Items by how many people rated them overall: the least that a method has to beat."""

    _method = "popularity"

    def __init__(self) -> None:
        pass
