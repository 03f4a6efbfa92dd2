//! Names of people.

use crate::text::typed::compose;

/// Name of a person or a group, 1 to 80 characters.
#[derive(Clone, Debug)]
pub struct Name(String);

impl Name {
    const CHARS_MAX: usize = 80;

    /// Returns the `text`, composed and trimmed, or `None` if it is empty, too long or has control
    /// characters.
    pub fn parse(text: &str) -> Option<Self> {
        let text = compose(text.trim());
        let fits = (1..=Self::CHARS_MAX).contains(&text.chars().count());
        (fits && !text.chars().any(char::is_control)).then(|| Self(text.into_owned()))
    }

    /// Returns the name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}
