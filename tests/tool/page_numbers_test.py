# SPDX-License-Identifier: Apache-2.0
# Numbers on written pages that the tool or a file of the tree knows are those.

import sys

import tool_case
from tool_case import ToolCase


class PageNumbers(ToolCase):
    def test_pages_say_what_the_tool_says(self):
        self.assertEqual(self.numbers().faults(tool_case.TOOL), [], "tools/docs/page_numbers.py POSENC --page writes them")

    def test_another_number_is_found_and_so_is_a_page_without_one(self):
        numbers = self.numbers()
        page = (tool_case.SOURCE / "docs/inspect.md").read_text()
        (start, end, value), = numbers.stated(numbers.NUMBERS[0], page)
        other = page[:start] + str(value - 1) + page[end:]
        self.assertEqual(numbers.faults(tool_case.TOOL, {"docs/inspect.md": other}),
                         [f"docs/inspect.md: {numbers.NUMBERS[0].words}: {value - 1}, {value} expected"])
        self.assertIn("does not say", numbers.faults(tool_case.TOOL, {"CHANGELOG.md": "nothing"})[0])

    def numbers(self):
        sys.path.insert(0, str(tool_case.SOURCE / "tools/docs"))
        import page_numbers
        return page_numbers


if __name__ == "__main__":
    tool_case.main()
