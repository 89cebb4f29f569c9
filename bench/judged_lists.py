"""Lists against a test part, with and without criteria, for criteria.py: metrics of docs/evaluation.md, differences
over the same people, groups of people and of items.
"""
import numpy as np
import scipy.sparse as sp
from rating_models import pairs

THRESHOLDS = (3, 4.5)
GROUPS = ((1, 3), (4, 9), (10, 29), (30, None))  # by number of ratings in train
RESAMPLES = 2000


class Judged:
    """Lists against the test part: NDCG and recall at 10 per person, and which relevant items were found."""

    def __init__(self, lists, test, threshold):
        users, top = lists.shape
        values = np.asarray(test[np.repeat(np.arange(users), top), np.maximum(lists, 0).ravel()]).reshape(users, top)
        hit = (values >= threshold) & (lists >= 0)
        self.u, self.i, r = pairs(test)
        self.u, self.i = self.u[r >= threshold], self.i[r >= threshold]
        relevant = np.bincount(self.u, minlength=users)
        discount = 1 / np.log2(np.arange(top) + 2)
        ideal = np.r_[0, np.cumsum(discount)][np.minimum(relevant, top)]
        self.people = relevant > 0
        self.ndcg = (hit * discount).sum(1) / np.where(self.people, ideal, 1)
        self.recall = hit.sum(1) / np.where(self.people, relevant, 1)
        found = sp.csr_matrix((np.ones(hit.sum()), (np.nonzero(hit)[0], lists[hit])), shape=test.shape)
        self.found = np.asarray(found[self.u, self.i]).ravel() > 0


def difference(before, after, weights=None, seed=1):
    """Means over the same people, and the relative difference with its 95 % bootstrap interval, in per cent. With
    weights a mean is sum(values) / sum(weights)."""
    before, after = np.asarray(before, float), np.asarray(after, float)
    weights = np.ones(len(before)) if weights is None else np.asarray(weights, float)
    draw = np.random.default_rng(seed)
    rates = []
    for _ in range(RESAMPLES // 100):
        times = draw.multinomial(len(before), np.full(len(before), 1 / len(before)), size=100)
        rates.append(times @ after / np.maximum(times @ before, 1e-12) - 1)
    low, high = np.percentile(np.concatenate(rates), (2.5, 97.5))
    total = weights.sum()
    return {"people": len(before), "without": before.sum() / total, "with": after.sum() / total,
            "change": 100 * (after.sum() / before.sum() - 1), "low": 100 * low, "high": 100 * high}


def in_group(counts, group):
    return (counts >= group[0]) & (counts <= (group[1] or np.inf))


def name_of(group):
    return f"{group[0]}-{group[1]}" if group[1] else f"{group[0]}+"


def compare(without, with_, test, counts, item_counts):
    """Two sets of lists at every threshold: all people, by their ratings, and by the ratings of the items to find."""
    out = {"same items": float(np.mean([len(set(a[a >= 0]) & set(b)) for a, b in zip(without, with_)]))}
    for threshold in THRESHOLDS:
        a, b = Judged(without, test, threshold), Judged(with_, test, threshold)
        who = a.people
        one = out[str(threshold)] = {"ndcg": difference(a.ndcg[who], b.ndcg[who]),
                                     "recall": difference(a.recall[who], b.recall[who])}
        for group in GROUPS:
            part = who & in_group(counts, group)
            if part.sum() >= 50:
                one[f"people {name_of(group)}"] = difference(a.ndcg[part], b.ndcg[part])
            rare = in_group(item_counts[a.i], group)
            if rare.sum() >= 50 and a.found[rare].any():
                per = [np.bincount(a.u[rare], x[rare], len(who)) for x in (a.found, b.found, np.ones(len(a.u)))]
                some = per[2] > 0
                one[f"items {name_of(group)}"] = difference(*(x[some] for x in per))
    return out


def show(title, d, digits=4):
    print(f"  {title:44} {d['without']:.{digits}f} -> {d['with']:.{digits}f}  {d['change']:+6.2f} % "
          f"[{d['low']:+.2f}, {d['high']:+.2f}]  {d['people']:,} people", flush=True)


def unseen(lists, gone):
    """The first ten that were not taken away: the person knows those, though the tool does not."""
    users, top = lists.shape
    taken = np.asarray(gone[np.repeat(np.arange(users), top), np.maximum(lists, 0).ravel()]).reshape(users, top) > 0
    order = np.argsort(taken | (lists < 0), axis=1, kind="stable")[:, :10]
    return np.where(np.take_along_axis(taken, order, 1), -1, np.take_along_axis(lists, order, 1))
