//! CSV downloads, streamed: one chunk of rows is in memory at a time.

use actix_web::{
    HttpResponse,
    error::ErrorInternalServerError,
    http::header::{CONTENT_DISPOSITION, CONTENT_TYPE},
    web::Bytes,
};
use futures_util::stream;
use uuid::Uuid;

use super::error::PageError;

/// Rows of one chunk.
pub(crate) const CHUNK_ROWS: i64 = 1_000;

/// Start of every file: without it Excel reads UTF-8 in the system's legacy code page, which
/// garbles Korean names.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Streams a file of rows that `next` reads chunk by chunk: `next` gets the key of the last row
/// and returns rows with their keys; an empty chunk ends the file. The first chunk is read
/// before the answer begins, so that its failure yields an error status.
pub(crate) async fn csv<F>(
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
    Ok(HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, "text/csv; charset=utf-8; header=present"))
        .insert_header((CONTENT_DISPOSITION, format!("attachment; filename=\"{name}.csv\"")))
        .streaming(body))
}

fn written(
    header: Option<Vec<String>>,
    rows: Vec<(Uuid, Vec<String>)>,
) -> Result<Vec<u8>, csv::Error> {
    let mut begun = Vec::new();
    if header.is_some() {
        begun.extend_from_slice(BYTE_ORDER_MARK);
    }
    let mut writer = csv::Writer::from_writer(begun);
    if let Some(header) = header {
        writer.write_record(header)?;
    }
    for (_, row) in rows {
        writer.write_record(row.iter().map(|cell| harmless(cell)))?;
    }
    writer.into_inner().map_err(|error| csv::Error::from(error.into_error()))
}

/// Returns a cell that spreadsheets do not take for a formula: names may begin with `=`.
fn harmless(cell: &str) -> String {
    let is_number = cell.parse::<f64>().is_ok();
    match cell.starts_with(['=', '+', '-', '@', '\t', '\r']) && !is_number {
        true => format!("'{cell}"),
        false => cell.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_cell_is_a_formula() {
        assert_eq!(harmless("=HYPERLINK(\"x\")"), "'=HYPERLINK(\"x\")");
        assert_eq!(harmless("@ada"), "'@ada");
        assert_eq!((harmless("-12"), harmless("ada")), ("-12".to_owned(), "ada".to_owned()));
    }
}
