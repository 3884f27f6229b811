# SPDX-License-Identifier: MIT
"""Parses KTAP (and plain TAP) out of a console log; all other lines are taken for comments.

A test is a leaf: a result line that no indented block precedes. A block that ends before its plan is
fulfilled, or that has no plan, adds a failed result of its own.
"""
import re
from dataclasses import dataclass

LINE = re.compile(r"^(?P<indent> *)(?:(?P<plan>1\.\.(?P<count>\d+))(?: *# *SKIP *(?P<why>.*))?"
                  r"|(?P<not>not )?ok (?P<number>\d+)(?: -)? *(?P<name>[^#]*?)"
                  r" *(?:# *(?:SKIP\b *(?P<reason>.*)|.*))?"
                  r"|(?P<version>K?TAP version .*))$")


@dataclass
class Result:
    name: str
    status: str        # "passed", "failed" or "skipped"
    detail: str = ""   # the reason, or what was printed before a failure
    seconds: float = 0


class Block:
    """The results at one indentation."""

    def __init__(self, indent):
        self.indent = indent
        self.planned = None
        self.seen = 0
        self.results = []
        self.said = []

    def hear(self, line, comments_follow):
        """Keeps a line that is no result: what explains a failure stands before it or, in plain TAP,
        behind it as a comment."""
        failed = self.results and self.results[-1].status == "failed"
        if comments_follow and failed and line.lstrip().startswith("#"):
            self.results[-1].detail = f"{self.results[-1].detail}\n{line}".strip()
        else:
            self.said.append(line)

    def explanation(self):
        """What was said since the last result: the comments if there are any, else the last lines."""
        comments = [line for line in self.said if line.startswith("#")]
        return "\n".join((comments or self.said)[-15:])

    def problem(self):
        if self.planned is None:
            return "has no plan"
        if self.seen != self.planned:
            return f"ended early: {self.seen} of {self.planned} results"
        return None

    def close(self):
        """All results, with one more when the block does not hold what it planned."""
        if self.problem():
            last = "\n".join(self.said[-15:])
            self.results.append(Result("", "failed", f"{self.problem()}\n{last}".strip()))
        return self.results


def named(results, prefix):
    for result in results:
        result.name = f"{prefix}/{result.name}".rstrip("/")
    return results


def parse(text, name):
    """The results in @text, each named below @name."""
    stack, children, done = [Block(0)], [], []
    comments_follow = "KTAP version" not in text
    for line in text.splitlines():
        line = line.rstrip("\r").replace("\t", "    ")
        match = LINE.match(line)
        if not match:
            stack[-1].hear(line, comments_follow)
            continue
        indent = len(match["indent"])
        while indent < stack[-1].indent:
            children = stack.pop().close() + children
        if indent > stack[-1].indent:
            stack.append(Block(indent))
        block = stack[-1]
        if match["version"]:
            continue
        if match["plan"]:
            if block.planned is not None:  # one more group of tests in the same output
                done += block.close()
                block.__init__(indent)
            block.planned = int(match["count"])
            if match["why"] is not None:
                block.results.append(Result("", "skipped", match["why"]))
            continue
        block.seen += 1
        block.results += result_of(match, block, children)
        block.said, children = [], []
    while len(stack) > 1:
        children = stack.pop().close() + children
    if children:  # of a parent that never got its own line
        stack[0].results += children
    return named(done + stack[0].close(), name)


def result_of(match, block, children):
    """What a result line stands for: itself, or the block before it."""
    name = match["name"] or match["number"]
    failed = bool(match["not"])
    if children:
        if failed and all(child.status != "failed" for child in children):
            children = children + [Result("", "failed", block.explanation())]
        return named(children, name)
    if match["reason"] is not None:
        return [Result(name, "skipped", match["reason"])]
    if failed:
        return [Result(name, "failed", block.explanation())]
    return [Result(name, "passed")]
