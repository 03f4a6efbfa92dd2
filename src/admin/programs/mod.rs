//! Programs as administrators edit them, their queues' settings included.
//!
//! Each function is one transaction with its act in the audit log. A change carries the version of
//! the edition that it was made of.
//!
//! # Concurrency
//!
//! Two changes race for the program's row; the loser gets [`AdminError::ChangedMeanwhile`].

pub mod pages;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::error::AdminError;
use crate::{
    accounts::api_keys::model::Actor,
    admin::{
        cancellation::store::CancelledPart,
        edits::{commit_edit, worded},
        schedules::telling::{Told, tell_cancelled, tell_program},
    },
    app::App,
    audit::{
        self,
        model::{Act, AuditEntry, Reason, Subject},
    },
    catalog::{self, CatalogError, Program, ProgramChange, ProgramDetails, ProgramId},
    infra::idempotency::RequestKey,
    outbox::{SoldChange, SoldPart},
    text::translated::Translated,
};

/// Attempts to find a free name for a draft that was given none.
const NAMINGS_MAX: usize = 5;

/// Makes a draft by `work`, again if another draft has taken its name meanwhile.
async fn naming<T>(work: impl AsyncFn() -> Result<T, AdminError>) -> Result<T, AdminError> {
    for _ in 1..NAMINGS_MAX {
        match work().await {
            Err(AdminError::Catalog(CatalogError::SlugTaken)) => {}
            outcome => return outcome,
        }
    }
    work().await
}

/// Draft that was created, as it was then: a repeated request gets it once more.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CreatedProgram(Value);

impl CreatedProgram {
    /// Returns its id; `None` never, unless a kept answer is broken.
    pub(crate) fn id(&self) -> Option<ProgramId> {
        self.0.get("id")?.as_str()?.parse().ok()
    }
}

/// Creates a draft, once for each `key`; without a slug it gets one of its title.
pub async fn create(
    app: &App,
    by: Actor,
    details: &ProgramDetails,
    key: Option<&RequestKey>,
) -> Result<CreatedProgram, AdminError> {
    match details.slug.is_empty() {
        true => naming(async || create_once(app, by, details, key).await).await,
        false => create_once(app, by, details, key).await,
    }
}

/// Makes a draft of the program `from`, without its sales, and with its performances if
/// `with_schedules`.
pub async fn copy(
    app: &App,
    by: impl Into<Actor>,
    from: &Program,
    with_schedules: bool,
) -> Result<Program, AdminError> {
    let by: Actor = by.into();
    let copy_once = async || {
        audit::perform(app, async |tx| {
            let program = catalog::copy_program(tx, from, with_schedules).await?;
            let entry = AuditEntry::new(by, Act::ProgramCopied, Subject::Program, program.id);
            let entry = entry.after(&json!({
                "copied_from": from.id, "slug": program.details.slug,
                "with_performances": with_schedules,
            }));
            Ok::<_, AdminError>((program, entry))
        })
        .await
    };
    naming(copy_once).await
}

async fn create_once(
    app: &App,
    by: Actor,
    details: &ProgramDetails,
    key: Option<&RequestKey>,
) -> Result<CreatedProgram, AdminError> {
    audit::perform_once(app, key, async |tx| {
        let program = catalog::create_program(tx, details).await?;
        let entry = AuditEntry::new(by, Act::ProgramCreated, Subject::Program, program.id);
        let entry = entry.after(&program);
        Ok::<_, AdminError>((CreatedProgram(json!(program)), entry))
    })
    .await
}

/// What the editor of a program says beside its fields.
#[derive(Clone, Debug, Default)]
pub struct ProgramNotice {
    /// Name of an artist who was to take part and does not; empty: none.
    pub cancelled_act: String,
    /// Name of an artist of whom people were told so and who takes part after all; empty: none.
    pub returned_act: String,
    /// Whether the accounts that have a part in its performances may give everything back.
    pub is_refundable: bool,
    /// Words to them; none: without.
    pub words: Translated<String>,
}

