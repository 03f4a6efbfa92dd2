//! New ids, and the macro that declares their types.

use std::sync::Mutex;

use uuid::{ContextV7, Timestamp, Uuid};

use super::clock;

/// Keeps ids of one millisecond in the order in which they were made.
static ORDER: Mutex<ContextV7> = Mutex::new(ContextV7::new());

/// Returns a new id of version 7. It has database time, so ids of all instances are in the order of
/// their time.
pub fn new_id() -> Uuid {
    let now = clock::now();
    let secs = u64::try_from(now.timestamp()).unwrap_or_default();
    Uuid::new_v7(Timestamp::from_unix(&ORDER, secs, now.timestamp_subsec_nanos()))
}

/// Declares id types. Each is stored, serialized, parsed and shown as the value that it wraps.
#[macro_export]
macro_rules! ids {
    ($($(#[$doc:meta])* $vis:vis $name:ident($inner:ty),)*) => {$(
        $(#[$doc])*
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash,
            serde::Serialize, serde::Deserialize, schemars::JsonSchema, sqlx::Type,
        )]
        #[sqlx(transparent)]
        #[serde(transparent)]
        $vis struct $name($vis $inner);

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }

        impl std::str::FromStr for $name {
            type Err = <$inner as std::str::FromStr>::Err;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                text.parse().map(Self)
            }
        }
    )*};
}

pub use ids;
