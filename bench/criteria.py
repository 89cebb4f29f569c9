#!/usr/bin/python3
"""Where do criteria help? Every figure of docs/where-criteria-help.md, with the tool and with plain models of ratings.

    criteria.py --data FOLDER [--palate TOOL] [--sets YM,TA,BA] [--parts repeat,ranking,...] [--json FILE]
                [--pictures FOLDER]

Lists come from the tool, with and without criteria; they are judged here, so that one list serves every threshold and
group. `--json` keeps what other runs left in the file, so that parts can be run one by one; pictures are made from
it. Needs NumPy and SciPy, and matplotlib for pictures.
"""
import argparse
import csv
import functools
import json
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import rating_models as models
import scipy.sparse as sp
from judged_lists import (
    GROUPS,
    THRESHOLDS,
    Judged,
    compare,
    difference,
    in_group,
    name_of,
    show,
    unseen,
)
from made_up_worlds import Restaurants, World

DRAWS = 4  # made-up worlds of each kind
PARTS = ("repeat", "ratings", "ranking", "newcomers", "reorder", "made-up")


def load(folder, part):
    files = sorted(folder.glob(f"*_{part}_*.npz"), key=lambda f: int(f.stem.rsplit("_", 1)[1]))
    matrices = [sp.load_npz(f).tocsr().astype(float) for f in files]
    for m in matrices:
        m.eliminate_zeros()
        m.sort_indices()
    return matrices


def save(folder, train, test):
    """A folder as the tool reads it."""
    folder.mkdir(parents=True, exist_ok=True)
    for part, matrices in (("tr", train), ("ts", test)):
        for c, m in enumerate(matrices):
            sp.save_npz(folder / f"{folder.name}_{part}_{c}.npz", m.tocsr(), compressed=False)
    return folder


class Palate:
    """The tool, and a folder for what it writes."""

    def __init__(self, program, scratch):
        self.program, self.scratch, self.count = program, Path(scratch), 0

    def run(self, *arguments):
        done = subprocess.run([self.program, *map(str, arguments), "--quiet"], stdout=subprocess.PIPE, check=True)
        return done.stdout

    def folder(self, train, test):
        self.count += 1
        return save(self.scratch / f"set{self.count}", train, test)

    def settings(self, folder):
        """What `tune` finds."""
        found = json.loads(self.run("tune", folder, "--json"))["settings"]
        return {k: v for k, v in found.items() if k not in ("method", "signal")}

    def lists(self, folder, options, users, top=10):
        """Everybody's lists as item indices, -1 where a list ends early, and their scores."""
        model, out = self.scratch / "model.palate", self.scratch / "lists.csv"
        self.run("fit", folder, "--out", model, *options)
        self.run("recommend", model, "--all", "--top", top, "--out", out)
        lists, scores = np.full((users, top), -1), np.zeros((users, top))
        with out.open(newline="") as file:
            for row in csv.DictReader(file):
                place = int(row["user"]), int(row["rank"]) - 1
                lists[place], scores[place] = int(row["item"]), float(row["score"])
        model.unlink()
        return lists, scores

    def items(self, *arguments, **others):
        return self.lists(*arguments, **others)[0]


def adaptive(settings=(), **others):
    """Options of the adaptive filter that leave nothing to be found."""
    every = {**dict(settings), **others, "settings": "fixed"}
    return ["--method", "adaptive", *(word for k, v in every.items() for word in ("--set", f"{k}={v}"))]


LINEAR = ["--method", "ca-gf", "--filters", "linear"]


def counts_of(matrix):
    return np.diff(matrix.indptr), np.bincount(matrix.indices, minlength=matrix.shape[1])


