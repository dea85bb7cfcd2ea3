# SPDX-License-Identifier: Apache-2.0
# Every system call of a save failing or killing the tool in turn, disks that are full, folders that are locked.

import os
import re
import resource
import shutil
import subprocess
import sys
import unittest

import tool_case
import traced
from tool_case import ToolCase
from traced import CHARS, EXHAUSTIVE, SMALL, TEXT

LARGE = ("table", "--preset", "transformer", "--dim", "512", "--positions", "0:9000")  # 18 MB: flushed as it grows
ERRORS = ("ENOSPC", "EIO", "EDQUOT", "EINTR", "EACCES", "EXDEV", "EMFILE")
RETRIED = {"openat", "write", "pwrite64", "fsync", "fdatasync", "sync_file_range", "ftruncate", "close"}
FATAL = {"write", "pwrite64", "fsync", "fdatasync", "ftruncate", "linkat", "renameat", "renameat2", "fchmod"}
NAMING = {"linkat", "renameat", "renameat2"}
LINE = r"\Aposenc: error: \[\w+\] [^\n]+, got '[^\n]*%s' \(%s\)\n\Z"


def say(text):
    print(f"faults: {text}", file=sys.stderr)


class SystemCalls(ToolCase):
    def setUp(self):
        super().setUp()
        if not traced.can_trace():
            traced.loudly_skip(self, "needs strace and the right to trace")

    def check_error(self, save, call, error, place, done):
        content, message = save.content(place), done.stderr.decode()
        self.assertEqual(save.others(place), [])
        self.assertIn(done.returncode, (0, 3))
        if error == "EINTR" and call.name in RETRIED:
            self.assertEqual(done.returncode, 0)
        elif call.name in FATAL:
            self.assertEqual(done.returncode, 3)
        if done.returncode == 0:
            self.assertEqual(content, "new")
            return
        # Only folders are synced after the files have their names, and nothing but a name comes between two names.
        several = len(save.targets)
        if several > 1 and call.name in NAMING:
            self.assertIn(content, ("old", "both"))
        else:
            self.assertEqual(content, "new" if call.name == "fsync" and call.number > several else "old")
        self.assertEqual(done.stdout, b"")
        names = "(" + "|".join(re.escape(target) for target in save.targets.values()) + ")"
        self.assertRegex(message, LINE % (names, re.escape(traced.words_of(error))))
        self.assertLessEqual(len(done.stderr), 300)

    def check_errors(self, title, save, jobs):
        """How many errors ended the tool. A job is a call and an error."""
        ends = traced.in_parallel([(call, f"error={error}") for call, error in jobs], save.inject)
        for (call, error), (place, done) in zip(jobs, ends):
            with self.subTest(title, call=call, error=error, message=done.stderr):
                self.check_error(save, call, error, place, done)
        failed = sum(done.returncode == 3 for _, done in ends)
        say(f"{title}: {len(jobs)} errors injected: {failed} refused, {len(jobs) - failed} survived")
        return failed

    def test_each_call_of_a_save_may_fail(self):
        for title, save, calls in traced.saves(self.folder):
            names = {call.name for call in calls}
            self.assertLessEqual({"write", "fsync", "close"}, names)
            self.assertTrue(names & {"renameat", "linkat"})
            jobs = []
            for i, call in enumerate(calls):
                every = EXHAUSTIVE or (title == "table" and call.name in FATAL)
                jobs += [(call, error) for error in (ERRORS if every else [ERRORS[i % len(ERRORS)]])]
            self.check_errors(title, save, jobs)

    def test_a_folder_that_takes_no_new_file_keeps_the_old_one(self):
        save = traced.Save(self.folder, "table", SMALL)
        opened = [call for call in save.calls() if call.name == "openat"]
        self.assertGreater(len(opened), 1)
        for error in ("ENOSPC", "EACCES", "EDQUOT", "EMFILE", "EROFS"):
            for call in opened:
                place, done = save.inject(call, f"error={error}", "+")
                with self.subTest(call=call, error=error):
                    self.assertEqual(done.returncode, 3, done.stderr)
                    self.assertRegex(done.stderr.decode(), LINE % (r"x\.npy", re.escape(traced.words_of(error))))
                    self.assertEqual((save.others(place), save.content(place)), ([], "old"))

    def test_a_large_file_may_fail_while_it_grows(self):
        save = traced.Save(self.folder, "large", LARGE)
        calls = save.calls()
        flushes = [call for call in calls if call.name == "sync_file_range"]
        writes = [call for call in calls if call.name == "write"]
        self.assertGreater(len(flushes), 1)
        self.assertGreater(len(writes), 4)
        jobs = [(call, error) for call in flushes for error in ("EIO", "ENOSPC", "EDQUOT", "EINTR", "EACCES")]
        jobs += [(call, "ENOSPC") for call in writes]
        failed = self.check_errors("table of 18 MB", save, jobs)
        self.assertEqual(failed, len(jobs) - 2 * len(flushes))  # EINTR is tried again, EACCES: no such call here

    def test_each_call_of_a_save_may_be_the_last(self):
        for title, save, calls in traced.saves(self.folder):
            self.check_kills(title, save, calls if EXHAUSTIVE or title == "table" else calls[::-2])

    def test_each_call_of_a_large_save_may_be_the_last(self):
        # Between two calls that touch it the folder does not change: a kill there leaves what the next call meets.
        for title, old in (("18 MB over a file", traced.OLD), ("18 MB to a new name", None)):
            save = traced.Save(self.folder, title, LARGE, old=old)
            calls = save.calls()
            self.assertGreater(len(calls), 10)
            self.check_kills(title, save, calls if EXHAUSTIVE else calls[:-10:3] + calls[-10:])

    def check_kills(self, title, save, calls):
        ends = traced.in_parallel([(call, "signal=KILL") for call in calls], save.inject)
        contents, left = [], 0
        for call, (place, done) in zip(calls, ends):
            with self.subTest(title, call=call):
                self.assertIn(done.returncode, (-9, 137))
                contents.append(save.content(place))
                left += self.check_leftovers(save, call, place)
        say(f"{title}: killed in {len(ends)} calls: {contents.count('old')} old, {contents.count('new')} new, "
            f"{contents.count('both')} both, {sum(isinstance(content, int) for content in contents)} torn, "
            f"{left} temporary names left")
        whole = ("old", "new", "both") if len(save.targets) > 1 else ("old", "new")
        self.assertLessEqual(set(contents), set(whole))
        self.assertGreater(min(contents.count("old"), contents.count("new")), 0)

    def check_leftovers(self, save, call, place):
        names = save.others(place)
        for name in names:
            self.assertRegex(name, r"\A\.posenc-\d+-\d+\Z")
        if names and not save.injected:  # a file without a name gets a temporary one when it is whole, to replace another
            self.assertIsNotNone(save.old)
            self.assertIn(call.name, ("renameat", "renameat2"))
            self.assertEqual(len(names), 1)
            self.assertIn((place / names[0]).read_bytes(), save.new.values())
        return len(names)


