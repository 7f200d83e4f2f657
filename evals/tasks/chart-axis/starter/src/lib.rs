//! The server that shows the charts; they are drawn by the Python package beside it.
