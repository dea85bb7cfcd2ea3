# SPDX-License-Identifier: Apache-2.0
# Standard output, disks and pipes that fail: exit 3, or 141 quietly; and what a failure leaves behind.

import os
import subprocess
import unittest

import tool_case
from tool_case import ToolCase

TABLE = ("table", "--preset", "transformer", "--dim", "4", "--positions", "0:4")


class Streams(ToolCase):
    def through_shell(self, line):
        return subprocess.run(["sh", "-c", line, "sh", tool_case.TOOL], cwd=self.folder, capture_output=True,
                              stdin=subprocess.DEVNULL, timeout=60)

    def test_a_closed_pipe_ends_it_quietly(self):
        for verb in (["presets"], ["encode", "--text", "a"], ["--help"]):
            reader, writer = os.pipe()
            os.close(reader)
            done = subprocess.run([tool_case.TOOL, *verb], cwd=self.folder, stdout=writer, stderr=subprocess.PIPE,
                                  timeout=60)
            os.close(writer)
            self.assertEqual((done.returncode, done.stderr), (141, b""))

    @unittest.skipUnless(os.path.exists("/dev/full"), "needs /dev/full")
    def test_a_full_or_closed_standard_output_is_the_systems_fault(self):
        for end in ("> /dev/full", ">&-"):
            done = self.through_shell(f'"$1" presets {end}')
            self.assertEqual(done.returncode, 3)
            self.assertRegex(done.stderr.decode(), r"\Aposenc: error: \[\w+\] [^\n]+standard output[^\n]+\n\Z")

    def test_a_closed_standard_input_is_the_systems_fault(self):
        done = self.through_shell('"$1" encode - --out x.npy <&-')
        self.assertEqual((done.returncode, done.stdout), (3, b""))
        self.assertRegex(done.stderr.decode(), r"\Aposenc: error: \[\w+\] [^\n]+standard input[^\n]+\n\Z")
        self.assertEqual(self.files(), {})

    @unittest.skipUnless(os.path.exists("/dev/full"), "needs /dev/full")
    def test_a_device_that_is_full_is_the_systems_fault(self):
        (self.folder / "x.npy").symlink_to("/dev/full")
        self.assert_refused([*TABLE, "--out", "x.npy"], "No space left", status=3)

    def test_a_file_size_limit_leaves_the_old_file(self):
        (self.folder / "x.npy").write_bytes(b"old")
        done = self.through_shell('trap "" XFSZ; ulimit -f 8; exec "$1" table --preset transformer --dim 512 '
                                  "--positions 0:1000 --out x.npy")
        self.assertEqual(done.returncode, 3)
        self.assertEqual(done.stdout, b"")
        self.assertEqual(self.files(), {"x.npy": b"old"})

    def test_a_named_pipe_takes_the_table(self):
        os.mkfifo(self.folder / "x.npy")
        done = self.through_shell('cat x.npy > y.bin & "$1" ' + " ".join(TABLE) + " --out x.npy; wait")
        self.assertEqual(done.returncode, 0)
        self.run_tool(*TABLE, "--out", "z.npy")
        self.assertEqual((self.folder / "y.bin").read_bytes(), (self.folder / "z.npy").read_bytes())

    def test_too_little_memory_is_the_systems_fault(self):
        if tool_case.SANITIZED:
            self.skipTest("the sanitizer needs its own memory")
        done = self.through_shell('ulimit -v 120000; exec "$1" table --preset transformer --dim 8000000 --positions 0:1 '
                                  "--out x.npy")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertRegex(done.stderr.decode(), r"\Aposenc: error: \[table\] memory must suffice, got no more than "
                         r"[0-9.]+ MiB of 117\.2 MiB that this process has\n\Z")
        self.assertEqual(self.files(), {})


if __name__ == "__main__":
    tool_case.main()
