"""Every function of the C header is called by the tests above: all by way of the package. The last file, because it
counts."""

import unittest

import support
from talus import _c

NOT_COUNTED = {
    "talus_transform": "Python has defaults of its own for poses",
    "talus_world_transform": "likewise",
    "talus_version": "called when the package is imported, before calls are counted",
    "talus_rung_name": "likewise",
}


class Coverage(unittest.TestCase):
    def test_every_function_of_the_header_is_called(self):
        if support.options.tests:
            self.skipTest("only some of the tests were run")
        never = {name for name in _c.FUNCTIONS if not support.FUNCTIONS_CALLED[name]}
        self.assertEqual(never, set(NOT_COUNTED))
