# SPDX-License-Identifier: Apache-2.0
# Signals, closed pipes and file-size limits in the middle of work; progress and colours on a terminal.

import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
import unittest

import tool_case
import traced
from tool_case import ToolCase

ENDLESS = ("encode", "-", "--tokens", "bytes", "--init", "normal", "--seed", "1", "--dim", "8")


def usual_signals():
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


class Signals(ToolCase):
    def start_endless(self, *more):
        """A call that reads what feed() writes, in the middle of its work."""
        process = subprocess.Popen([tool_case.TOOL, *ENDLESS, *more], cwd=self.folder, stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=usual_signals)
        self.addCleanup(lambda: (process.kill(), process.wait(), process.stdin.close(), process.stdout.close(),
                                 process.stderr.close()))
        for _ in range(64):  # a pipe holds one piece: when the last is taken, most have been encoded and written
            process.stdin.write(b"x" * 65536)
        process.stdin.flush()
        return process

    def end_of(self, process, number):
        process.send_signal(number)
        return process.wait(timeout=60)

    def test_a_signal_ends_it_while_its_text_goes_on_and_leaves_the_old_file_alone(self):
        # Its input stays open: nothing but the signal ends it. That it ends at once is tool.interrupts' claim.
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)):
            (self.folder / "x.npy").write_bytes(b"old")
            process = self.start_endless("--out", "x.npy")
            self.assertEqual(self.end_of(process, number), code)
            self.assertEqual(process.stdout.read() + process.stderr.read(), b"")
            self.assertEqual(self.files(), {"x.npy": b"old"})

    def test_a_wait_for_standard_input_ends_too(self):
        process = self.start_endless()
        self.assertEqual(self.end_of(process, signal.SIGINT), 130)

    def test_a_signal_that_was_ignored_stays_so(self):
        process = subprocess.Popen([tool_case.TOOL, *ENDLESS, "--out", "x.npy"], cwd=self.folder, stdin=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL,
                                   preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
        process.stdin.write(b"x" * 200000)  # more than a pipe holds: it has begun
        process.stdin.flush()
        process.send_signal(signal.SIGINT)
        process.stdin.close()
        self.assertEqual(process.wait(timeout=60), 0)
        self.assertEqual(self.npy("x.npy")[1], (1, 200000, 8))

    def test_a_pipe_whose_reader_is_gone_ends_it_quietly(self):
        os.mkfifo(self.folder / "p.npy")
        (self.folder / "a.txt").write_bytes(b"x" * 1000000)
        process = subprocess.Popen([tool_case.TOOL, ENDLESS[0], "a.txt", *ENDLESS[2:], "--out", "p.npy"], cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        with open(self.folder / "p.npy", "rb") as pipe:
            self.assertEqual(pipe.read(6), b"\x93NUMPY")
        out, err = process.communicate(timeout=60)
        self.assertEqual((process.returncode, out, err), (141, b"", b""))
        self.assertEqual(sorted(self.files()), ["a.txt", "p.npy"])

    def test_a_pipe_takes_a_text_whose_length_is_known(self):
        os.mkfifo(self.folder / "p.npy")
        (self.folder / "a.txt").write_bytes(b"xyz" * 1000)
        call = [ENDLESS[0], "a.txt", *ENDLESS[2:]]
        process = subprocess.Popen([tool_case.TOOL, *call, "--out", "p.npy"], cwd=self.folder, stderr=subprocess.PIPE)
        data = (self.folder / "p.npy").read_bytes()
        self.assertEqual((process.wait(timeout=60), process.stderr.close()), (0, None))
        self.run_tool(*call, "--out", "x.npy")
        self.assertEqual(data, (self.folder / "x.npy").read_bytes())

    def start_into_pipe(self):
        """A call that reads a text twice, to count and to encode it, and writes 32 MB into a pipe that holds 64 KiB."""
        os.mkfifo(self.folder / "p.npy")
        (self.folder / "a.txt").write_bytes(b"x" * 1000000)
        os.utime(self.folder / "a.txt", (1, 1))  # whatever the clock's step, a change shows
        process = subprocess.Popen([tool_case.TOOL, ENDLESS[0], "a.txt", *ENDLESS[2:], "--out", "p.npy"], cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(lambda: (process.kill(), process.wait(), process.stdout.close(), process.stderr.close()))
        return process

    def test_an_open_pipe_has_a_path_under_dev(self):
        (self.folder / "a.txt").write_bytes(b"xyz" * 1000)
        call = [tool_case.TOOL, ENDLESS[0], "a.txt", *ENDLESS[2:]]
        self.run_tool(*call[1:], "--out", "x.npy")
        want = (self.folder / "x.npy").read_bytes()
        for script in ('"$@" --out /dev/stdout', '"$@" --out /dev/fd/1', '"$@" --out /proc/self/fd/1', '"$@" --out >(cat)'):
            with self.subTest(script):
                done = subprocess.run(["bash", "-c", script + ' | cat', "bash", *call], cwd=self.folder,
                                      capture_output=True, timeout=60)
                self.assertEqual((done.returncode, done.stdout), (0, want), done.stderr)
        self.assertEqual(sorted(self.files()), ["a.txt", "x.npy"])

    def read_pipe(self, pipe, least, process):
        """At least that many bytes of the pipe, fewer where the process ends before."""
        size, ended = 0, False
        while size < least and not ended:
            ended = process.poll() is not None  # first: all that it wrote is then read
            if select.select([pipe], [], [], 0.01)[0]:
                size += len(os.read(pipe, 1 << 20))
        return size

    def assert_change_refused(self, process, pipe):
        self.read_pipe(pipe, 1 << 30, process)
        os.close(pipe)
        out, err = process.communicate(timeout=60)
        self.assertEqual((process.returncode, out), (2, b""), err)
        self.assertEqual(err.decode(), "posenc: error: [encode] a text must not change while it is read, got 'a.txt' which changed\n")

    def test_a_text_that_changes_while_it_is_read_is_refused(self):
        # Behind the header no more than the pipe holds is written, and the change comes before that is read: in the
        # middle of the text, or just before it is opened again.
        process = self.start_into_pipe()
        pipe = os.open(self.folder / "p.npy", os.O_RDONLY | os.O_NONBLOCK)
        self.assertGreaterEqual(self.read_pipe(pipe, 6, process), 6)
        with open(self.folder / "a.txt", "ab") as text:
            text.write(b"y")
        self.assert_change_refused(process, pipe)

    def test_a_text_that_changes_between_two_readings_is_refused(self):
        # It waits for a reader of the pipe before it opens the text again.
        process = self.start_into_pipe()
        while self.bytes_read_by(process) < 1000000 and process.poll() is None:
            time.sleep(0.01)
        with open(self.folder / "a.txt", "r+b") as text:
            text.write(b"y")  # of the same size
        self.assert_change_refused(process, os.open(self.folder / "p.npy", os.O_RDONLY | os.O_NONBLOCK))

    def bytes_read_by(self, process):
        with open(f"/proc/{process.pid}/io") as numbers:
            return int(re.search(r"rchar: (\d+)", numbers.read())[1])

    def test_a_text_of_unknown_length_waits_in_the_folder_of_temporary_files(self):
        (self.folder / "x.npy").symlink_to("/dev/null")
        done = self.start(*ENDLESS, "--out", "x.npy", stdin=None, input=b"abc")
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.start(*ENDLESS, "--out", "x.npy", stdin=None, input=b"abc", env=os.environ | {"TMPDIR": "/none"})
        self.assertEqual(done.returncode, 3)
        self.assertIn("--format raw needs none, got '/none' (No such file or directory)", done.stderr.decode())
        done = subprocess.run(["sh", "-c", 'ulimit -f 1; exec "$@"', "sh", tool_case.TOOL, *ENDLESS, "--out", "x.npy"],
                              cwd=self.folder, capture_output=True, input=b"x" * 100000, timeout=60)
        self.assertEqual((done.returncode, done.stdout), (3, b""), done.stderr)
        self.assertIn("(File too large)", done.stderr.decode())

    def test_a_file_size_limit_is_an_error(self):
        (self.folder / "x.npy").write_bytes(b"old")
        done = subprocess.run(["sh", "-c", 'ulimit -f 8; exec "$@"', "sh", tool_case.TOOL, *ENDLESS, "--out", "x.npy"],
                              cwd=self.folder, capture_output=True, input=b"x" * 100000, timeout=60)
        self.assertEqual((done.returncode, done.stdout), (3, b""), done.stderr)
        self.assertRegex(done.stderr.decode(), r"\Aposenc: error: \[\w+\] [^\n]+'x.npy' \(File too large\)\n\Z")
        self.assertEqual(self.files(), {"x.npy": b"old"})


class Terminal(ToolCase):
    """The tool with a terminal for some of its descriptors."""

    def terminal(self, columns):
        controller, terminal = pty.openpty()
        self.addCleanup(os.close, controller)
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        return controller, terminal

    def read_from(self, controller):
        text = b""
        while select.select([controller], [], [], 0)[0]:
            try:
                piece = os.read(controller, 65536)
            except OSError:  # the other end is closed
                break
            if not piece:
                break
            text += piece
        return text.decode()

    def progress(self, columns, *more):
        """What stands on a terminal of that width until a line of progress has come, and the exit code."""
        controller, terminal = self.terminal(columns)
        process = subprocess.Popen([tool_case.TOOL, *ENDLESS, "--out", "x.npy", "--no-sync", *more], cwd=self.folder,
                                   stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=terminal)
        os.close(terminal)
        text, end = "", time.monotonic() + 60
        while "encode" not in text and time.monotonic() < end:
            process.stdin.write(b"x" * 4096)
            process.stdin.flush()
            text += self.read_from(controller)
        process.stdin.close()
        status = process.wait(timeout=60)
        return status, text + self.read_from(controller)

    def test_progress_is_one_line_that_goes_away(self):
        status, text = self.progress(80)
        self.assertEqual(status, 0)
        self.assertRegex(text, r"\A(\rencode  [0-9.]+ [kMG]? ?tokens  [0-9.]+ [kMG]? ?tokens/s\x1b\[K)+\r\x1b\[Kposenc: x.npy")

    def test_a_slow_grid_tells_its_progress(self):
        os.mkfifo(self.folder / "x.npy")
        controller, terminal = self.terminal(80)
        process = subprocess.Popen([tool_case.TOOL, "grid", "--preset", "mae-2d", "--dim", "512", "--height", "200",
                                    "--width", "100", "--out", "x.npy"], cwd=self.folder, stderr=terminal)
        os.close(terminal)
        with open(self.folder / "x.npy", "rb") as pipe:  # 41 MB, three blocks
            pipe.read(1)
            time.sleep(1.1)
            while pipe.read(1 << 20):
                pass
        self.assertEqual(process.wait(timeout=60), 0)
        self.assertRegex(self.read_from(controller),
                         r"\A(\rgrid \[#+-*\] +[0-9]+ %  [0-9.]+ k cells  [0-9.]+ k cells/s[^\r]*\x1b\[K)+\r\x1b\[K")

    def test_a_slow_table_of_rows_tells_its_progress(self):
        if not traced.can_trace():
            traced.loudly_skip(self, "needs strace and the right to trace")
        rows = 60000
        header = json.dumps({"w": {"dtype": "F32", "shape": [rows, 128], "data_offsets": [0, rows * 512]}}).encode()
        with open(self.folder / "w.safetensors", "wb") as file:
            file.write(struct.pack("<Q", len(header)) + header)
            file.truncate(8 + len(header) + rows * 512)
        tool_case.write_npy(self.folder / "w.npy", "<f4", [rows, 128], [0.0] * (rows * 128))
        for weights in ("w.safetensors", "w.npy"):
            controller, terminal = self.terminal(80)
            slow = ["strace", "-qq", "-o", os.devnull, "-e", "trace=pread64", "-e", "inject=pread64:delay_enter=300000"]
            done = subprocess.run([*slow, tool_case.TOOL, "encode", "--tokens", "ids", "--text", "1", "--weights", weights,
                                   "--out", "x.npy"], cwd=self.folder, stderr=terminal, env=traced.environment(), timeout=60)
            os.close(terminal)
            self.assertEqual(done.returncode, 0)
            self.assertRegex(self.read_from(controller),
                             r"\A(\rweights \[#+-*\] +[0-9]+ %  [0-9.]+ M bytes[^\r]* left\x1b\[K)+\r\x1b\[K")

    def test_progress_fits_a_narrow_terminal(self):
        status, text = self.progress(12)
        self.assertEqual(status, 0)
        for line in re.findall(r"\r([^\r\x1b]*)\x1b", text):
            self.assertLess(len(line), 12)

    def test_nothing_is_drawn_for_short_work_or_without_a_terminal(self):
        controller, terminal = self.terminal(80)
        subprocess.run([tool_case.TOOL, "encode", "--text", "a", "--out", "x.npy"], cwd=self.folder, stderr=terminal,
                       timeout=60, check=True)
        os.close(terminal)
        self.assertNotIn("\x1b", self.read_from(controller))

    def shown(self, **environment):
        controller, terminal = self.terminal(80)
        usual = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "TERM")}
        subprocess.run([tool_case.TOOL, "encode", "--text", "I love you", "--out", "x.npy", "--show"], cwd=self.folder,
                       stdout=terminal, stderr=subprocess.DEVNULL, env=usual | {"TERM": "xterm"} | environment, timeout=60,
                       check=True)
        os.close(terminal)
        return self.read_from(controller)

    def test_show_is_coloured_on_a_terminal_that_wants_it(self):
        coloured = self.shown()
        self.assertEqual(len(re.findall(r"\x1b\[48;5;\d+m ", coloured)), 3 * 64 + 5)
        self.assertEqual(coloured.count("\n"), 4)
        for environment in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            self.assertNotIn("\x1b", self.shown(**environment))
        self.assertEqual(self.shown(NO_COLOR=""), coloured)

    def test_show_elsewhere_is_plain_and_not_with_json(self):
        text = self.run_tool("encode", "--text", "I love you", "--show")
        self.assertNotIn("\x1b", text)
        self.assertRegex(text, r"\n0 [-=+# ]{64}\n1 [-=+# ]{64}\n2 [-=+# ]{64}\n  =- \+# -[0-9.]+ to [0-9.]+\n\Z")
        self.assert_refused(["encode", "--text", "a", "--show", "--json"], "one of --show and --json must be given")


if __name__ == "__main__":
    tool_case.main()
