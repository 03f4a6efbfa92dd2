//! Parses the command line.

fn main() {}
