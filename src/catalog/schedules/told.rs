//! Notes of what a performance was sold as, where mails said that it is called otherwise now.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    outbox::SoldPart,
    text::i18n::{Locale, Phrase},
};

/// Part of what was sold as it was agreed, where it is called otherwise now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ToldNote {
    /// Part that changed.
    pub part: SoldPart,
    /// As it was agreed.
    pub was: String,
    /// Words of the office about its last change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<String>,
}

impl ToldNote {
    /// Returns the sentence that says what was agreed.
    pub fn sentence(&self, locale: Locale) -> Phrase {
        let key = match self.part {
            SoldPart::Title => "changed-title",
            SoldPart::Venue => "changed-venue",
            SoldPart::Address => "changed-address",
            SoldPart::RunningMins => "changed-running",
            SoldPart::DoorsBeforeMins => "changed-doors",
            SoldPart::AgeMin => "changed-age",
            SoldPart::Zone => "changed-zone",
            SoldPart::Seat => "changed-seat",
        };
        locale.text(key).word("was", &self.was)
    }
}
