//! Settings of a program, kept between its runs.
