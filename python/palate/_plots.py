"""Pictures by matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping

import numpy as np

from ._errors import UsageError
from ._filters import Filter, FilterLike, as_filter
from ._frames import need
from ._show import even, shortened

if TYPE_CHECKING:
    from ._recommender import Recommender, Weights
    from ._results import Explanation


def _axes(ax: Any, width: float, height: float) -> Any:
    pyplot = need("matplotlib.pyplot", "a picture")
    if ax is not None:
        return ax
    return pyplot.subplots(figsize=(width, height), layout="constrained")[1]


def _plain(text: Any, most: int) -> str:
    """On one line, and with a dollar that does not begin a formula."""
    return shortened(text, most).replace("$", r"\$")


def _decimals(most: float) -> int:
    """So many that numbers up to ``most`` have two figures or more."""
    return max(0, 1 - int(np.floor(np.log10(most))))


def _map(ax: Any, values: Any, rows: list[str], columns: list[str], label: str) -> Any:
    """A matrix as colours, around 0 if it has both signs, with numbers if there is room."""
    most = float(np.abs(values).max()) if values.size else 0.0
    most = most or 1.0
    exponent = int(np.floor(np.log10(most)))
    if not -2 <= exponent <= 3:  # scores have no unit: numbers stay short
        values, most = values / 10.0**exponent, most / 10.0**exponent
        label = f"{label} (×10$^{{{exponent}}}$)"
    mixed = bool(values.size and values.min() < 0)
    colours = {"cmap": "RdBu_r", "vmin": -most} if mixed else {"cmap": "Reds", "vmin": 0.0}
    image = ax.imshow(values, vmax=most, aspect="auto", **colours)
    ax.set_xticks(range(len(columns)), columns, rotation=35, ha="right", rotation_mode="anchor")
    ax.set_yticks(range(len(rows)), [_plain(row, 28) for row in rows])
    ax.tick_params(length=0)
    for side in ax.spines.values():
        side.set_visible(False)
    if values.size <= 160:
        decimals = _decimals(most)
        for (row, column), value in np.ndenumerate(values):
            if value:
                colour = "white" if abs(value) > 0.6 * most else "black"
                shown = f"{round(float(value), decimals) + 0.0:.{decimals}f}"
                ax.text(column, row, shown, ha="center", va="center", color=colour, fontsize=8)
    bar = ax.figure.colorbar(image, ax=ax, label=label, shrink=0.8)
    bar.formatter = f"{{x:.{_decimals(most)}f}}"
    return ax


def plot_explanation(why: Explanation, *, top: int = 12, ax: Any = None) -> Any:
    items, values = why.matrix(top)
    titles = dict(zip(why.parts["item"].tolist(), why.parts["title"].tolist()))
    criteria = list(why.by_criterion)
    ax = _axes(ax, 2.6 + 0.85 * len(criteria), 1.8 + 0.34 * max(len(items), 1))
    ax.set_title(f"{_plain(why.title, 40)}\nscore {even([why.score], 3)[0]}", fontsize=11)
    if not items:
        ax.text(0.5, 0.5, "rests on popularity alone", ha="center", va="center")
        ax.set_axis_off()
        return ax
    rows = [str(titles.get(item, item)) for item in items]
    _map(ax, values, rows, criteria, "adds to the score")
    ax.set_ylabel("rated by the user")
    return ax


def plot_attributions(
    model: Recommender, user: Any, n: int = 10, *, weights: Weights = None, ax: Any = None
) -> Any:
    """A map of what each criterion adds to the score of the ``n`` items recommended to ``user``.
    Returns the axes."""
    found = model.recommend(user, n, weights=weights)
    if not len(found.ids):
        raise UsageError(f"there is nothing to recommend to {user!r}")
    values = model.attributions(user, found.ids, weights=weights)
    criteria = list(model.criteria_)
    ax = _axes(ax, 2.8 + 0.85 * len(criteria), 1.6 + 0.34 * len(found.ids))
    rows = [str(title) for title in found.titles.tolist()]
    _map(ax, values, rows, criteria, "adds to the score")
    ax.set_title(f"recommended to {_plain(user, 40)}", fontsize=11)
    return ax


def plot_gains(rows: Mapping[str, tuple[float, float, float]], *, ax: Any = None) -> Any:
    """Bars of gain, standard error and what they are a share of, by name."""
    ax = _axes(ax, 6.0, 1.2 + 0.3 * max(len(rows), 1))
    gains, errors, wholes = np.array(list(rows.values()), dtype=float).reshape(-1, 3).T
    share = 100 / np.where(wholes > 0, wholes, np.inf)
    ax.barh(list(rows), gains * share, xerr=errors * share, color="tab:blue", alpha=0.7, capsize=3)
    ax.invert_yaxis()
    ax.axvline(0, color="0.3", linewidth=1)
    ax.set_xlabel("gain in percent, with one standard error")
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def _by_shape(filters: Mapping[str, FilterLike]) -> dict[tuple[float, ...], list[str]]:
    out: dict[tuple[float, ...], list[str]] = {}
    for name, given in filters.items():
        one = as_filter(given)
        shown = name if one.power == 1 else f"{name} (s = {one.power:g})"
        out.setdefault(one.coefficients, []).append(shown)
    return out


def plot_responses(filters: Mapping[str, FilterLike], *, ax: Any = None) -> Any:
    """The frequency responses of filters by name, those of one shape together. Returns the axes.

    The response h(x) says how much of a signal at the eigenvalue x of the graph's Laplacian passes:
    small x are tastes that many share, large x are single oddities. The power s of a filter changes the
    graph, not the response.
    """
    ax = _axes(ax, 6.0, 3.6)
    x = np.linspace(0, 1, 201)
    for coefficients, names in _by_shape(filters).items():
        one = Filter(coefficients)
        label = one.name if names == [one.name] else f"{one.name}: {', '.join(names)}"
        ax.plot(x, one.response(x), label=label, linewidth=2)
    ax.set_xlabel("eigenvalue x of the Laplacian (shared taste → oddity)")
    ax.set_ylabel("h(x)")
    ax.set_xlim(0, 1)
    ax.axhline(0, color="0.8", linewidth=1, zorder=0)
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False, fontsize=9, loc="lower left", bbox_to_anchor=(0, 1))
    return ax
