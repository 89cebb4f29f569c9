"""Every score against a slow NumPy oracle, where it is at hand."""

import importlib.util

import numpy as np
import pytest
from conftest import shared_folder

import palate

sparse = pytest.importorskip("scipy.sparse")


@pytest.fixture(scope="module")
def oracle():
    path = shared_folder() / "oracle" / "oracle.py"
    if not path.is_file():
        pytest.skip(f"{path} is not there; PALATE_SHARED names the folder that holds oracle/")
    spec = importlib.util.spec_from_file_location("oracle", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


LETTERS = {"L": "linear", "I": "inward", "O": "outward"}


@pytest.mark.parametrize("variant", ["full", "m", "s", "f", "p", "mc", "single"])
@pytest.mark.parametrize("preset", ["ym", "ta", "ba"])
def test_every_score_on_made_up_ratings(oracle, preset, variant):
    random = np.random.default_rng(5)
    letters, powers, preference = oracle.PRESETS[preset]
    letters = letters[:4]
    overall = random.integers(1, 11, (40, 25)) / 2 * (random.random((40, 25)) < 0.3)
    matrices = [overall]
    for _ in letters[1:]:
        noisy = np.clip(overall + random.integers(-2, 3, overall.shape) / 2, 0.5, 5)
        matrices.append(noisy * (overall > 0) * (random.random(overall.shape) < 0.8))
    matrices = [sparse.csr_matrix(m) for m in matrices]
    wanted = np.asarray(oracle.scores(matrices, preset, variant))

    names = ["overall", "a", "b", "c"]
    filters = {n: f"{LETTERS[k]}:{powers[k]}" for n, k in zip(names, letters)}
    if variant == "single":
        model = palate.OverallOnly()
    elif variant == "f":  # the oracle's power for linear
        model = palate.CAGF(filters=f"linear:{powers['L']}", preference=preference)
    else:
        model = palate.CAGF(filters, preference, variant=variant, solver="exact")
    model.fit(matrices, criteria=names[1:])
    found = model.recommend(n=25, filter_seen=False)
    rated = np.flatnonzero(sum(m.getnnz(axis=1) for m in matrices))
    for user in rated.tolist():
        if found.popular[user]:
            continue
        mine = np.empty(25)
        mine[found.ids[user]] = found.scores[user]
        np.testing.assert_allclose(mine, wanted[user], rtol=2e-5, atol=1e-7)


def test_matrices_from_scipy_are_what_the_reader_makes_of_the_folder():
    folder = shared_folder() / "data" / "TA_toy"
    if not folder.is_dir():
        pytest.skip(f"{folder} is not there")
    count = len(list(folder.glob("*_tr_*.npz")))
    matrices = [sparse.load_npz(folder / f"TA_toy_tr_{c}.npz") for c in range(count)]
    train, _ = palate.read_split(folder)
    mine = palate.as_ratings(matrices, criteria=train.criteria)
    assert np.array_equal(mine.values, train.values)
    assert np.array_equal(mine.item_index, train.item_index)
    assert np.array_equal(mine.rated, train.rated)
