//! A log of what was said.
