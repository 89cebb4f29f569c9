"""Plain models of ratings for criteria.py: how well do criteria predict overall ratings, and how far do they repeat
them? NumPy and SciPy alone; criterion 0 is overall. Ratings are a list of CSR matrices, one per criterion.
"""
import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import svds

FOLDS = 5
SCALE = (1.0, 5.0)


def pairs(matrix):
    """Row, column and value of each rating."""
    coo = matrix.tocoo()
    return coo.row, coo.col, coo.data


def biases(matrix, shrink_user, shrink_item, rounds=12):
    """Mean, and what a person and an item add to it: sums over n + shrink, in turns."""
    u, i, r = pairs(matrix)
    mean = r.mean() if len(r) else 0.0
    users, items = matrix.shape
    n_u, n_i = np.bincount(u, minlength=users), np.bincount(i, minlength=items)
    b_u, b_i = np.zeros(users), np.zeros(items)
    for _ in range(rounds):
        b_i = np.bincount(i, r - mean - b_u[u], items) / (n_i + shrink_item)
        b_u = np.bincount(u, r - mean - b_i[i], users) / (n_u + shrink_user)
    return mean, b_u, b_i


def residuals(matrix, shrink):
    u, i, r = pairs(matrix)
    mean, b_u, b_i = biases(matrix, *shrink)
    return sp.csr_matrix((r - mean - b_u[u] - b_i[i], (u, i)), shape=matrix.shape), mean, b_u, b_i


def likeness(residual_list, damp=5.0):
    """Between items: the positive part of the cosine of what is left, over all matrices given, damped where few
    people rated both."""
    gram = sum((z.T @ z for z in residual_list[1:]), residual_list[0].T @ residual_list[0]).toarray().astype(np.float32)
    norm = np.sqrt(np.diag(gram) + damp * len(residual_list))
    gram /= norm[:, None]
    gram /= norm[None, :]
    np.maximum(gram, 0, out=gram)
    np.fill_diagonal(gram, 0)
    return gram


def neighbours(like, residual, u, i, damp=1.0):
    """The mean of what is left of the person's other ratings, weighted by how alike the items are."""
    out = np.zeros(len(u))
    order = np.argsort(u, kind="stable")
    for asked in np.split(order, np.flatnonzero(np.diff(u[order])) + 1):
        person = u[asked[0]]
        rated = slice(residual.indptr[person], residual.indptr[person + 1])
        if rated.start == rated.stop:
            continue
        weight = like[np.ix_(residual.indices[rated], i[asked])]
        out[asked] = residual.data[rated] @ weight / (weight.sum(0) + damp)
    return out


def features(train, u, i, shrink):
    """Columns for the pairs asked for. For each criterion: mean, what the person adds, what the item adds, neighbours.
    For all of them: neighbours on overall with likeness over all criteria; each criterion predicted, then overall
    from these as people do on train, by one rule or by a rule of each person's own; and tastes, over directions that
    overall ratings show and over what an item is good at, a criterion beside the mean of all."""
    out, left, profile = {}, [], []
    for c, matrix in enumerate(train):
        z, mean, b_u, b_i = residuals(matrix, shrink)
        left.append(z)
        profile.append(b_i)
        out["mean", c], out["person", c], out["item", c] = np.full(len(u), mean), b_u[u], b_i[i]
        out["near", c] = neighbours(likeness([z]), z, u, i)
    out["near", "all"] = neighbours(likeness(left), left[0], u, i)
    rule, own = rules(train)
    guess = np.column_stack([np.ones(len(u)), *(sum(out[kind, c] for kind in ("mean", "person", "item", "near"))
                                                for c in range(1, len(train)))])
    out["rule", "all"], out["own", "all"] = guess @ rule, (guess * own[u]).sum(1)
    profile = np.column_stack(profile[1:])
    profile -= profile.mean(1, keepdims=True)
    for pull in (5, 30):
        out["latent", pull] = tastes(left[0], directions(left[0]), pull, u, i)
        out["taste", pull] = tastes(left[0], profile, pull, u, i)
    return out


