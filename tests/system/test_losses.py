# SPDX-License-Identifier: MIT
"""Samples that there are not: throttled, without room in the ring, not taken. Stock perf is told of each."""
import re

LIMIT = "/proc/sys/kernel/perf_event_max_sample_rate"


def statistics(perf, pipe):
    """How many records of each type stock perf has seen in all."""
    said = perf("report", "--stats", "-i", pipe).stdout.partition("Aggregated stats:\n")[2]
    of_all = re.split(r"^\S", said, flags=re.M)[0]  # then come those of each event
    return {name: int(n) for name, n in re.findall(r"^ +(\S+) events: +(\d+)", of_all, re.M)}


def samples_and_lost(guest):
    (found,) = re.findall(r"perf record: (\d+) samples, (\d+) lost", guest.console)
    return tuple(map(int, found))


def test_throttling(boot, perf):
    """A limit of a tenth, set when the event is open. Of the time nothing is left out."""
    guest = boot(f"sh -c 'perf record -a -e cpu-clock/freq=10000/ -- sh -c \"echo 1000 > {LIMIT}; spin 100\"'",
                 "--icount", "--append", "cpus=1")
    assert guest.status == 0, guest.console
    stats = statistics(perf, guest.pipe)
    assert stats["THROTTLE"] >= 5
    assert 0 <= stats["THROTTLE"] - stats["UNTHROTTLE"] <= 1
    assert "LOST" not in stats and "LOST_SAMPLES" not in stats
    samples = guest.samples()
    assert stats["SAMPLE"] == len(samples) == samples_and_lost(guest)[0]
    covered = samples[-1].time - samples[0].time
    assert abs(sum(s.period for s in samples[1:]) - covered) < covered / 50
    dump = perf("script", "-D", "-i", guest.pipe).stdout
    assert dump.count("PERF_RECORD_THROTTLE") == stats["THROTTLE"]
    assert dump.count("PERF_RECORD_UNTHROTTLE") == stats["UNTHROTTLE"]


def test_a_ring_without_room(boot, perf):
    """Each fault wants more room than the ring has. What is there and what was lost are all there was."""
    events = 15
    guest = boot("perf record -m 1 -g --user-regs -e " + ",".join(["faults/period=1/"] * events)
                 + " -- pagefaults 100", "--icount", "--append", "cpus=1")
    assert guest.status == 0, guest.console
    samples, lost = samples_and_lost(guest)
    assert lost > 0 and (samples + lost) % events == 0 and samples + lost >= 100 * events
    stats = statistics(perf, guest.pipe)
    assert stats["SAMPLE"] == samples and stats["LOST"] > 0
    told = re.findall(r"PERF_RECORD_LOST lost (\d+)",
                      perf("script", "--show-lost-events", "-i", guest.pipe).stdout)
    assert sum(map(int, told)) == lost and len(told) == stats["LOST"]


def test_samples_not_taken(make, perf, out, board_has):
    """More tasks are on their way to a processor than it notes: the other moves are LOST_SAMPLES."""
    smp = [] if "QEMU_SMP" in board_has else ["SMP=2"]
    done = make("run", *smp, "APP=tests/system/programs/crowd.c",
                "CMD=perf record -a -e cpu-migrations/period=1/ -- crowd 120")
    assert done.returncode == 0, done.stdout + done.stderr
    (samples, lost), = re.findall(r"perf record: (\d+) samples, (\d+) lost", done.stdout)
    assert int(lost) > 0 and int(samples) + int(lost) >= 120
    assert re.search(rf"^ +{lost}  lost$", done.stdout, re.M)
    stats = statistics(perf, out / "perf.pipe")
    assert stats["SAMPLE"] == int(samples) and stats["LOST_SAMPLES"] > 0 and "LOST" not in stats
