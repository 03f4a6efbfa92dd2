//! Live page of a sale: what happens at its opening, for a screen that is read from two metres.
//!
//! The **live sale** is a program's state with the figures of this second. **Counted parts** are what is sold, held
//! and free in each section and zone of one performance. **Office news** is what belongs to no program: mails, the
//! payment provider, the clocks of the instances, and the last word of `stagedoor verify`.
//!
//! # Invariants
//!
//! * No figure decides anything, and none is written to the database.
//! * What a page shows costs the same for one viewer and for fifty: an instance reads a program's figures at most
//!   once a second, office news every two, and spends at most a tenth of its time on counting the seats of a
//!   performance.
//! * What is not known, such as the counts of other instances while Redis is away, is said to be unknown.
//!
//! # Concurrency
//!
//! Viewers who come while something is read wait for that one read. Instances count for themselves, and tell each
//! other through Redis how far their clocks differ, when the provider answered them ([`instances`]) and what they
//! refused ([`tally`]).

pub mod instances;
pub mod pages;
mod parts;
pub mod store;

use std::{sync::Arc, time::Duration};

use chrono::{DateTime, Utc};
use moka::future::Cache;
use schemars::JsonSchema;
use serde::Serialize;

use self::{
    instances::InstanceNote,
    parts::PartCounts,
    store::{LivePerformance, Verification},
};
use crate::{
    admin::queue::store::{self as queue_store, QueueFigures},
    app::App,
    catalog::{Program, ProgramId, ProgramStatus, find_program},
    entry_queue::{self, Speed},
    infra::{
        postgres::shared_read,
        tally::{self, OFFICE, scope_of},
    },
    outbox::{self, MailCounts},
    wallet::charges::{purchases, stripe::health},
};

/// Age at which a program's figures are read again.
const SALE_TTL: Duration = Duration::from_secs(1);
/// Age at which office news is read again.
const NEWS_TTL: Duration = Duration::from_secs(2);
/// Bound on programs whose figures are kept.
const PROGRAMS_MAX: u64 = 1_000;
/// Bound on performances that a page shows, the soonest first.
const SHOWN_MAX: usize = 6;
/// Bound on reasons of refusals that a page shows, the most frequent first.
const REASONS_MAX: usize = 12;
/// Upper bound of purchases that are counted.
const PURCHASES_COUNTED_MAX: i64 = 10_000;

/// Result of a read that several viewers share, failure included.
type SharedOutcome<T> = Result<T, Arc<sqlx::Error>>;

/// Live figures of one instance; clones share them.
#[derive(Clone, Debug)]
pub struct LiveSales {
    sales: Cache<ProgramId, Option<Arc<LiveSale>>>,
    news: Cache<(), Arc<OfficeNews>>,
    pub(crate) parts: PartCounts,
}

/// State of a sale in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LiveState {
    Draft,
    Cancelled,
    /// Every performance has begun or was cancelled.
    NoDates,
    /// The sale has not opened yet.
    Coming,
    /// The sale has closed.
    Over,
    /// Admission is paused until staff resumes it.
    Paused,
    /// No upcoming performance has anything free.
    SoldOut,
    OnSale,
}

/// Program and its figures of one moment.
#[derive(Debug)]
pub(crate) struct LiveSale {
    pub(crate) program: Program,
    pub(crate) state: LiveState,
    pub(crate) figures: QueueFigures,
    /// Speed at which stays end.
    pub(crate) freed: Speed,
    /// Accounts that joined within the last minute.
    pub(crate) joined_last_minute: i64,
    /// Performances on sale, the soonest first, at most [`SHOWN_MAX`].
    pub(crate) performances: Vec<LivePerformance>,
    /// Number of further performances.
    pub(crate) n_more: usize,
    /// Refusals of the last minutes, the most frequent first; `None` while Redis is away.
    pub(crate) refusals: Option<Vec<RefusalReason>>,
}

/// Reason with the number of its refusals within the last five minutes.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RefusalReason {
    /// `code` of the problem documents.
    pub(crate) code: String,
    pub(crate) count: u64,
    /// Whether it is of requests that name no program, such as payments, anywhere in the office.
    pub(crate) is_of_office: bool,
}

/// What belongs to no program.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct OfficeNews {
    /// Mails that wait.
    pub(crate) mails_waiting: i64,
    /// Age of the oldest of them, in seconds; `None` if none waits.
    pub(crate) oldest_mail_secs: Option<i32>,
    /// Whether mails are kept, because no mail server is set.
    pub(crate) mails_are_kept: bool,
    /// Payment provider; `None` where points cost nothing.
    pub(crate) provider: Option<ProviderNews>,
    /// Instances and their clocks; `None` while Redis is away.
    pub(crate) instances: Option<Vec<InstanceNote>>,
    /// Last run of `stagedoor verify`; `None` if there was none.
    pub(crate) verification: Option<Verification>,
}

/// Health of the payment provider.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ProviderNews {
    /// Last answer to any instance; `None` if none is known.
    pub(crate) answered_at: Option<DateTime<Utc>>,
    /// Conversations without a conclusive answer within the last five minutes; `None` while Redis is away.
    pub(crate) failed: Option<u64>,
    /// Purchases that are neither paid nor ended.
    pub(crate) purchases_open: i64,
}

impl Default for LiveSales {
    fn default() -> Self {
        Self {
            sales: Cache::builder().max_capacity(PROGRAMS_MAX).time_to_live(SALE_TTL).build(),
            news: Cache::builder().max_capacity(1).time_to_live(NEWS_TTL).build(),
            parts: PartCounts::default(),
        }
    }
}

