#!/usr/bin/python3
"""How long do the paper's formulas take in dense PyTorch, written out as they stand?

    dense_pytorch.py DATA_FOLDER PRESET [REPEATS] [--merged] [--json FILE]

Times what bench_stages times: from ratings in memory (here: dense matrices) to everybody's top ten. With --merged,
criteria that share a filter are added up before filtering, which is allowed because filters are linear.
"""
import argparse
import json
import os
import time
from pathlib import Path

import numpy as np
import scipy.sparse
import torch

PRESETS = {  # filter of each criterion, power of each filter, power of the criteria preference
    "ym": ("IOOIL", {"L": 1.0, "O": 1.05, "I": 1.8}, 4.0),
    "ta": ("ILOLLOLL", {"L": 0.1, "O": 1.0, "I": 1.2}, 2.0),
    "ba": ("LIOOL", {"L": 0.6, "O": 0.85, "I": 1.5}, 2.0),
}


def read(folder):
    """R_c for each criterion c, overall first."""
    count = len(list(folder.glob(f"{folder.name}_tr_*.npz")))
    files = [folder / f"{folder.name}_tr_{c}.npz" for c in range(count)]
    return [torch.from_numpy(scipy.sparse.load_npz(f).toarray().astype(np.float32)) for f in files]


def inverse_root(sums):
    return torch.where(sums > 0, sums.clamp(min=1e-30) ** -0.5, torch.zeros_like(sums))


def item_graph(ratings):
    """P = Rn^T Rn, Rn = D_U^-1/2 R_MC D_I^-1/2."""
    stacked = torch.cat(ratings)
    normal = inverse_root(stacked.sum(1))[:, None] * stacked * inverse_root(stacked.sum(0))[None, :]
    return normal.T @ normal


def filter_matrix(graph, kind, power):
    """P, P^2 or 2P - P^2 of the graph with every entry raised to the power."""
    adjusted = graph ** power
    if kind == "L":
        return adjusted
    squared = adjusted @ adjusted
    return squared if kind == "I" else 2 * adjusted - squared


def preference(ratings, power):
    """Chat = Xn (Xn^T Xn)^power, the power taken entry by entry."""
    sums = torch.stack([r.sum(1) for r in ratings], dim=1)
    share = sums / sums.sum(1, keepdim=True).clamp(min=1e-30)
    return share @ (share.T @ share) ** power


def scores(ratings, preset):
    """sum_c Chat[:, c] * (R_c f_c(P)) / (C + 1)."""
    kinds, powers, preference_power = preset
    graph = item_graph(ratings)
    matrices = {kind: filter_matrix(graph, kind, powers[kind]) for kind in set(kinds)}
    chat = preference(ratings, preference_power)
    total = torch.zeros_like(ratings[0])
    for c, r in enumerate(ratings):
        smoothed = r @ matrices[kinds[c]]
        total += chat[:, [c]] * smoothed / len(ratings)
    return total


def merged_scores(ratings, preset):
    """The same sum, with one product per filter instead of one per criterion."""
    kinds, powers, preference_power = preset
    graph = item_graph(ratings)
    chat = preference(ratings, preference_power)
    total = torch.zeros_like(ratings[0])
    for kind in set(kinds):
        signal = sum(chat[:, [c]] * r for c, r in enumerate(ratings) if kinds[c] == kind)
        total += signal @ filter_matrix(graph, kind, powers[kind]) / len(ratings)
    return total


def top_ten(ratings, total):
    total[ratings[0] > 0] = -torch.inf
    return torch.topk(total, 10, dim=1).indices


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("preset", choices=sorted(PRESETS))
    parser.add_argument("repeats", type=int, nargs="?", default=2)
    parser.add_argument("--merged", action="store_true", help="add up criteria that share a filter first")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    torch.set_grad_enabled(False)
    torch.set_num_threads(os.cpu_count())
    score = merged_scores if given.merged else scores
    form = "merged by filter" if given.merged else "criterion by criterion"
    ratings = read(given.folder)
    if len(ratings) != len(PRESETS[given.preset][0]):
        parser.error(f"preset {given.preset} has {len(PRESETS[given.preset][0])} criteria, "
                     f"{given.folder} has {len(ratings)}")
    runs = []
    for k in range(given.repeats):
        start = time.perf_counter()
        top_ten(ratings, score(ratings, PRESETS[given.preset]))
        runs.append({"cold": k == 0, "seconds": time.perf_counter() - start})
        print(f"{'cold' if k == 0 else 'warm'}  dense PyTorch, {form}, {torch.get_num_threads()} threads: "
              f"{runs[-1]['seconds']:.3f} s", flush=True)
    if given.json:
        results = {"data": str(given.folder), "form": form, "threads": torch.get_num_threads(), "runs": runs}
        given.json.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