class Disks(ToolCase):
    SCRIPT = """mount -t tmpfs -o "$1" none "$2" && printf %s "$4" >"$2/$6" || exit 99
        if [ "$3" ]; then mount -o "remount,$3" "$2" || exit 99; fi
        disk=$2 after=$5; shift 6; "$@"; status=$?
        cp -a "$disk/." "$after" || exit 99; exit $status"""

    def on_disk(self, options, words, later="", target="x.npy"):
        """The run on a file system of its own that holds an old file, and what is there afterwards."""
        disk, after = self.folder / "disk", self.folder / "after"
        shutil.rmtree(after, ignore_errors=True)
        disk.mkdir(exist_ok=True)
        after.mkdir()
        unshare = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-r", "-m"]
        script = [*unshare, "sh", "-c", self.SCRIPT, "sh", options, disk, later, traced.OLD.decode(), after, target]
        done = subprocess.run([*script, tool_case.TOOL, *words, "--out", disk / target], cwd="/", capture_output=True,
                              timeout=60, stdin=subprocess.DEVNULL)
        return done, {path.name: path.read_bytes() for path in after.iterdir()}

    def setUp(self):
        super().setUp()
        if shutil.which("unshare") is None or self.on_disk("size=64k", SMALL)[0].returncode != 0:
            traced.loudly_skip(self, "needs the right to mount a small tmpfs in a namespace of its own")

    def assert_disk_refuses(self, error, options, words, later="", target="x.npy"):
        done, files = self.on_disk(options, words, later, target)
        with self.subTest(options=options, words=words, target=target):
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertEqual(done.stdout, b"")
            self.assertRegex(done.stderr.decode(), LINE % (re.escape(target), re.escape(traced.words_of(error))))
            self.assertEqual(files, {target: traced.OLD})

    def test_full_disks_keep_the_old_file(self):
        page = os.sysconf("SC_PAGESIZE")
        for i in range(30):  # 4 to 1024 pages; the elements would fit, the header does not
            pages = round(4 * 256 ** (i / 29))
            rows = pages * page // 2048
            self.assert_disk_refuses("ENOSPC", f"size={(pages + 1) * page}",
                                     (*SMALL[:3], "--dim", "512", "--positions", f"0:{rows}"))

    def test_no_disk_that_is_full_or_read_only_loses_a_file(self):
        small_disk = f"size={2 * os.sysconf('SC_PAGESIZE')}"  # one page is the old file's
        for words, target in ((SMALL, "x.npy"), (SMALL, "x.safetensors"), (TEXT, "x.npy"), (TEXT, "x.safetensors")):
            self.assert_disk_refuses("ENOSPC", "size=1m,nr_inodes=2", words, target=target)
            self.assert_disk_refuses("EROFS", "size=1m", words, "ro", target=target)
            if words == TEXT:
                self.assert_disk_refuses("ENOSPC", small_disk, words, target=target)

    def test_a_table_beyond_the_free_space_is_refused_before_it_is_computed(self):
        done, files = self.on_disk("size=1m", (*SMALL[:3], "--dim", "512", "--positions", "0:1000000000"))
        self.assertEqual(done.returncode, 3)
        self.assertRegex(done.stderr.decode(), r"\Aposenc: error: \[table\] [^\n]*free space[^\n]+\n\Z")
        self.assertEqual(files, {"x.npy": traced.OLD})


