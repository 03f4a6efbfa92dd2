//! The mark of what a rehearsal made: it stands in the id itself.
//!
//! Every other id is a UUID of version 7. No request chooses an id, so nobody can put the
//! mark on something real, or take it off.

use uuid::{Builder, Uuid, Version};

/// An id that bears the mark; ordered by time as any other.
pub fn new_id() -> Uuid {
    Builder::from_custom_bytes(Uuid::now_v7().into_bytes()).into_uuid()
}

/// So many of them.
pub fn new_ids(count: usize) -> Vec<Uuid> {
    (0..count).map(|_| new_id()).collect()
}

/// Whether `id` bears the mark.
pub fn is_marked(id: Uuid) -> bool {
    id.get_version() == Some(Version::Custom)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_marked_ids_are_marked() {
        let (first, second) = (new_id(), new_id());
        assert!(is_marked(first) && first < second);
        assert_eq!(first.to_string().as_bytes().get(14), Some(&b'8'));
        for id in [Uuid::now_v7(), Uuid::new_v4(), Uuid::nil(), Uuid::max()] {
            assert!(!is_marked(id), "{id}");
        }
    }
}