impl LiveSales {
    /// Returns a program with its figures, up to [`SALE_TTL`] old; `None` if it does not exist.
    pub(crate) async fn sale(
        &self,
        app: &App,
        id: ProgramId,
    ) -> SharedOutcome<Option<Arc<LiveSale>>> {
        self.sales.try_get_with(id, shared_read(LiveSale::read(app, id))).await
    }

    /// Returns office news, up to [`NEWS_TTL`] old.
    pub(crate) async fn news(&self, app: &App) -> SharedOutcome<Arc<OfficeNews>> {
        let read = async { OfficeNews::read(app).await.map(Arc::new) };
        self.news.try_get_with((), shared_read(read)).await
    }
}

impl LiveSale {
    async fn read(app: &App, id: ProgramId) -> Result<Option<Arc<Self>>, sqlx::Error> {
        let Some(program) = find_program(&app.db, id).await? else { return Ok(None) };
        // Redis knows the length of a line without counting it.
        let (waiting, _) = entry_queue::count_queue(app, id).await?;
        let figures = queue_store::figures_of(&app.db, id, Some(waiting)).await?;
        let freed = entry_queue::measure_freed(app, &program).await?;
        let joined_last_minute = store::count_joined_lately(&app.db, id).await?;
        let mut performances = match program.status {
            ProgramStatus::Published => store::list_performances(&app.db, id, figures.at).await?,
            ProgramStatus::Draft | ProgramStatus::Cancelled => Vec::new(),
        };
        let state = LiveState::of(&program, figures.at, &performances);
        let n_more = performances.len().saturating_sub(SHOWN_MAX);
        performances.truncate(SHOWN_MAX);
        let refusals = list_refusals(app, &program, &performances).await;
        Ok(Some(Arc::new(Self {
            program,
            state,
            figures,
            freed,
            joined_last_minute,
            performances,
            n_more,
            refusals,
        })))
    }

    /// Whether people wait in a line.
    pub(crate) fn has_line(&self) -> bool {
        self.program.details.queue_capacity.is_some()
    }
}

impl LiveState {
    /// Returns the state of `program`, whose performances to come are `performances`.
    fn of(program: &Program, now: DateTime<Utc>, performances: &[LivePerformance]) -> Self {
        match program.status {
            ProgramStatus::Draft => Self::Draft,
            ProgramStatus::Cancelled => Self::Cancelled,
            ProgramStatus::Published if performances.is_empty() => Self::NoDates,
            ProgramStatus::Published if now < program.details.on_sale_at => Self::Coming,
            ProgramStatus::Published if program.details.off_sale_at <= now => Self::Over,
            ProgramStatus::Published if program.queue_paused_at.is_some() => Self::Paused,
            ProgramStatus::Published if performances.iter().all(|each| !each.has_free) => {
                Self::SoldOut
            }
            ProgramStatus::Published => Self::OnSale,
        }
    }
}

/// Lists the refusals of a program, of its shown performances, and of requests that name neither; `None` while Redis
/// is away.
async fn list_refusals(
    app: &App,
    program: &Program,
    performances: &[LivePerformance],
) -> Option<Vec<RefusalReason>> {
    let mut scopes = vec![OFFICE.to_owned(), scope_of("programs", &program.details.slug)];
    scopes.push(scope_of("programs", program.id));
    scopes.extend(performances.iter().map(|each| scope_of("schedules", each.id)));
    let counts = tally::sum(&app.redis, &scopes).await.ok()?;
    let mut reasons: Vec<RefusalReason> = Vec::new();
    for (idx, counts) in counts.into_iter().enumerate() {
        let is_of_office = idx == 0;
        for (code, count) in counts {
            let is_same =
                |one: &&mut RefusalReason| one.code == code && one.is_of_office == is_of_office;
            match reasons.iter_mut().find(is_same) {
                Some(reason) => reason.count += count,
                None => reasons.push(RefusalReason { code, count, is_of_office }),
            }
        }
    }
    reasons.sort_by(|left, right| right.count.cmp(&left.count).then(left.code.cmp(&right.code)));
    reasons.truncate(REASONS_MAX);
    Some(reasons)
}

/// Returns an age in whole seconds.
fn whole_secs(secs: f64) -> i32 {
    let age = Duration::try_from_secs_f64(secs).unwrap_or_default();
    i32::try_from(age.as_secs()).unwrap_or(i32::MAX)
}

impl OfficeNews {
    async fn read(app: &App) -> Result<Self, sqlx::Error> {
        let MailCounts { waiting, oldest_waiting_secs, .. } = outbox::count(&app.db).await?;
        let instances = instances::list(app).await.ok();
        let provider = match app.config.payment.is_for_money() {
            true => Some(ProviderNews::read(app, instances.as_deref().unwrap_or_default()).await?),
            false => None,
        };
        Ok(Self {
            mails_waiting: waiting,
            oldest_mail_secs: (waiting > 0).then(|| whole_secs(oldest_waiting_secs)),
            mails_are_kept: app.config.smtp_url.is_none(),
            provider,
            instances,
            verification: store::find_verification(&app.db).await?,
        })
    }
}

impl ProviderNews {
    /// Whether a conversation failed within the last minutes.
    pub(crate) fn has_failed(&self) -> bool {
        self.failed.is_some_and(|n| n > 0)
    }

    async fn read(app: &App, instances: &[InstanceNote]) -> Result<Self, sqlx::Error> {
        let counts = tally::sum(&app.redis, &[health::SCOPE.to_owned()]).await.ok();
        let failed = counts.map(|of| of.iter().filter_map(|each| each.get(health::FAILED)).sum());
        let answered_at = instances.iter().filter_map(|each| each.provider_answered_at).max();
        let purchases_open = purchases::store::count_open(&app.db, PURCHASES_COUNTED_MAX).await?;
        Ok(Self { answered_at, failed, purchases_open })
    }
}
