"""The command-line tool and the package read each other's files."""

import json
import os
import subprocess

import pytest
from conftest import ROOT

import palate


@pytest.fixture(scope="module")
def tool():
    path = os.environ.get("PALATE_TOOL", str(ROOT / "build" / "palate"))
    if not os.access(path, os.X_OK):
        pytest.skip(f"the tool is not built: {path}; PALATE_TOOL names another")

    def run(*arguments):
        out = subprocess.run(
            [path, *map(str, arguments)], capture_output=True, text=True, check=True
        )
        return json.loads(out.stdout)

    return run


def test_the_tool_reads_what_python_wrote(tool, model, ratings, tmp_path):
    model.save(tmp_path / "m.palate")
    user = ratings.user_ids.tolist()[0]
    out = tool("recommend", tmp_path / "m.palate", "--user", user, "--top", "4", "--json")
    text = json.dumps(out)
    ids, scores = model.recommend(user, n=4)
    assert all(str(item) in text for item in ids.tolist())


def test_python_reads_what_the_tool_wrote(tool, ratings, tmp_path):
    ratings.to_csv(tmp_path / "r.csv")
    tool("fit", tmp_path / "r.csv", "--out", tmp_path / "m.palate", "--filters", "linear", "--json")
    model = palate.load(tmp_path / "m.palate")
    assert isinstance(model, palate.CAGF) and model.ratings_.n_users == ratings.n_users
    mine = palate.CAGF(filters="linear").fit(ratings)
    assert model.recommend(n=3).ids.tolist() == mine.recommend(n=3).ids.tolist()
