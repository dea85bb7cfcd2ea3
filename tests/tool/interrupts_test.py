# SPDX-License-Identifier: Apache-2.0
# SIGINT, SIGTERM and SIGHUP in every system call of a save, and at any other time: the old file or the whole new one.

import pathlib
import random
import signal
import statistics
import subprocess
import sys
import time

import tool_case
import traced
from tool_case import ToolCase

LARGE = ("table", "--preset", "transformer", "--dim", "512", "--positions", "0:30000")  # 61 MB
STATUS = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}


def usual_signals():
    for number in STATUS:
        signal.signal(number, signal.SIG_DFL)


def catches(tool, number):
    """Whether the process handles that signal by now."""
    for line in pathlib.Path(f"/proc/{tool.pid}/status").read_text().splitlines():
        if line.startswith("SigCgt:"):
            return int(line.split()[1], 16) >> (number - 1) & 1
    return 0  # it has ended


class Interrupts(ToolCase):
    def test_a_signal_in_any_call_leaves_the_old_file_or_the_new_one(self):
        if not traced.can_trace():
            traced.loudly_skip(self, "needs strace and the right to trace")
        for title, save, calls in traced.saves(self.folder):
            jobs = [(call, number) for i, call in enumerate(calls) for j, number in enumerate(STATUS)
                    if traced.EXHAUSTIVE or i % 3 == j]
            ends = traced.in_parallel([(call, f"signal={number.name}") for call, number in jobs], save.inject)
            contents = []
            for (call, number), (place, done) in zip(jobs, ends):
                with self.subTest(title, call=call, signal=number):
                    self.assertEqual((done.returncode, done.stdout, done.stderr), (STATUS[number], b"", b""))
                    self.assertEqual(save.others(place), [])
                    contents.append(save.content(place))
            print(f"interrupts: {title}: {len(jobs)}, {contents.count('old')} old, {contents.count('new')} new",
                  file=sys.stderr)
            self.assertEqual(contents.count("old") + contents.count("new"), len(jobs))

    def interrupt(self, save, place, number, after):
        """Exit status, and seconds from the signal to the end; None when the tool was done before."""
        tool = subprocess.Popen(save.command(place), cwd="/", stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                preexec_fn=usual_signals)
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
        for i in range(42):
            number = list(STATUS)[i % 3]
            save.reset(place)
            status, wait = self.interrupt(save, place, number, chance.uniform(0, usual))
            self.assertIn((status, save.content(place)),
                          ((0, "new"), (STATUS[number], "old"), (STATUS[number], "new")))
            self.assertEqual(save.others(place), [])
            if status != 0:
                waits.append(wait)
        print(f"interrupts: {len(waits)} at random, ended in {1000 * statistics.median(waits):.1f} ms, "
              f"{1000 * max(waits):.1f} ms at most", file=sys.stderr)
        self.assertGreater(len(waits), 10)
        self.assertLess(statistics.median(waits), 1 if tool_case.SANITIZED else 0.1)
        self.assertLess(max(waits), 5 if tool_case.SANITIZED else 1)  # the machine may be busy


if __name__ == "__main__":
    tool_case.main()
