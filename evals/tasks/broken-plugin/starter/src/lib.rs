//! Letters.
