# SPDX-License-Identifier: Apache-2.0
# The first hour of someone new: README and the install page followed in a fresh clone, in a home of its own, as they stand.
#
# Usage: first_hour_test.py SOURCE_DIR FOLDER
#
# The clone is of the last commit. Every command and every program of the two pages is followed, or stands among LEFT_OUT with
# the reason; one that is in neither is a failure, so that a new command is tried or explained. Nothing needs root: what the
# pages lay down in /usr/local goes to a folder. Debian's packages must be there (./dev names those that are not), and pip
# must reach its index. fresh_root.sh does the same in a Debian that holds nothing yet; that needs root.

import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import time

import readme_test

LEFT_OUT = {
    "./dev test": "this is one of its tests",
    "./dev uninstall": "the same with the name of the folder, at the end",
    "apt-get install": "needs root; that the packages are there is asked instead",
}
KEPT = ("CCACHE_DIR", "PIP_INDEX_URL", "PIP_CERT", "PIP_FIND_LINKS", "PIP_DEFAULT_TIMEOUT", "SSL_CERT_FILE", "http_proxy",
        "https_proxy", "no_proxy")


def commands(text):
    """The commands of a block of shell: a line each, without its comment, a line that ends in a backslash with the next."""
    joined = text.replace("\\\n", " ")
    return [" ".join(line.partition("  #")[0].split()) for line in joined.splitlines() if line.strip()]


def every_block(page):
    """(language, text) of all blocks of a page, those that no other test runs among them."""
    shown = page.read_text(encoding="utf-8").replace(" no-test\n", "\n")
    marked = page.parent / f".{page.name}.first_hour"
    marked.write_text(shown, encoding="utf-8")
    try:
        return [(language, text) for language, _, text in readme_test.blocks(marked)]
    finally:
        marked.unlink()


class Newcomer:
    def __init__(self, source, folder):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        self.folder, self.clone, self.prefix = folder, folder / "posenc", folder / "prefix"
        self.environment = {key: os.environ[key] for key in KEPT if key in os.environ}
        self.environment |= {"HOME": str(folder / "home"), "LC_ALL": "C.UTF-8", "TERM": "dumb",
                             "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin"}
        (folder / "home").mkdir()
        cache = subprocess.run(["ccache", "--get-config", "cache_dir"], capture_output=True, text=True, check=False) \
            if shutil.which("ccache") else None
        if cache and cache.returncode == 0:  # compiled before, most of it
            self.environment.setdefault("CCACHE_DIR", cache.stdout.strip())
        subprocess.run(["git", "clone", "-q", str(source), str(self.clone)], check=True)

    def run(self, command, where=None):
        began = time.monotonic()
        print(f"$ {command}", flush=True)
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", command], cwd=where or self.clone, env=self.environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        print(f"  {done.returncode}, {time.monotonic() - began:.0f} s", flush=True)
        if done.returncode != 0:
            raise SystemExit(f"exit status {done.returncode} of\n{command}\n{done.stdout[-4000:]}")
        return done.stdout

    def follow(self, command):
        """A command as the page has it, but that folders of the system become ours."""
        left_out = next((start for start in LEFT_OUT if command.startswith(start)), None)
        if left_out:
            print(f"$ {command}\n  left out: {LEFT_OUT[left_out]}", flush=True)
            if left_out == "apt-get install":
                packages = " ".join(shlex.split(command)[2:])
                self.run(f"dpkg-query -W -f '${{db:Status-Status}}\\n' {packages} | (! grep -v '^installed$')")
            return
        if command.startswith("pip "):  # Debian's pip installs into virtual environments alone
            self.run(f"python3 -m venv {self.folder}/venv")
            command = f"{self.folder}/venv/bin/{command}"
        if command == "./dev install":
            command += f" {self.prefix}"
        self.run(command.replace("/usr/local", str(self.folder / "by-hand")))

    def program(self, cmake, source):
        """The program of README, built by its lines of CMake and by the line of pkg-config, prints what its comment says."""
        folder = self.folder / "engine"
        folder.mkdir(exist_ok=True)
        (folder / "main.cc").write_text(source, encoding="utf-8")
        (folder / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.20)\nproject(engine LANGUAGES CXX)\nadd_executable(your_engine main.cc)\n" + cmake,
            encoding="utf-8")
        expected = re.search(r'printf\("%\.9g %\.9g\\n".*// ([\d.]+ [\d.]+)', source)[1]
        self.run(f"cmake -S . -B build -DCMAKE_PREFIX_PATH={self.prefix} && cmake --build build", folder)
        packages = f"PKG_CONFIG_PATH={self.prefix}/lib/pkgconfig"
        self.run(f"export {packages}; g++ -std=c++20 main.cc $(pkg-config --cflags --libs posenc) -o by_pkg_config", folder)
        for built in ("build/your_engine", "by_pkg_config"):
            printed = self.run(f"./{built}", folder).strip()
            if printed != expected:
                raise SystemExit(f"{built} prints {printed!r}, README says {expected!r}")


def main(source, folder):
    newcomer = Newcomer(source, folder)
    readme, install = newcomer.clone / "README.md", newcomer.clone / "docs/install.md"
    if "g++ -std=c++20 main.cc $(pkg-config --cflags --libs posenc)" not in install.read_text(encoding="utf-8"):
        raise SystemExit("docs/install.md has another line of pkg-config than this test")
    cmake = cpp = python = None
    for language, text in every_block(readme):
        if language == "sh":
            for command in commands(text):
                newcomer.follow(command)
        cmake = text if language == "cmake" else cmake
        cpp = text if language == "cpp" else cpp
        python = text if language == "python" else python
    if not (newcomer.clone / "out/demo.png").is_file():
        raise SystemExit("./dev run must draw out/demo.png, as README says")
    newcomer.program(cmake, cpp)
    (folder / "first.py").write_text(python, encoding="utf-8")
    newcomer.run(f"{folder}/venv/bin/python first.py", folder)
    readme_test.run(readme, folder / "shell", newcomer.prefix / "bin/posenc")
    done = {"./dev install"}
    for language, text in every_block(install):
        for command in commands(text) if language == "sh" else ():
            if command not in done:
                newcomer.follow(command)
    newcomer.run(f"./dev uninstall {newcomer.prefix}")
    left = sorted(newcomer.prefix.rglob("*")) if newcomer.prefix.exists() else []
    if left:
        raise SystemExit(f"./dev uninstall must leave nothing, got {left[:5]}")
    shutil.rmtree(folder)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve())
