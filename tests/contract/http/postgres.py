"""A PostgreSQL server of the test's own, from Debian's package, on a socket in a temporary folder,
and a proxy before it that fails as networks do."""
import contextlib
import glob
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time

PORT_FILE = ".s.PGSQL.5432"


def binaries():
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
    return found[-1] if found else None


class Postgres:
    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="palate-pg-", dir="/tmp")
        self.data = os.path.join(self.folder, "data")
        self.user = "postgres" if os.getuid() == 0 else None
        if self.user:
            shutil.chown(self.folder, self.user)
        os.chmod(self.folder, 0o755)
        self._run("initdb", "-D", self.data, "-A", "trust", "-U", "postgres", "-E", "UTF8",
                  "--locale=C", "--no-sync")
        self.start()

    def start(self):
        log = os.path.join(self.folder, "log")
        try:
            self._run("pg_ctl", "-D", self.data, "-w", "-t", "100", "-l", log, "-o",
                      f"-k {self.folder} -c listen_addresses='' -c fsync=off", "start")
        except RuntimeError as error:
            with open(log, encoding="utf-8", errors="replace") as file:
                raise RuntimeError(f"{error}\n{file.read()[-3000:]}") from error

    def kill(self):
        """kill -9 of all its processes: what they had not handed to the system is gone."""
        with open(os.path.join(self.data, "postmaster.pid"), encoding="ascii") as file:
            first = int(file.readline())
        os.kill(first, signal.SIGSTOP)  # no child is born between counting and killing them
        everyone = [first, *(pid for pid in map(int, filter(str.isdigit, os.listdir("/proc")))
                             if self._status(pid)[1:2] == [str(first)])]
        for pid in everyone:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        while any(self._status(pid)[:1] not in ([], ["Z"]) for pid in everyone):
            time.sleep(0.01)
        # A dead process that nobody has waited for yet would count as a server that runs.
        os.remove(os.path.join(self.data, "postmaster.pid"))
        os.remove(os.path.join(self.folder, PORT_FILE + ".lock"))

    @staticmethod
    def _status(pid):
        """Its state and its parent; nothing where there is no such process."""
        try:
            with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
                return file.read().rsplit(")", 1)[1].split()[:2]
        except OSError:
            return []

    def _run(self, name, *arguments):
        as_user = {}
        if self.user:
            entry = pwd.getpwnam(self.user)
            as_user = {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
        done = subprocess.run([os.path.join(binaries(), name), *arguments], timeout=120, check=False,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd="/", **as_user)
        if done.returncode != 0:
            raise RuntimeError(f"{name} ended with {done.returncode}: {done.stderr.decode()}")

    def database(self, name):
        self._run("createdb", "-h", self.folder, "-U", "postgres", name)
        return self.url(name, self.folder)

    @staticmethod
    def url(name, folder):
        return f"postgresql:///{name}?host={folder}&user=postgres"

    def _psql(self, name, sql, run=subprocess.run, **more):
        return run([os.path.join(binaries(), "psql"), "-qAt", "-h", self.folder, "-U", "postgres",
                    "-d", name, "-c", sql], **more)

    @contextlib.contextmanager
    def doing(self, name, sql):
        """Somebody else's transaction that did this and does not end."""
        other = self._psql(name, f"BEGIN; {sql}; SELECT pg_sleep(600)", run=subprocess.Popen,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            yield
        finally:
            # The session goes on without its client until it is told to end.
            self._psql(name, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                       "WHERE query LIKE '%pg_sleep(600)' AND pid <> pg_backend_pid()",
                       stdout=subprocess.DEVNULL, check=True)
            other.wait(120)

    def waits(self, name):
        """Whether somebody waits for a lock."""
        return self._psql(name, "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'",
                          capture_output=True, check=True).stdout != b""

    def stop(self):
        with contextlib.suppress(RuntimeError):  # where it was killed
            self._run("pg_ctl", "-D", self.data, "-m", "immediate", "stop")
        shutil.rmtree(self.folder, ignore_errors=True)


class Proxy:
    """Stands before a PostgreSQL server. `folder` is where clients find it."""

    def __init__(self, postgres):
        self.upstream = os.path.join(postgres.folder, PORT_FILE)
        self.folder = tempfile.mkdtemp(prefix="palate-proxy-", dir="/tmp")
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(os.path.join(self.folder, PORT_FILE))
        self.listener.listen(100)
        self.lock = threading.Lock()
        self.open = set()
        self.flows = threading.Event()
        self.flows.set()
        self.deaf = False
        self.open_to_all = True
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return  # closed
            server = socket.socket(socket.AF_UNIX)
            try:
                if not self.open_to_all:
                    raise ConnectionRefusedError
                server.connect(self.upstream)
            except OSError:
                client.close()
                server.close()
                continue
            with self.lock:
                self.open |= {client, server}
            for source, target, answers in [(client, server, False), (server, client, True)]:
                threading.Thread(target=self._pump, args=(source, target, answers),
                                 daemon=True).start()

    def _pump(self, source, target, answers):
        with contextlib.suppress(OSError):
            while piece := source.recv(65536):
                self.flows.wait()
                if not (answers and self.deaf):
                    target.sendall(piece)
        self._close({source, target})

    def _close(self, sockets):
        for one in sockets:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)  # wakes whoever reads from it
            with self.lock:
                self.open.discard(one)
            one.close()

    def cut(self):
        """Every connection breaks."""
        with self.lock:
            now = set(self.open)
        self._close(now)

    def hold(self, seconds):
        """Nothing passes for so long, then all of it."""
        self.flows.clear()
        time.sleep(seconds)
        self.flows.set()

    def lose_answers(self, seconds):
        """What is asked for arrives and is done, the answers do not; then every connection breaks."""
        self.deaf = True
        time.sleep(seconds)
        self.cut()
        self.deaf = False

    def stop(self):
        with contextlib.suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.flows.set()
        self.cut()
        shutil.rmtree(self.folder, ignore_errors=True)
