#!/usr/bin/env python3
"""CA-GF's formulas written out in dense PyTorch, as a reader of the paper would: what Palate is measured against.

    dense_pytorch.py DATA_FOLDER PRESET [REPEATS]

Reads NAME_tr_C.npz, then times what bench_stages times: from ratings in memory to everybody's top ten. Needs Debian's
python3-torch and python3-scipy.
"""
import glob
import sys
import time
from pathlib import Path

import numpy as np
import scipy.sparse as sp
import torch

PRESETS = {
    "ym": ("IOOIL", {"L": 1.0, "O": 1.05, "I": 1.8}, 4.0),
    "ta": ("ILOLLOLL", {"L": 0.1, "O": 1.0, "I": 1.2}, 2.0),
    "ba": ("LIOOL", {"L": 0.6, "O": 0.85, "I": 1.5}, 2.0),
}


def read(folder):
    folder = Path(folder)
    count = len(glob.glob(str(folder / f"{folder.name}_tr_*.npz")))
    load = lambda c: sp.load_npz(folder / f"{folder.name}_tr_{c}.npz").toarray().astype(np.float32)
    return [torch.from_numpy(load(c)) for c in range(count)]


def inverse_root(sums):
    return torch.where(sums > 0, sums.clamp(min=1e-30) ** -0.5, torch.zeros_like(sums))


def recommend(ratings, filters, powers, preference_power, top=10):
    stacked = torch.cat(ratings)
    normal = inverse_root(stacked.sum(1))[:, None] * stacked * inverse_root(stacked.sum(0))[None, :]
    graph = normal.T @ normal
    sums = torch.stack([r.sum(1) for r in ratings], dim=1)
    share = sums / sums.sum(1, keepdim=True).clamp(min=1e-30)
    weight = share @ (share.T @ share) ** preference_power
    total = torch.zeros_like(ratings[0])
    for kind in "LIO":
        mine = [c for c in range(len(ratings)) if filters[c] == kind]
        if not mine:
            continue
        adjusted = graph ** powers[kind]
        signal = sum(weight[:, [c]] * ratings[c] for c in mine)
        if kind == "L":
            total += signal @ adjusted
        else:
            squared = adjusted @ adjusted
            total += signal @ (squared if kind == "I" else 2 * adjusted - squared)
    total /= len(ratings)
    total[ratings[0] > 0] = -torch.inf
    return torch.topk(total, top, dim=1).indices


def main(argv):
    if len(argv) < 3:
        sys.exit(__doc__)
    torch.set_grad_enabled(False)
    ratings = read(argv[1])
    filters, powers, preference_power = PRESETS[argv[2]]
    for k in range(int(argv[3]) if len(argv) > 3 else 2):
        start = time.perf_counter()
        recommend(ratings, filters, powers, preference_power)
        print(f"{'cold' if k == 0 else 'warm'}  dense PyTorch, {torch.get_num_threads()} threads: "
              f"{time.perf_counter() - start:.3f} s", flush=True)


if __name__ == "__main__":
    main(sys.argv)
