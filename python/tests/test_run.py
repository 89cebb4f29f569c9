"""Threads, progress, interruption."""

import os
import pickle
import signal
import sys
import threading

import pytest

import palate


@pytest.fixture(scope="module")
def larger():
    return palate.synthesize(users=3000, items=1500, ratings_per_user=40, seed=1)


def test_progress_goes_to_a_function(larger, ratings):
    told = []
    palate.CAGF(filters="linear").fit(larger, progress=lambda *what: told.append(what))
    assert told and {stage for stage, _, _ in told} == {"graph"}
    assert all(0 <= done <= total for _, done, total in told)
    assert any(done > 0 and total == larger.n_items for _, done, total in told)
    chosen = []
    palate.choose_filters(ratings, progress=lambda *what: chosen.append(what[0]))
    assert "choose filters" in chosen
    with pytest.raises(TypeError, match="progress is"):
        palate.CAGF(filters="linear").fit(larger, progress=3)


def test_an_exception_of_the_function_arrives(larger):
    def fail(*what):
        raise ZeroDivisionError("of mine")

    model = palate.CAGF(filters="linear")
    with pytest.raises(ZeroDivisionError, match="of mine"):
        model.fit(larger, progress=fail)
    with pytest.raises(palate.NotFittedError):
        model.recommend()
    with pytest.raises(KeyboardInterrupt):
        model.fit(larger, progress=lambda *what: False)
    assert len(model.fit(larger).recommend(n=1).ids)


def interrupt(*what):
    os.kill(os.getpid(), signal.SIGINT)


def test_ctrl_c_stops_each_long_call(larger):
    model = palate.CAGF(filters="linear").fit(larger)
    _, test = palate.split(larger)
    for call in (
        lambda: palate.CAGF(filters="linear").fit(larger, progress=interrupt),
        lambda: palate.CAGF().fit(larger, progress=interrupt),
        lambda: palate.ItemKNN().fit(larger, progress=interrupt),
        lambda: palate.choose_filters(larger, progress=interrupt),
        lambda: model.recommend(progress=interrupt),
        lambda: palate.evaluate(model, test, progress=interrupt),
    ):
        with pytest.raises(KeyboardInterrupt):
            call()
            signal.pause()  # the signal came with the last report: it is still to be delivered


def test_a_signal_needs_no_progress_to_be_seen(larger):
    timer = threading.Timer(0.05, interrupt)
    with pytest.raises(KeyboardInterrupt):
        timer.start()
        while True:  # the signal arrives in one of the fits
            palate.CAGF(filters="outward:0.85", solver="exact").fit(larger)
    timer.join()


def test_other_threads_run_meanwhile(larger):
    # The callback waits for another thread, which needs the interpreter to get anywhere.
    going, reached = threading.Event(), threading.Event()

    def other():
        going.wait(30)
        reached.set()

    thread = threading.Thread(target=other)
    thread.start()

    def wait(*what):
        going.set()
        assert reached.wait(30)

    palate.CAGF(filters="linear").fit(larger, progress=wait)
    thread.join()
    assert reached.is_set()


def test_a_bar_or_a_line_shows_progress(larger, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    palate.CAGF(filters="linear").fit(larger, progress=True)
    assert "graph" in capsys.readouterr().err
    monkeypatch.undo()
    pytest.importorskip("tqdm")
    palate.CAGF(filters="linear").fit(larger, progress=True)
    assert "graph" in capsys.readouterr().err


def test_errors_are_what_a_python_programmer_expects():
    from palate import _errors, _palate

    for code, builtin in _palate.error_kinds:
        error = _errors.from_engine(code, "what", "where", "do this")
        assert type(error).__mro__[1:].count(getattr(__builtins__, builtin, None) or __builtins__[builtin]) or builtin == "KeyboardInterrupt"  # fmt: skip
        if code != "cancelled":
            assert isinstance(error, palate.Error) and error.code == code
            assert str(error) == "where: what (do this)"
            again = pickle.loads(pickle.dumps(error))
            assert type(again) is type(error) and str(again) == str(error)
