"""The axes of the charts."""

import math

from fixture_chart import Axis


def price_axis(low, high):
    """An axis of prices from low to high, both powers of ten, on a logarithmic scale."""
    axis = Axis()
    axis.set_scale("log")
    axis.set_limits(math.log10(low), math.log10(high))
    return axis