def ranking(palate, name, train, test):
    """The same lists with and without criteria."""
    full, plain = palate.folder(train, test), palate.folder(train[:1], test[:1])
    copies = palate.folder([train[0]] * len(train), [test[0]] * len(train))
    users = train[0].shape[0]
    found, found_with = palate.settings(plain), palate.settings(full)
    preset = ["--method", "ca-gf", "--preset", name[:2].lower(), "--solver", "exact"]
    lists = {
        "adaptive, overall": palate.items(plain, adaptive(found), users),
        "adaptive, criteria, same settings": palate.items(full, adaptive(found), users),
        "adaptive, criteria, own settings": palate.items(full, adaptive(found_with), users),
        "levels count, overall": palate.items(plain, adaptive(found, rating_power=1), users),
        "levels count, criteria": palate.items(full, adaptive(found, rating_power=1), users),
        "preset": palate.items(full, preset, users),
        "preset, overall copied": palate.items(copies, preset, users),
        "overall-only": palate.items(full, ["--method", "overall-only"], users),
        "linear, overall": palate.items(plain, LINEAR, users),
        "linear, criteria": palate.items(full, LINEAR, users),
    }
    pairs = {"adaptive, same settings": ("adaptive, overall", "adaptive, criteria, same settings"),
             "adaptive, own settings": ("adaptive, overall", "adaptive, criteria, own settings"),
             "adaptive, rating_power 1": ("levels count, overall", "levels count, criteria"),
             "CA-GF linear": ("linear, overall", "linear, criteria"),
             "CA-GF preset / overall-only": ("overall-only", "preset"),
             "CA-GF preset / overall in place of criteria": ("preset, overall copied", "preset")}
    out = {"settings": found, "settings with criteria": found_with}
    print(f"{name}: ranking; settings {found}")
    for title, (a, b) in pairs.items():
        out[title] = compare(lists[a], lists[b], test[0], *counts_of(train[0]))
        print(f" {title}: {out[title]['same items']:.2f} of 10 items the same")
        for threshold in THRESHOLDS:
            for key, d in out[title][str(threshold)].items():
                show(f"overall >= {threshold}, {key}", d)
    return out


KEENNESS = (0, 0.25, 0.5, 1, 1.5, 2, 3)


class Reordered:
    """Fifty items each from the tool without criteria, and their ratings predicted with and without criteria."""

    def __init__(self, palate, settings, train, model=None):
        users = train[0].shape[0]
        folder = palate.folder(train[:1], train[:1])
        self.items, scores = palate.lists(folder, adaptive(settings), users, top=50)
        self.base = np.log(np.maximum(scores, 1e-9 * scores.max(1, keepdims=True)) + 1e-30)
        self.base[self.items < 0] = -np.inf
        u, place = np.nonzero(self.items >= 0)
        ways = (model or models.Predictor(train)).ways(u, self.items[u, place])
        self.guess = {}
        for way in ("overall alone", "all of it"):
            self.guess[way] = np.zeros(self.items.shape)
            self.guess[way][u, place] = ways[way]

    def lists(self, way, k):
        """The first ten by log(score) + k times the predicted rating."""
        order = np.argsort(-(self.base + k * self.guess[way]), axis=1, kind="stable")[:, :10]
        return np.take_along_axis(self.items, order, 1)


def reorder(palate, name, train, test, settings, model=None):
    """Lists ordered by predicted ratings as well. How much these count is chosen without criteria, on a tenth of
    train held back."""
    u, i, _ = models.pairs(train[0])
    held = np.random.default_rng(7).random(len(u)) < 0.1
    rest, valid = [models.without(m, u[held], i[held]) for m in train], models.without(train[0], u[~held], i[~held])
    trial, final = Reordered(palate, settings, rest), Reordered(palate, settings, train, model)
    out = {}
    for threshold in (3, 4, 4.5):
        tried = {k: Judged(trial.lists("overall alone", k), valid, threshold) for k in KEENNESS}
        k = max(KEENNESS, key=lambda k: tried[k].ndcg[tried[k].people].mean())
        plain, overall, criteria = (Judged(final.lists(*which), test[0], threshold)
                                    for which in (("overall alone", 0), ("overall alone", k), ("all of it", k)))
        who = plain.people
        out[str(threshold)] = {"k": k, "overall": difference(plain.ndcg[who], overall.ndcg[who]),
                               "criteria": difference(overall.ndcg[who], criteria.ndcg[who])}
        for key in ("overall", "criteria") if name else ():
            show(f"{name} order, >= {threshold}, k {k}: {key}", out[str(threshold)][key])
    return out


