//! Edits of the catalog, inside the caller's transaction.
//!
//! Each function locks the row, compares its version with the one that the edit was made of,
//! and returns the edition before and after.

use serde_json::json;

use super::{
    announcements::NewAnnouncement,
    editing::{Edited, ProgramChange},
    error::CatalogError,
    model::{Program, ProgramId, ProgramStatus, ScheduleId},
    posters,
    programs::{
        columns::ProgramDetails,
        slug,
        store::{self, announcements},
    },
    schedules,
};
pub use crate::catalog::schedules::{
    cancel_schedule, change_venue, count_hiding, create_schedule, create_zone,
    find_schedule_edition, inventory_of, keep_places, list_schedule_editions,
    lock_schedule_edition, next_schedule_edition,
    price_group::PriceGroup,
    price_groups_of,
    prices::{Prices, has_prices_to_write, list_with_prices_to_write, update_prices, write_prices},
    update_zone,
};
use crate::{
    events::{self, EventKind, NewEvent},
    infra::{ids::new_id, postgres::Connection},
    text::{i18n::Locale, translated::Translated},
};

/// Bound on characters of an announcement that news of several edits add to.
const NEWS_CHARS_MAX: usize = 3_000;

/// Creates a draft. Without a slug it gets one of its title: of two drafts that get the same at once
/// one is refused as [`CatalogError::SlugTaken`], and finds another the next time.
pub async fn create_program(
    tx: &mut Connection,
    details: &ProgramDetails,
) -> Result<Program, CatalogError> {
    let id = ProgramId(new_id());
    if details.slug.is_empty() {
        let slug = free_slug(tx, &details.title).await?;
        store::insert(tx, id, &ProgramDetails { slug, ..details.clone() }).await?;
    } else {
        store::insert(tx, id, details).await?;
    }
    store::find_by_id(tx, id).await?.ok_or(CatalogError::NotFound)
}

/// Returns the first name of a title that no program has.
async fn free_slug(tx: &mut Connection, title: &str) -> Result<String, CatalogError> {
    let names = slug::names_of(title);
    let taken = store::list_taken_slugs(tx, &names).await?;
    let free = names.into_iter().find(|name| !taken.contains(name));
    free.ok_or(CatalogError::SlugTaken)
}

/// Changes edition `version` of a program and makes the next one.
pub async fn change_program(
    tx: &mut Connection,
    id: ProgramId,
    version: i64,
    change: &ProgramChange,
) -> Result<Edited<Program>, CatalogError> {
    store::lock(tx, id).await?;
    let before = store::find_by_id(&mut *tx, id).await?.ok_or(CatalogError::NotFound)?;
    if before.version != version {
        return Err(CatalogError::Stale);
    }
    require_status(before.status, change)?;
    write(tx, &before, change).await?;
    let after = store::find_by_id(&mut *tx, id).await?.ok_or(CatalogError::NotFound)?;
    tell(tx, change, &after).await?;
    Ok(Edited { before, after })
}

/// Requires that a program of this status may be changed so.
fn require_status(status: ProgramStatus, change: &ProgramChange) -> Result<(), CatalogError> {
    let may_change = match change {
        ProgramChange::Published => status == ProgramStatus::Draft,
        ProgramChange::Announced(_) | ProgramChange::Paused(Some(_)) => {
            status == ProgramStatus::Published
        }
        ProgramChange::Paused(None) | ProgramChange::Cancelled(_) => {
            status != ProgramStatus::Cancelled
        }
        _ => true,
    };
    may_change.then_some(()).ok_or(CatalogError::WrongStatus)
}

/// Writes a change of a locked program that was `before`, as its next edition.
async fn write(
    tx: &mut Connection,
    before: &Program,
    change: &ProgramChange,
) -> Result<(), CatalogError> {
    let id = before.id;
    match change {
        ProgramChange::Details(details) => store::write(tx, id, details).await?,
        ProgramChange::Limits { capacity, rate_per_second } => {
            let mut details = before.details.clone();
            details.queue_capacity = *capacity;
            details.queue_rate_per_second = *rate_per_second;
            store::write(tx, id, &details).await?;
        }
        ProgramChange::Guards(guards) => store::write_guards(tx, id, guards).await?,
        ProgramChange::Poster(poster) => {
            match poster {
                Some(poster) => posters::store::upsert(tx, id, poster).await?,
                None => posters::store::delete(tx, id).await?,
            }
            store::write_next(tx, id).await?;
        }
        ProgramChange::Paused(said) => {
            announce(tx, id, said.as_ref(), true).await?;
            store::write_paused(tx, id, true).await?;
        }
        ProgramChange::Resumed => {
            announce(tx, id, None, true).await?;
            store::write_paused(tx, id, false).await?;
        }
        ProgramChange::Announced(said) => {
            announce(tx, id, Some(said), false).await?;
            store::write_next(tx, id).await?;
        }
        ProgramChange::AnnouncementEnded(announcement_id) => {
            if !announcements::end_one(tx, id, *announcement_id).await? {
                return Err(CatalogError::NotFound);
            }
            store::write_next(tx, id).await?;
        }
        ProgramChange::Published => {
            if !store::has_inventory(tx, id).await? {
                return Err(CatalogError::NothingToSell);
            }
            store::write_status(tx, id, ProgramStatus::Published).await?;
        }
        ProgramChange::Cancelled(terms) => {
            announcements::end(tx, id, &[true, false]).await?;
            store::write_status(tx, id, ProgramStatus::Cancelled).await?;
            store::write_cancel_terms(tx, id, terms).await?;
        }
    }
    Ok(())
}

