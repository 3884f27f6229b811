# SPDX-License-Identifier: MIT
"""The shell and its tools: what a script does, and what keys do on a terminal."""
import os
import pty
import re
import select
import subprocess
import termios
import time

import pytest

# A command line for the guest's sh, what it prints, and its status.
CASES = [
    # Words, quotes, variables.
    ("echo a  'b  c' \"d  e\" f\\ \\ g", "a b  c d  e f  g", 0),
    ("X='1  2'; echo $X; echo \"$X\" ${X}3 '$X'", "1 2\n1  2 1 23 $X", 0),
    ("echo \"$NONE\"x$NONE; echo $NONE end", "x\nend", 0),
    ("echo $# $1 \"$2\" $3; echo \"$@\"; echo $0", "3 one two  words\none two  words\n/tmp/script", 0),
    ("Y=1 sh -c 'echo [$Y]'; echo [$Y]", "[1]\n[]", 0),
    ("Z=1; sh -c 'echo [$Z]'; export Z; sh -c 'echo [$Z]'; unset Z; echo [$Z]", "[]\n[1]\n[]", 0),
    ("echo one # two\n# three\necho a#b", "one\na#b", 0),
    ("echo a \\\n  b; echo 'two\nlines'", "a b\ntwo\nlines", 0),
    ("cd /tmp; mkdir p; cd p; echo >b1; echo >b2; echo >c; echo b* ?1 [!b]* 'b*' x*; cd ..; echo p/b?",
     "b1 b2 b1 c b* x*\np/b1 p/b2", 0),
    # Lists.
    ("true && echo yes || echo no; false && echo yes || echo no", "yes\nno", 0),
    ("false; echo $?; ! true; echo $?", "1\n1", 0),
    ("(cd /bin; pwd; exit 3); echo $?; pwd", "/bin\n3\n/", 0),
    ("exits 7", "", 7),
    # Pipes and redirections.
    ("echo a | cat | cat; false | true; echo $?; true | exits 4; echo $?", "a\n0\n4", 0),
    ("echo 1 > /tmp/o; echo 2 >> /tmp/o; cat < /tmp/o; echo 3 > /tmp/o; cat /tmp/o", "1\n2\n3", 0),
    ("cat /none 2> /tmp/e; cat /tmp/e", "cat: /none: No such file or directory", 0),
    ("cat /none > /tmp/e 2>&1; cat /tmp/e", "cat: /none: No such file or directory", 0),
    ("cat /none 2>&1 > /dev/null | cat", "cat: /none: No such file or directory", 0),
    ("pwd > /tmp/o; echo after; cat /tmp/o", "after\n/", 0),
    ("exec 5> /tmp/five; echo to five >&5; exec 5>&-; cat /tmp/five", "to five", 0),
    ("echo x >&5", "sh: 5: no open descriptor", 1),
    ("cat < /tmp/none", "sh: /tmp/none: No such file or directory", 1),
    ("echo x > /dev/full", "echo: write: No space left on device", 1),
    # What cannot be run.
    ("nosuch", "sh: nosuch: not found", 127),
    ("/tmp", "sh: /tmp: Permission denied", 126),
    ("echo x > /tmp/f; /tmp/f", "sh: /tmp/f: Permission denied", 126),
    ("sh -c 'echo a; )'", 'sh: syntax error near ")"', 2),
    ("sh -c 'echo \"a'", "sh: syntax error: the command ends too early", 2),
    ("sh -c 'cat << E'", "sh: syntax error: << is not known here", 2),
    ("sh /tmp/none", "sh: /tmp/none: No such file or directory", 127),
    ("echo 'V=set; echo read' > /tmp/s; . /tmp/s; echo $V", "read\nset", 0),
    # Background.
    ("sleep 0.1 & wait; echo $?; sleep 0.1 & kill $!; wait $!; echo $?", "0\n143", 0),
    ("(sleep 0.2; echo late) & echo soon; wait", "soon\nlate", 0),
    ("cat & wait; echo end", "end", 0),  # its input is empty, not the script's
    # Tools.
    ("mkdir -p /tmp/q/r; echo x > /tmp/q/r/f; cp /tmp/q/r/f /tmp/q; mv /tmp/q/f /tmp/q/g; ls /tmp/q /tmp/q/g",
     "/tmp/q:\ng\nr/\n/tmp/q/g", 0),
    ("rm -r /tmp/q; ls /tmp/q", "ls: /tmp/q: No such file or directory", 1),
    ("cp /bin/true /tmp/mytrue; /tmp/mytrue; echo $?; rm /tmp/mytrue", "0", 0),
    ("rm /tmp/none; rm -f /tmp/none; echo $?", "rm: /tmp/none: No such file or directory\n0", 0),
    ("kill -0 $$ && kill -NONE 1", "kill: NONE: no such signal", 2),
    ("setpriv --reuid 1000 md 0", "md: /dev/mem: Operation not permitted", 1),
    ("md zz", "md: zz: not a hexadecimal number", 2),
    ("umask 077; mkdir /tmp/m; umask", "0077", 0),
    ("taskset 1 taskset -p 0; taskset -c 0 taskset -c -p 0 0",
     "pid 0's current affinity mask: 1\npid 0's current affinity list: 0\npid 0's new affinity list: 0", 0),
    ("taskset -c 3-1 true", "taskset: 3-1: not a list of processors", 1),
    ("taskset 1 nosuch", "taskset: nosuch: No such file or directory", 127),
]



