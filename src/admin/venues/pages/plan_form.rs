//! Seat plan form, as it is sent and shown again.

use actix_web::web;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    admin::{AdminError, pages::WordsForm, venues::moved_seats::PlanNotice},
    catalog::{CatalogError, PlanMistake, SeatPlan},
    text::charset::Charset,
    web::{
        error::{Internal, PageError},
        form::{Field, Mistakes},
    },
};

/// Seat plan form: a CSV as a file or as text, or a grid; the first non-empty one counts.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct PlanForm {
    /// Version that was shown; another one is refused.
    version: Field,
    /// CSV file of the seats.
    file: Field,
    /// Charset in which the file was read, which the server says; empty for UTF-8.
    file_charset: Field,
    /// The same as text.
    pub csv: Field,
    /// A grid instead: sections, rows, seats.
    pub grid: Field,
    /// Meaning of sold or held seats that the plan draws elsewhere: `drawing` (only the drawing changes) or
    /// `elsewhere` (a mail goes to each holder, who may give everything back). Without it such a plan is refused.
    moved: Field,
    /// Words to the people who have such seats.
    #[serde(flatten)]
    pub words: WordsForm,
}

/// Text of a plan, as it was sent.
#[derive(Clone, Copy, Debug)]
pub(crate) enum PlanText<'a> {
    /// CSV.
    Csv(&'a str),
    /// Grid.
    Grid(&'a str),
}

impl PlanText<'_> {
    /// Returns the plan; the mistake of the first line that has one.
    fn parse(self) -> Result<SeatPlan, PlanMistake> {
        match self {
            Self::Csv(text) => SeatPlan::from_csv(text),
            Self::Grid(text) => SeatPlan::from_grid(text),
        }
    }
}

impl PlanForm {
    /// Returns the text that counts, with its leading lines: mistakes name the lines of the file.
    pub(crate) fn text(&self) -> PlanText<'_> {
        match [&self.file, &self.csv].into_iter().find(|field| !field.is_empty()) {
            Some(field) => PlanText::Csv(field.raw()),
            None => PlanText::Grid(self.grid.raw()),
        }
    }

    /// Returns the charset of the file.
    pub(crate) fn charset(&self) -> Charset {
        self.file_charset.parse().unwrap_or(Charset::Utf8)
    }

    /// Parses the form beside the requests of its thread: a large plan takes a while. Returns the form with
    /// what [`parse`](Self::parse) does.
    pub(crate) async fn parse_aside(
        self,
    ) -> Result<(Self, Result<(i64, SeatPlan), AdminError>), PageError> {
        let parsing = web::block(move || {
            let parsed = self.parse();
            (self, parsed)
        });
        Ok(parsing.await.map_err(|_pool_is_gone| Internal)?)
    }

    /// Returns what the form says beside its seats.
    pub(crate) fn notice(&self) -> Result<PlanNotice, Mistakes> {
        let mut mistakes = Mistakes::default();
        let moved = match self.moved.is_empty() {
            true => Some(None),
            false => self.moved.parse().map(Some),
        };
        let moved = mistakes.note("moved", "admin-refusal-moved", moved);
        let words = self.words.parse(&mut mistakes, "admin-refusal-words");
        mistakes.or(moved.zip(words).map(|(moved, words)| PlanNotice { moved, words }))
    }

    /// Returns the version and the plan; the mistake of the first line that has one.
    fn parse(&self) -> Result<(i64, SeatPlan), AdminError> {
        let version = self.version.parse().ok_or(CatalogError::Stale)?;
        let plan = match self.charset() {
            Charset::Unknown => Err(PlanMistake::of_charset(self.file.raw())),
            _ => self.text().parse(),
        };
        Ok((version, plan.map_err(CatalogError::from)?))
    }
}