/// Ends the announcement of a kind that stands, and makes the next if there is one.
async fn announce(
    tx: &mut Connection,
    id: ProgramId,
    said: Option<&NewAnnouncement>,
    is_of_pause: bool,
) -> Result<(), sqlx::Error> {
    announcements::end(tx, id, &[is_of_pause]).await?;
    match said {
        Some(said) => announcements::insert(tx, id, said, is_of_pause).await,
        None => Ok(()),
    }
}

/// Announces `news` to the line of a published program, above what stands there of what was said before, as its next
/// edition: who is about to say something else has not read it.
pub async fn announce_news(
    tx: &mut Connection,
    id: ProgramId,
    news: &Translated<String>,
) -> Result<(), sqlx::Error> {
    store::lock(tx, id).await?;
    let before = store::find_by_id(&mut *tx, id).await?.ok_or(sqlx::Error::RowNotFound)?;
    let standing = before.announcements.iter().find(|said| !said.is_of_pause);
    let words = with_former(news, standing.map(|said| &said.words));
    let expected_until = standing.and_then(|said| said.expected_until);
    let said = NewAnnouncement { words, expected_until };
    announce(tx, id, Some(&said), false).await?;
    store::write_next(tx, id).await?;
    let change = ProgramChange::Announced(said);
    let after = store::find_by_id(&mut *tx, id).await?.ok_or(sqlx::Error::RowNotFound)?;
    tell(tx, &change, &after).await
}

/// Returns the news in each language with the former words behind them, cut where they become too long.
fn with_former(
    news: &Translated<String>,
    former: Option<&Translated<String>>,
) -> Translated<String> {
    let mut words = Translated::default();
    for (tag, news) in news.iter() {
        let former = former.zip(Locale::parse(tag));
        let former = former.and_then(|(former, locale)| former.in_language(locale));
        let whole = former.map_or_else(|| news.clone(), |former| format!("{news}\n\n{former}"));
        words.say(tag, whole.chars().take(NEWS_CHARS_MAX).collect());
    }
    words
}

/// Writes the event of a change of a program that is, or was, public.
async fn tell(
    tx: &mut Connection,
    change: &ProgramChange,
    after: &Program,
) -> Result<(), sqlx::Error> {
    let kind = match change {
        _ if after.status == ProgramStatus::Draft => return Ok(()),
        ProgramChange::Published => EventKind::ProgramPublished,
        ProgramChange::Cancelled(_) => EventKind::ProgramCancelled,
        ProgramChange::Paused(_) => EventKind::QueuePaused,
        ProgramChange::Resumed => EventKind::QueueResumed,
        ProgramChange::Announced(_) | ProgramChange::AnnouncementEnded(_) => {
            EventKind::QueueAnnounced
        }
        ProgramChange::Details(_)
        | ProgramChange::Limits { .. }
        | ProgramChange::Guards(_)
        | ProgramChange::Poster(_) => EventKind::ProgramChanged,
    };
    let payload = json!({
        "program_id": after.id, "slug": after.slug, "title": after.title,
        "status": after.status, "version": after.version, "on_sale_at": after.on_sale_at,
        "off_sale_at": after.off_sale_at, "announcements": after.announcements,
    });
    events::write(tx, &NewEvent { kind, subject_id: after.id.0, payload }).await
}

/// Locks the program of a performance and the performance, before anything else of it, and clears the
/// records of their winding down, so that the workers give back what is about to be added.
pub async fn reopen_winding_down(
    tx: &mut Connection,
    schedule_id: ScheduleId,
) -> Result<(), sqlx::Error> {
    store::lock_of_schedule(tx, schedule_id).await?;
    store::winding_down::write_not_wound_down(tx, schedule_id).await?;
    schedules::store::lock(tx, schedule_id).await?;
    schedules::store::winding_down::write_not_wound_down(tx, schedule_id).await
}
