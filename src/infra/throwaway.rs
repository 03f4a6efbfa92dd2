//! Mark of rows that a rehearsal made, carried by their ids: UUID version 8.
//!
//! Every other id is a UUID of version 7. No request chooses an id, so a client can neither mark a
//! real row nor unmark a rehearsal's.

use uuid::{Builder, Uuid, Version};

use super::ids;

/// Returns a new marked id; ordered by time like any other.
pub fn new_id() -> Uuid {
    Builder::from_custom_bytes(ids::new_id().into_bytes()).into_uuid()
}

/// Returns `count` new marked ids.
pub fn new_ids(count: usize) -> Vec<Uuid> {
    (0..count).map(|_| new_id()).collect()
}

/// Whether `id` is marked.
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