/// Saves the form of edition `version`. The accounts that have a part in a performance that is still to come, or wait
/// for one, get mails about another title, length or least age, and about an artist who does not take part, as
/// `notice` says.
pub async fn edit(
    app: &App,
    by: impl Into<Actor>,
    (id, version): (ProgramId, i64),
    details: ProgramDetails,
    notice: &ProgramNotice,
) -> Result<Program, AdminError> {
    let entry = AuditEntry::new(by, Act::ProgramEdited, Subject::Program, id);
    let change = ProgramChange::Details(details);
    let edit = commit_edit(app, &entry, version, async |tx| {
        let mut edited = catalog::change_program(tx, id, version, &change).await?;
        let mut changes = changes_of(&edited.before, &edited.after);
        changes.extend(SoldChange::of(SoldPart::Act, &notice.cancelled_act, ""));
        let back = Some(&notice.returned_act).filter(|name| !name.is_empty());
        changes.extend(back.map(|name| SoldChange::act_back(name)));
        let told = Told {
            changes,
            words: notice.words.clone(),
            is_elsewhere: notice.is_refundable,
            ..Told::default()
        };
        let is_told = tell_program(tx, id, &told).await?;
        // What is announced to the line is an edition too.
        if is_told && let Some(after) = catalog::find_program(&mut *tx, id).await? {
            edited.after = after;
        }
        Ok::<_, AdminError>(worded(edited, is_told.then_some(told.words)))
    });
    Ok(edit.await?.state)
}

/// Whether an edit changes what people were told of the program.
pub(crate) fn is_told(
    before: &ProgramDetails,
    after: &ProgramDetails,
    notice: &ProgramNotice,
) -> bool {
    let ProgramNotice { cancelled_act, returned_act, .. } = notice;
    let acts = [cancelled_act, returned_act];
    acts.iter().any(|act| !act.is_empty()) || !changes_of(before, after).is_empty()
}

/// Returns what of a program's fields the tickets say otherwise now.
fn changes_of(before: &ProgramDetails, after: &ProgramDetails) -> Vec<SoldChange> {
    let minutes = |part, of: fn(&ProgramDetails) -> Option<i32>| {
        let said = |details| of(details).map_or_else(String::new, |minutes| minutes.to_string());
        SoldChange::of(part, &said(before), &said(after))
    };
    let title = SoldChange::of(SoldPart::Title, &before.title, &after.title);
    let length = minutes(SoldPart::RunningMins, |details| details.running_mins);
    let doors = minutes(SoldPart::DoorsBeforeMins, |details| details.doors_before_mins);
    // Where no age was said, people of every age could come.
    let age = |details: &ProgramDetails| details.age_min.unwrap_or_default().to_string();
    let age = SoldChange::of(SoldPart::AgeMin, &age(before), &age(after));
    title.into_iter().chain(length).chain(doors).chain(age).collect()
}

/// Changes edition `version`; a cancellation has a reason, and the accounts with unpaid places or wishes get a mail.
/// The sales of a cancelled program are given back by [`wind_down`](crate::admin::wind_down()).
pub async fn change(
    app: &App,
    by: impl Into<Actor>,
    id: ProgramId,
    version: i64,
    change: &ProgramChange,
    reason: Option<&Reason>,
) -> Result<Program, AdminError> {
    let act = match change {
        ProgramChange::Details(_) => Act::ProgramEdited,
        ProgramChange::Limits { .. } | ProgramChange::Guards(_) => Act::QueueChanged,
        ProgramChange::Poster(Some(_)) => Act::PosterReplaced,
        ProgramChange::Poster(None) => Act::PosterRemoved,
        ProgramChange::Paused(_) => Act::QueuePaused,
        ProgramChange::Resumed => Act::QueueResumed,
        ProgramChange::Announced(_) => Act::LineTold,
        ProgramChange::AnnouncementEnded(_) => Act::LineUntold,
        ProgramChange::Published => Act::ProgramPublished,
        ProgramChange::Cancelled(_) => Act::ProgramCancelled,
    };
    let entry = AuditEntry::new(by, act, Subject::Program, id).because(reason);
    commit_edit(app, &entry, version, async |tx| {
        let edited = catalog::change_program(tx, id, version, change).await?;
        if let ProgramChange::Cancelled(_) = change {
            tell_cancelled(tx, CancelledPart { program_id: id, schedule_id: None }).await?;
        }
        Ok::<_, AdminError>(edited)
    })
    .await
}
