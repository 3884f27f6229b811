# SPDX-License-Identifier: MIT
"""The command line for the guest's init: words, quoted as in a shell, and "|" between commands.

The kernel takes the quotes off, so init could not tell a quoted "|" from the operator. Therefore a
word that init would take for an operator is handed over with a backslash before it, which init
takes off again. It is no shell: what else a shell would act upon is refused here, unless it is
quoted, for the guest's sh.
"""
OPERATORS = "|;<>&"
MAX_WORDS = 63  # EXEC_MAX_ARGS of the kernel, without init's own name
EXPORT_DEVICE = "/dev/export"  # where the guest's perf record writes to by default
RECORD_VALUES = {"e": "event", "c": "count", "F": "freq", "p": "pid", "o": "output", "m": "mmap-pages"}


class CommandError(Exception):
    """The command line cannot be handed over."""


def _quoted(line, at, mark):
    """(text of what stands between quotes that begin at @at, index behind them)."""
    text, start = "", at
    at += 1
    while at < len(line):
        if line[at] == mark:
            return text, at + 1
        if mark == '"' and line[at] == "\\" and line[at + 1:at + 2] in ('"', "\\"):
            at += 1
        text += line[at]
        at += 1
    raise CommandError(f"a quote is not closed: {line[start:]}")


def _word(line, at):
    """(the word that begins at @at without its quotes, index behind it)."""
    text = ""
    while at < len(line) and not line[at].isspace() and line[at] != "|":
        if line[at] in "'\"":
            more, at = _quoted(line, at, line[at])
            text += more
            continue
        if line[at] in OPERATORS:
            raise CommandError(f'"{line[at]}" needs a shell, and init is none: sh -c "..." is one')
        if line[at] == "\\" and at + 1 < len(line):
            at += 1
        text += line[at]
        at += 1
    return text, at


def _mark(word):
    """@word so that init does not take it for an operator."""
    if word[:1] == "\\" or word[:1] in OPERATORS and word or word[-1:] in OPERATORS and word:
        word = "\\" + word
    return word


def _for_kernel(word):
    """@word in the kernel's quoting."""
    if word and not any(c.isspace() or c in "'\"\\" for c in word):
        return word
    return "'" + word.replace("'", "'\"'\"'") + "'"


def _tokens(line):
    """The words of @line without their quotes; None is the operator "|"."""
    tokens, at = [], 0
    while at < len(line):
        if line[at].isspace():
            at += 1
        elif line[at] == "|":
            if line[at + 1:at + 2] == "|":
                raise CommandError('"||" needs a shell, and init is none: sh -c "..." is one')
            tokens.append(None)
            at += 1
        else:
            word, at = _word(line, at)
            tokens.append(word)
    return tokens


def init_words(line):
    """The words, as init shall see them, that run the user's @line."""
    words = ["|" if token is None else _mark(token) for token in _tokens(line)]
    if len(words) > MAX_WORDS:
        raise CommandError(f"{len(words)} words; the guest takes {MAX_WORDS}")
    if words and any(a == "|" == b for a, b in zip(["|", *words], [*words, "|"])):
        raise CommandError('a command is missing beside "|"')
    return words


def for_init(line):
    """What follows "--" on the kernel's command line to run the user's @line."""
    return " ".join(map(_for_kernel, init_words(line)))


def _output(words):
    """The value of -o among the options of perf record that @words begin with; None without one."""
    output, words = None, iter(words)
    for word in words:
        if word in ("-", "--") or word[:1] != "-":
            break
        if word.startswith("--"):
            option, attached, value = word[2:].partition("=")
            takes = option in RECORD_VALUES.values()
        else:
            # Options without a value may stand before one that has one, in one word: -ago FILE.
            at = next((i for i, c in enumerate(word) if c in RECORD_VALUES), len(word) - 1)
            option, attached, value = RECORD_VALUES.get(word[at]), word[at + 1:], word[at + 1:]
            takes = option is not None
        if takes and not attached:
            value = next(words, None)
        if option == "output":
            output = value
    return output


def exports_profile(line):
    """Does a command of @line record a profile to the export channel?"""
    commands = [[]]
    for token in _tokens(line):
        if token is None:
            commands.append([])
        else:
            commands[-1].append(token)
    return any(words[0].rpartition("/")[2] == "perf" and words[1] == "record"
               and _output(words[2:]) in (None, EXPORT_DEVICE) for words in commands if words[1:])
