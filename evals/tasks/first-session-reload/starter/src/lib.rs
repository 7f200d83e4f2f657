//! Words for guests.
