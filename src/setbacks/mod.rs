//! Setbacks: the database went back to an earlier state, and lines and sales stand still until an administrator lets
//! them go on.
//!
//! A backup that is put back, and a standby that takes over without the last commits, leave a database that is consistent
//! and lacks what people were told. The office notices by the **mark**, the count of beats of its pulse: each instance
//! remembers the highest that it read ([`MarkMemory`](crate::infra::postgres::MarkMemory)), and Redis the highest of all.
//! **Line marks** say how far each line was known to be: its highest number, and the sizes of its signed logs.
//!
//! # Invariants
//!
//! * A setback is open or ended, and one is open at a time. While it is open, no place in a line, admission, hold,
//!   payment, charge or payout is written, and no log is signed: triggers refuse it (`refuse_in_setback`).
//! * Redis is told a mark only after PostgreSQL has committed it, so Redis never knows of one that was not there.
//! * Marks are compared within one office's data, by its id: an empty Redis, an older one, and one that another office
//!   used say nothing.
//! * While a setback is open the pulse does not beat. The office counts as away: nothing ends, and afterwards the time
//!   comes back to all who hold and are inside (`reservation/given_time`).
//!
//! # Concurrency
//!
//! Instances that see the same setback race for `setbacks_open`; the others raise what was known. A setback is noted and
//! ended behind one lock, so one that is noted late finds the marks that were raised by its end.
//!
//! # What is not noticed
//!
//! What was committed after the last beat may be lost unseen: a second of a sale, or longer where the office gives back
//! the time of an outage just then, which it does before it beats again. Instances that start after a restore know only
//! what Redis does. Receipts have no mark: their numbers go on from what the database has. A draw whose close was lost is
//! held again, among the entries that the database has.

pub mod model;
mod shared_marks;
pub mod store;

use std::collections::HashMap;

use self::model::LineMark;
use crate::{
    app::App,
    infra::{
        postgres::{LINES_MAX, LineMarkKey, Mark},
        redis::RedisAway,
    },
};

/// Compares the database's mark with what Redis knows, and tells Redis; one tick of a worker. While a setback is open,
/// writes down what was known of the lines.
pub async fn watch(app: &App) -> Result<(), sqlx::Error> {
    app.db.watch_mark().await?;
    let marks = app.db.marks();
    metrics::gauge!("stagedoor_set_back").set(f64::from(marks.set_back_since().is_some()));
    let Some(mark) = marks.mark() else { return Ok(()) };
    let known = match tell(app, mark).await {
        Ok(known) => known,
        Err(error) => {
            tracing::debug!(%error, "marks are not compared with Redis");
            return note_lines(app, marks.lines()).await;
        }
    };
    if known.beats > mark.beats {
        // Another instance may have told of a later beat meanwhile.
        app.db.watch_mark().await?;
        if marks.mark().is_some_and(|read| known.beats > read.beats) {
            app.db.compare_mark(known).await?;
        }
    }
    if marks.set_back_since().is_none() {
        return Ok(());
    }
    let mut lines = marks.lines();
    for (key, value) in shared_marks::lines(&app.redis, mark).await.unwrap_or_default() {
        let known = lines.entry(key).or_default();
        *known = value.max(*known);
    }
    note_lines(app, lines).await
}

/// Remembers how far PostgreSQL says that each line is, and has Redis told all of it again, which may have lost it; one tick
/// of a worker. What went back says nothing.
pub async fn remember_lines(app: &App) -> Result<(), sqlx::Error> {
    let marks = app.db.marks();
    let lines = store::list_lines(&app.db, i64::try_from(LINES_MAX).unwrap_or(i64::MAX)).await?;
    if marks.set_back_since().is_some() {
        return Ok(());
    }
    for LineMark { program_id, kind, known } in lines {
        marks.note_line(program_id, kind, known);
    }
    marks.take_all_again();
    Ok(())
}

/// Tells Redis the mark and the line marks that rose; returns the mark that it has then.
async fn tell(app: &App, mark: Mark) -> Result<Mark, RedisAway> {
    let marks = app.db.marks();
    let risen = marks.take_risen();
    let told = shared_marks::raise(&app.redis, mark, &risen).await;
    if told.is_err() {
        marks.put_back(risen);
    }
    told
}

/// Writes down how far lines were known to be, beyond what the database has of them.
async fn note_lines(app: &App, lines: HashMap<LineMarkKey, i64>) -> Result<(), sqlx::Error> {
    if app.db.marks().set_back_since().is_none() || lines.is_empty() {
        return Ok(());
    }
    let lines: Vec<LineMark> = lines.into_iter().map(LineMark::from).collect();
    store::insert_lines(&app.db, &lines).await
}
