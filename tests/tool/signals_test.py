# SPDX-License-Identifier: Apache-2.0
# SIGINT and SIGTERM in every system call of a save and at any other time: exit 130 and 143, and no trace of the save.

import pathlib
import random
import resource
import signal
import statistics
import subprocess
import sys
import time

import tool_case
import traced
from tool_case import ToolCase

SMALL = ("table", "--preset", "transformer", "--dim", "8", "--positions", "0:100")
LARGE = ("table", "--preset", "transformer", "--dim", "512", "--positions", "0:30000")  # 61 MB
TEXT = ("encode", "--text", "to be or not to be")
SAVES = (("table", SMALL, "x.npy"), ("encode", TEXT, "x.npy"))
STATUS = {signal.SIGINT: 130, signal.SIGTERM: 143}


def catches(tool, number):
    """Whether the process handles that signal by now."""
    for line in pathlib.Path(f"/proc/{tool.pid}/status").read_text().splitlines():
        if line.startswith("SigCgt:"):
            return int(line.split()[1], 16) >> (number - 1) & 1
    return 0  # it has ended


class Signals(ToolCase):
    def test_a_signal_in_any_call_leaves_the_old_file_or_the_new_one(self):
        if not traced.can_trace():
            traced.loudly_skip(self, "needs strace and the right to trace")
        for title, save, calls in traced.saves(self.folder, SAVES):
            jobs = [(call, number) for call in calls for number in STATUS]
            ends = traced.in_parallel([(call, f"signal={number.name}") for call, number in jobs], save.inject)
            contents = []
            for (call, number), (place, done) in zip(jobs, ends):
                with self.subTest(title, call=call, signal=number):
                    self.assertEqual((done.returncode, done.stdout), (STATUS[number], b""), done.stderr)
                    self.assertLessEqual(done.stderr.count(b"\n"), 1)
                    self.assertEqual(save.names(place), [save.target])
                    contents.append(save.content(place))
            print(f"signals: {title}: {len(jobs)}, {contents.count('old')} old, {contents.count('new')} new",
                  file=sys.stderr)
            self.assertEqual(contents.count("old") + contents.count("new"), len(jobs))

    def interrupt(self, save, place, number, after):
        """Exit status, and seconds from the signal to the end; None when the tool was done before."""
        tool = subprocess.Popen(save.command(place), cwd="/", stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while not catches(tool, number):
            self.assertIsNone(tool.poll(), "never caught the signal")
        try:
            return tool.wait(after), None
        except subprocess.TimeoutExpired:
            start = time.monotonic()
            tool.send_signal(number)
            return tool.wait(), time.monotonic() - start

    def test_signals_at_any_time_end_it_soon_and_leave_nothing(self):
        save, chance = traced.Save(self.folder, "any", LARGE), random.Random()
        place = save.place()
        start = time.monotonic()
        save.run(place)
        usual, waits = time.monotonic() - start, []
        for i in range(40):
            number = list(STATUS)[i % 2]
            (place / save.target).write_bytes(traced.OLD)
            status, wait = self.interrupt(save, place, number, chance.uniform(0, usual))
            self.assertIn((status, save.content(place)),
                          ((0, "new"), (STATUS[number], "old"), (STATUS[number], "new")))
            self.assertEqual(save.names(place), [save.target])
            if status != 0:
                waits.append(wait)
        print(f"signals: {len(waits)} at random, ended in {1000 * statistics.median(waits):.1f} ms, "
              f"{1000 * max(waits):.1f} ms at most", file=sys.stderr)
        self.assertGreater(len(waits), 10)
        self.assertLess(statistics.median(waits), 0.1)
        self.assertLess(max(waits), 1)  # the machine may be busy

    def test_a_file_beyond_the_limit_of_sizes_is_an_error_not_a_signal(self):
        (self.folder / "x.npy").write_bytes(traced.OLD)
        self.assert_refused([*SMALL, "--out", "x.npy"], "x.npy' (File too large)", status=3,
                            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000)))


if __name__ == "__main__":
    tool_case.main()
