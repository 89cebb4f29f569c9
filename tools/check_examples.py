#!/usr/bin/env python3
"""Runs the commands in the documents, and compares what they print with what the documents say.

  tools/check_examples.py build/palate [page.md ...]           end with 1 where they differ
  tools/check_examples.py build/palate --write [page.md ...]   put what was printed into the pages

A block marked `console` holds commands after "$ " and what they print. Blocks of a page run one after
the other in one new folder. A command that ends with "&" goes on until the page ends. A line "..."
stands for any lines. Numbers may differ, since times do, and the last digits between machines.
"""
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from findings import tell

ROOT = Path(__file__).resolve().parent.parent
PAGES = ["docs/tutorial.md", "docs/how-to.md"]
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
PORT = "8080"  # of the documents; the commands get a free one


def plain(line):
    """A line without what may differ: numbers, the length of bars, the width of columns."""
    line = re.sub(r"[\u2580-\u259f#]+", " ", line)
    line = re.sub(r"[-+±]?\d[\d.,]*(e-\d+)?", "0", line)
    return " ".join(line.split())


def alike(expected, printed):
    pattern = ""
    for line in expected.splitlines():
        pattern += r"(?:.*\n)*?" if line.strip() == "..." else re.escape(plain(line)) + r"\n"
    return re.fullmatch(pattern, "".join(plain(line) + "\n" for line in printed.splitlines()))


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


class Session:
    """The commands of one page, in one folder."""

    def __init__(self, tool, folder):
        self.folder, self.port = folder, free_port()
        self.running = []
        bin_folder = Path(folder, ".bin")
        bin_folder.mkdir()
        (bin_folder / "palate").symlink_to(Path(tool).resolve())
        self.environment = {
            **os.environ, "PATH": f"{bin_folder}:{os.environ['PATH']}", "COLUMNS": "92",
            "LC_ALL": "C.UTF-8", "NO_COLOR": "1",
        }  # fmt: skip

    def run(self, command):
        command = command.replace(PORT, self.port)
        background = command.endswith("&")
        log = Path(self.folder, f".log{len(self.running)}")
        if background:
            listen = "" if "--listen" in command else f"--listen 127.0.0.1:{self.port}"
            command = f"exec {command[:-1]} {listen} >{log} 2>/dev/null"
        started = subprocess.Popen(
            ["bash", "-c", command], cwd=self.folder, env=self.environment, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=background,
        )  # fmt: skip
        if background:
            self.running.append(started)
            out = self._first_line(log)
        else:
            out = started.communicate(timeout=120)[0]
            if started.returncode:
                out += f"(status {started.returncode})\n"
        return out.replace(self.port, PORT)

    def _first_line(self, log):
        for _ in range(200):
            text = log.read_text(encoding="utf-8") if log.exists() else ""
            if "\n" in text:
                return text
            time.sleep(0.1)
        return "(nothing within 20 seconds)\n"

    def end(self):
        for process in self.running:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait()


def check(tool, page, write):
    text = page.read_text(encoding="utf-8")
    found, replaced = [], []
    with tempfile.TemporaryDirectory() as folder:
        session = Session(tool, folder)
        try:
            for block in BLOCK.finditer(text):
                for step in COMMAND.finditer(text, block.start(1), block.end(1)):
                    printed = session.run(step.group(1))
                    if alike(step.group(2), printed):
                        continue
                    line = text.count("\n", 0, step.start()) + 1
                    found.append(f"{page}:{line}: {step.group(1)}\nprinted\n{printed}")
                    replaced.append((step.start(2), step.end(2), printed))
        finally:
            session.end()
    if write:
        for begin, end, printed in reversed(replaced):
            text = text[:begin] + "".join(s.rstrip() + "\n" for s in printed.splitlines()) + text[end:]
        page.write_text(text, encoding="utf-8")
    return found


def main():
    tool, *rest = sys.argv[1:]
    write = "--write" in rest
    pages = [Path(p) for p in rest if p != "--write"] or [ROOT / p for p in PAGES]
    found = [f for page in pages for f in check(tool, page, write)]
    return tell("check-examples", found, "output that differ" if not write else "output put in")


if __name__ == "__main__":
    sys.exit(main())
