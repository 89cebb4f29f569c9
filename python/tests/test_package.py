"""The package itself: names, types, examples, documents, the notebook."""

import inspect
import os
import re
import runpy
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest
from conftest import ROOT

import palate

EXAMPLES = sorted((ROOT / "python" / "examples").glob("*.py"))


def test_every_public_name_says_what_it_is():
    for name in palate.__all__:
        thing = getattr(palate, name)
        if callable(thing):
            assert inspect.getdoc(thing), name
    for kind in (palate.CAGF, palate.Ratings, palate.Evaluation, palate.Explanation):
        for name, thing in vars(kind).items():
            if not name.startswith("_") and inspect.isfunction(thing):
                assert inspect.getdoc(getattr(kind, name)), f"{kind.__name__}.{name}"


def test_one_version():
    line = (ROOT / "include" / "palate" / "version.hpp").read_text()
    assert f'"{palate.__version__}"' in line
    try:
        installed = metadata.metadata("palate")
    except metadata.PackageNotFoundError:
        pytest.skip("not installed as a package")
    assert installed["Version"] == palate.__version__
    assert installed["Summary"] and installed["Requires-Python"]
    assert "MIT" in str(installed.get("License") or installed.get("License-Expression"))
    assert (Path(palate.__file__).parent / "py.typed").is_file()


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_examples_run(path, tmp_path, monkeypatch, capsys):
    if "matplotlib" in path.read_text():
        pytest.importorskip("matplotlib").use("Agg")
    if "pandas" in path.read_text():
        pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(path), run_name="__main__")
    assert capsys.readouterr().out


def test_examples_and_the_package_pass_mypy_strict():
    pytest.importorskip("mypy")
    pytest.importorskip("pandas")
    typed = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", os.devnull, *map(str, EXAMPLES)],
        capture_output=True,
        text=True,
        cwd=ROOT / "python" / "examples",
        env={**os.environ, "MYPYPATH": str(Path(palate.__file__).parents[1])}
        if not _installed()
        else os.environ,
    )
    assert typed.returncode == 0, typed.stdout


def _installed():
    return "site-packages" in palate.__file__


def python_blocks(page):
    return re.findall(r"^```python\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("name", ["docs/python.md", "README.md"])
def test_the_documents_tell_the_truth(name, tmp_path, monkeypatch):
    pytest.importorskip("pandas")
    pytest.importorskip("scipy")
    pytest.importorskip("matplotlib").use("Agg")
    page = ROOT / name
    blocks = python_blocks(page)
    assert blocks
    monkeypatch.chdir(tmp_path)
    palate.synthesize(
        users=150, items=40, criteria=["appearance", "aroma", "palate", "taste"], seed=1
    ).to_csv("beers.csv")
    scope = {"__name__": "document"}
    for block in blocks:
        exec(compile(block, f"{name}", "exec"), scope)


def test_the_notebook_runs(tmp_path, monkeypatch):
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    pytest.importorskip("matplotlib")
    pytest.importorskip("pandas")
    monkeypatch.delenv("MPLBACKEND", raising=False)  # the notebook shows its pictures inline
    path = ROOT / "python" / "notebooks" / "palate.ipynb"
    book = nbformat.read(path, as_version=4)
    assert not any(cell.get("outputs") for cell in book.cells), (
        "clear the outputs before committing"
    )
    nbclient.NotebookClient(book, timeout=120, resources={"metadata": {"path": tmp_path}}).execute()
    pictures = [
        output
        for cell in book.cells
        for output in cell.get("outputs", [])
        if "image/png" in output.get("data", {})
    ]
    assert len(pictures) >= 3
    keep = os.environ.get("PALATE_KEEP_NOTEBOOK")
    if keep:
        nbformat.write(book, tmp_path / "done.ipynb")
        shutil.copy(tmp_path / "done.ipynb", keep)
