# SPDX-License-Identifier: Apache-2.0
# SIGINT, SIGTERM and SIGHUP in every system call of a save, and at any other time: the old file or the whole new one.

import random
import statistics
import sys

import interrupted
import tool_case
import traced
from interrupted import STATUS
from tool_case import ToolCase

TABLE = ("table", "--preset", "transformer", "--dim", "512", "--positions", "0:30000")  # 61 MB
SHARED = (*TABLE[:-1], "0:20000", "--dtype", "f64", "--threads", "4")  # 82 MB, and arithmetic that is shared
GRID = ("grid", "--preset", "mae-2d", "--dim", "512", "--height", "100", "--width", "300")  # the same
TOKENS = 150000  # 307 MB: more than stays in the system's cache
ENCODE = ("encode", "--tokens", "bytes", "--init", "normal", "--seed", "1", "--dim", "512")


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
            whole = ("old", "new", "both") if len(save.targets) > 1 else ("old", "new")
            self.assertLessEqual(set(contents), set(whole))
            self.assertEqual(len(contents), len(jobs))

    def test_signals_at_any_time_stop_it_at_once_and_leave_nothing(self):
        text = self.folder / "text"
        text.write_bytes(random.Random(0).randbytes(TOKENS // (10 if tool_case.SANITIZED else 1)))
        encode = (*ENCODE, str(text))
        for title, words, target, count in (("table", TABLE, "x.npy", 30),
                                            ("table on four threads", SHARED, "x.npy", 6),
                                            ("grid", GRID, "x.npy", 6),
                                            ("encode", encode, "x.npy", 6),
                                            ("encode to safetensors", encode, "x.safetensors", 6),
                                            ("encode without sync", (*encode, "--no-sync"), "x.npy", 6)):
            with self.subTest(title):
                self.interrupt_at_any_time(traced.Save(self.folder, title, words, target),
                                           200 if traced.EXHAUSTIVE else count)

    def interrupt_at_any_time(self, save, count):
        place = save.place()
        usual = interrupted.seconds_of(save.command(place))
        stops, ends = [], []
        for i in range(20 * count):
            if len(stops) == count:
                break
            number = list(STATUS)[i % 3]
            save.reset(place)
            status, stopped, ended = interrupted.interrupt(save.command(place), number, interrupted.at_random(usual))
            self.assertIn((status, save.content(place)),
                          ((0, "new"), (STATUS[number], "old"), (STATUS[number], "new")))
            self.assertEqual(save.others(place), [])
            if status == 0:
                usual *= 0.9  # too late: the first call was slower than these
            else:
                stops.append(stopped)
                ends.append(ended)
        print(f"interrupts: {save.folder.name}: stopped: {interrupted.words_of(stops)}; ended: "
              f"{interrupted.words_of(ends)}", file=sys.stderr)
        self.assertEqual(len(stops), count)
        # 100 ms are the promise, of a machine that runs the process at once and whose disk takes 40 MB a second; this
        # one may be busy. How long the system takes for memory and disk of an unfinished file is its own affair.
        self.assertLess(statistics.median(stops), 1 if tool_case.SANITIZED else 0.1)
        self.assertLess(max(stops), 5 if tool_case.SANITIZED else 1)
        self.assertLess(max(ends), 10)


if __name__ == "__main__":
    tool_case.main()
