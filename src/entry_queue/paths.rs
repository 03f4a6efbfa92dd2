//! Addresses of the pages that the queue's answers point to.

/// Returns the address of a program.
pub(crate) fn program_path(slug: &str) -> String {
    format!("/programs/{slug}")
}

/// Returns the address of the proof of work for joining a program's queue.
pub(crate) fn proof_path(slug: &str) -> String {
    format!("/programs/{slug}/queue/proof")
}

/// Returns the address of a program's queue.
pub(crate) fn queue_path(slug: &str) -> String {
    format!("/programs/{slug}/queue")
}
