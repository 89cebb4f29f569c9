"""The pictures of docs/where-criteria-help.md, from the results of criteria.py."""
import textwrap

import numpy as np
from judged_lists import THRESHOLDS

COLOURS = {"adaptive filter": "#1f5fa8", "CA-GF, linear filters": "#b3541e", "CA-GF, published filters": "#4d7c2a",
           "lists ordered by predicted ratings": "#7a4fa3", "predicted ratings": "#7a4fa3"}
METHODS = {"adaptive, same settings": "adaptive filter", "CA-GF linear": "CA-GF, linear filters",
           "CA-GF preset / overall in place of criteria": "CA-GF, published filters"}
TRAITS = {"differ": "how much people differ in what they weigh", "choosy": "how far people choose what they will like",
          "noise_overall": "noise of the overall rating (stars)", "each": "ratings per person",
          "halo": "how far criteria just repeat overall"}
CURVES = ({"prediction with criteria, >= 4": "lists ordered by predicted ratings", "adaptive, >= 4": "adaptive filter",
           "CA-GF linear, >= 4": "CA-GF, linear filters"},
          {"RMSE": "predicted ratings"})


def pictures(results, folder):
    import matplotlib
    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "palate"  # the same picture from the same numbers
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, 2, figsize=(10, 3.9), sharex=True, sharey=True)
    sets = list(results["ranking"])
    for axis, threshold in zip(axes, THRESHOLDS):
        for m, (key, title) in enumerate(METHODS.items()):
            found = [results["ranking"][name][key][str(threshold)]["ndcg"] for name in sets]
            change = np.array([d["change"] for d in found])
            ends = np.abs(np.array([[d["low"], d["high"]] for d in found]).T - change)
            axis.errorbar(change, np.arange(len(sets)) + 0.22 * (m - 1), xerr=ends, fmt="o", capsize=3, label=title,
                          color=COLOURS[title])
        axis.axvline(0, color="#888888", linewidth=1)
        axis.set_yticks(range(len(sets)), sets)
        axis.set_xlabel("change of NDCG@10 by criteria (%)")
        axis.set_title(f"items rated {threshold} or more")
        axis.grid(True, axis="x", color="#e5e5e5")
    axes[0].invert_yaxis()
    figure.legend(*axes[0].get_legend_handles_labels(), loc="upper center", ncol=3, frameon=False)
    figure.tight_layout(rect=(0, 0, 1, 0.93))
    figure.savefig(folder / "criteria-ranking.svg", metadata={"Date": None})

    worlds = results["made-up"]["worlds"]
    figure, axes = pyplot.subplots(2, len(TRAITS), figsize=(14, 5.6), sharex="col", sharey="row",
                                   height_ratios=(3, 2))
    for column, (trait, title) in zip(axes.T, TRAITS.items()):
        levels = list(worlds[trait])
        for axis, curves in zip(column, CURVES):
            for key, label in curves.items():
                found = [worlds[trait][level][key] for level in levels]
                axis.errorbar(range(len(levels)), [d["change"] for d in found], yerr=[2 * d["error"] for d in found],
                              fmt="o-", color=COLOURS[label], capsize=3, label=label)
            axis.axhline(0, color="#888888", linewidth=1)
            axis.grid(True, axis="y", color="#e5e5e5")
        column[1].set_xticks(range(len(levels)), levels)
        column[1].set_xlabel(textwrap.fill(title, 26))
    axes[0, 0].set_ylabel("change of NDCG@10 (%)")
    axes[1, 0].set_ylabel("change of RMSE (%)")
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="upper center", ncol=3, frameon=False)
    figure.tight_layout(rect=(0, 0, 1, 0.94))
    figure.savefig(folder / "criteria-made-up.svg", metadata={"Date": None})
