//! Notes of what a performance was sold as, on pages.

use crate::{catalog::schedules::told::ToldNote, text::i18n::Phrase, web::page::View};

impl ToldNote {
    /// Returns the sentence that says what was agreed, in the language of a page.
    pub fn sentence_on(&self, v: &View) -> Phrase {
        self.sentence(v.locale)
    }
}
