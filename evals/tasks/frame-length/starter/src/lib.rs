//! Messages on a wire.