def newcomers(palate, name, train, test, settings):
    """Half of the people keep few ratings, the others all; the former are judged."""
    draw = np.random.default_rng(5)
    users = train[0].shape[0]
    chosen = draw.random(users) < 0.5
    u, i, _ = models.pairs(train[0])
    place = np.empty(len(u), int)  # of each rating among the person's, in random order
    order = np.lexsort((draw.random(len(u)), u))
    place[order] = np.arange(len(u)) - train[0].indptr[u[order]]
    options = adaptive(settings, rating_power=1)
    out = {}
    for keep in (1, 3, 5) if name != "BA" else (3,):
        drop = chosen[u] & (place >= keep)
        thin = [models.without(m, u[drop], i[drop]) for m in train]
        judged = [m.multiply(sp.csr_matrix(chosen[:, None].astype(float))).tocsr() for m in test]
        gone = sp.csr_matrix((np.ones(drop.sum()), (u[drop], i[drop])), shape=train[0].shape)
        lists = [unseen(palate.items(palate.folder(thin[:c], judged[:c]), options, users, top=100), gone)
                 for c in (1, len(train))]
        out[keep] = compare(*lists, judged[0], *counts_of(thin[0]))
        for threshold in THRESHOLDS:
            show(f"{name} newcomers, {keep} ratings, >= {threshold}", out[keep][str(threshold)]["ndcg"])
    return out


SWEEPS = {
    "differ": (0, 1, 2, 4),
    "choosy": (0, 0.5, 1, 2),
    "noise_overall": (0.2, 0.5, 1, 2),
    "each": (5, 10, 20, 40),
    "halo": (0, 0.5, 0.9),
}
SYNTH_SWEEPS = {"noise": (0.3, 0.6, 1, 1.5), "ratings_per_user": (6, 12, 25, 50)}
USUAL = {"differ": 2, "choosy": 0.5, "noise_overall": 0.5, "each": 20, "halo": 0, "noise": 0.6, "ratings_per_user": 25}


def in_world(palate, world):
    """Pairs of values without and with criteria."""
    users = world.train[0].shape[0]
    plain, full = palate.folder(world.train[:1], world.test[:1]), palate.folder(world.train, world.test)
    out = {}
    for method, options in (("adaptive", adaptive()), ("CA-GF linear", LINEAR)):
        lists = [palate.items(f, options, users) for f in (plain, full)]
        for threshold in (3, 4):
            a, b = (Judged(x, world.test[0], threshold) for x in lists)
            out[f"{method}, >= {threshold}"] = a.ndcg[a.people].mean(), b.ndcg[a.people].mean()
    model = models.Predictor(world.train)
    order = reorder(palate, "", world.train, world.test, (), model)["4"]
    out["order by prediction, >= 4"] = order["overall"]["without"], order["overall"]["with"]
    out["prediction with criteria, >= 4"] = order["criteria"]["without"], order["criteria"]["with"]
    u, i, truth = models.pairs(world.test[0])
    ways = model.ways(u, i)
    out["RMSE"] = tuple(np.sqrt(np.mean((truth - ways[k]) ** 2)) for k in ("overall alone", "all of it"))
    return out


def made_up(palate, maker, sweeps):
    """One trait of the world changed at a time; means over several draws, and their standard errors."""
    out, usual = {}, None
    for trait, levels in sweeps.items():
        for level in levels:
            same = USUAL[trait] == level
            draws = same and usual or [in_world(palate, maker(seed, **{trait: level})) for seed in range(DRAWS)]
            usual = draws if same else usual
            one = out.setdefault(trait, {})[str(level)] = {}
            for key in draws[0]:
                a, b = np.array([d[key] for d in draws]).T
                change = 100 * (b / a - 1)
                one[key] = {"without": a.mean(), "with": b.mean(), "change": change.mean(),
                            "error": change.std(ddof=1) / np.sqrt(DRAWS)}
                print(f"  {trait} {level}: {key:30} {a.mean():.4f} -> {b.mean():.4f}  {change.mean():+6.2f} % "
                      f"± {one[key]['error']:.2f}", flush=True)
    return out


