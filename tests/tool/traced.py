# SPDX-License-Identifier: Apache-2.0
# Runs the tool under strace: which system calls touch a folder, and what happens when one of them fails or kills it.

import concurrent.futures
import errno
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import tool_case

OLD = b"the old file\n"
EXHAUSTIVE = "POSENC_EXHAUSTIVE" in os.environ


def loudly_skip(case, why):
    print(f"\n*** SKIPPED {case.id()}: {why}", file=sys.stderr)
    case.skipTest(why)


def environment():
    """The caller's, less what strace and the leak checker do not bear together."""
    return {**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}


def can_trace():
    if shutil.which("strace") is None:
        return False
    return subprocess.run(["strace", "-f", "-o", os.devnull, "true"], capture_output=True, timeout=60).returncode == 0


class Call:
    """A system call of a run: its name, how many of that name came before it and with it, and its line."""

    def __init__(self, name, number, line):
        self.name, self.number, self.line = name, number, line

    def __repr__(self):
        return f"{self.name} number {self.number}: {self.line}"


class Save:
    """A call of the tool that saves files of a folder: `words` and then the targets, that of --out and those of `more`
    (option to name). `old`: what is there before under each name, None for no file."""

    def __init__(self, folder, name, words, target="x.npy", injected=(), old=OLD, more=None):
        self.folder = pathlib.Path(folder) / name
        self.words, self.target, self.injected, self.old = words, target, list(injected), old
        self.targets = {"--out": target, **(more or {})}
        self.folder.mkdir()
        place = self.place()
        done = self.run(place)
        assert done.returncode == 0, done.stderr
        self.new = {target: (place / target).read_bytes() for target in self.targets.values()}
        assert old not in self.new.values() and self.others(place) == []

    def place(self):
        """A new folder as it is before the save."""
        place = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        self.reset(place)
        return place

    def reset(self, place):
        for target in self.targets.values():
            (place / target).unlink(missing_ok=True)
            if self.old is not None:
                (place / target).write_bytes(self.old)

    def command(self, place):
        targets = [word for option, target in self.targets.items() for word in (option, str(place / target))]
        return [tool_case.TOOL, *self.words, *targets]

    def run(self, place, before=()):
        # From elsewhere: only what touches the folder names it.
        return subprocess.run([*before, *self.command(place)], cwd="/", env=environment(), stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=120)

    def traced(self, place, injected):
        """The run and its trace: of all calls, or of those that something is injected into."""
        log = place.with_suffix(".log")
        before = ["strace", "-f", "-qq", "-y", "-s", "0", "-o", str(log)]
        # Other calls then do not stop the tool. strace 6.1 loses the signals that way; what follows one is looked at.
        if injected and "signal" not in injected[0][1]:
            before += ["-e", "trace=" + ",".join(call for call, _ in [*self.injected, *injected]), "--seccomp-bpf"]
        for call, what in [*self.injected, *injected]:
            before += ["-e", f"inject={call}:{what}"]
        return self.run(place, before), log.read_text(errors="replace")

    def calls(self):
        """Every call that names the folder or one of its files."""
        place = self.place()
        done, log = self.traced(place, [])
        assert done.returncode == 0, done.stderr
        numbers, found = {}, []
        for line in log.splitlines():
            match = re.match(r"\d+ +(\w+)\(", line)
            if match is None:
                continue
            name = match[1]
            numbers[name] = numbers.get(name, 0) + 1
            if str(place) in line and name != "execve":
                found.append(Call(name, numbers[name], line))
        return found

    def inject(self, call, what, later=""):
        """The folder after a run in which that call (and with "+" every later one) met `what`, and the run."""
        place = self.place()
        done, log = self.traced(place, [(call.name, f"{what}:when={call.number}{later}")])
        assert "INJECTED" in log or "signal" in what, (call, what, log)
        return place, done

    def interrupt(self, call, number):
        """The folder after a run that got that signal in that call, the run, and the names of the calls that came after
        the signal, of the thread that took it."""
        place = self.place()
        done, log = self.traced(place, [(call.name, f"signal={number.name}:when={call.number}")])
        lines = log.splitlines()
        taken = next(i for i, line in enumerate(lines) if f"--- {number.name} " in line)
        thread = lines[taken].split()[0]
        later = [re.match(r"\d+ +(\w+)\(", line) for line in lines[taken + 1 :] if line.startswith(thread + " ")]
        return place, done, [match[1] for match in later if match]

    def others(self, place):
        """Names besides the targets."""
        return sorted(path.name for path in place.iterdir() if path.name not in self.targets.values())

    def content(self, place):
        """'old', 'new', 'both' where some targets are old and some new, or the size of something else."""
        states = set()
        for target, new in self.new.items():
            found = (place / target).read_bytes() if (place / target).exists() else None
            states.add("old" if found == self.old else "new" if found == new else len(found or b""))
        torn = states - {"old", "new"}
        return torn.pop() if torn else "both" if len(states) > 1 else states.pop()


SMALL = ("table", "--preset", "transformer", "--dim", "8", "--positions", "0:100")
TEXT = ("encode", "--text", "to be or not to be")
CHARS = (*TEXT, "--tokens", "chars", "--init", "normal", "--seed", "1", "--dim", "8")


def saves(folder):
    """Title, save and calls of saves of every kind: through a file without a name where there are such files, and
    through a named one (by default the first kind only: the writer is the same)."""
    text = pathlib.Path(folder) / "text"
    text.write_text("to be or not to be\n" * 20)
    listed = (("table", SMALL, "x.npy", OLD), ("table to a new name", SMALL, "x.npy", None),
              ("table to safetensors", SMALL, "x.safetensors", OLD), ("encode", TEXT, "x.npy", OLD),
              ("encode a file", ("encode", str(text)), "x.npy", OLD),
              ("encode to safetensors", TEXT, "x.safetensors", OLD),
              ("table and picture", SMALL, "x.npy", OLD, {"--plot": "p.svg"}),
              ("encode with vocabulary and picture", CHARS, "x.npy", OLD, {"--save-vocab": "v.txt", "--plot": "p.svg"}))
    for title, words, target, old, *more in listed:
        targets = {"target": target, "old": old, "more": more[0] if more else None}
        save = Save(folder, title, words, **targets)
        calls = save.calls()
        unnamed = [call for call in calls if "O_TMPFILE" in call.line and " = -1 " not in call.line]
        yield title, save, calls
        for i, call in enumerate(unnamed if EXHAUSTIVE or title == "table" else ()):
            named = f"{title}, temporary name of file {i + 1}"
            save = Save(folder, named, words, injected=[(call.name, f"error=EOPNOTSUPP:when={call.number}")], **targets)
            # One injection a call: openat has had its own.
            yield named, save, [other for other in save.calls() if other.name != call.name]


def in_parallel(jobs, work):
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(lambda job: work(*job), jobs))


def words_of(error):
    return os.strerror(getattr(errno, error))
