# SPDX-License-Identifier: MIT
"""The house's arrows, read off the tree itself, and what every file owes."""
import pathlib
import re
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCE = (".c", ".h", ".S", ".ld", ".py", ".sh", ".mk")


def files(*rooms, suffixes=(".c", ".h", ".S")):
    found = [p for room in rooms for p in sorted((ROOT / room).rglob("*"))
             if p.is_file() and p.suffix in suffixes and "__pycache__" not in p.parts]
    assert found or not rooms, f"no file under {rooms}"
    return found


def offences(paths, pattern):
    expression = re.compile(pattern)
    return [f"{p.relative_to(ROOT)}:{n}: {line.strip()}" for p in paths
            for n, line in enumerate(p.read_text(errors="replace").splitlines(), 1)
            if expression.search(line)]


def test_the_core_includes_no_architecture_and_no_driver():
    """kernel/ sees an architecture through <arch/...> alone, and drivers not at all."""
    assert offences(files("kernel", "boot"), r'#\s*include\s*[<"](asm/|arch/(x86_64|arm|arm64)/|.*drivers/)') == []


def test_the_core_names_no_architecture():
    assert offences(files("kernel"), r"__x86_64__|__i386__|__arm__|__aarch64__|__asm__|\basm\s*\(") == []


def test_c04_no_policy_below_the_core():
    """An architecture appends frames; who may see them is the core's to say."""
    assert offences(files("arch", "drivers"), r"exclude_(kernel|user|callchain|hv|idle)|PERF_CONTEXT_") == []


def test_breakpoints_know_no_perf():
    paths = [p for p in (ROOT / "kernel/breakpoint").rglob("*.[ch]")]
    paths += [p for p in (ROOT / "kernel/proc").glob("ptrace*")]
    assert offences(paths, r"(?i)\bperf") == []


def test_the_kernel_links_no_libc():
    assert offences(files("kernel", "arch", "drivers", "boot"),
                    r"#\s*include\s*<(stdio|stdlib|string|errno|unistd|assert|ctype)\.h>") == []


def test_programs_see_the_abi_alone():
    """user/ shares include/uapi with the kernel and nothing else."""
    assert offences(files("user"), r'#\s*include\s*[<"](hotregs|arch|asm)/') == []


def test_every_file_says_its_licence():
    rooms = ("arch", "boards", "boot", "drivers", "include", "kernel", "linker", "make", "tests",
             "tools", "user")
    scripts = [ROOT / p for p in ("Makefile", "README.md", ".ci/run", "tools/qemu-run", "tools/debug", "make/packages.txt")]
    scripts += (ROOT / "docs").glob("*.md")
    missing = [str(p.relative_to(ROOT)) for p in files(*rooms, suffixes=SOURCE) + scripts
               if "SPDX-License-Identifier: MIT" not in "\n".join(p.read_text().splitlines()[:3])]
    assert missing == []


def test_files_are_of_a_size_to_read():
    long = [f"{p.relative_to(ROOT)}: {n}" for p in files("arch", "boot", "drivers", "include", "kernel",
                                                          "tests", "tools", "user", suffixes=SOURCE)
            if (n := len(p.read_text().splitlines())) > 800]
    assert long == []


def test_seeded_faults_are_where_the_sources_are():
    """`make mutants` takes long: what it replaces must not be gone by then."""
    for path in sorted((ROOT / "tests/mutants").glob("*.toml")):
        for name, fault in tomllib.loads(path.read_text()).items():
            assert (ROOT / fault["file"]).read_text().count(fault["old"]) == 1, name


def test_the_readme_tells_the_truth():
    """Each make goal, file and board that README and docs name is there."""
    makefiles = "".join(p.read_text() for p in [ROOT / "Makefile", *sorted((ROOT / "make").glob("*.mk"))])
    goals = {goal for rule in re.findall(r"^([a-z][\w -]*):(?!=)", makefiles, re.M) for goal in rule.split()}
    boards = {p.stem for p in (ROOT / "boards").glob("*.mk")}
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        text = path.read_text()
        for goal in re.findall(r"(?:^|`)(?:sudo )?make +([a-z][\w-]*)(?![\w./=-])", text, re.M):
            assert goal in goals, f"{path.name}: make {goal}"
        for board in re.findall(r"BOARD=([\w-]+)", text):
            assert board in boards, f"{path.name}: BOARD={board}"
        rooms = "arch|boards|boot|docs|drivers|include|kernel|linker|make|tests|tools|user"
        for name in re.findall(rf"`((?:{rooms})/[\w./-]+)`", text):
            assert (ROOT / name).exists(), f"{path.name}: {name}"
