#!/usr/bin/python3
"""How do time and peak memory grow with the number of ratings? The paper's scaling series, one process per size, which
runs it twice: cold, on fresh memory, and warm.

    scaling.py [--build BUILD_FOLDER] [--sizes 0,1,2] [--solvers fast,auto] [--plot FILE.svg] [--json FILE]
"""
import argparse
import json
import math
import statistics
import subprocess
from pathlib import Path

MEASURES = (("seconds", "time, warm (s)", 1), ("peak_bytes", "peak memory (GB)", 1e9))
COLOURS = ("#1f5fa8", "#b3541e", "#4d7c2a")


def exponent(points, key):
    """The slope of a straight line through the points on logarithmic axes, and its value at 1."""
    x = [math.log(p["ratings"]) for p in points]
    y = [math.log(p[key]) for p in points]
    return statistics.linear_regression(x, y)


def plot(series, file):
    import matplotlib
    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "palate"  # the same picture from the same numbers
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, 2, figsize=(10, 4), constrained_layout=True)
    for axis, (key, label, unit) in zip(axes, MEASURES):
        for colour, (solver, points) in zip(COLOURS, series.items()):
            slope, start = exponent(points, key)
            x = [p["ratings"] for p in points]
            axis.loglog(x, [p[key] / unit for p in points], "o", color=colour)
            axis.loglog(x, [math.exp(start) * n ** slope / unit for n in x], "-", color=colour, alpha=0.5,
                        label=f"{solver}: grows as ratings$^{{{slope:.2f}}}$")
        axis.set_xlabel("ratings")
        axis.set_ylabel(label)
        axis.grid(True, which="major", color="#e5e5e5")
        axis.legend()
    figure.savefig(file, metadata={"Date": None})


def measure(build, solver, sizes):
    """One series; prints a line for each size."""
    points = []
    print(f"{solver}\n{'users':>8} {'items':>8} {'ratings':>12} {'warm s':>9} {'cold s':>9} {'peak GB':>9}"
          "   stages, warm")
    for size in sizes:
        done = subprocess.run([build / "bench" / "bench_scaling", size, solver], stdout=subprocess.PIPE, text=True)
        if done.returncode != 0:
            print(f"size {size}: left out, bench_scaling ended with {done.returncode}", flush=True)
            continue
        p = json.loads(done.stdout)
        points.append(p)
        stages = "  ".join(f"{name} {spent:.2f}" for name, spent in p["stages"].items())
        print(f"{p['users']:8,} {p['items']:8,} {p['ratings']:12,} {p['seconds']:9.2f} {p['cold_seconds']:9.2f}"
              f" {p['peak_bytes'] / 1e9:9.2f}   {stages}", flush=True)
    return points


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=Path("build"))
    parser.add_argument("--sizes", default="0,1,2,3,4,5,6")
    parser.add_argument("--solvers", default="fast,auto")
    parser.add_argument("--plot", type=Path)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    results = {}
    series = {}
    for solver in given.solvers.split(","):
        points = measure(given.build, solver, given.sizes.split(","))
        results[solver] = {"sizes": points}
        if len(points) < 2:
            continue
        series[solver] = points
        for key, label, _ in MEASURES:
            results[solver][f"exponent_{key}"] = exponent(points, key).slope
            print(f"{label} grows as ratings^{results[solver][f'exponent_{key}']:.2f}")
    if given.plot and series:
        try:
            plot(series, given.plot)
            print(f"picture: {given.plot}")
        except ImportError:
            print("matplotlib is not there (Debian: python3-matplotlib): no picture")
    if given.json:
        given.json.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
