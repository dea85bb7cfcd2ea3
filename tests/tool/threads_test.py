# SPDX-License-Identifier: Apache-2.0
# --threads: how many there are, whose signals are whose, and that no bit depends on their number.

import os
import pathlib
import signal
import subprocess
import unittest

import tool_case
import traced
from tool_case import ToolCase

# Arithmetic that takes long enough to be shared: 18 ms and more on one thread.
TABLE = ("table", "--preset", "transformer", "--recipe", "f64", "--dim", "256", "--positions", "0:3000", "--dtype", "f64")
SHARED = {
    "table": TABLE,
    "table by a recipe": ("table", "--preset", "pytorch", "--recipe", "original", "--dim", "256",
                          "--positions", "0:30000"),
    "table of reals": ("table", "--preset", "transformer", "--dim", "512", "--positions", "0:30000:0.7"),
    "grid": ("grid", "--preset", "mae-2d", "--recipe", "original", "--dtype", "f64", "--dim", "256", "--height", "2",
             "--width", "4000"),
    "grid of one line": ("grid", "--preset", "mae-2d", "--recipe", "original", "--dtype", "f64", "--dim", "256",
                         "--height", "1", "--width", "4000"),
    "encode": ("encode", "a.txt", "--tokens", "bytes", "--init", "normal", "--seed", "1", "--dim", "1024", "--preset",
               "pytorch", "--recipe", "original"),
    "encode lines": ("encode", "a.txt", "--lines", "--tokens", "bytes", "--init", "normal", "--seed", "1",
                     "--dim", "1024", "--preset", "pytorch", "--recipe", "original"),
}
# Exact numbers of f32 at equal steps: 0.1 ms.
QUICK = {
    "table": ("table", "--preset", "transformer", "--dim", "512", "--positions", "0:500"),
    "grid": ("grid", "--preset", "mae-2d", "--dim", "512", "--height", "20", "--width", "25"),
    "encode": ("encode", "a.txt", "--tokens", "bytes", "--init", "normal", "--seed", "1", "--dim", "512",
               "--max-length", "500", "--truncate"),
}
# 30 blocks of 256 rows.
WIDE = ("encode", "a.txt", "--tokens", "bytes", "--init", "normal", "--seed", "1", "--dim", "512",
        "--preset", "pytorch", "--recipe", "original")
BLOCKED = sum(1 << (number - 1) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP))


