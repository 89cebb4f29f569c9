"""What does the Python package add to the engine's own time, and what would others take?

    make bench-python                          all of it
    make bench-python BENCH="--data YM"        a smaller data set

From ratings in memory to the top ten of everybody, as bench_stages does it in C++: both alternate, so
that a slow minute of the machine meets both. Beside it implicit's item-item model and an EASE in NumPy,
with accuracy by the same evaluation. Nothing here asserts a time.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import palate

ROOT = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("PALATE_SHARED", ROOT.parent / "shared"))
METRICS = ("recall@10", "ndcg@10")


def timed(work):
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def engine_seconds(program, data, preset, solver, threads):
    """One warm run of the C++ program, the median of two."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "stages.json"
        command = [program, data, preset, "3", str(threads), "--solver", solver, "--json", out]
        subprocess.run(list(map(str, command)), check=True, stdout=subprocess.DEVNULL)
        runs = json.loads(out.read_text())["runs"]
    return statistics.median(run["seconds"] for run in runs if not run["cold"])


def python_seconds(train, preset, solver, threads):
    def work():
        model = palate.CAGF(filters=preset, solver=solver).fit(train, threads=threads or None)
        return model, model.recommend(n=10, threads=threads or None)

    work()
    seconds = [timed(work)[0] for _ in range(2)]
    return statistics.median(seconds), work()[0]


class Clocked:
    """The engine's model, with a clock at the door."""

    def __init__(self, model):
        self._model = model
        self.seconds = 0.0

    def recommend(self, *arguments):
        self.seconds, result = timed(lambda: self._model.recommend(*arguments))
        return result


def python_only(train, preset, options):
    """Seconds of one fit and everybody's lists that are not spent in the engine."""
    model = palate.CAGF(filters=preset, solver=options.solver)
    fit, _ = timed(lambda: model.fit(train, threads=options.threads or None))
    model._model = Clocked(model._fitted)
    lists, _ = timed(lambda: model.recommend(n=10, threads=options.threads or None))
    return fit - sum(model.stages_.values()) + lists - model._model.seconds


def overhead(program, folder, preset, train, options):
    """Engine and package in turn; the ratio of the medians, and the share that is only Python."""
    engine, package = [], []
    model = None
    for _ in range(options.rounds):
        engine.append(engine_seconds(program, folder, preset, options.solver, options.threads))
        seconds, model = python_seconds(train, preset, options.solver, options.threads)
        package.append(seconds)
    own = python_only(train, preset, options)
    result = {
        "engine": statistics.median(engine),
        "package": statistics.median(package),
        "engine_runs": engine,
        "package_runs": package,
        "python_only": own,
    }
    result["added"] = result["package"] / result["engine"] - 1
    return result, model


def ease(matrix, weight, n):
    """Steck's EASE: B = I - P / diag(P), P = (X'X + weight I)^-1; the n best unseen of everybody."""
    x = (matrix > 0).astype(np.float32)
    gram = (x.T @ x).toarray().astype(np.float32)
    gram[np.diag_indices_from(gram)] += weight
    inverse = np.linalg.inv(gram)
    del gram
    b = inverse / -np.diag(inverse)
    np.fill_diagonal(b, 0)
    lists = []
    for first in range(0, x.shape[0], 1024):
        rows = x[first : first + 1024]
        scores = rows @ b
        scores[rows.nonzero()] = -np.inf
        best = np.argpartition(-scores, n, axis=1)[:, :n]
        order = np.argsort(-np.take_along_axis(scores, best, axis=1), axis=1)
        lists.append(np.take_along_axis(best, order, axis=1))
    return np.concatenate(lists)


def implicit_lists(matrix, n, threads):
    from implicit.nearest_neighbours import CosineRecommender

    model = CosineRecommender(K=100, num_threads=threads)
    model.fit(matrix, show_progress=False)
    users = np.arange(matrix.shape[0])
    return model.recommend(users, matrix, N=n, filter_already_liked_items=True)


def implicit_ids(answer):
    """implicit pads short lists: -1, or places of score 0."""
    ids, scores = answer
    return [row[(row >= 0) & (mark > 0)] for row, mark in zip(ids, scores)]


def others(train, test, options):
    from scipy.sparse import csr_matrix

    overall = csr_matrix(train.to_matrices()[0], dtype=np.float64)
    rows = []
    seconds, answer = timed(lambda: implicit_lists(overall, 10, options.threads))
    marks = palate.evaluate_lists(implicit_ids(answer), train, test)
    rows.append(("implicit, cosine, K = 100", seconds, marks))
    seconds, lists = timed(lambda: ease(overall, 500.0, 10))
    marks = palate.evaluate_lists(lists, train, test)
    rows.append(("EASE in NumPy, weight 500", seconds, marks))
    return rows


def shown(name, seconds, marks):
    accuracy = "  ".join(f"{metric} {marks[metric]:.4f}" for metric in METRICS)
    print(f"{name:34} {seconds:8.2f} s   {accuracy}", flush=True)
    return {"name": name, "seconds": seconds, **{metric: marks[metric] for metric in METRICS}}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=ROOT / "build", type=Path)
    parser.add_argument("--data", default="BA", help="a folder in shared/data (BA)")
    parser.add_argument("--preset", help="by default the data's own")
    parser.add_argument("--solver", default="auto", choices=["auto", "exact", "fast"])
    parser.add_argument("--threads", default=0, type=int, help="0: all cores")
    parser.add_argument("--rounds", default=3, type=int)
    return parser.parse_args()


def main():
    options = arguments()
    folder = SHARED / "data" / options.data
    program = options.build / "bench" / "bench_stages"
    for path in (folder, program):
        if not path.exists():
            sys.exit(f"python_overhead: {path} is not there")
    preset = options.preset or options.data.split("_")[0].lower()
    reading, (train, test) = timed(lambda: palate.read_split(folder))
    matrices = train.to_matrices()
    handing_over, _ = timed(lambda: palate.as_ratings(matrices, criteria=train.criteria))
    print(f"{options.data}: {train}")
    print(f"read by the engine {reading:.3f} s; from CSR matrices in memory {handing_over:.3f} s\n")

    cost, model = overhead(program, folder, preset, train, options)
    print(f"engine alone {cost['engine']:.3f} s, package {cost['package']:.3f} s: ", end="")
    print(f"{100 * cost['added']:+.1f} %; of it Python's own {cost['python_only']:.4f} s\n")

    rows = [shown(f"palate, {model.solver_}", cost["package"], palate.evaluate(model, test))]
    knn_seconds, knn = timed(lambda: palate.ItemKNN().fit(train))
    list_seconds, _ = timed(lambda: knn.recommend(n=10))
    rows.append(shown("palate, ItemKNN", knn_seconds + list_seconds, palate.evaluate(knn, test)))
    rows += [shown(*row) for row in others(train, test, options)]
    out = options.build / "bench" / f"python_{options.data}.json"
    out.write_text(
        json.dumps({"overhead": cost, "rows": rows, "handing_over": handing_over}, indent=1)
    )
    print(f"\n{out}")


if __name__ == "__main__":
    main()
