"""Axes and their ticks."""

from __future__ import annotations


class Axis:
    """An axis of a chart."""

    def __init__(self) -> None:
        self._scale = "linear"
        self._limits = (0, 1)

    def set_limits(self, low: float, high: float) -> None:
        """Where the axis begins and ends."""
        self._limits = (low, high)

    def set_scale(self, scale: str) -> None:
        """The scale: "linear" or "log"."""
        self.__init__()
        self._scale = scale

    def ticks(self) -> list[int]:
        """Where the axis has its ticks."""
        low, high = map(round, self._limits)
        steps = range(low, high + 1)
        return [10**step for step in steps] if self._scale == "log" else [*steps]
