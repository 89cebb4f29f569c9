"""Made-up ratings for criteria.py: people who weigh criteria in their own way."""
import csv

import numpy as np
import scipy.sparse as sp


class World:
    """Made-up people and items. Every item has merits in four criteria, which all people see alike but for noise. A
    person weighs them in their own way (`differ`: 0 all alike, 1 and more: unlike), and the overall rating is the
    weighted sum. What they rate depends on how popular it is, on genres, and on their weighted sum (`choosy`)."""

    def __init__(self, seed, users=1500, items=600, each=20, differ=2.0, choosy=0.5, noise=0.5, noise_overall=0.5,
                 halo=0.0, genres=8):
        draw = np.random.default_rng(seed)
        merit = 0.4 * draw.normal(size=(items, 1)) + 0.8 * draw.normal(size=(items, 4))
        weight = np.exp(differ * draw.normal(size=(users, 4)))
        weight /= weight.sum(1, keepdims=True)
        liking = weight @ merit.T
        popular = -0.8 * np.log(draw.permutation(items) + 3.0)
        genre = draw.normal(size=(users, genres))[:, draw.integers(genres, size=items)]
        lot = popular + 1.2 * genre + choosy * 2 * liking + draw.gumbel(size=(users, items))
        n = np.clip(draw.lognormal(np.log(each) - 0.18, 0.6, users).astype(int) + 2, 2, items // 3)
        order = np.argsort(-lot, axis=1)
        u = np.repeat(np.arange(users), n)
        i = np.concatenate([order[k, :m] for k, m in enumerate(n)])
        total = 3.5 + 1.2 * liking[u, i] + noise_overall * draw.normal(size=len(u))
        single = 3.5 + merit[i] + noise * draw.normal(size=(len(u), 4))
        single = halo * total[:, None] + (1 - halo) * single
        self.train, self.test = split(u, i, np.column_stack([total, single]), (users, items), seed)


class Restaurants:
    """What `palate synth` makes up."""

    def __init__(self, palate, seed, **options):
        file = palate.scratch / "made-up.csv"
        words = [w for k, v in options.items() for w in ("--" + k.replace("_", "-"), v)]
        palate.run("synth", "--out", file, "--seed", seed + 1, "--no-titles", "--no-times", *words)
        with file.open(newline="") as lines:
            rows = list(csv.reader(lines))
        ids = [np.unique([row[c] for row in rows[1:]], return_inverse=True)[1] for c in (0, 1)]
        values = np.array([[float(v or 0) for v in row[2:]] for row in rows[1:]])
        self.train, self.test = split(*ids, values, tuple(x.max() + 1 for x in ids), seed)


def split(u, i, values, shape, seed):
    """A fifth for the test. Values become whole stars; 0 stays 0, which is not rated."""
    held = np.random.default_rng(seed).random(len(u)) < 0.2
    stars = np.where(values == 0, 0, np.clip(np.round(values), 1, 5))
    parts = [[sp.csr_matrix((v[which], (u[which], i[which])), shape=shape) for v in stars.T] for which in (~held, held)]
    for matrix in parts[0] + parts[1]:
        matrix.eliminate_zeros()
    return parts
