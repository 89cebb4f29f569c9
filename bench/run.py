#!/usr/bin/python3
"""All benchmarks in one run: how fast is Palate here, and against dense PyTorch on the same machine?

    run.py [--only speed,latency,...] [--quick] [--build BUILD_FOLDER] [--data FOLDER]

Prints what each program prints, then one table. Writes results.json and the pictures into BUILD_FOLDER/bench. What is
not there (data, torch, pandas, matplotlib) is named and left out.
"""
import argparse
import importlib.util
import json
import os
import platform
import statistics
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
DATA = (("YM", "ym"), ("TA", "ta"), ("BA", "ba"))
SOLVERS = ("exact", "fast")
WANTED_RATIO = {("BA", "fast"): 400, ("BA", "exact"): 50, ("TA", "exact"): 1000, ("YM", "exact"): 12}


class Bench:
    def __init__(self, given):
        self.programs = given.build.resolve() / "bench"
        self.out = self.programs / "parts"
        self.data = given.data
        self.quick = given.quick
        self.results = {"machine": machine()}
        self.table = []  # what, measured, wanted
        self.failed = []
        self.out.mkdir(parents=True, exist_ok=True)

    def run(self, name, *command):
        """Runs a program or a script of this folder with --json; its results, or None if it failed."""
        program, *arguments = map(str, command)
        first = [sys.executable, HERE / program] if program.endswith(".py") else [self.programs / program]
        file = self.out / f"{name}.json"
        file.unlink(missing_ok=True)
        print(f"\n--- {name}: {' '.join([program, *arguments])}", flush=True)
        status = subprocess.run([*first, *arguments, "--json", file]).returncode
        if status != 0 or not file.is_file():
            print(f"{name}: failed with status {status}", flush=True)
            self.failed.append(name)
            return None
        self.results[name] = json.loads(file.read_text())
        return self.results[name]

    def sets(self):
        """The published data that are there; with --quick only the smallest."""
        for name, preset in DATA[:1] if self.quick else DATA:
            if (self.data / name).is_dir():
                yield name, preset, self.data / name
            else:
                print(f"{name}: left out, there is no {self.data / name} (set PALATE_DATA)")

    def say(self, what, measured, wanted=""):
        self.table.append((what, measured, wanted))


