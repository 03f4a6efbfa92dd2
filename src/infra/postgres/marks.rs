//! What an instance remembers of its database, by which it notices that the database went back in time.
//!
//! The **mark** is the count of beats of the office's pulse, which only rises. A database that shows a lower one has lost
//! what was committed since: a backup was put back, or a standby took over that lacked the last commits. That is written
//! down as a **setback**. A **line mark** is what was last known of one program's line.
//!
//! # Invariants
//!
//! * Each opened connection of the pool is asked for the mark. Where it is behind what the instance remembers, the setback
//!   is committed before the connection is used for anything else; where that fails, the connection is not used.
//! * The comparison is made again in PostgreSQL, behind a lock: an answer that came late is no setback.
//! * What an instance remembers was committed: it was read from PostgreSQL, or noted after a commit.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::{connection::Connection, error::has_code};

/// Bound on the line marks that an instance remembers; further ones are not noticed.
pub const LINES_MAX: usize = 20_000;

/// Mark of the office's data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Id of the office, which a backup keeps.
    pub office_id: Uuid,
    /// Beats so far.
    pub beats: i64,
    /// Moment of the last one; `None` where only the count is known.
    pub beat_at: Option<DateTime<Utc>>,
}

/// What a connection says of its database.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MarkReading {
    /// Mark; `None` before the first beat.
    mark: Option<Mark>,
    /// When an open setback was noticed; `None` without one.
    set_back_since: Option<DateTime<Utc>>,
}

/// Subject of a line mark.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, sqlx::Type, strum::AsRefStr, strum::EnumString,
)]
#[sqlx(type_name = "text", rename_all = "SCREAMING_SNAKE_CASE")]
#[strum(serialize_all = "SCREAMING_SNAKE_CASE")]
pub enum LineMarkKind {
    /// Highest queue number given.
    Number,
    /// Entries of the signed log of joins.
    Joins,
    /// Entries of the signed log of moves.
    Moves,
}

/// Program and subject of a line mark.
pub type LineMarkKey = (Uuid, LineMarkKind);

/// Memory of one instance; clones share it.
#[derive(Clone, Debug, Default)]
pub struct MarkMemory(Arc<Mutex<Remembered>>);

#[derive(Debug, Default)]
struct Remembered {
    mark: Option<Mark>,
    set_back_since: Option<DateTime<Utc>>,
    lines: HashMap<LineMarkKey, i64>,
    /// Line marks that rose since they were last taken.
    risen: HashMap<LineMarkKey, i64>,
}

impl MarkMemory {
    /// Returns the highest mark that was read.
    pub fn mark(&self) -> Option<Mark> {
        self.remembered().mark
    }

    /// Returns since when the database is known to have gone back; `None` while it has not, or goes on again.
    pub fn set_back_since(&self) -> Option<DateTime<Utc>> {
        self.remembered().set_back_since
    }

    /// Notes what is known of a line after a commit.
    pub fn note_line(&self, program_id: Uuid, kind: LineMarkKind, known: i64) {
        let mut remembered = self.remembered();
        let key = (program_id, kind);
        if remembered.lines.len() >= LINES_MAX && !remembered.lines.contains_key(&key) {
            return;
        }
        let before = remembered.lines.entry(key).or_default();
        if *before < known {
            *before = known;
            remembered.risen.insert(key, known);
        }
    }

    /// Has every line mark taken with the next call, as if all had risen.
    pub fn take_all_again(&self) {
        let mut remembered = self.remembered();
        let Remembered { lines, risen, .. } = &mut *remembered;
        risen.clone_from(lines);
    }

    /// Takes the line marks that rose since the last call.
    pub fn take_risen(&self) -> HashMap<LineMarkKey, i64> {
        std::mem::take(&mut self.remembered().risen)
    }

    /// Gives line marks back that were taken and not told.
    pub fn put_back(&self, risen: HashMap<LineMarkKey, i64>) {
        let mut remembered = self.remembered();
        for (key, known) in risen {
            let newer = remembered.risen.entry(key).or_default();
            *newer = known.max(*newer);
        }
    }

    /// Returns every line mark.
    pub fn lines(&self) -> HashMap<LineMarkKey, i64> {
        self.remembered().lines.clone()
    }

    /// Keeps a reading, unless it is behind the remembered mark, which is returned then.
    fn keep(&self, reading: &MarkReading) -> Option<Mark> {
        let mut remembered = self.remembered();
        remembered.set_back_since = reading.set_back_since;
        let known = remembered.mark;
        match (known, reading.mark) {
            (Some(known), None) => Some(known),
            (Some(known), Some(read))
                if read.office_id != known.office_id || read.beats < known.beats =>
            {
                Some(known)
            }
            (_, read) => {
                remembered.mark = read;
                None
            }
        }
    }

