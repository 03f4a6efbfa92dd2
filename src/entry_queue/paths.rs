//! Addresses that a line's answers point to.

/// The address of a program.
pub(crate) fn program_path(slug: &str) -> String {
    format!("/programs/{slug}")
}

/// The address of the work that joining a program's line asks for.
pub(crate) fn proof_path(slug: &str) -> String {
    format!("/programs/{slug}/queue/proof")
}

/// The address of a program's line.
pub fn queue_path(slug: &str) -> String {
    format!("/programs/{slug}/queue")
}
