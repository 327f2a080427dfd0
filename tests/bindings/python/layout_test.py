"""The structures that Python knows are those of the C compiler."""

import ctypes
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import support
from talus import _c, _lists

HEADER = support.REPOSITORY / "include" / "talus" / "c" / "talus.h"


def structures():
    """Returns the structures that have a name in C."""
    named = {name: kind for name, kind in vars(_c).items() if isinstance(kind, type(ctypes.Structure))}
    return {name: kind for name, kind in named.items() if name.startswith("Talus") and "_" not in name}


def members(kind, path=""):
    """Yields all members of a structure with their offsets and sizes, nested ones too, as C writes them."""
    for name, inner in kind._fields_:
        field = getattr(kind, name)
        yield path + name, field.offset, field.size
        repeated = inner._type_ if issubclass(inner, ctypes.Array) else inner
        if issubclass(repeated, (ctypes.Structure, ctypes.Union)):
            first = path + name + ("[0]." if repeated is not inner else ".")
            for place, offset, size in members(repeated, first):
                yield place, field.offset + offset, size


class Layout(unittest.TestCase):
    def test_sizes_offsets_and_values_are_those_of_the_c_compiler(self):
        compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
        if compiler is None:
            self.skipTest("no C compiler")
        expected, lines = [], []

        def compare(text, value):
            expected.append(f"{text} {value}")
            lines.append(f'    printf("{text} %lld\\n", (long long)({text}));')

        for name, kind in structures().items():
            compare(f"sizeof({name})", ctypes.sizeof(kind))
            for place, offset, size in members(kind):
                compare(f"offsetof({name}, {place})", offset)
                compare(f"sizeof((({name}*)0)->{place})", size)
        for values in _c.ENUMS.values():
            for name, value in values.items():
                compare(name, value)
        for name, value in vars(_c).items():
            if name.startswith("TALUS_"):
                compare(name, int(value))

        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "layout.c"
            program = source.with_suffix("")
            include = f'#include <stddef.h>\n#include <stdio.h>\n#include "{HEADER}"\n'
            source.write_text(include + "int main(void) {\n" + "\n".join(lines) + "\n    return 0;\n}\n")
            subprocess.run([compiler, "-std=c99", "-o", program, source], check=True)
            printed = subprocess.run([program], check=True, capture_output=True, text=True).stdout.splitlines()
        self.assertGreater(len(structures()), 40)
        self.assertGreater(len(expected), 700)
        self.assertEqual(printed, expected)

    def test_a_dtype_of_numpy_has_the_layout_of_its_structure(self):
        names = ("Contact", "CastHit", "MovedBody", "Profile", "HitEvent", "JointEvent", "PairInfo", "NearHit")
        for kind in (getattr(_c, f"Talus{name}") for name in names):
            dtype = _lists.dtype_of(kind)
            self.assertEqual(dtype.itemsize, ctypes.sizeof(kind))
            for name, _ in kind._fields_:
                field_type, offset = dtype.fields[name][:2]
                self.assertEqual(offset, getattr(kind, name).offset, f"{kind.__name__}.{name}")
                self.assertEqual(field_type.itemsize, getattr(kind, name).size, f"{kind.__name__}.{name}")

    def test_the_parser_refuses_what_it_does_not_know(self):
        import sys

        sys.path.insert(0, str(support.PACKAGE))
        try:
            import header
        finally:
            sys.path.remove(str(support.PACKAGE))
        unknown = ("typedef struct A { int x; } A;", "TALUS_API Unknown f(void);", "typedef struct A { float x; } B;")
        for text in unknown:
            with self.assertRaises(SyntaxError):
                header.parse(text)

    def test_every_structure_and_function_of_the_header_is_known(self):
        import re

        text = HEADER.read_text()
        names = set(re.findall(r"\b(talus_\w+)\(", re.sub(r"//.*", "", text)))
        self.assertEqual(names, set(_c.FUNCTIONS))
        defined = set(re.findall(r"typedef struct (\w+) \{", text))
        self.assertEqual(defined, set(structures()))
