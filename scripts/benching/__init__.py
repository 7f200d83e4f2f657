"""Parts of bench.py: one module for each thing that is timed beside the trial."""
