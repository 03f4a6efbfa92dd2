//! Rows in the text format of COPY.

use std::fmt::{self, Write};

use chrono::DateTime;
use uuid::{Builder, Uuid};

use crate::{
    demo::store::copy::{self, Table},
    infra::postgres::Connection,
};

/// Rows of one program by table, in the order of their references.
#[derive(Debug)]
pub(crate) struct Rows([(Table, String); Table::ALL.len()]);

impl Default for Rows {
    fn default() -> Self {
        Self(Table::ALL.map(|table| (table, String::new())))
    }
}

impl Rows {
    /// Adds a row whose columns are separated by tabs.
    pub(crate) fn add(&mut self, table: Table, row: fmt::Arguments<'_>) {
        if let Some((_, rows)) = self.0.iter_mut().find(|(of, _)| *of == table) {
            // Writing to a `String` does not fail.
            let _ = writeln!(rows, "{row}");
        }
    }

    /// Copies all rows into the database.
    pub(crate) async fn copy(&self, tx: &mut Connection) -> Result<(), sqlx::Error> {
        for (table, rows) in &self.0 {
            copy::insert_rows(tx, *table, rows).await?;
        }
        Ok(())
    }
}

/// Moment in milliseconds since the epoch; displayed as the database reads it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct At(pub i64);

impl At {
    /// Returns the moment `secs` seconds later.
    pub(crate) fn plus(self, secs: i64) -> Self {
        Self(self.0 + secs * 1_000)
    }
}

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = DateTime::from_timestamp_millis(self.0).unwrap_or_default();
        write!(f, "{}", at.format("%Y-%m-%d %H:%M:%S%.3f+00"))
    }
}

/// Returns the id of the nth row of `table`, made at a moment.
pub(crate) fn id(table: Table, at: At, nth: u64) -> Uuid {
    let ms = u64::try_from(at.0).unwrap_or_default();
    let mut tail = [0; 10];
    // From the second byte on, the version and variant bits overwrite no digit of a small number.
    let apart = [table.number()].into_iter().chain(nth.to_be_bytes());
    for (byte, apart) in tail.iter_mut().skip(1).zip(apart) {
        *byte = apart;
    }
    Builder::from_unix_timestamp_millis(ms, &tail).into_uuid()
}
