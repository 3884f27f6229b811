# SPDX-License-Identifier: MIT
"""Every program says how it is used when it is given what it does not know, and does nothing then."""
import glob
import os
import re

import pytest

# Command lines that are wrong, by program.
WRONG = {
    "cat": ["cat -n /bin/true"],
    "cp": ["cp a", "cp -r a b"],
    "crash": ["crash 1"],
    "demo": ["demo 1"],
    "exits": ["exits one", "exits 1 2", "exits 256", "exits -1"],
    "hog": ["hog -k", "hog -k x 1", "hog 1 2", "hog -k 0 1 2", "hog lots"],
    "kill": ["kill", "kill -l 9", "kill -4294967297 1", "kill -NONE 1"],
    "ls": ["ls -a", "ls -l -a"],
    "mallocs": ["mallocs x", "mallocs 1 2", "mallocs -- 1"],
    "md": ["md", "md -x 0", "md 0 1 2"],
    "migrate": ["migrate x", "migrate 1 2"],
    "mkdir": ["mkdir", "mkdir -x /tmp/x", "mkdir -p -x /tmp/x", "mkdir -p"],
    "mv": ["mv a", "mv -f a b"],
    "mw": ["mw 0", "mw -x 0 0", "mw 0 0 1 2"],
    "pagefaults": ["pagefaults 0", "pagefaults 1 2", "pagefaults 99999999999999999999"],
    "pingpong": ["pingpong 1 0", "pingpong 1 2 3", "pingpong 1x"],
    "ps": ["ps -x", "ps 1"],
    "rm": ["rm", "rm -x /tmp"],
    "setpriv": ["setpriv true", "setpriv --reuid 1", "setpriv --regid 1 true"],
    "sleep": ["sleep", "sleep 1 2", "sleep x"],
    "spin": ["spin x", "spin 1 2"],
    "taskset": ["taskset", "taskset 1", "taskset -x 1 true", "taskset -p", "taskset -p 1 1 1"],
    "watchme": ["watchme x", "watchme -1", "watchme 1 2"],
    "threads": ["threads 0", "threads 17", "threads 1 2"],
}
TAKE_EVERYTHING = {"echo", "false", "hello", "true"}  # the two without a use for it: as everywhere


def programs():
    files = glob.glob("user/tools/*.c") + glob.glob("user/workloads/*.c") + glob.glob("user/workloads/*/")
    return {os.path.splitext(os.path.basename(path.rstrip("/")))[0] for path in files}


def test_no_program_is_left_out():
    assert programs() == set(WRONG) | TAKE_EVERYTHING


def test_wrong_arguments(boot):
    commands = [command for lines in WRONG.values() for command in lines]
    guest = boot("sh -c 'cat > /tmp/script; echo @begin; sh /tmp/script'",
                 typed="".join(f"{command}; echo @$?\n" for command in commands))
    outcomes = re.findall(r"((?:(?!@).*\n)*)@(\d+)\n", guest.console.partition("@begin\n")[2])
    assert len(outcomes) == len(commands), guest.console
    for command, (said, status) in zip(commands, outcomes):
        name = command.split()[0]
        assert re.search(rf"^usage: {name}\b", said, re.M), (command, said)
        assert int(status) in (1, 2), (command, status)


@pytest.mark.parametrize("command, answer", [
    ("taskset -c 10 true", "taskset: 10: no processor of this machine, which has 0-1"),
    ("taskset -c 100-4000000000 true", "taskset: 100-4000000000: no processor of this machine, which has 0-1"),
    ("taskset 0 true", "taskset: 0: no processor of this machine, which has 0-1"),
    ("taskset -p 4 1", "taskset: 4: no processor of this machine, which has 0-1"),
    ("taskset 1x true", "taskset: 1x: not a mask of processors"),
    ("taskset -c 0, true", "taskset: 0,: not a list of processors"),
    ("taskset -p 9999", "taskset: process 9999: No such process"),
    ("taskset -p 4294967297", "taskset: 4294967297: not a process number"),
    ("setpriv --reuid 1000 taskset -p 1 1", "taskset: process 1: Operation not permitted"),
])
def test_what_taskset_cannot_do(boot, board_has, command, answer):
    two = ["--append", "cpus=2"] if "QEMU_SMP" in board_has else ["--smp", "2"]
    guest = boot(command, *two)
    assert guest.status == 1
    assert answer in guest.console.splitlines(), guest.console
