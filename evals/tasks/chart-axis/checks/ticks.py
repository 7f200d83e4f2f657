# canary: b8ac828f988c9d24970785a08df40009

import unittest

from charts.axes import price_axis


class Ticks(unittest.TestCase):
    def test_ticks(self):
        assert price_axis(1, 1000).ticks() == [1, 10, 100, 1000]
        assert price_axis(10, 100).ticks() == [10, 100]
