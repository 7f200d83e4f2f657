//! A shop.

pub use prices::{price_of, Labels};
