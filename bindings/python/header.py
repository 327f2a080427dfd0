"""Reads talus.h and writes talus/_c.py: its structures, constants and functions for ctypes.

The header is the only description of the C API, so a structure cannot differ from it:

    typedef struct TalusRay {         class TalusRay(Structure):
        TalusDVec3 origin;                _fields_ = [
        TalusVec3 translation;    ->          ("origin", TalusDVec3),
    } TalusRay;                               ("translation", TalusVec3),
                                          ]

The parser knows the C that the header uses, and refuses everything else: structures with nested structures, unions,
arrays and function pointers; integer typedefs; enums; constants; functions. Every pointer becomes a c_void_p, except
`const char*`.

    python3 header.py talus.h > _c.py
"""

import re
import sys
from dataclasses import dataclass, field

SCALARS = {
    "void": "None", "bool": "c_bool", "char": "c_char", "float": "c_float", "double": "c_double", "size_t": "c_size_t",
    "uint8_t": "c_uint8", "uint32_t": "c_uint32", "uint64_t": "c_uint64", "int32_t": "c_int32",
}  # fmt: skip

TOP = '''"""The C API of Talus for ctypes. Written by header.py from talus.h: change that instead."""

from ctypes import (CFUNCTYPE, Structure, Union, c_bool, c_char, c_char_p, c_double, c_float, c_int32, c_size_t,
                    c_uint8, c_uint32, c_uint64, c_void_p)
'''


@dataclass
class Struct:
    """A structure or a union: its fields are pairs of a name and a type in the words of ctypes."""

    name: str
    base: str  # "Structure" or "Union"
    fields: list = field(default_factory=list)


@dataclass
class Function:
    """A function, its types in the words of ctypes."""

    name: str
    result: str
    parameters: list


@dataclass
class Header:
    """What the header declares, in its order."""

    constants: dict = field(default_factory=dict)
    enums: dict = field(default_factory=dict)  # by the typedef before them: names and values
    aliases: dict = field(default_factory=dict)  # integer types
    structs: dict = field(default_factory=dict)
    callbacks: dict = field(default_factory=dict)
    functions: list = field(default_factory=list)


def parse(text):
    """Returns what the text of talus.h declares."""
    return _Parser(text).header


