# SPDX-License-Identifier: Apache-2.0
# Signals at random times of a call, or while it waits in fsync: how long until its last instruction, and until its end.
#
# Usage: interrupted.py COUNT [--in-fsync] TOOL ARGUMENT...

import os
import pathlib
import platform
import random
import re
import signal
import statistics
import subprocess
import sys
import time

STATUS = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}
FSYNC = {"x86_64": "74", "aarch64": "82"}  # numbers of the system call
PF_EXITING = 4  # of linux/sched.h: the last instruction is done, the system takes its memory and files back


def usual_signals():
    for number in STATUS:
        signal.signal(number, signal.SIG_DFL)


def start(command):
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=usual_signals)


def catches(tool, number):
    """Whether the process handles that signal by now."""
    for line in pathlib.Path(f"/proc/{tool.pid}/status").read_text().splitlines():
        if line.startswith("SigCgt:"):
            return int(line.split()[1], 16) >> (number - 1) & 1
    return 0  # it has ended


def exiting(tool):
    fields = pathlib.Path(f"/proc/{tool.pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[6]) & PF_EXITING  # "flags", the ninth of proc(5)


def at_random(most):
    """A pause of up to so many seconds: the exit status of a call that is over before, else None."""
    seconds = random.uniform(0, most)

    def pause(tool):
        try:
            return tool.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    return pause


def until_fsync(tool):
    """A pause until the call has begun to wait for its first file."""
    fsync = FSYNC[platform.machine()]
    while pathlib.Path(f"/proc/{tool.pid}/syscall").read_text().split()[0] != fsync:
        if tool.poll() is not None:
            break
    return tool.poll()


def interrupt(command, number, pause):
    """Exit status, and seconds from the signal to the last instruction and to the end; none when it was over before."""
    tool = start(command)
    while not catches(tool, number):
        if tool.poll() is not None:
            raise AssertionError("never caught the signal")
    if pause(tool) is not None:
        return tool.returncode, None, None
    begin = time.monotonic()
    tool.send_signal(number)
    while not exiting(tool):
        time.sleep(0.0005)
    stopped = time.monotonic() - begin
    return tool.wait(), stopped, time.monotonic() - begin


def written_by(tool):
    """Bytes that the process has written, its last ones when it has ended and nobody has waited for it."""
    return int(re.search(r"wchar: (\d+)", pathlib.Path(f"/proc/{tool.pid}/io").read_text())[1])


def has_ended(tool):
    """Whether it has, without waiting for it."""
    return os.waitid(os.P_PID, tool.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def interrupt_after(command, number, size):
    """Exit status of a call that is stopped at whatever instruction it has reached when `size` bytes are written, then
    gets the signal and goes on; with the bytes it had written at the stop and at its end. None when it was over before."""
    tool = start(command)
    while not catches(tool, number) or written_by(tool) < size:
        if has_ended(tool):
            tool.wait()
            return None
    tool.send_signal(signal.SIGSTOP)
    if tool.returncode is not None:  # it has ended just now, and send_signal waits for such
        return None
    stop = os.waitid(os.P_PID, tool.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
    if stop.si_code != os.CLD_STOPPED:
        tool.wait()
        return None
    written = written_by(tool)
    tool.send_signal(number)
    tool.send_signal(signal.SIGCONT)
    end = time.monotonic() + 60  # against hanging
    while not has_ended(tool) and time.monotonic() < end:
        time.sleep(0.001)
    written_at_last = written_by(tool)
    return tool.wait(timeout=0), written, written_at_last


def seconds_of(command):
    begin = time.monotonic()
    if start(command).wait() != 0:
        raise AssertionError(command)
    return time.monotonic() - begin


def words_of(seconds):
    """The distribution in milliseconds."""
    ordered = sorted(1000 * value for value in seconds)
    at = lambda share: ordered[min(len(ordered) - 1, int(share * len(ordered)))]
    return (f"median {at(0.5):.1f}, 90 % {at(0.9):.1f}, 99 % {at(0.99):.1f}, most {ordered[-1]:.1f} ms, "
            f"{sum(value > 100 for value in ordered)} of {len(ordered)} over 100 ms")


def main():
    count, in_fsync, command = int(sys.argv[1]), sys.argv[2] == "--in-fsync", sys.argv[2:]
    command = command[1:] if in_fsync else command
    usual = statistics.median(seconds_of(command) for _ in range(3))
    stops, ends = [], []
    while len(stops) < count:
        number = list(STATUS)[len(stops) % 3]
        status, stopped, ended = interrupt(command, number, until_fsync if in_fsync else at_random(usual))
        if stopped is not None and status != 0:
            assert status == STATUS[number], status
            stops.append(stopped)
            ends.append(ended)
    print(f"{usual:.1f} s of work; load {os.getloadavg()[0]:.1f}")
    print(f"stopped: {words_of(stops)}\nended:   {words_of(ends)}")


if __name__ == "__main__":
    main()
