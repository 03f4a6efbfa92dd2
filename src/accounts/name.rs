//! Names of people.

/// Name of a person or a group, 1 to 80 characters.
#[derive(Clone, Debug)]
pub struct Name(String);

impl Name {
    const CHARS_MAX: usize = 80;

    /// Returns the trimmed `text`, or `None` if it is empty, too long or has control
    /// characters.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let fits = (1..=Self::CHARS_MAX).contains(&text.chars().count());
        (fits && !text.chars().any(char::is_control)).then(|| Self(text.to_owned()))
    }

    /// Returns the name as typed, trimmed.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}
