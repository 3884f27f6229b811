# SPDX-License-Identifier: MIT
"""What goes into a guest: its standard input and the command line for init."""
import subprocess

import pytest

import guest_command


@pytest.fixture
def feed(board, tmp_path):
    """feed(command, input): runs it with that as standard input; (status, lines of the console)."""
    def run(command, text):
        done = subprocess.run(["tools/qemu-run", "--board", board, "--timeout", "60", "--stream",
                               tmp_path / "perf.pipe", "--command", command],
                              input=text.encode(), capture_output=True, timeout=90, check=False)
        assert b"\xff" not in done.stdout and b"\b" not in done.stdout and b"\a" not in done.stdout
        return done.returncode, done.stdout.decode().replace("\r", "")
    return run


def test_no_input_is_the_end_of_file(feed):
    status, console = feed("cat", "")
    assert status == 0 and "export channel" in console


def test_lines_and_their_end(feed):
    status, console = feed("cat", "a\nb\n")
    assert status == 0
    assert [line for line in console.splitlines() if line in ("a", "b")].count("b") == 2  # with its echo


def test_a_last_line_without_newline(feed):
    status, console = feed("cat", "one\ntail")
    assert status == 0 and "tail" in console


def test_more_than_the_console_holds(board):
    """The reader is behind its input, a line is longer than the console's, the last is not ended."""
    text = "".join(f"line {n}\n" for n in range(400)) + "x" * 700 + "\ntail"
    total = 0
    for byte in text.encode():
        total = (total * 31 + byte) % 1000003
    done = subprocess.run(["make", f"BOARD={board}", "run", "APP=tests/system/programs/checksum.c",
                           "CMD=checksum"], input=text, text=True, capture_output=True, errors="replace",
                          timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"checksum {len(text)} {total}\n" in done.stdout


@pytest.mark.parametrize("line, words", [
    ("echo a", "echo a"),
    ("  echo   a\tb ", "echo a b"),
    ("cat|cat | cat", "cat | cat | cat"),
    ("echo '|'", "echo '\\|'"),
    ('echo "a;b" "a;"', "echo a;b '\\a;'"),
    (r"echo \| \\", "echo '\\|' '\\\\'"),
    ("echo 'two words' ''", "echo 'two words' ''"),
    ('''echo "it's"''', "echo 'it'\"'\"'s'"),
    ("", ""),
])
def test_what_init_is_told(line, words):
    assert guest_command.for_init(line) == words


@pytest.mark.parametrize("line, problem", [
    ("echo 'abc", "not closed: 'abc"), ('echo "abc', "not closed"), ("a > b", '">"'), ("a 2>&1", '">"'),
    ("a; b", '";"'), ("a & b", '"&"'), ("a < b", '"<"'), ("a || b", "||"), ("| a", "missing"),
    ("a |", "missing"), ("a | | b", "missing"), ("a " * 64, "64 words")])
def test_what_init_cannot_do(line, problem):
    with pytest.raises(guest_command.CommandError, match=".*") as caught:
        guest_command.for_init(line)
    assert problem in str(caught.value)


def test_quoted_operators_are_words(boot):
    guest = boot("""echo '|' ";" '>x' '\\y' 'a|' | cat""")
    assert guest.status == 0
    assert "| ; >x \\y a|" in guest.console.splitlines(), guest.console


def test_init_itself_is_no_shell(boot):
    """Not every loader's command line passes through tools/qemu-run."""
    guest = boot("true", "--append", "-- echo a > b")
    assert guest.status == 126
    assert 'init: ">" needs a shell' in guest.console