class Limits(ToolCase):
    def setUp(self):
        super().setUp()
        (self.folder / "x.npy").write_bytes(traced.OLD)

    @unittest.skipUnless(os.path.exists("/dev/full"), "needs /dev/full")
    def test_a_full_device_is_the_systems_fault_as_target_and_as_output(self):
        (self.folder / "full.npy").symlink_to("/dev/full")
        for words in (SMALL, TEXT):
            self.assert_refused([*words, "--out", "full.npy"], "full.npy' (No space left on device)", status=3)
        with open("/dev/full", "wb") as full:
            done = subprocess.run([tool_case.TOOL, *TEXT], cwd=self.folder, stdout=full, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 3)
        self.assertRegex(done.stderr.decode(), LINE % ("standard output", "No space left on device"))

        (self.folder / "v.txt").write_text("<unk>\na\n")
        with open("/dev/full", "wb") as full:  # what is noted of a text has to be read first
            done = subprocess.run([tool_case.TOOL, *CHARS[:5], "--vocab", "v.txt", *CHARS[5:]], cwd=self.folder,
                                  stdout=full, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 3)
        self.assertRegex(done.stderr.decode(), LINE % ("standard output", "No space left on device"))

    def test_a_closed_output_fails_after_the_file_is_whole(self):
        done = subprocess.run(["sh", "-c", '"$@" >&-', "sh", tool_case.TOOL, *SMALL, "--json", "--out", "x.npy"],
                              cwd=self.folder, capture_output=True)
        self.assertEqual(done.returncode, 3)
        self.assertRegex(done.stderr.decode(), LINE % ("standard output", "Bad file descriptor"))
        self.assertEqual(tool_case.read_npy(self.folder / "x.npy")[1], (100, 8))
        self.assertEqual(list(self.files()), ["x.npy"])

    def test_the_limit_of_a_files_size_keeps_the_old_file(self):
        self.run_tool(*SMALL, "--out", "whole.npy")
        size = (self.folder / "whole.npy").stat().st_size
        (self.folder / "whole.npy").unlink()
        for limit in (0, 1, 127, 128, 129, size - 1):
            with self.subTest(limit):
                self.assert_refused([*SMALL, "--out", "x.npy"], "x.npy' (File too large)", status=3,
                                    restore_signals=False,  # Python ignores SIGXFSZ
                                    preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))

    def test_a_locked_folder_or_file_is_the_systems_fault(self):
        nobody = self.ordinary_user()
        for target in ("x.npy", "new.npy"):
            for words in (SMALL, TEXT):
                self.folder.chmod(0o555)
                self.assert_refused([*words, "--out", target], f"{target}' (Permission denied)", status=3, **nobody)
        self.folder.chmod(0o777)
        (self.folder / "x.npy").chmod(0o444)
        self.assert_refused([*SMALL, "--out", "x.npy"], "x.npy' (Permission denied)", status=3, **nobody)

    def test_what_may_not_be_read_is_the_systems_fault(self):
        nobody = self.ordinary_user()
        (self.folder / "secret").write_bytes(b"1\n")
        (self.folder / "secret").chmod(0)
        there = sorted(self.folder.iterdir())
        seeded = ("--init", "normal", "--seed", "1", "--dim", "4")
        for name, words in (("a text", ("encode", "secret")),
                            ("ids", ("encode", "secret", "--tokens", "ids", "--vocab-size", "4", *seeded)),
                            ("a vocabulary", ("encode", "--text", "1", "--tokens", "words", "--vocab", "secret", *seeded)),
                            ("a tokenizer", ("encode", "--text", "1", "--tokens", "bpe:secret", *seeded)),
                            ("a model", ("encode", "--text", "1", "--tokens", "sentencepiece:secret", *seeded)),
                            ("a convention", ("table", "--spec", "secret", "--dim", "4", "--positions", "0:4"))):
            with self.subTest(name):
                done = self.start(*words, "--out", "new.npy", **nobody)
                self.assertRegex(done.stderr.decode(), r"\Aposenc: error: \[\w+\] [^\n]+'secret' \(Permission denied\)\n\Z")
                self.assertEqual((done.returncode, done.stdout), (3, b""))
                self.assertEqual(sorted(self.folder.iterdir()), there)

    def ordinary_user(self):
        """How the tool is started so that permissions bind it."""
        nobody = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
        self.folder.chmod(0o777)
        if self.try_version(nobody) != 0:
            traced.loudly_skip(self, "an ordinary user cannot run the tool where it is")
        return nobody

    def try_version(self, nobody):
        try:
            return self.start("--version", **nobody).returncode
        except OSError:
            return -1


if __name__ == "__main__":
    tool_case.main()
