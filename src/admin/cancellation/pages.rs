//! Cancellation page: confirmation form, then progress.

use actix_web::{
    HttpResponse,
    http::StatusCode,
    web::{Data, Path},
};
use askama::Template;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::store::{self as store, CancellationProgress, CancelledPart};
use crate::{
    accounts::{AdminAccount, api_keys::pages::ConfirmedProgramsWriter},
    admin::{
        pages::{WordsForm, parse_reason, parse_version},
        programs::{
            self,
            pages::{edition_of, program_path},
        },
        schedules::telling::{Concerned, Whose, count_concerned},
    },
    app::App,
    audit::model::Reason,
    catalog::{
        CancelTerms, Program, ProgramChange, ProgramId, ProgramStatus, RefundTarget,
        ScheduleEdition,
    },
    web::{
        error::PageError,
        flash::with_message,
        form::{Body, Field, FormRefusal, Mistakes},
        page::View,
    },
};

/// Program or performance to cancel, or cancelled, as the page shows it.
#[derive(Clone, Debug)]
pub(super) struct Cancellable {
    /// Page that it is edited on.
    pub(super) href: String,
    /// Title of the program.
    pub(super) title: String,
    /// Performance, if it is one.
    pub(super) performance: Option<ScheduleEdition>,
    /// Program that it is, or belongs to.
    pub(super) program_id: ProgramId,
    /// Edition that was shown.
    pub(super) version: i64,
    pub(super) is_cancelled: bool,
}

#[derive(Template)]
#[template(path = "admin/cancellation.html")]
pub(super) struct CancellationPage {
    pub(super) v: View,
    pub(super) subject: Cancellable,
    pub(super) progress: CancellationProgress,
    /// Accounts that the cancellation would be told to.
    pub(super) concerned: Concerned,
    /// Words as typed.
    words: WordsForm,
    pub(super) refusal: FormRefusal,
    /// Whether refunds may go to cards.
    pub(super) has_cards: bool,
}

impl CancellationPage {
    pub(super) fn new(
        app: &App,
        v: View,
        subject: Cancellable,
        (progress, concerned): (CancellationProgress, Concerned),
    ) -> Self {
        let has_cards = app.config.payment.is_for_money();
        let (words, refusal) = Default::default();
        Self { v, subject, progress, concerned, words, refusal, has_cards }
    }

    pub(super) fn refused(mut self, form: CancellationForm, refusal: FormRefusal) -> HttpResponse {
        self.words = form.words;
        self.refusal = refusal.beside_fields();
        self.v.html(self.refusal.status(), &self)
    }

    async fn of(app: &App, v: View, id: ProgramId) -> Result<Self, PageError> {
        let edition = edition_of(app, id).await?;
        let of = CancelledPart { program_id: id, schedule_id: None };
        let progress = store::progress_of(&app.db, of).await?;
        let concerned = count_concerned(&app.db, Whose::Program(id)).await?;
        let subject = Cancellable {
            href: program_path(id),
            program_id: id,
            title: edition.details.title,
            performance: None,
            version: edition.version,
            is_cancelled: edition.status == ProgramStatus::Cancelled,
        };
        Ok(Self::new(app, v, subject, (progress, concerned)))
    }

    fn title_key(&self) -> &'static str {
        match self.subject.performance {
            Some(_) => "admin-cancel-date-title",
            None => "admin-cancel-title",
        }
    }

    fn left(&self) -> i64 {
        self.progress.held + self.progress.confirmed
    }

    /// Returns whether nothing is left to give back and no account waits in the queue.
    fn is_done(&self) -> bool {
        self.progress.is_over || (self.left() == 0 && self.progress.waiting == 0)
    }

    /// Returns the maximum of the progress bar, at least 1.
    fn whole(&self) -> i64 {
        (self.progress.done + self.left()).max(1)
    }
}

/// Cancellation of a show, and how far it is.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CancellationDocument<'a> {
    program: &'a Program,
    progress: &'a CancellationProgress,
    concerned: &'a Concerned,
}

/// `GET /admin/programs/{id}/cancellation`
pub async fn show_cancellation(
    app: Data<App>,
    me: AdminAccount,
    id: Path<ProgramId>,
) -> Result<HttpResponse, PageError> {
    let edition = edition_of(&app, *id).await?;
    let page = CancellationPage::of(&app, me.view, edition.id).await?;
    let document = CancellationDocument {
        program: &edition,
        progress: &page.progress,
        concerned: &page.concerned,
    };
    Ok(page.v.show(&page, &document))
}

/// Cancellation form as typed.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("required" = ["version", "reason"]))]
pub struct CancellationForm {
    /// Version that was shown; another one is refused.
    version: Field,
    /// Reason, for the log.
    reason: Field,
    /// Where the refunds go: `card`, which an empty field means too, or `wallet`.
    refunds: Field,
    /// Words to the people whom it concerns, which the page of a show says too.
    #[serde(flatten)]
    words: WordsForm,
}

impl CancellationForm {
    pub(super) fn parse(&self) -> Result<(i64, Reason, CancelTerms), Mistakes> {
        let mut mistakes = Mistakes::default();
        let version = parse_version(&mut mistakes, &self.version);
        let reason = parse_reason(&mut mistakes, &self.reason);
        let refunds = parse_refunds(&mut mistakes, &self.refunds);
        let words = self.words.parse(&mut mistakes, "admin-refusal-words");
        let terms = refunds.zip(words).map(|(refunds, words)| CancelTerms { refunds, words });
        let parsed = version.zip(reason).zip(terms);
        mistakes.or(parsed.map(|((version, reason), terms)| (version, reason, terms)))
    }
}

/// Parses where refunds go that staff make; an empty field means the cards.
pub(in crate::admin) fn parse_refunds(
    mistakes: &mut Mistakes,
    typed: &Field,
) -> Option<RefundTarget> {
    let refunds = match typed.is_empty() {
        true => Some(RefundTarget::Card),
        false => typed.parse(),
    };
    mistakes.note("refunds", "refund-target-refusal", refunds)
}

/// `POST /admin/programs/{id}/cancellation`
pub async fn create_cancellation(
    app: Data<App>,
    ConfirmedProgramsWriter(me): ConfirmedProgramsWriter,
    id: Path<ProgramId>,
    Body(form): Body<CancellationForm>,
) -> Result<HttpResponse, PageError> {
    let outcome = async {
        let (version, reason, terms) = form.parse()?;
        let change = &ProgramChange::Cancelled(terms);
        Ok(programs::change(&app, me.actor, *id, version, change, Some(&reason)).await?)
    }
    .await;
    let done = |v: &View, edition| {
        let next = format!("/admin/programs/{id}/cancellation");
        with_message(v.done(StatusCode::OK, &edition, &next), "flash-admin-cancelled")
    };
    let page =
        async |v, refusal| Ok(CancellationPage::of(&app, v, *id).await?.refused(form, refusal));
    me.view.answer(outcome, done, page).await
}
