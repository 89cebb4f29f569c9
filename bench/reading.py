#!/usr/bin/python3
"""How many rows a second does pandas read from the CSV file that bench_reading reads?

    reading.py [ROWS] [--build BUILD_FOLDER] [--repeats N] [--json FILE]

Has bench_reading make the file in a temporary folder and measure Palate and a naive parser, then reads it with
pandas, and once more with the ids turned into indices, which is what a recommender needs.
"""
import argparse
import json
import subprocess
import tempfile
import time
from pathlib import Path


def best_of(repeats, read):
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        rows = read()
        best = min(best, time.perf_counter() - start)
    return {"rows": rows, "seconds": best, "rows_per_second": rows / best}


def with_pandas(file, repeats):
    import pandas

    def plain():
        return len(pandas.read_csv(file))

    def with_indices():
        table = pandas.read_csv(file)
        for column in ("user", "item"):
            table[column] = pandas.factorize(table[column], sort=True)[0]
        return len(table)

    return {"pandas.read_csv": best_of(repeats, plain), "pandas, ids as indices": best_of(repeats, with_indices)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rows", type=int, nargs="?", default=487_133)
    parser.add_argument("--build", type=Path, default=Path("build"))
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="palate-bench-") as folder:
        file, ours = Path(folder) / "beers.csv", Path(folder) / "ours.json"
        subprocess.run([given.build / "bench" / "bench_reading", str(given.rows), "--csv", file, "--json", ours,
                        "--repeats", str(given.repeats)], check=True)
        results = json.loads(ours.read_text())
        try:
            pandas_results = with_pandas(file, given.repeats)
        except ImportError:
            print("pandas is not there (Debian: python3-pandas): left out")
            pandas_results = {}
    for name, one in pandas_results.items():
        print(f"{name:24} {one['seconds']:8.3f} s  {one['rows_per_second'] / 1e6:6.2f} M rows/s")
    results.update(pandas_results)
    if given.json:
        given.json.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
