# SPDX-License-Identifier: Apache-2.0
# posenc identify: what a file's tensors hold, read where they stand, on any number of threads.

import json
import os
import pathlib
import random
import signal
import struct
import subprocess
import time

import tool_case
from tool_case import ToolCase, write_safetensors

MIB = 1 << 20


class Identify(ToolCase):
    def table(self, name, preset="whisper", width=64, positions="0:128"):
        self.run_tool("table", "--preset", preset, "--dim", str(width), "--positions", positions, "--out", name,
                      "--no-sync")

    def test_a_file_says_what_it_holds(self):
        self.table("pe.npy")
        text = self.run_tool("identify", "pe.npy")
        self.assertIn("whisper", text)
        self.assertIn("all 8192 entries equal", text)

    def test_threads_change_no_word(self):
        self.table("pe.safetensors", "transformer", 96, "0:65537")
        of_one, of_many = (
            [self.run_tool(*words, "--threads", count)
             for words in (["identify", "pe.safetensors"], ["check", "pe.safetensors", "--against", "transformer"])]
            for count in ("1", "3"))
        self.assertEqual(of_one, of_many)
        self.assert_refused(["identify", "pe.safetensors", "--threads", "0"], "--threads must be")

    def test_elements_stand_at_any_offset(self):
        self.table("pe.npy", "whisper", 66, "0:131")
        whole = (self.folder / "pe.npy").read_bytes()
        body = whole[-66 * 131 * 4:]
        texts = set()
        for spaces in range(4):
            header = json.dumps({"pe": {"dtype": "F32", "shape": [131, 66], "data_offsets": [0, len(body)]}})
            header = (header + " " * spaces).encode()
            (self.folder / "odd.safetensors").write_bytes(struct.pack("<Q", len(header)) + header + body)
            texts.add(self.run_tool("identify", "odd.safetensors"))
        self.assertEqual(len(texts), 1)
        self.assertIn("all 8646 entries equal", texts.pop())

    def test_names_of_tensors_and_of_files_may_have_colons(self):
        self.table("pe.npy", "transformer", 64, "0:32")
        rows = struct.unpack(f"<{64 * 32}f", (self.folder / "pe.npy").read_bytes()[-64 * 32 * 4:])
        for name in ("model.safetensors", "step:7.safetensors"):
            write_safetensors(self.folder / name, {"pos/embeddings:0": ("F32", [32, 64], rows)})
            self.assertIn("transformer", self.run_tool("identify", f"{name}:pos/embeddings:0"))
        self.assert_refused(["identify", "model.safetensors:pos/embeddings:1"], "pos/embeddings:1")

    def test_memory_does_not_grow_with_the_tensor(self):
        if tool_case.SANITIZED:
            self.skipTest("a sanitizer keeps memory of its own")
        for ending in ("npy", "safetensors"):
            self.table(f"small.{ending}", "whisper", 256, "0:16384")  # more than what is looked at at a time
            self.table(f"large.{ending}", "whisper", 256, "0:131072")
            for words in (["identify"], ["check", "--against", "whisper"]):
                small, large = (self.peak(words[0], f"{size}.{ending}", *words[1:]) for size in ("small", "large"))
                self.assertLess(large - small, 24 * MIB, (ending, words))  # the tensor has 112 MiB more

    def test_a_file_that_becomes_shorter_is_one_line_and_2(self):
        # Random numbers take long to be told from every convention: the file is cut as soon as it is mapped.
        path = self.folder / "noise.npy"
        noise = random.Random(1).randbytes(1 << 20)
        self.table("noise.npy", "whisper", 1024, "0:16384")
        with path.open("r+b") as file:
            file.seek(MIB)
            for _ in range(63):
                file.write(noise)
        running = subprocess.Popen([tool_case.TOOL, "identify", str(path)], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        maps = pathlib.Path(f"/proc/{running.pid}/maps")
        until = time.monotonic() + 60
        while running.poll() is None and "noise.npy" not in maps.read_text() and time.monotonic() < until:
            time.sleep(0.001)
        os.kill(running.pid, signal.SIGSTOP)
        os.truncate(path, 4096)
        os.kill(running.pid, signal.SIGCONT)
        said, error = running.communicate(timeout=120)
        self.assertEqual((running.returncode, said), (2, ""), error)
        self.assertRegex(error, r"\Aposenc: error: \[\w+\] [^\n]*must not change while it is read, got [^\n]+\n\Z")

    def test_of_many_tensors_those_named_after_positions_are_told_and_a_pipe_sees_no_progress(self):
        self.table("pe.npy", "transformer", 64, "0:32")
        rows = struct.unpack(f"<{64 * 32}f", (self.folder / "pe.npy").read_bytes()[-64 * 32 * 4:])
        tensors = {f"layers.{i}.weight": ("BF16", [8, 8], [i] * 64) for i in range(40)}
        tensors["pos_embed"] = ("F32", [32, 64], rows)
        write_safetensors(self.folder / "model.safetensors", tensors)
        done = self.start("identify", "model.safetensors")
        self.assertEqual(done.returncode, 0)
        self.assertIn(b"transformer", done.stdout)
        self.assertEqual(done.stderr.decode().count("\n"), 1)
        self.assertIn("1 of 41 tensors", done.stderr.decode())
        self.assertNotIn("\r", done.stderr.decode())


if __name__ == "__main__":
    tool_case.main()
