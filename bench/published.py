#!/usr/bin/env python3
"""The default on the published splits, beside the published settings and EASE^R tuned alike.

    bench/published.py --data ../shared/data [--only YM,TA,BA] [--seeds 1,2,3,4]

The lambda of EASE^R is chosen on a tenth of everyone's train ratings, as adaptive's settings are.
Differences are over the same people, with the 95 % interval of a paired bootstrap. Needs
python3-scipy.
"""
import argparse
from pathlib import Path

import choice
import numpy as np

CELLS = ["recall@5", "recall@10", "ndcg_paper@5", "ndcg_paper@10"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--tool", default="build/palate")
    parser.add_argument("--only", default="YM,TA,BA")
    parser.add_argument("--seeds", default="1")
    options = parser.parse_args()
    names = options.only.split(",")
    gains = {}
    for seed in map(int, options.seeds.split(",")):
        for name in names:
            rng = np.random.default_rng(seed)
            folder = options.data / name
            lam = choice.tuned_ease(options.tool, None, 3, [], choice.load(folder, ["tr"]), rng)
            preset, ease = f"ca-gf:preset={name.lower()}", f"ease:lambda={lam}"
            over = {}
            for baseline in (preset, ease):
                found = choice.palate(options.tool, "compare", folder, "--methods", f"{baseline},adaptive",
                                      "--metrics", ",".join(CELLS), "--seed", seed)
                over[baseline] = {d["metric"]: d for d in found["differences"]}
            for metric in CELLS:
                row = f"{name} seed {seed} {metric:14}"
                for baseline, differences in over.items():
                    d = differences[metric]
                    row += (f" {d['method_mean']:.4f} against {baseline} {d['baseline_mean']:.4f}"
                            f" {100 * d['difference'] / d['baseline_mean']:+.1f} %"
                            f" ({d['low']:+.4f} to {d['high']:+.4f});")
                    gains.setdefault((baseline.split(":")[0], seed), []).append(
                        d["difference"] / d["baseline_mean"])
                print(row, flush=True)
    for (baseline, seed), values in gains.items():
        print(f"over {baseline}, seed {seed}: {100 * np.mean(values):+.2f} % on average, "
              f"least {100 * min(values):+.2f} %")


if __name__ == "__main__":
    main()
