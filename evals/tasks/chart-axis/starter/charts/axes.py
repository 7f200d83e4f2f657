"""The axes of the charts."""
