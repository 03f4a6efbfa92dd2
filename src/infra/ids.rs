//! Macro that declares the types of ids.

/// Declares id types. Each is stored, serialized, parsed and shown as the value that it wraps.
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

pub(crate) use ids;
