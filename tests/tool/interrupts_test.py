# SPDX-License-Identifier: Apache-2.0
# SIGINT, SIGTERM and SIGHUP in every system call of a save, and between them: the old file or the whole new one, and not
# one byte written after the signal.

import random
import sys

import interrupted
import tool_case
import traced
from interrupted import STATUS
from tool_case import ToolCase

TABLE = ("table", "--preset", "transformer", "--dim", "512", "--positions", "0:30000")  # 61 MB
SHARED = (*TABLE[:-1], "0:15000", "--dtype", "f64", "--threads", "4")  # the same size, and arithmetic that is shared
GRID = ("grid", "--preset", "mae-2d", "--dim", "512", "--height", "100", "--width", "300")
TOKENS = 30000
LAST = {"getpid", "unlinkat", "exit_group"}  # what a signal that ends the tool still does
OF_SANITIZERS = {"sigaltstack"}  # by their runtime
ENCODE = ("encode", "--tokens", "bytes", "--init", "normal", "--seed", "1", "--dim", "512")


class Interrupts(ToolCase):
    def test_a_signal_in_any_call_leaves_the_old_file_or_the_new_one(self):
        if not traced.can_trace():
            traced.loudly_skip(self, "needs strace and the right to trace")
        for title, save, calls in traced.saves(self.folder):
            jobs = [(call, number) for i, call in enumerate(calls) for j, number in enumerate(STATUS)
                    if traced.EXHAUSTIVE or (i % 3 == j and (title == "table" or (len(calls) - i) % 2 == 1))]
            ends = traced.in_parallel(jobs, save.interrupt)
            contents = []
            last = LAST | (OF_SANITIZERS if tool_case.SANITIZED else set())
            for (call, number), (place, done, later) in zip(jobs, ends):
                with self.subTest(title, call=call, signal=number):
                    self.assertEqual((done.returncode, done.stdout, done.stderr), (STATUS[number], b"", b""))
                    self.assertEqual(save.others(place), [])
                    self.assertLessEqual(set(later), last)
                    self.assertEqual(later[-1:], ["exit_group"])
                    contents.append(save.content(place))
            print(f"interrupts: {title}: {len(jobs)}, {contents.count('old')} old, {contents.count('new')} new",
                  file=sys.stderr)
            whole = ("old", "new", "both") if len(save.targets) > 1 else ("old", "new")
            self.assertLessEqual(set(contents), set(whole))
            self.assertEqual(len(contents), len(jobs))

    def test_signals_between_calls_stop_it_at_once_and_leave_nothing(self):
        text = self.folder / "text"
        text.write_bytes(random.Random(0).randbytes(TOKENS))
        encode = (*ENCODE, str(text))
        for title, words, target, count in (("table", TABLE, "x.npy", 12),
                                            ("table on four threads", SHARED, "x.npy", 6),
                                            ("grid", GRID, "x.npy", 6),
                                            ("encode", encode, "x.npy", 6),
                                            ("encode to safetensors", encode, "x.safetensors", 6),
                                            ("encode without sync", (*encode, "--no-sync"), "x.npy", 6)):
            with self.subTest(title):
                self.interrupt_at_shares(traced.Save(self.folder, title, words, target), 60 if traced.EXHAUSTIVE else count)

    def interrupt_at_shares(self, save, count):
        """Stops the tool wherever it is when it has written a share of the file, each share in turn."""
        place = save.place()
        size = len(save.new[save.target])
        contents, late = [], 0
        for i in range(count):
            number = list(STATUS)[i % 3]
            for _ in range(100):
                save.reset(place)
                end = interrupted.interrupt_after(save.command(place), number, size * i // count)
                if end is not None:
                    break
                late += 1  # it was over before it could be stopped
            self.assertIsNotNone(end)
            status, written, written_at_last = end
            content = save.content(place)
            self.assertIn((status, content), ((STATUS[number], "old"), (STATUS[number], "new")))
            self.assertEqual(written_at_last, written)
            if written < size:
                self.assertEqual(content, "old")
            self.assertEqual(save.others(place), [])
            contents.append(content)
        print(f"interrupts: {save.folder.name}: {contents.count('old')} old, {contents.count('new')} new; {late} too late",
              file=sys.stderr)
        self.assertGreater(contents.count("old"), 0)


if __name__ == "__main__":
    tool_case.main()
