# SPDX-License-Identifier: Apache-2.0
# posenc manual: the page that man shows tells what every --help tells, and roff takes it.

import re
import shutil
import subprocess
import unittest

import tool_case
from tool_case import ToolCase

PRINTED = {"\\e": "\\", "\\-": "-", "\\(aq": "'", "\\(dq": '"', "\\(ga": "`", "\\(ha": "^", "\\(ti": "~", "\\&": ""}


def plain(page):
    """Roff's words as they are printed, requests left standing."""
    return re.sub(r"\\(\(..|[e\-&])", lambda match: PRINTED[match[0]], page)


def words(text):
    return " ".join(text.split())


class Manual(ToolCase):
    def setUp(self):
        super().setUp()
        self.page = plain(self.run_tool("manual"))
        self.sections = dict(re.findall(r'^\.SS "posenc (\S+) .*?"\n(.*?)(?=^\.S[SH] )', self.page, re.MULTILINE | re.DOTALL))

    def test_it_has_a_section_for_every_verb(self):
        verbs = re.findall(r"^  posenc (\w+) +(.*)", self.run_tool("--help"), re.MULTILINE)
        self.assertGreater(len(verbs), 10)
        self.assertEqual(list(self.sections), [verb for verb, _ in verbs])
        for verb, summary in verbs:
            self.assertIn(f".TP\n.B {verb}\n{summary}\n", self.page)

    def test_a_section_tells_what_the_help_of_its_verb_tells(self):
        for verb, section in self.sections.items():
            told = self.run_tool(verb, "--help")
            options = re.findall(r'^\.BI "(\S+) " "(.*)"\n(.*)', section, re.MULTILINE)
            self.assertEqual(sorted([name for name, _, _ in options] + ["--help"]),
                             sorted(re.findall(r"^  (?:-h,)?(--[a-z-]+)", told, re.MULTILINE)), verb)
            for name, value, meaning in options:
                self.assertIn(words(f"{name} {value} {meaning}"), words(told))
            example = re.search(r"^Example: (.*)", told, re.MULTILINE)[1]
            self.assertIn(f".EX\n{example}\n.EE\n", section)

    def test_the_exit_statuses_are_those_of_the_page_of_the_tool(self):
        table = re.findall(r"^\| ([0-9, ]+) \| (.*) \|$", (tool_case.SOURCE / "docs/posenc.md").read_text(), re.MULTILINE)
        self.assertEqual(re.findall(r"^\.B ([0-9, ]+)\n(.*)", self.page, re.MULTILINE), table)
        self.assertIn("0", dict(table))

    def test_it_names_its_version(self):
        self.assertIn(f'"{self.run_tool("--version").strip()}"', self.page.splitlines()[0])

    def test_it_stands_alone(self):
        self.assert_refused(["manual", "encode"], "manual must stand alone, got 'encode'")

    def test_roff_prints_it_without_a_warning(self):
        if shutil.which("groff") is None:
            raise unittest.SkipTest("groff is not there")
        done = subprocess.run(["groff", "-man", "-Kutf8", "-Tutf8", "-ww", "-P-c", "-rLL=200n"], capture_output=True,
                              input=self.run_tool("manual").encode(), timeout=60)
        self.assertEqual(done.stderr.decode(), "")
        printed = words(re.sub(r".\x08", "", done.stdout.decode()))
        for verb in self.sections:
            example = re.search(r"^Example: (.*)", self.run_tool(verb, "--help"), re.MULTILINE)[1]
            self.assertIn(words(example), printed)


if __name__ == "__main__":
    tool_case.main()