@pytest.fixture(scope="module")
def outcomes(board, tmp_path_factory):
    """What each case printed, and its status: all of them run by one script in one machine."""
    script = "".join(f"{text}\necho \"@\"'@'{number} $?\ncd /\n" for number, (text, _, _) in enumerate(CASES))
    stream = tmp_path_factory.mktemp("shell") / "perf.pipe"
    done = subprocess.run(
        ["tools/qemu-run", "--board", board, "--timeout", "100", "--stream", stream, "--command",
         "sh -c 'cat > /tmp/script; echo @@begin; sh /tmp/script one \"two  words\" \"\"'"],
        input=script.encode(), capture_output=True, timeout=130, check=False)
    text = done.stdout.decode(errors="replace").replace("\r", "")
    found = {}
    at = text.index("@@begin\n") + len("@@begin\n")
    for match in re.finditer(r"@@(\d+) (\d+)\n", text):
        if match.start() >= at:
            found[int(match[1])] = (text[at:match.start()].rstrip("\n"), int(match[2]))
            at = match.end()
    assert len(found) == len(CASES), text[-3000:]
    return found


@pytest.mark.parametrize("number", range(len(CASES)), ids=[re.sub(r"\W+", "_", c[0])[:40] for c in CASES])
def test_script(outcomes, number):
    text, printed, status = CASES[number]
    got = outcomes[number]
    # With an error, usage may follow.
    assert got == (printed, status) or status == 2 and got[1] == 2 and got[0].startswith(printed), text


class Terminal:
    """A program on a terminal of its own, which we type on."""

    def __init__(self, *words):
        self.master, self.slave = pty.openpty()
        self.before = termios.tcgetattr(self.slave)
        self.process = subprocess.Popen(words, stdin=self.slave, stdout=self.slave, stderr=self.slave,
                                        start_new_session=True)
        self.shown = ""

    def expect(self, text, seconds=60):
        """What is shown up to @text, which must come."""
        deadline = time.monotonic() + seconds
        while text not in self.shown:
            ready, _, _ = select.select([self.master], [], [], max(0, deadline - time.monotonic()))
            assert ready, f"no {text!r} after: {self.shown}"
            self.shown += os.read(self.master, 4096).decode(errors="replace").replace("\r", "")
        before, _, self.shown = self.shown.partition(text)
        return before

    def type(self, keys):
        os.write(self.master, keys.encode())

    def command(self, line):
        """What @line prints, up to the next prompt."""
        self.type(line + "\r")
        self.expect(line + "\n")
        return self.expect("# ")

    def close(self):
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(20)
        os.close(self.master)
        os.close(self.slave)


@pytest.fixture
def terminal(board, tmp_path):
    it = Terminal("tools/qemu-run", "--board", board, "--timeout", "100", "--stream", str(tmp_path / "pipe"),
                  "--keys", "--command", "sh")
    yield it
    it.close()


def test_keys_are_for_the_job_in_the_foreground(terminal):
    terminal.expect("# ")
    terminal.type("cat\r")
    terminal.expect("cat\n")
    terminal.type("seen\r")
    terminal.expect("seen\nseen\n")  # the echo, and cat's: it runs
    terminal.type("\x03")
    terminal.expect("^C\n# ")
    assert terminal.command("echo $?") == "130\n"
    terminal.type("not run\x03")
    terminal.expect("^C\n# ")
    assert terminal.command("sleep 1000 &").startswith("[1] ")
    terminal.type("cat\r")
    terminal.expect("cat\n")
    terminal.type("x\r")
    terminal.expect("x\nx\n")
    terminal.type("\x1a")
    terminal.expect("[2] Stopped\tcat\n# ")
    assert "T " in terminal.command("ps")
    assert terminal.command("jobs") == "[2] Stopped\tcat\n[1] Running\tsleep 1000\n"
    terminal.type("fg\r")
    terminal.expect("fg\ncat\n")
    terminal.type("y\r")
    terminal.expect("y\ny\n")
    terminal.type("\x04")
    terminal.expect("# ")
    assert terminal.command("kill %1; wait") == "[1] Terminated\tsleep 1000\n"
    assert terminal.command("jobs") == ""
    # A job in the background that wants the terminal stops.
    terminal.command("cat &")
    terminal.command("sleep 0.1")
    assert "Stopped\tcat" in terminal.command("jobs")
    terminal.command("kill -KILL %1; wait")
    # Erasing, and the end.
    terminal.type("echo wrong\x15echo right\x7f\x7f\x7f\x7f\x7fok\r")
    terminal.expect("\nok\n")
    terminal.expect("# ")  # the end of the job may be told first
    terminal.type("exit 5\r")
    terminal.expect("init exited with status 5")
    assert terminal.process.wait(20) == 5
    assert termios.tcgetattr(terminal.slave) == terminal.before


def test_end_of_file_ends_the_shell(terminal):
    terminal.expect("# ")
    terminal.type("\x04")
    terminal.expect("init exited with status 0")
    assert terminal.process.wait(20) == 0


def test_qemu_can_be_left_and_the_terminal_is_as_before(terminal):
    terminal.expect("# ")
    terminal.type("\x01x")
    terminal.process.wait(20)
    assert termios.tcgetattr(terminal.slave) == terminal.before


def test_make_shell(board):
    it = Terminal("make", f"BOARD={board}", "shell")
    try:
        it.expect("Ctrl-A X ends QEMU", 120)
        it.expect("# ")
        assert it.command("echo $$") == "3\n"
        it.type("exit\r")
        it.expect("init exited with status 0")
        assert it.process.wait(20) == 0
    finally:
        it.close()
