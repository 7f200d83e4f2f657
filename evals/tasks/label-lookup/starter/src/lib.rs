//! Prices by colour.