def without(matrix, u, i):
    """The ratings but those of the given pairs."""
    drop = sp.csr_matrix((np.ones(len(u)), (u, i)), shape=matrix.shape)
    rest = matrix - matrix.multiply(drop)
    rest.eliminate_zeros()
    return rest.tocsr()


def out_of_fold(train, shrink, seed=1):
    """Features of every overall rating of train from the other folds, in the order of pairs(train[0])."""
    u, i, _ = pairs(train[0])
    fold = np.random.default_rng(seed).permutation(len(u)) % FOLDS
    columns = {}
    for k in range(FOLDS):
        held = fold == k
        rest = [without(m, u[held], i[held]) for m in train]
        for name, column in features(rest, u[held], i[held], shrink).items():
            columns.setdefault(name, np.zeros(len(u)))[held] = column
    return columns


def least_squares(columns, target):
    a = np.column_stack([np.ones(len(target)), *columns])
    return np.linalg.solve(a.T @ a + 1e-6 * np.eye(a.shape[1]), a.T @ target)


def linear(coefficients, columns):
    return coefficients[0] + sum(c * x for c, x in zip(coefficients[1:], columns))


def filled(train):
    """Rated overall: person, item, values of all criteria; a criterion that was not given has the mean of those that
    were (of overall if none was)."""
    u, i, overall = pairs(train[0])
    others = np.column_stack([np.asarray(m[u, i]).ravel() for m in train[1:]])
    given = others > 0
    mean = np.where(given.any(1), others.sum(1) / np.maximum(given.sum(1), 1), overall)
    return u, i, overall, np.where(given, others, mean[:, None]), given


def centred(u, values, users):
    """Values less their mean over the same person."""
    n = np.maximum(np.bincount(u, minlength=users), 1)
    return values - np.column_stack([np.bincount(u, v, users) / n for v in values.T])[u]


def per_person(u, x, y, users, base, pull):
    """For each person the coefficients of y on x by ridge towards base, as strong as `pull` ratings of an average
    person."""
    size = x.shape[1]
    a = np.zeros((users, size, size))
    b = np.zeros((users, size))
    rest = y - x @ base
    for p in range(size):
        b[:, p] = np.bincount(u, x[:, p] * rest, users)
        for q in range(size):
            a[:, p, q] = np.bincount(u, x[:, p] * x[:, q], users)
    a += pull * np.diag(np.maximum((x * x).mean(0), 1e-9))
    return base + np.linalg.solve(a, b[:, :, None])[:, :, 0]


def rules(train):
    """How overall follows from the criteria given with it: coefficients for everybody, and for each person."""
    person, _, overall, others, _ = filled(train)
    rule = least_squares(others.T, overall)
    x = np.column_stack([np.ones(len(overall)), others])
    return rule, per_person(person, x, overall, train[0].shape[0], rule, pull=20)


def directions(residual, count=6):
    """Of each item: its place along the leading directions of what is left of overall ratings."""
    n = np.bincount(residual.indices, minlength=residual.shape[1])
    scaled = residual @ sp.diags((n + 5.0) ** -0.5)
    _, size, rows = svds(scaled, k=count, v0=np.ones(min(residual.shape)))
    return (rows * size[:, None]).T * ((n + 5.0) ** -0.5)[:, None]


def tastes(residual, profile, pull, u, i):
    """What an item is like times how much the person cares: a regression of what is left of their overall ratings on
    profiles of items, drawn towards nothing."""
    who, what, rest = pairs(residual)
    care = per_person(who, profile[what], rest, residual.shape[0], np.zeros(profile.shape[1]), pull)
    return (profile[i] * care[u]).sum(1)