class Threads(ToolCase):
    def setUp(self):
        super().setUp()
        (self.folder / "a.txt").write_bytes(b"\n".join(bytes([65 + i]) * 1500 for i in range(5)))

    def test_no_bit_depends_on_their_number(self):
        for title, words in SHARED.items():
            for number in ("1", "2", "3", "7", None):
                more = () if number is None else ("--threads", number)
                with self.subTest(title, threads=number):
                    self.run_tool(*words, *more, "--out", "x.npy")
                    data = (self.folder / "x.npy").read_bytes()
                    if number == "1":
                        alone = data
                    self.assertTrue(data == alone)

    def tasks(self, *more, cpus=None):
        """The blocked signals of every thread, the first one's first, while the call waits for its pipe's reader."""
        if not (self.folder / "p.npy").exists():
            os.mkfifo(self.folder / "p.npy")
        tool = subprocess.Popen([tool_case.TOOL, *TABLE, *more, "--out", "p.npy"], cwd=self.folder,
                                stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL,
                                preexec_fn=None if cpus is None else lambda: os.sched_setaffinity(0, cpus))
        try:
            with open(self.folder / "p.npy", "rb") as pipe:
                pipe.read(4096)  # the header, and of the first block, which is whole
                status = [(task / "status").read_text() for task in pathlib.Path(f"/proc/{tool.pid}/task").iterdir()]
        finally:
            tool.kill()
            tool.wait()
        fields = [dict(line.split(":\t", 1) for line in text.splitlines() if ":\t" in line) for text in status]
        return [int(task["SigBlk"], 16) & BLOCKED for task in sorted(fields, key=lambda task: int(task["Pid"]))]

    def most_threads(self, *words):
        """That a call has while a pipe takes its file: it cannot end before the last 64 KiB."""
        if not (self.folder / "p.npy").exists():
            os.mkfifo(self.folder / "p.npy")
        most = 0
        with subprocess.Popen([tool_case.TOOL, *words, "--out", "p.npy"], cwd=self.folder, stderr=subprocess.DEVNULL,
                              stdin=subprocess.DEVNULL) as tool, open(self.folder / "p.npy", "rb", 0) as pipe:
            while pipe.read(1 << 16):
                most = max(most, len(os.listdir(f"/proc/{tool.pid}/task")))
        self.assertEqual(tool.returncode, 0)
        return most

    @unittest.skipUnless(os.path.exists("/proc/self/task"), "needs /proc")
    def test_slow_work_of_every_kind_starts_as_many_as_asked(self):
        for title, words in SHARED.items():
            for number in (1, 2, 5):
                with self.subTest(title, threads=number):
                    self.assertEqual(self.most_threads(*words, "--threads", str(number)), number)

    @unittest.skipUnless(os.path.exists("/proc/self/task"), "needs /proc")
    def test_quick_work_starts_none(self):
        for title, words in QUICK.items():
            with self.subTest(title):  # what takes its time is another process, but not every time
                self.assertTrue(any(self.most_threads(*words, "--threads", "5") == 1 for _ in range(5)))

    @unittest.skipUnless(os.path.exists("/proc/self/task"), "needs /proc")
    def test_unasked_they_are_the_cpus_that_the_process_may_use(self):
        cpus = os.sched_getaffinity(0)
        self.assertEqual(len(self.tasks()), len(cpus))
        self.assertEqual(len(self.tasks(cpus={min(cpus)})), 1)

    def test_each_has_the_memory_of_one_block_of_rows(self):
        if tool_case.SANITIZED:
            self.skipTest("the sanitizers keep what is freed")
        alone, two = (self.peak(*WIDE, "--threads", number, "--out", "/dev/null") for number in ("1", "2"))
        self.assertLess(two - alone, 2 << 20)  # 256 rows are 0.5 MiB

    @unittest.skipUnless(os.path.exists("/proc/self/task"), "needs /proc")
    def test_signals_come_to_the_thread_that_writes(self):
        self.assertEqual(self.tasks("--threads", "4"), [0, BLOCKED, BLOCKED, BLOCKED])

    def test_a_system_that_refuses_threads_gets_the_same_file(self):
        if not traced.can_trace():
            traced.loudly_skip(self, "needs strace and the right to trace")
        self.run_tool(*TABLE, "--threads", "1", "--out", "x.npy")
        refused = ["strace", "-f", "-qq", "-o", "log", "-e", "trace=clone,clone3",
                   "-e", "inject=clone,clone3:error=EAGAIN"]
        done = subprocess.run([*refused, tool_case.TOOL, *TABLE, "--threads", "4", "--out", "y.npy"], cwd=self.folder,
                              env=traced.environment(), capture_output=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("INJECTED", (self.folder / "log").read_text())
        self.assertTrue((self.folder / "x.npy").read_bytes() == (self.folder / "y.npy").read_bytes())

    def test_a_number_that_is_none_is_refused(self):
        for number in ("0", "-4", "1025", "1000000", "two", "2.0", "", "+2"):
            for words in (("table", "--preset", "transformer", "--positions", "0:4", "--dim", "4"),
                          ("grid", "--preset", "mae-2d", "--height", "2", "--width", "2", "--dim", "4"),
                          ("encode", "--text", "a")):
                with self.subTest(number, verb=words[0]):
                    self.assert_refused([*words, "--threads", number, "--out", "x.npy"],
                                        f"--threads must be an integer in plain digits, 1 to 1024, got '{number}'")


if __name__ == "__main__":
    tool_case.main()
