//! Downloads as CSV, which no spreadsheet takes for more than text and numbers, and as lines of JSON. Long ones are streamed: one
//! chunk of rows is in memory at a time.

use actix_web::{
    HttpResponse, HttpResponseBuilder,
    error::ErrorInternalServerError,
    http::header::{CONTENT_DISPOSITION, CONTENT_TYPE},
    web::Bytes,
};
use futures_util::{Stream, stream};
use serde::Serialize;

use crate::{
    text::cell::guarded,
    web::error::{Internal, PageError},
};

/// Rows of one chunk.
pub const CHUNK_ROWS: i64 = 1_000;

/// Start of every file: without it Excel reads UTF-8 in the system's legacy code page, which
/// garbles Korean names.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Streams a file of rows that `next` reads chunk by chunk: `next` gets the key of the last row
/// and returns rows with their keys; an empty chunk ends the file. The first chunk is read
/// before the answer begins, so that its failure yields an error status.
pub async fn csv<K, F>(
    name: &str,
    header: impl IntoIterator<Item = impl Into<String>>,
    next: impl Fn(Option<K>) -> F + 'static,
) -> Result<HttpResponse, PageError>
where
    K: Copy + 'static,
    F: Future<Output = Result<Vec<(K, Vec<String>)>, sqlx::Error>> + 'static,
{
    let header: Vec<String> = header.into_iter().map(Into::into).collect();
    let first = next(None).await?;
    let write = move |is_first: bool, rows: Vec<Vec<String>>| {
        written(is_first.then(|| header.clone()), rows).map_err(ErrorInternalServerError)
    };
    Ok(answer(name).streaming(chunks(first, next, write)))
}

/// Streams a file of JSON documents, one a line, as [`csv()`] does its rows.
pub async fn json_lines<K, T, F>(
    name: &str,
    next: impl Fn(Option<K>) -> F + 'static,
) -> Result<HttpResponse, PageError>
where
    K: Copy + 'static,
    T: Serialize + 'static,
    F: Future<Output = Result<Vec<(K, T)>, sqlx::Error>> + 'static,
{
    let first = next(None).await?;
    let write = |_, rows: Vec<T>| {
        let mut lines = Vec::new();
        for row in rows {
            serde_json::to_writer(&mut lines, &row).map_err(ErrorInternalServerError)?;
            lines.push(b'\n');
        }
        Ok(lines)
    };
    let attachment = format!("attachment; filename=\"{name}.jsonl\"");
    Ok(HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, "application/x-ndjson"))
        .insert_header((CONTENT_DISPOSITION, attachment))
        .streaming(chunks(first, next, write)))
}

/// Returns the chunks of a file: the rows `first`, and then what `next` reads behind the last key, until it is empty. `write` is told whether a chunk is the first.
fn chunks<K, R, F>(
    first: Vec<(K, R)>,
    next: impl Fn(Option<K>) -> F + 'static,
    write: impl Fn(bool, Vec<R>) -> Result<Vec<u8>, actix_web::Error> + 'static,
) -> impl Stream<Item = Result<Bytes, actix_web::Error>> + 'static
where
    K: Copy + 'static,
    R: 'static,
    F: Future<Output = Result<Vec<(K, R)>, sqlx::Error>> + 'static,
{
    let begun = (Some(first), None, next, write);
    stream::try_unfold(begun, async move |(first, after, next, write)| {
        let is_first = first.is_some();
        let rows = match first {
            Some(rows) => rows,
            None => next(after).await.map_err(ErrorInternalServerError)?,
        };
        if rows.is_empty() && !is_first {
            return Ok(None);
        }
        let after = rows.last().map(|(key, _)| *key).or(after);
        let chunk = write(is_first, rows.into_iter().map(|(_, row)| row).collect())?;
        Ok(Some((Bytes::from(chunk), (None, after, next, write))))
    })
}

/// Answers with a file of `records`; the first is the header.
pub fn whole_csv(
    name: &str,
    records: impl IntoIterator<Item = Vec<String>>,
) -> Result<HttpResponse, PageError> {
    let file = write(BYTE_ORDER_MARK.to_vec(), records).map_err(|error| {
        tracing::error!(%error, "a file cannot be written");
        Internal
    })?;
    Ok(answer(name).body(file))
}

fn answer(name: &str) -> HttpResponseBuilder {
    let mut answer = HttpResponse::Ok();
    answer
        .insert_header((CONTENT_TYPE, "text/csv; charset=utf-8; header=present"))
        .insert_header((CONTENT_DISPOSITION, format!("attachment; filename=\"{name}.csv\"")));
    answer
}

fn written(header: Option<Vec<String>>, rows: Vec<Vec<String>>) -> Result<Vec<u8>, csv::Error> {
    let begun = if header.is_some() { BYTE_ORDER_MARK } else { &[] };
    write(begun.to_vec(), header.into_iter().chain(rows))
}

/// Appends `records` to a file. Every cell is quoted, so that none ends at a sign that a spreadsheet takes
/// for the end of a cell.
fn write(
    begun: Vec<u8>,
    records: impl IntoIterator<Item = Vec<String>>,
) -> Result<Vec<u8>, csv::Error> {
    let mut writer =
        csv::WriterBuilder::new().quote_style(csv::QuoteStyle::Always).from_writer(begun);
    for record in records {
        writer.write_record(record.iter().map(|cell| guarded(cell).into_owned()))?;
    }
    writer.into_inner().map_err(|error| csv::Error::from(error.into_error()))
}