class Predictor:
    """Overall ratings predicted in several ways, each a regression over features, fitted on ratings held back."""

    SHRINKS = ((2, 2), (5, 2), (2, 5), (5, 5), (10, 5), (10, 10), (20, 10))
    BIASES = [("person", 0), ("item", 0)]
    ALONE = [*BIASES, ("near", 0), ("latent", 5), ("latent", 30)]
    WAYS = {"overall alone": ALONE, "likeness by criteria": [*ALONE, ("near", "all")],
            "tastes by criteria": [*ALONE, ("taste", 5), ("taste", 30)]}

    def __init__(self, train):
        self.train, self.shrink = train, self.choose_shrink(train[0])
        inner, target = out_of_fold(train, self.shrink), train[0].tocoo().data
        self.names = {**self.WAYS, "all of it": [n for n in inner if n[0] != "mean"]}
        self.fitted = {way: least_squares([inner[n] for n in names], target) for way, names in self.names.items()}

    def ways(self, u, i):
        """A name and one prediction per pair."""
        found = features(self.train, u, i, self.shrink)
        out = {"mean": found["mean", 0], "biases": found["mean", 0] + sum(found[n] for n in self.BIASES),
               "aggregated": found["rule", "all"], "aggregated, per person": found["own", "all"]}
        for way, names in self.names.items():
            out[way] = linear(self.fitted[way], [found[n] for n in names])
        return {way: np.clip(p, *SCALE) for way, p in out.items()}

    def choose_shrink(self, overall):
        """By the ratings of one fold, from the others."""
        u, i, r = pairs(overall)
        held = np.random.default_rng(2).permutation(len(u)) % FOLDS == 0
        rest = without(overall, u[held], i[held])
        losses = {}
        for shrink in self.SHRINKS:
            mean, b_u, b_i = biases(rest, *shrink)
            losses[shrink] = np.mean((r[held] - mean - b_u[u[held]] - b_i[i[held]]) ** 2)
        return min(losses, key=losses.get)


def told(train, test):
    """Overall from the criteria given with it, which nobody has beforehand: how far criteria repeat it."""
    own = rules(train)[1]
    u, _, _, held, _ = filled(test)
    return np.clip((np.column_stack([np.ones(len(u)), held]) * own[u]).sum(1), *SCALE)


def redundancy(train):
    """How far criteria repeat the overall rating, in numbers between 0 and 1."""
    u, _, overall, others, given = filled(train)
    users = train[0].shape[0]
    own = centred(u, np.column_stack([overall, others]), users)
    o, x = own[:, 0], own[:, 1:]
    asked = given.any(1)
    out = {"share all equal": float(np.mean((np.abs(others - overall[:, None]) < 1e-9)[asked].all(1))),
           "share within half a star": float(np.mean(np.abs(others.mean(1) - overall)[asked] <= 0.5)),
           "filled": given.mean(0).tolist()}
    out["correlations"] = [float(np.corrcoef(o[given[:, c]], x[given[:, c], c])[0, 1]) for c in range(x.shape[1])]
    rule = least_squares(x.T, o)
    out["explained"] = float(1 - np.var(o - linear(rule, x.T)) / np.var(o))
    values = np.linalg.eigvalsh(np.cov(own[asked].T))
    out["first direction"] = float(values[-1] / values.sum())
    # Weights of each person's own, judged on ratings that they were not learned from.
    fold = np.random.default_rng(3).permutation(len(o)) % FOLDS
    busy = np.bincount(u, minlength=users)[u] >= 10
    losses = {}
    for pull in (None, 300, 100, 30, 10):
        errors = np.zeros(len(o))
        for k in range(FOLDS):
            rest, held = fold != k, fold == k
            base = least_squares(x[rest].T, o[rest])[1:]
            w = np.tile(base, (users, 1)) if pull is None else per_person(u[rest], x[rest], o[rest], users, base, pull)
            errors[held] = (o[held] - (x[held] * w[u[held]]).sum(1)) ** 2
        losses[pull] = errors[busy].mean() / np.var(o[busy])
    out["left, one rule"] = float(losses.pop(None))
    out["left, own rules"] = float(min(losses.values()))
    return out