    /// Notes that a setback is open. Returns whether this is news.
    fn note_setback(&self, since: DateTime<Utc>) -> bool {
        self.remembered().set_back_since.replace(since).is_none()
    }

    /// Remembers another office's mark from now on.
    fn adopt(&self, mark: Option<Mark>) {
        self.remembered().mark = mark;
    }

    fn remembered(&self) -> MutexGuard<'_, Remembered> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reads the mark; `None` where the database has none, because it is not migrated.
pub(crate) async fn read(connection: &mut Connection) -> Result<Option<MarkReading>, sqlx::Error> {
    let read = sqlx::query!(
        r#"
        select p.office_id as "office_id?", p.beats as "beats?", p.beat_at as "beat_at?",
            s.noticed_at as "set_back_since?"
        from (select true as is_only) o
        left join office_pulse p on p.is_only = o.is_only
        left join setbacks s on s.ended_at is null
        "#,
    )
    .fetch_one(connection)
    .await;
    match read {
        Ok(row) => {
            let mark = |(office_id, beats)| Mark { office_id, beats, beat_at: row.beat_at };
            let mark = row.office_id.zip(row.beats).map(mark);
            Ok(Some(MarkReading { mark, set_back_since: row.set_back_since }))
        }
        // No such table or column, or no right to it yet.
        Err(error) if has_code(&error, &["42P01", "42703", "42501"]) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Reads the mark, and writes a setback down where it is behind the one that `marks` remember.
pub(crate) async fn watch(
    connection: &mut Connection,
    marks: &MarkMemory,
) -> Result<(), sqlx::Error> {
    let Some(reading) = read(connection).await? else { return Ok(()) };
    let Some(known) = marks.keep(&reading) else { return Ok(()) };
    note(connection, marks, known).await?;
    if reading.mark.is_none_or(|read| read.office_id != known.office_id) {
        tracing::warn!("PostgreSQL has another office's data than before");
        marks.adopt(reading.mark);
    }
    Ok(())
}

/// Writes a setback down if the database is behind `known`.
pub(crate) async fn note(
    connection: &mut Connection,
    marks: &MarkMemory,
    known: Mark,
) -> Result<(), sqlx::Error> {
    let since = sqlx::query_scalar!(
        r#"
        select case when note_setback($1, $2, $3) then clock_timestamp() end as "since"
        "#,
        known.office_id,
        known.beats,
        known.beat_at,
    )
    .fetch_one(connection)
    .await?;
    let Some(since) = since else { return Ok(()) };
    if marks.note_setback(since) {
        tracing::error!(
            known_beats = known.beats,
            known_at = ?known.beat_at,
            "PostgreSQL went back to an earlier state: a backup was put back, or a standby took over that lacked \
             the last commits. Lines and sales stand still until an administrator lets them go on: see \
             /admin/setbacks"
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(office: u128, beats: i64) -> MarkReading {
        let mark = Mark { office_id: Uuid::from_u128(office), beats, beat_at: None };
        MarkReading { mark: Some(mark), set_back_since: None }
    }

    #[test]
    fn a_lower_mark_and_another_office_are_behind_and_the_same_is_not() {
        let marks = MarkMemory::default();
        assert_eq!(marks.keep(&MarkReading::default()), None);
        assert_eq!(marks.keep(&reading(1, 7)), None);
        assert_eq!(marks.keep(&reading(1, 7)), None);
        let known = reading(1, 7).mark;
        assert_eq!(marks.keep(&reading(1, 6)), known);
        assert_eq!(marks.keep(&reading(2, 9)), known);
        assert_eq!(marks.keep(&MarkReading::default()), known);
        assert_eq!(marks.keep(&reading(1, 8)), None);
    }

    #[test]
    fn a_line_mark_only_rises_and_is_told_once() {
        let marks = MarkMemory::default();
        let (program, key) = (Uuid::nil(), (Uuid::nil(), LineMarkKind::Number));
        for known in [3, 5, 4] {
            marks.note_line(program, LineMarkKind::Number, known);
        }
        let risen = marks.take_risen();
        assert_eq!(risen, HashMap::from([(key, 5)]));
        assert!(marks.take_risen().is_empty());
        marks.note_line(program, LineMarkKind::Number, 6);
        marks.put_back(risen);
        assert_eq!(marks.take_risen(), HashMap::from([(key, 6)]));
        assert_eq!(marks.lines(), HashMap::from([(key, 6)]));
    }
}
