"""The package as pip builds and installs it, without a network."""

import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile

import support


def hook(name, folder, **environment):
    """Calls a hook of the backend in a process of its own, as pip does. Returns the path that it has written."""
    code = f"import sys; sys.path.insert(0, '.'); import backend; print('made', backend.{name}({str(folder)!r}))"
    done = subprocess.run(
        [sys.executable, "-B", "-c", code],
        cwd=support.PACKAGE,
        env={**os.environ, **environment},
        check=True,
        capture_output=True,
        text=True,
    )
    return pathlib.Path(folder) / done.stdout.split("made ")[-1].strip()


class Package(unittest.TestCase):
    def setUp(self):
        held = tempfile.TemporaryDirectory()
        self.addCleanup(held.cleanup)
        self.folder = pathlib.Path(held.name)

    def test_pip_installs_it_in_an_environment_and_the_first_program_runs(self):
        home = self.folder / "environment"
        made = subprocess.run(
            [sys.executable, "-m", "venv", "--system-site-packages", home], capture_output=True, text=True
        )
        if made.returncode != 0:
            self.skipTest("no venv: " + made.stdout.strip().splitlines()[0])
        python = home / "bin" / "python"
        environment = {**os.environ, "TALUS_LIBRARY": os.path.abspath(support.options.library), "PIP_NO_INDEX": "1"}
        command = [python, "-m", "pip", "install", "--disable-pip-version-check", str(support.PACKAGE)]
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        text = (support.PACKAGE / "README.md").read_text()
        program = text.split("```python\n")[1].split("```")[0]
        code = f"{program}\nimport pathlib\nprint(pathlib.Path(talus.__file__).is_relative_to({str(home)!r}))\n"
        done = subprocess.run([python, "-c", code], capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(done.stdout.split(), ["0.50", "True"], done.stderr)
        shown = subprocess.run([python, "-m", "pip", "show", "talus"], capture_output=True, text=True).stdout
        self.assertIn("Requires: numpy", shown)

    def test_the_wheel_has_what_it_needs(self):
        wheel = hook("build_wheel", self.folder, TALUS_LIBRARY=os.path.abspath(support.options.library))
        self.assertRegex(wheel.name, r"^talus-\d+\.\d+\.\d+-py3-none-\w+\.whl$")
        with zipfile.ZipFile(wheel) as archive:
            names = archive.namelist()
            metadata = next(name for name in names if name.endswith("METADATA"))
            self.assertIn("Requires-Dist: numpy", archive.read(metadata).decode())
            record = archive.read(next(name for name in names if name.endswith("RECORD"))).decode()
            self.assertEqual(len(record.splitlines()), len(names))
        for name in ("talus/__init__.py", "talus/_c.py", "talus/py.typed", "talus/gym/hopper.py"):
            self.assertIn(name, names)
        self.assertFalse([name for name in names if "__pycache__" in name])

    @unittest.skipUnless(shutil.which("cmake"), "no cmake")
    def test_the_source_distribution_has_all_that_cmake_needs(self):
        source = hook("build_sdist", self.folder)
        with tarfile.open(source) as archive:
            archive.extractall(self.folder)
        unpacked = self.folder / source.name.removesuffix(".tar.gz")
        command = ["cmake", "-S", unpacked / "cpp", "-B", self.folder / "build"]
        options = [f"-DTALUS_BUILD_{part}=OFF" for part in ("TESTS", "SAMPLES", "PROFILING")]
        done = subprocess.run(command + options, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        # From there, it builds a wheel as from the tree.
        code = "import backend; print(backend.version(), backend.HEADER.is_file(), backend.TALUS.name)"
        command = [sys.executable, "-B", "-c", code]
        done = subprocess.run(command, cwd=unpacked, capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout.split()[1:], ["True", "cpp"])
