# SPDX-License-Identifier: MIT
"""Other people's programs, unchanged: where their sources come from, what they answer, and what a
profile of theirs shows."""
import hashlib
import os
import re
import subprocess
import tarfile
from collections import Counter

import pytest


@pytest.fixture
def fetch(tmp_path):
    """fetch(hash): gets a package from an npm of this test's own; (how that went, the package's hash)."""
    (tmp_path / "package").mkdir()
    (tmp_path / "package/source.c").write_text("int x;\n")
    archive = tmp_path / "some-1.0.0.tgz"
    with tarfile.open(archive, "w:gz") as tar:
        tar.add(tmp_path / "package", "package")
    (tmp_path / "bin").mkdir()
    npm = tmp_path / "bin/npm"
    npm.write_text(f'#!/bin/sh\n[ "$1 $2 $3 $5" = "pack --ignore-scripts --pack-destination some@1.0.0" ] || exit 1\n'
                   f'echo >>{tmp_path}/calls\ncp {archive} "$4"\n')
    npm.chmod(0o755)
    env = dict(os.environ, PATH=f"{npm.parent}:{os.environ['PATH']}")

    def run(sha256, package="some@1.0.0"):
        return subprocess.run(["tools/fetch-npm.sh", package, sha256, str(tmp_path / "out/some")], env=env,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)
    return run, hashlib.sha256(archive.read_bytes()).hexdigest()


def test_a_package_is_fetched_once(fetch, tmp_path):
    run, sha256 = fetch
    for _ in range(2):
        assert run(sha256).returncode == 0
        assert (tmp_path / "out/some/source.c").read_text() == "int x;\n"
    assert (tmp_path / "calls").read_text() == "\n"


def test_a_package_of_another_hash_is_refused(fetch, tmp_path):
    run, _ = fetch
    done = run("0" * 64)
    assert done.returncode != 0 and "has the hash" in done.stderr
    assert [p.name for p in (tmp_path / "out").iterdir()] == ["some.lock"]
    assert run("0" * 64, package="other@1.0.0").returncode != 0


def user_chains(out, perf, event):
    """The functions of the program in each sample of @event, from where it was struck outwards."""
    done = perf("--buildid-dir", out / "buildid", "script", "-i", out / "perf.data", "-F", "event,ip,sym,dso")
    found = []
    for block in done.stdout.strip().split("\n\n"):
        head, *frames = block.splitlines()
        if head.strip().rstrip(":") == event:
            parsed = [re.match(r"\s*[0-9a-f]+ (\S+) \((.*)\)$", f) for f in frames]
            assert all(parsed), block
            found.append([m[1] for m in parsed if m[2] != "[kernel.kallsyms]"])
    return [c for c in found if c]


@pytest.mark.slow
def test_sqlite(make, out, perf):
    """Databases in memory and in files, filled and queried. What is hot is SQLite's, and almost every
    chain goes down to where its thread began."""
    done = make("run", "APP=tests/apps/sqlite", timeout=900)
    assert done.returncode == 0, done.stdout + done.stderr
    assert not re.search(r"^sqlite: log:", done.stdout + done.stderr, re.M)  # but what is expected
    answers = re.search(r"^sqlite: all (\d+) answers were right$", done.stdout, re.M)
    assert answers and int(answers[1]) > 40000, done.stdout
    for event, least in (("cpu-clock", 100), ("context-switches", 20), ("page-faults", 500)):
        found = user_chains(out, perf, event)
        assert len(found) >= least, event
        whole = [c for c in found if c[-1] in ("_start", "__thread_start")]
        assert len(whole) >= 0.98 * len(found), [c for c in found if c not in whole]
        of_sqlite = [c for c in found if any(f.startswith("sqlite3") for f in c)]
        # The other switches are where processes end, are waited for, or were preempted.
        assert len(of_sqlite) > (0.2 if event == "context-switches" else 0.7) * len(found), found
        if event == "cpu-clock":
            assert Counter(c[0] for c in found).most_common(1)[0][0] == "sqlite3VdbeExec"
    assert re.search(r"sqlite +\[\.\] sqlite3VdbeExec", done.stdout), done.stdout
