"""Builds the package: the hooks that pip calls (PEP 517). Needs CMake, a C++20 compiler and glm, and nothing from
Python.

    pip install ./bindings/python                                   compiles Talus in bindings/python/build
    TALUS_LIBRARY=/path/libtalus.so pip install ./bindings/python   packages a library that is compiled already
"""

import base64
import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import header  # noqa: E402

# The C++ sources: this folder is part of Talus, or a source distribution with Talus inside.
TALUS = HERE / "cpp" if (HERE / "cpp").is_dir() else HERE.parent.parent
HEADER = TALUS / "include" / "talus" / "c" / "talus.h"
SOURCES = ["CMakeLists.txt", "LICENSE", "cmake", "include", "common", "narrowphase", "broadphase", "engine",
           "profiling", "bindings/c"]  # fmt: skip
LIBRARY = {"win32": "talus.dll", "darwin": "libtalus.dylib"}.get(sys.platform, "libtalus.so")


def version():
    """Returns the version that talus.h says."""
    text = HEADER.read_text(encoding="utf-8")
    return ".".join(re.search(rf"TALUS_VERSION_{part} (\d+)", text)[1] for part in ("MAJOR", "MINOR", "PATCH"))


def compile_library():
    """Compiles the shared library and returns its path. A second call compiles only what has changed."""
    build = HERE / "build"
    options = ["-DCMAKE_BUILD_TYPE=Release", "-DTALUS_BUILD_TESTS=OFF", "-DTALUS_BUILD_SAMPLES=OFF",
               "-DTALUS_BUILD_PROFILING=OFF", "-DTALUS_UNITE=ON"]  # fmt: skip
    if shutil.which("ninja"):
        options.append("-GNinja")
    subprocess.run(["cmake", "-S", str(TALUS), "-B", str(build), *options], check=True)
    jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL") or str(os.cpu_count())
    command = ["cmake", "--build", str(build), "--target", "talus_c_shared", "--config", "Release", "--parallel", jobs]
    subprocess.run(command, check=True)
    return next(path for path in build.rglob(LIBRARY) if path.is_file())


def stage(folder, library):
    """Writes the package into a folder: its modules, _c.py, and the library."""
    target = Path(folder) / "talus"
    shutil.copytree(HERE / "talus", target, ignore=shutil.ignore_patterns("__pycache__", "*.so", "_c.py"))
    declarations = header.parse(HEADER.read_text(encoding="utf-8"))
    (target / "_c.py").write_text(header.python(declarations), encoding="utf-8")
    shutil.copy(library, target / LIBRARY)
    return target


# ---- What pip calls.


def get_requires_for_build_wheel(config_settings=None):
    return []


def get_requires_for_build_sdist(config_settings=None):
    return []


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    name = f"talus-{version()}.dist-info"
    folder = Path(metadata_directory) / name
    folder.mkdir(exist_ok=True)
    (folder / "METADATA").write_text(metadata(), encoding="utf-8")
    (folder / "WHEEL").write_text(wheel_file(), encoding="utf-8")
    return name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    library = os.environ.get("TALUS_LIBRARY") or compile_library()
    if not Path(library).is_file():
        raise SystemExit(f"TALUS_LIBRARY is {library}, which is no file; give the whole path of the library")
    name = f"talus-{version()}-{tag()}.whl"
    with tempfile.TemporaryDirectory() as folder:
        stage(folder, library)
        information = prepare_metadata_for_build_wheel(folder)
        pack(Path(folder), Path(wheel_directory) / name, f"{information}/RECORD")
    return name


def pack(folder, wheel, record):
    """Packs a folder into a wheel, with a record of its files and their hashes."""
    lines = []
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            data, place = path.read_bytes(), path.relative_to(folder).as_posix()
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            lines.append(f"{place},sha256={digest},{len(data)}\n")
            archive.writestr(place, data)
        archive.writestr(record, "".join(lines) + f"{record},,\n")


def build_sdist(sdist_directory, config_settings=None):
    """The package with the C++ sources of Talus in its folder cpp."""
    name = f"talus-{version()}"

    def without_outputs(entry):
        return None if Path(entry.name).name in ("__pycache__", "build", "_c.py") else entry

    with tarfile.open(Path(sdist_directory) / f"{name}.tar.gz", "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for file in ("pyproject.toml", "README.md", "backend.py", "header.py", "talus"):
            archive.add(HERE / file, f"{name}/{file}", filter=without_outputs)
        for file in SOURCES:
            archive.add(TALUS / file, f"{name}/cpp/{file}", filter=without_outputs)
        information = metadata().encode()
        entry = tarfile.TarInfo(f"{name}/PKG-INFO")
        entry.size = len(information)
        archive.addfile(entry, io.BytesIO(information))
    return f"{name}.tar.gz"


# ---- Metadata.


def tag():
    """Any Python 3 on this platform: the library does not use Python's own API."""
    return "py3-none-" + re.sub(r"[-.]", "_", sysconfig.get_platform())


def wheel_file():
    return f"Wheel-Version: 1.0\nGenerator: talus\nRoot-Is-Purelib: false\nTag: {tag()}\n"


def metadata():
    """Returns METADATA, from pyproject.toml."""
    text = (HERE / "pyproject.toml").read_text(encoding="utf-8")

    def value(key):
        return re.search(rf'^{key} = "(.*)"$', text, flags=re.M)[1]

    def listed(key):
        return re.findall(r'"([^"]+)"', re.search(rf"^{key} = \[(.*)\]$", text, flags=re.M)[1])

    lines = ["Metadata-Version: 2.1", f"Name: {value('name')}", f"Version: {version()}"]
    lines += [f"Summary: {value('description')}", f"Requires-Python: {value('requires-python')}"]
    lines += [f"Requires-Dist: {requirement}" for requirement in listed("dependencies")]
    lines.append("Provides-Extra: plot")
    lines += [f'Requires-Dist: {requirement}; extra == "plot"' for requirement in listed("plot")]
    lines.append("Description-Content-Type: text/markdown")
    return "\n".join(lines) + "\n\n" + (HERE / "README.md").read_text(encoding="utf-8")
