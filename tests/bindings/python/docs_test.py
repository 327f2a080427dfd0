"""The code of the documents runs and prints what its comments say."""

import contextlib
import io
import os
import re
import tempfile
import unittest

import support

try:
    import matplotlib

    matplotlib.use("Agg")
except ImportError:
    matplotlib = None


def blocks(page):
    """Returns the Python code of a page, block by block, with the number of the line at which it begins."""
    text = (support.REPOSITORY / page).read_text()
    found = re.finditer(r"^```python\n(.*?)^```$", text, flags=re.M | re.S)
    return [(text[: match.start()].count("\n") + 2, match[1]) for match in found]


def expected(code):
    """Returns what the comments after print() say, in the order of the code."""
    return re.findall(r"^\s*print\(.*\)  # (.*)$", code, flags=re.M)


class Documents(unittest.TestCase):
    def check(self, page, least):
        listed, names, checked = blocks(page), {}, 0
        self.assertGreaterEqual(len(listed), least)
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                for line, code in listed:
                    if "talus.plot" in code and matplotlib is None:
                        continue
                    printed = io.StringIO()
                    with self.subTest(page=page, line=line), contextlib.redirect_stdout(printed):
                        exec(compile("\n" * (line - 1) + code, page, "exec"), names)
                    wanted = expected(code)
                    with self.subTest(page=page, line=line):
                        self.assertEqual(code.count("print("), len(wanted), "a print without a comment")
                        self.assertEqual(printed.getvalue().splitlines(), wanted)
                    checked += len(wanted)
            finally:
                os.chdir(before)
        return checked

    def test_the_first_program_of_the_readme(self):
        self.check("bindings/python/README.md", 1)
        [(_, code)] = blocks("bindings/python/README.md")
        self.assertLessEqual(len(code.splitlines()), 8)

    def test_the_guide(self):
        self.assertGreater(self.check("docs/python.md", 19), 30)

    def test_the_first_programs_are_the_same(self):
        import talus

        [(_, code)] = blocks("bindings/python/README.md")
        self.assertIn(code, [block for _, block in blocks("docs/python.md")])
        body = "\n".join(line[4:] for line in talus.__doc__.splitlines() if line.startswith("    "))
        for line in code.splitlines()[:-1]:
            self.assertIn(line, body)
