"""The tests of the Python package:

    python3 tests/bindings/python_test.py --library /path/libtalus.so [--full] [--timings] [name of a test...]

The package is put together as pip would do it, with the given library. The tests are in the folder python, a file per
subject. --full creates and destroys 1,000 worlds of 1,000 bodies instead of 100. --timings prints what calls cost and
tests nothing. Ends with 77, which means skipped, if numpy is not installed.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile
import unittest

FOLDER = pathlib.Path(__file__).resolve().parent / "python"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", required=True, help="libtalus.so: what the target talus_c_shared makes")
    parser.add_argument("--full", action="store_true", help="create and destroy 1,000 worlds instead of 100")
    parser.add_argument("--timings", action="store_true", help="only print what calls cost")
    parser.add_argument("--fuzz-rounds", type=int, default=20, help="calls with nonsense, per function")
    parser.add_argument("tests", nargs="*", help="such as bodies_test or bodies_test.Forces")
    options = parser.parse_args()
    try:
        import numpy  # noqa: F401
    except ImportError:
        print("skipped: numpy is not installed (Debian: python3-numpy)")
        return 77
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(FOLDER))
    import support

    with tempfile.TemporaryDirectory() as folder:
        support.prepare(folder, options)
        if options.timings:
            import timings

            timings.print_all()
            return 0
        support.count_calls()
        loader = unittest.TestLoader()
        if options.tests:
            suite = loader.loadTestsFromNames(options.tests)
        else:
            suite = loader.discover(str(FOLDER), "*_test.py")
        result = unittest.TextTestRunner(verbosity=2).run(suite)
        if result.wasSuccessful() and not options.tests:
            # In a process of its own: here every call of C is counted.
            subprocess.run([sys.executable, __file__, "--library", options.library, "--timings"], check=True)
        return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
