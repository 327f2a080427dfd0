"""Plots of profiles."""

import unittest

import numpy as np
import talus
from support import pile

try:
    import matplotlib

    matplotlib.use("Agg")
except ImportError:
    matplotlib = None


@unittest.skipIf(matplotlib is None, "matplotlib is not installed (Debian: python3-matplotlib)")
class Plots(unittest.TestCase):
    def test_figures_show_the_profiles(self):
        import talus.plot
        from matplotlib import pyplot

        world, profiles = pile(), []
        for _ in range(100):
            world.step()
            profiles.append(world.profile())
        stages = talus.plot.stages(profiles)
        axes = stages.axes[0]
        line = axes.lines[0]
        np.testing.assert_array_equal(line.get_ydata(), [p.total for p in profiles])
        used = [name for name in talus.stage_names if any(profile[name] for profile in profiles)]
        self.assertEqual([layer.get_label() for layer in axes.collections], used)
        pairs = talus.plot.rung_pairs(np.array(profiles)).axes[0]
        labels = [c.get_label() for c in pairs.collections]
        self.assertTrue(set(labels) <= set(talus.rung_names))
        top = max(layer.get_paths()[0].vertices[:, 1].max() for layer in pairs.collections)
        self.assertEqual(top, max(sum(p.rungs["pairs"]) for p in profiles))
        self.assertEqual(len(talus.plot.overview(profiles).axes), 3)
        talus.plot.rung_times(profiles).canvas.draw()
        talus.plot.stages(profiles[:1]).canvas.draw()
        pyplot.close("all")

    def test_wrong_profiles(self):
        import talus.plot

        with self.assertRaises(talus.Error):
            talus.plot.stages([])
        for wrong in ([1, 2], "profiles", 5, [None]):
            with self.assertRaises(TypeError):
                talus.plot.stages(wrong)
