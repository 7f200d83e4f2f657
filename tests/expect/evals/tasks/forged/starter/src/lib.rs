//! Notes.
