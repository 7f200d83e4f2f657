"""Charts of prices."""
