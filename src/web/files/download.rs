//! CSV downloads, which no spreadsheet takes for more than text and numbers. Long ones are streamed: one
//! chunk of rows is in memory at a time.

use actix_web::{
    HttpResponse, HttpResponseBuilder,
    error::ErrorInternalServerError,
    http::header::{CONTENT_DISPOSITION, CONTENT_TYPE},
    web::Bytes,
};
use futures_util::stream;
use uuid::Uuid;

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
pub async fn csv<F>(
    name: &str,
    header: impl IntoIterator<Item = impl Into<String>>,
    next: impl Fn(Option<Uuid>) -> F + 'static,
) -> Result<HttpResponse, PageError>
where
    F: Future<Output = Result<Vec<(Uuid, Vec<String>)>, sqlx::Error>> + 'static,
{
    let header: Vec<String> = header.into_iter().map(Into::into).collect();
    let first = Some((header, next(None).await?));
    let body = stream::try_unfold((first, None, next), async move |(first, after, next)| {
        let (header, rows) = match first {
            Some((header, rows)) => (Some(header), rows),
            None => (None, next(after).await.map_err(ErrorInternalServerError)?),
        };
        if rows.is_empty() && header.is_none() {
            return Ok::<_, actix_web::Error>(None);
        }
        let after = rows.last().map(|(id, _)| *id).or(after);
        let chunk = written(header, rows).map_err(ErrorInternalServerError)?;
        Ok(Some((Bytes::from(chunk), (None, after, next))))
    });
    Ok(answer(name).streaming(body))
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

fn written(
    header: Option<Vec<String>>,
    rows: Vec<(Uuid, Vec<String>)>,
) -> Result<Vec<u8>, csv::Error> {
    let begun = if header.is_some() { BYTE_ORDER_MARK } else { &[] };
    write(begun.to_vec(), header.into_iter().chain(rows.into_iter().map(|(_, row)| row)))
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
