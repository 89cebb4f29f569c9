"""A PostgreSQL server of the test's own, from Debian's package, on a socket in a temporary folder."""
import glob
import os
import pwd
import shutil
import subprocess
import tempfile


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
        self._run("pg_ctl", "-D", self.data, "-w", "-l", os.path.join(self.folder, "log"), "-o",
                  f"-k {self.folder} -c listen_addresses='' -c fsync=off", "start")

    def _run(self, name, *arguments):
        as_user = {}
        if self.user:
            entry = pwd.getpwnam(self.user)
            as_user = {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
        subprocess.run([os.path.join(binaries(), name), *arguments], check=True, timeout=120,
                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd="/", **as_user)

    def database(self, name):
        self._run("createdb", "-h", self.folder, "-U", "postgres", name)
        return f"postgresql:///{name}?host={self.folder}&user=postgres"

    def stop(self):
        self._run("pg_ctl", "-D", self.data, "-m", "immediate", "stop")
        shutil.rmtree(self.folder, ignore_errors=True)