def machine():
    names = [line.split(":", 1)[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines()
             if line.startswith("model name")]
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return {"cpu": names[0] if names else platform.machine(), "threads": os.cpu_count(), "memory_bytes": memory}


def cold_and_warm(result):
    """Seconds of the first run, and the median of the others (the first again if it is the only one)."""
    cold = result["runs"][0]["seconds"]
    return cold, statistics.median([r["seconds"] for r in result["runs"][1:]] or [cold])


def kernels(bench):
    result = bench.run("kernels", "bench_kernels", "--milliseconds", 100 if bench.quick else 500)
    if result:
        bench.say("matrix product", f"{result['product_gflops']:.0f} GFLOP/s")
        bench.say("memory", f"{max(result['read_gbytes'], result['triad_gbytes']):.1f} GB/s")


def speed(bench):
    torch = importlib.util.find_spec("torch") and importlib.util.find_spec("scipy")
    if not torch:
        print("dense PyTorch: left out, torch or scipy is not there (Debian: python3-torch, python3-scipy)")
    for name, preset, folder in bench.sets():
        dense = merged = None
        repeats = 9 if name == "YM" else 2  # what is short is noisy
        if torch:
            dense = bench.run(f"dense_{name}", "dense_pytorch.py", folder, preset, repeats)
            merged = bench.run(f"dense_merged_{name}", "dense_pytorch.py", folder, preset, repeats, "--merged")
        for solver in SOLVERS:
            ours = bench.run(f"stages_{name}_{solver}", "bench_stages", folder, preset, 16, "--solver", solver)
            if not ours:
                continue
            cold, warm = cold_and_warm(ours)
            text = f"warm {warm:.3f} s, cold {cold:.3f} s"
            wanted = WANTED_RATIO.get((name, solver))
            if dense:
                dense_cold, dense_warm = cold_and_warm(dense)
                bench.results[f"ratio_{name}_{solver}"] = {"warm": dense_warm / warm, "cold": dense_cold / cold}
                text = (f"{dense_warm / warm:,.0f}x dense PyTorch (cold {dense_cold / cold:,.0f}x): {text}; "
                        f"PyTorch {dense_warm:.2f} s, cold {dense_cold:.2f} s")
            if merged:
                text += f"; merged {cold_and_warm(merged)[1]:.2f} s"
            bench.say(f"{name} {solver}", text, f"{wanted:,}x" if wanted else "")


def accuracy(bench):
    for name, preset, folder in bench.sets():
        bounded = ["50,100,200,400,800"] if name == "BA" or bench.quick else []
        for one in bench.run(f"accuracy_{name}", "bench_accuracy", folder, preset, *bounded) or []:
            if one["name"] == "exact":
                continue
            wanted = {"fast": "0.5 %" if name != "YM" else "", "auto": "0.1 %"}.get(one["name"], "")
            bench.say(f"{name} {one['name']}: worst loss", f"{100 * one['worst_loss']:.3f} % ({one['worst_metric']})",
                      wanted and f"at most {wanted}")


def latency(bench):
    wanted = {"load": 50, "one user": 0.5, "new profile": 1}
    linear = {"load": 50, "one user": 0.2, "new profile": 0.2, "everyone's top ten": 500}
    for name, preset, folder in bench.sets():
        for method, limits in ((preset, wanted), ("adaptive:settings=fixed", linear)):
            way = method.split(":")[0]
            result = bench.run(f"latency_{name}_{way}", "bench_latency", folder, method)
            for what, times in (result or {"times": {}})["times"].items():
                limit = f"p50 under {limits[what]} ms" if name == "BA" and what in limits else ""
                bench.say(f"{name} {way} {what}", f"p50 {times['p50_ms']:.3f} ms, p99 {times['p99_ms']:.3f} ms", limit)


def live(bench):
    for name, preset, folder in bench.sets():
        result = bench.run(f"live_{name}", "bench_live", folder, preset)
        for what, times in (result or {"times": {}})["times"].items():
            bench.say(f"{name} {what}", f"p50 {times['p50_ms']:.3f} ms, p99 {times['p99_ms']:.3f} ms", "")


def reading(bench):
    result = bench.run("reading", "reading.py", 50_000 if bench.quick else 487_133, "--build", bench.programs.parent)
    for what, one in (result or {}).items():
        bench.say(f"reading: {what}", f"{one['rows_per_second'] / 1e6:.2f} M rows/s",
                  "1.5 M rows/s" if what == "palate::read" else "")


def scaling(bench):
    sizes = "0,1" if bench.quick else "0,1,2,3,4,5,6"
    result = bench.run("scaling", "scaling.py", "--build", bench.programs.parent, "--sizes", sizes, "--plot",
                       bench.programs / "scaling.svg")
    for solver, series in (result or {}).items():
        if not series["sizes"]:
            continue
        last = series["sizes"][-1]
        bench.say(f"scaling, {solver}: {last['ratings'] / 1e6:.1f} M ratings",
                  f"{last['seconds']:.2f} s warm, {last['cold_seconds']:.2f} s cold, {last['peak_bytes'] / 1e9:.2f} GB",
                  "15 s, 4 GB" if last["ratings"] > 30e6 and solver == "fast" else "")
        if "exponent_seconds" in series:
            bench.say(f"scaling, {solver}: growth with ratings", f"time ^{series['exponent_seconds']:.2f}, "
                      f"memory ^{series['exponent_peak_bytes']:.2f}")


def million(bench):
    size = (20_000, 4_000, 400_000, 2_000) if bench.quick else (1_000_000, 200_000, 20_000_000, 100_000)
    result = bench.run("million", "bench_million", *size)
    if result:
        seconds = result["seconds"]
        peak = max(result["peak_bytes"], result["peak_bytes_making"])
        bench.say(f"{result['users']:,} users, {result['items']:,} items",
                  f"fit {seconds['fit']:.1f} s, {result['asked']:,} lists {seconds['recommend']:.1f} s, "
                  f"{peak / 1e9:.1f} GB", "" if bench.quick else "10 minutes, 24 GB")


PARTS = (kernels, speed, accuracy, latency, live, reading, scaling, million)


def main():
    names = [part.__name__ for part in PARTS]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default=",".join(names), help=f"some of {','.join(names)}")
    parser.add_argument("--quick", action="store_true", help="small sizes: does it all run?")
    parser.add_argument("--build", type=Path, default=HERE.parent / "build")
    parser.add_argument("--data", type=Path,
                        default=Path(os.environ.get("PALATE_DATA", HERE.parent.parent / "shared" / "data")))
    given = parser.parse_args()
    chosen = given.only.split(",")
    if unknown := set(chosen) - set(names):
        parser.error(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join(names)}")
    if not (given.build / "bench" / "bench_stages").is_file():
        parser.error(f"there are no programs in {given.build / 'bench'}; `make bench` builds them")
    bench = Bench(given)
    for part in PARTS:
        if part.__name__ in chosen:
            part(bench)

    about = bench.results["machine"]
    print(f"\n{about['cpu']}, {about['threads']} threads, {about['memory_bytes'] / 2**30:.0f} GB")
    width = max((len(what) for what, _, _ in bench.table), default=0)
    for what, measured, wanted in bench.table:
        print(f"{what:{width}}  {measured}" + (f"   [wanted: {wanted}]" if wanted else ""))
    file = bench.programs / "results.json"
    file.write_text(json.dumps(bench.results, indent=1) + "\n")
    print(f"results: {file}")
    if bench.failed:
        sys.exit(f"failed: {', '.join(bench.failed)}")


if __name__ == "__main__":
    main()
