#!/usr/bin/env python3
"""Is the default choice ever worse than something simple? On data made from published splits.

    bench/choice.py --data ../shared/data [--only YM,TA] [--variants fewer-users,binary] [--json FILE]

Each data set is split anew, thinned, stripped of criteria, put on other scales, and then adaptive is
compared with EASE^R (its lambda chosen on a validation part of the same train part), plain linear
filters and popularity: mean of recall and NDCG at 5 and 10, with the standard error of the
difference over the same people. Needs python3-scipy.
"""
import argparse
import csv
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import scipy.sparse as sp

METRICS = ["recall@5", "recall@10", "ndcg@5", "ndcg@10"]
LAMBDAS = [10, 50, 200, 500, 1500]


def load(folder, of=("tr", "ts")):
    """Rows (user, item, values with NaN) of train and test together, or of one of them."""
    name, parts = folder.name, {}
    for part in of:
        count = len(list(folder.glob(f"{name}_{part}_*.npz")))
        for c in range(count):
            matrix = sp.load_npz(folder / f"{name}_{part}_{c}.npz").tocoo()
            for u, i, r in zip(matrix.row, matrix.col, matrix.data):
                parts.setdefault((int(u), int(i)), np.full(count, np.nan))[c] = r
    return [(u, i, values) for (u, i), values in parts.items() if not np.isnan(values[0])]


def split(rows, share, rng):
    by_user = {}
    for row in rows:
        by_user.setdefault(row[0], []).append(row)
    train, test = [], []
    for user in sorted(by_user):
        own = by_user[user]
        order = rng.permutation(len(own))
        held = min(max(1, round(share * len(own))), len(own) - 1) if len(own) > 1 else 0
        for k, place in enumerate(order):
            (test if k < held else train).append(own[place])
    return train, test


def thin_users(rows, share, rng):
    kept = {u for u in {row[0] for row in rows} if rng.random() < share}
    return [row for row in rows if row[0] in kept]


def scaled(rows, change):
    return [(u, i, change(values)) for u, i, values in rows]


def overall_alone(rows):
    return scaled(rows, lambda v: v[:1])


# By name: what becomes of all rows, and of the train part; from which rating on an item is liked.
VARIANTS = {
    "other-split": (lambda rows, rng: rows, None, 3),
    "half-the-test": (lambda rows, rng: rows, None, 3),
    "fewer-users": (lambda rows, rng: thin_users(rows, 0.25, rng), None, 3),
    "very-few-users": (lambda rows, rng: thin_users(rows, 0.05, rng), None, 3),
    "fewer-ratings": (lambda rows, rng: [r for r in rows if rng.random() < 0.5], None, 3),
    "no-criteria": (lambda rows, rng: overall_alone(rows), None, 3),
    "scale-0-2": (lambda rows, rng: scaled(rows, lambda v: (v - 1) / 2), "zeros", 1),
    "scale-1-13": (lambda rows, rng: scaled(rows, lambda v: 3 * v - 2), None, 7),
    "binary": (lambda rows, rng: scaled(overall_alone([r for r in rows if r[2][0] >= 3]),
                                        np.ones_like), None, 1),
}


def write(rows, path):
    with open(path, "w", newline="") as file:
        out = csv.writer(file)
        width = len(rows[0][2])
        out.writerow(["user", "item", "overall", *(f"c{k}" for k in range(1, width))])
        for u, i, values in rows:
            out.writerow([f"u{u}", f"i{i}", *("" if np.isnan(v) else f"{v:g}" for v in values)])


def palate(tool, *words):
    done = subprocess.run([tool, *map(str, words), "--json", "--quiet"], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"palate {' '.join(map(str, words))}: {done.stderr}")
    return json.loads(done.stdout)


def per_user(tool, folder, threshold, zeros, *method):
    values = folder / "values.csv"
    result = palate(tool, "evaluate", folder / "train.csv", "--test", folder / "test.csv",
                    "--threshold", threshold, "--per-user", values, *zeros, *method)
    with open(values) as file:
        rows = {r["user"]: np.mean([float(r[m]) for m in METRICS]) for r in csv.DictReader(file)}
    return rows, result


def tuned_ease(tool, folder, threshold, zeros, train, rng):
    inner, held = split(train, 0.1, rng)
    with tempfile.TemporaryDirectory() as name:
        part = Path(name)
        write(inner, part / "train.csv")
        write(held, part / "test.csv")
        worth = {}
        for lam in LAMBDAS:
            rows, _ = per_user(tool, part, threshold, zeros, "--method", "ease", "--set", f"lambda={lam}")
            worth[lam] = np.mean(list(rows.values()))
    return max(worth, key=worth.get)


def run(tool, data, name, seed):
    change, zeros, threshold = VARIANTS[name]
    rng = np.random.default_rng(seed)
    zero_options = ["--zero", "rating"] if zeros else []
    train, test = split(change(load(data), rng), 0.4 if name == "half-the-test" else 0.2, rng)
    out = {"data": data.name, "variant": name, "train": len(train)}
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        write(train, folder / "train.csv")
        write(test, folder / "test.csv")
        lam = tuned_ease(tool, folder, threshold, zero_options, train, rng)
        begun = time.time()
        own, result = per_user(tool, folder, threshold, zero_options, "--method", "adaptive")
        out |= {"adaptive": np.mean(list(own.values())), "seconds": time.time() - begun,
                "chosen": result["settings"]["method"] + ":" + result["settings"].get("weights", ""),
                "people": len(own)}
        rivals = {"ease": ["--method", "ease", "--set", f"lambda={lam}"],
                  "linear": ["--method", "ca-gf", "--filters", "linear"],
                  "popularity": ["--method", "popularity"]}
        for rival, method in rivals.items():
            other, _ = per_user(tool, folder, threshold, zero_options, *method)
            difference = np.array([own[u] - other[u] for u in own])
            error = difference.std(ddof=1) / np.sqrt(len(difference)) if len(difference) > 1 else 0
            out[rival] = np.mean(list(other.values()))
            out[rival + "_gain"], out[rival + "_error"] = difference.mean(), error
    return {k: float(v) if isinstance(v, np.floating) else v for k, v in out.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--tool", default="build/palate")
    parser.add_argument("--only", default="YM,TA,BA")
    parser.add_argument("--variants", default=",".join(VARIANTS))
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows = []
    for data in options.only.split(","):
        for variant in options.variants.split(","):
            row = run(options.tool, options.data / data, variant, options.seed)
            rows.append(row)
            text = f"{row['data']:3} {row['variant']:15} {row['people']:6} people {row['seconds']:5.1f} s " \
                   f"{row['chosen']:16} {row['adaptive']:.4f}"
            for rival in ("ease", "linear", "popularity"):
                worse = "  WORSE" if row[rival + "_gain"] < -row[rival + "_error"] else ""
                text += f" | {rival} {row[rival]:.4f} {row[rival + '_gain']:+.4f} +- {row[rival + '_error']:.4f}{worse}"
            print(text, flush=True)
            if options.json:
                options.json.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
