//! Refusals of forms, and the one road from the outcome of a form to its answer.
//!
//! A handler parses its [`Body`](super::Body) to a command and carries it out; `?` unites the mistakes of
//! the parser and the errors of the operation in one outcome. [`View::answer`] answers it: a success by a closure,
//! a refusal for a browser by the form's page, which gets a [`FormRefusal`], and any other error without the page.

use actix_web::{HttpResponse, http::StatusCode};

use super::Mistakes;
use crate::web::{
    error::{HttpError, Internal, PageError, Problem},
    page::View,
};

/// Refusal that the page of a form shows; the default is none.
#[derive(Debug, Default)]
pub struct FormRefusal {
    /// Paragraph above or in the form; `None` without a refusal.
    pub text: Option<String>,
    /// Refused fields, whose reasons stand beside them.
    pub mistakes: Mistakes,
    error: Option<PageError>,
}

impl FormRefusal {
    fn new(v: &View, error: PageError) -> Self {
        v.note_refusal(error.inner().status(), error.inner().code());
        let mistakes = error.find::<Mistakes>().cloned().unwrap_or_default();
        Self { text: Some(v.refusal(error.inner())), mistakes, error: Some(error) }
    }

    /// Returns the status of the page: 200 without a refusal.
    pub fn status(&self) -> StatusCode {
        self.error.as_ref().map_or(StatusCode::OK, |error| error.inner().status())
    }

    /// Returns the locale key of the reason why the field `name` was refused.
    pub fn of(&self, name: &str) -> Option<&'static str> {
        self.mistakes.of(name)
    }

    /// Returns what the refusal is to programs; `None` without one.
    pub fn problem(&self) -> Option<Problem> {
        self.error.as_ref().map(|error| error.inner().problem())
    }

    /// Returns the error if it is an `E`.
    pub fn find<E: HttpError>(&self) -> Option<&E> {
        self.error.as_ref()?.find()
    }

    /// Returns the refusal without a text where fields were refused: the reasons beside them say it all.
    #[must_use]
    pub fn beside_fields(self) -> Self {
        let text = self.text.filter(|_| self.mistakes.is_empty());
        Self { text, ..self }
    }

    /// Returns the refusal with the reasons of all refused fields as its text.
    #[must_use]
    pub fn with_reasons(mut self, v: &View) -> Self {
        if !self.mistakes.is_empty() {
            self.text = Some(v.reasons(&self.mistakes));
        }
        self
    }

    /// Returns the refusal with the reason of the field `name` as its text, if it was refused.
    #[must_use]
    pub fn with_reason_of(mut self, name: &str, v: &View) -> Self {
        if let Some(reason) = self.of(name) {
            self.text = Some(v.t(reason).to_string());
        }
        self
    }

    /// Returns the refusal of another form of the page: its text has the reasons, and no field is marked.
    #[must_use]
    pub fn in_words(self, v: &View) -> Self {
        Self { mistakes: Mistakes::default(), ..self.with_reasons(v) }
    }
}

/// A refusal that the page does not show is answered without it.
impl From<FormRefusal> for PageError {
    fn from(refusal: FormRefusal) -> Self {
        refusal.error.unwrap_or_else(|| Internal.into())
    }
}

impl View {
    /// Sorts out the outcome of a form: within, a success or the refusal that the form's page shows, to browsers and
    /// on a 4xx status; the error is one that is answered without the form.
    pub fn or_refusal<T>(
        &self,
        outcome: Result<T, PageError>,
    ) -> Result<Result<T, FormRefusal>, PageError> {
        match outcome {
            Ok(done) => Ok(Ok(done)),
            Err(error) if self.wants_form(&error) => Ok(Err(FormRefusal::new(self, error))),
            Err(error) => Err(error),
        }
    }

    /// Answers a form: a success with `done`, a refusal for a browser with the form's `page`.
    pub async fn answer<T>(
        self,
        outcome: Result<T, PageError>,
        done: impl FnOnce(&Self, T) -> HttpResponse,
        page: impl AsyncFnOnce(Self, FormRefusal) -> Result<HttpResponse, PageError>,
    ) -> Result<HttpResponse, PageError> {
        match self.or_refusal(outcome)? {
            Ok(result) => Ok(done(&self, result)),
            Err(refusal) => page(self, refusal).await,
        }
    }

    /// Whether a refusal is answered with the form again: for browsers, on a 4xx status.
    fn wants_form(&self, error: &PageError) -> bool {
        !self.format.is_for_programs() && error.inner().status().is_client_error()
    }
}