def ratings(name, train, test):
    """Held-out overall ratings predicted with and without criteria."""
    u, i, truth = models.pairs(test[0])
    guess = models.Predictor(train)
    ways = {**guess.ways(u, i), "told the criteria": models.told(train, test)}
    users = train[0].shape[0]
    counts = np.diff(train[0].indptr)
    out = {"shrink": guess.shrink, "ways": {}, "groups": {}}
    errors = {k: truth - p for k, p in ways.items()}
    print(f"{name}: ratings, {len(truth):,} to predict")
    n = np.bincount(u, minlength=users)
    asked = n > 0

    def change(a, b, who):
        """Of RMSE and MAE, from sums over each person."""
        result = {}
        for measure, loss in (("rmse", np.square), ("mae", np.abs)):
            sums = [np.bincount(u, loss(errors[k]), users)[who] for k in (a, b)]
            d = difference(*sums, n[who])
            if measure == "rmse":  # the interval is that of squares; a root halves small changes
                d["without"], d["with"] = np.sqrt(d["without"]), np.sqrt(d["with"])
                for k in ("change", "low", "high"):
                    d[k] = 100 * (np.sqrt(1 + d[k] / 100) - 1)
            result[measure] = d
        return result

    for way in ways:
        out["ways"][way] = change("overall alone", way, asked)
        for measure, d in out["ways"][way].items():
            show(f"{measure}: overall alone / {way}", d)
    for group in GROUPS:
        who = asked & in_group(counts, group)
        if who.sum() >= 50:
            out["groups"][name_of(group)] = change("overall alone", "all of it", who)
            show(f"rmse, people with {name_of(group)}", out["groups"][name_of(group)]["rmse"])
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--palate", default="build/palate")
    parser.add_argument("--sets", default="YM,TA,BA")
    parser.add_argument("--parts", default=",".join(PARTS))
    parser.add_argument("--json", type=Path)
    parser.add_argument("--pictures", type=Path)
    given = parser.parse_args()
    results = json.loads(given.json.read_text()) if given.json and given.json.is_file() else {}
    parts = given.parts.split(",")

    def keep(part, name, value):
        results.setdefault(part, {})[name] = value
        if part == "repeat":
            print(name, json.dumps(value), flush=True)
        if given.json:
            given.json.write_text(json.dumps(results, indent=1) + "\n")

    for name in given.sets.split(","):
        train, test = load(given.data / name, "tr"), load(given.data / name, "ts")
        if "repeat" in parts:
            keep("repeat", name, models.redundancy(train))
        if "ratings" in parts:
            keep("ratings", name, ratings(name, train, test))
        for part, run in (("ranking", ranking), ("newcomers", newcomers), ("reorder", reorder)):
            if part not in parts:
                continue
            with tempfile.TemporaryDirectory(prefix="palate-criteria-") as scratch:
                extra = () if part == "ranking" else (results["ranking"][name]["settings"],)
                keep(part, name, run(Palate(given.palate, scratch), name, train, test, *extra))
    for differ in SWEEPS["differ"] if "repeat" in parts else ():
        keep("repeat", f"made-up, differ {differ}", models.redundancy(World(0, differ=differ).train))
    if "made-up" in parts:
        with tempfile.TemporaryDirectory(prefix="palate-criteria-") as scratch:
            palate = Palate(given.palate, scratch)
            keep("made-up", "worlds", made_up(palate, World, SWEEPS))
            keep("made-up", "synth", made_up(palate, functools.partial(Restaurants, palate), SYNTH_SWEEPS))
    if given.pictures:
        from criteria_pictures import pictures
        pictures(results, given.pictures)


if __name__ == "__main__":
    main()