class _Parser:
    def __init__(self, text):
        self.header = Header()
        text = re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S)
        for name, value in re.findall(r"^#define (TALUS_\w+)\s+\(?(-?[\d][\w.]*)\)?\s*$", text, flags=re.M):
            self.header.constants[name] = _value(value)
        text = re.sub(r"^#ifdef __cplusplus$.*?^#endif$", "", text, flags=re.S | re.M)
        text = re.sub(r"^#[^\n]*", "", text, flags=re.M)
        self.tokens = re.findall(r"\w+|[^\w\s]", text)
        self.at = 0
        self.opaque = set()
        self.alias = None  # the last integer typedef, which names the enum that follows
        while self.at < len(self.tokens):
            self.declaration()

    # ---- Tokens.

    def peek(self, ahead=0):
        return self.tokens[self.at + ahead] if self.at + ahead < len(self.tokens) else ""

    def take(self, expected=None):
        token = self.peek()
        if expected is not None and token != expected:
            around = " ".join(self.tokens[max(0, self.at - 8) : self.at + 4])
            raise SyntaxError(f"talus.h: expected '{expected}' instead of '{token}' in: {around}")
        self.at += 1
        return token

    def accept(self, token):
        if self.peek() != token:
            return False
        self.at += 1
        return True

    # ---- Declarations.

    def declaration(self):
        if self.accept("typedef"):
            if self.accept("struct"):
                self.struct()
            else:
                self.typedef()
        elif self.accept("enum"):
            self.enum()
        else:
            self.take("TALUS_API")
            result = self.type()
            name = self.take()
            self.header.functions.append(Function(name, result, self.parameters()))
        self.take(";")

    def struct(self):
        name = self.take()
        if self.accept(name):
            self.opaque.add(name)
            return
        self.body(Struct(name, "Structure"))
        self.take(name)

    def body(self, struct):
        """Reads the fields in braces; nested structures come before the one that has them."""
        self.take("{")
        while not self.accept("}"):
            if self.peek() in ("struct", "union"):
                base_class = "Structure" if self.take() == "struct" else "Union"
                base = self.body(Struct(f"{struct.name}_{self.field_after_braces()}", base_class)).name
            else:
                base = self.type()
            while True:
                struct.fields.append(self.declarator(base))
                if not self.accept(","):
                    break
            self.take(";")
        self.header.structs[struct.name] = struct
        return struct

    def field_after_braces(self):
        """Returns the name of the field whose anonymous structure begins here."""
        depth, at = 0, self.at
        while True:
            depth += {"{": 1, "}": -1}.get(self.tokens[at], 0)
            at += 1
            if depth == 0:
                return self.tokens[at]

    def declarator(self, base):
        """Reads a name, with the dimensions of an array after it, or a function pointer."""
        if self.accept("("):
            return self.function_pointer(base)
        name = self.take()
        if self.accept("["):
            count = self.take()
            self.take("]")
            return name, f"{base} * {self.header.constants.get(count, count)}"
        return name, base

    def function_pointer(self, result):
        self.take("*")
        name = self.take()
        self.take(")")
        return name, f"CFUNCTYPE({', '.join([result, *self.parameters()])})"

    def parameters(self):
        """Returns the types of parameters."""
        self.take("(")
        types = []
        if self.peek() == "void" and self.peek(1) == ")":
            self.take()
        while not self.accept(")"):
            base = self.type()
            if self.accept("("):
                self.function_pointer(base)
                base = "c_void_p"
            elif self.peek() not in (",", ")"):
                self.take()
                if self.accept("["):
                    self.take()
                    self.take("]")
                    base = "c_void_p"
            types.append(base)
            self.accept(",")
        return types

    def type(self):
        """Reads a type, with its asterisks."""
        self.accept("const")
        name = self.take()
        if self.accept("*"):
            return "c_char_p" if name == "char" else "c_void_p"
        if name in self.opaque or not (name in SCALARS or self.known(name)):
            raise SyntaxError(f"talus.h: '{name}' is no type of a value")
        return SCALARS.get(name, name)

    def known(self, name):
        return name in self.header.aliases or name in self.header.callbacks or name in self.header.structs

    def typedef(self):
        base = self.type()
        if self.accept("("):
            name, signature = self.function_pointer(base)
            self.header.callbacks[name] = signature
        else:
            name = self.take()
            self.header.aliases[name] = base
            self.alias = name

    def enum(self):
        self.take("{")
        values = {}
        while not self.accept("}"):
            name = self.take()
            self.take("=")
            values[name] = _value(self.take())
            self.accept(",")
        if self.alias is None or self.alias in self.header.enums:
            self.header.constants.update(values)  # flags: an enum without a type of its own
        else:
            self.header.enums[self.alias] = values


def _value(text):
    """Returns the value of a constant of C."""
    if text.lower().startswith("0x"):
        return int(text.rstrip("uU"), 16)
    return float(text.rstrip("fF")) if "." in text else int(text.rstrip("uU"))


def python(header):
    """Returns the text of _c.py."""
    lines = [TOP]
    lines += [f"{name} = {value}" for name, value in header.constants.items()]
    lines += ["", *(f"{name} = {kind}" for name, kind in header.aliases.items())]
    for struct in header.structs.values():
        lines += ["", "", f"class {struct.name}({struct.base}):", "    _fields_ = ["]
        lines += [f'        ("{name}", {kind}),' for name, kind in struct.fields]
        lines += ["    ]"]
    lines += ["", "", *(f"{name} = {signature}" for name, signature in header.callbacks.items())]
    lines += ["", "# The values of each enum.", "ENUMS = {"]
    lines += [f'    "{name}": {values},' for name, values in header.enums.items()]
    lines += ["}", "", "# Functions: the type of the result, and of each parameter.", "FUNCTIONS = {"]
    for function in header.functions:
        lines.append(f'    "{function.name}": ({function.result}, [{", ".join(function.parameters)}]),')
    return "\n".join([*lines, "}", ""])


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        print(python(parse(file.read())), end="")
