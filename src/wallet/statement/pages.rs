//! Download of the statement, and the query of the history.

use actix_web::{
    HttpResponse,
    error::ErrorInternalServerError,
    http::header::{CONTENT_DISPOSITION, CONTENT_TYPE},
    web::{Bytes, Data, Query},
};
use futures_util::stream;
use schemars::JsonSchema;
use serde::Deserialize;
use url::form_urlencoded;
use uuid::Uuid;

use super::{Month, StatementFilter, list};
use crate::{
    accounts::CurrentAccount,
    app::App,
    infra::postgres::Pool,
    text::times::rfc3339,
    wallet::{
        model::{PointTransaction, Wallet},
        transfers::store,
    },
    web::{
        error::PageError,
        form::{Field, Mistakes},
        page::View,
    },
};

/// Path of the statement file.
pub(crate) const STATEMENT_PATH: &str = "/wallet/statement.csv";
/// Number of lines read per chunk of the file.
const CHUNK_ROWS: i64 = 1_000;

/// Query of the history: the filter, and the last line seen.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct StatementQuery {
    /// Kind of entries; empty: all.
    kind: Field,
    /// Month, `YYYY-MM`; empty: all.
    month: Field,
    /// Key of the last row of the page before.
    after: Field,
}

impl StatementQuery {
    pub(crate) fn parse(&self) -> Result<(StatementFilter, Option<Uuid>), Mistakes> {
        let mut mistakes = Mistakes::default();
        let (mut filter, mut after) = (StatementFilter::default(), None);
        if !self.kind.is_empty() {
            let kind = self.kind.parse();
            filter.kind = mistakes.note("kind", "wallet-refusal-kind", kind);
        }
        if !self.month.is_empty() {
            let month = Month::parse(self.month.text());
            filter.month = mistakes.note("month", "wallet-refusal-month", month);
        }
        if !self.after.is_empty() {
            after = mistakes.note("after", "wallet-refusal-after", self.after.parse());
        }
        mistakes.or(Some((filter, after)))
    }
}

/// Returns the address of the lines of `filter` after the line `after`.
pub(crate) fn href(path: &str, filter: StatementFilter, after: Option<Uuid>) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    if let Some(kind) = filter.kind {
        query.append_pair("kind", kind.as_ref());
    }
    if let Some(month) = filter.month {
        query.append_pair("month", &month.name());
    }
    if let Some(after) = after {
        query.append_pair("after", &after.to_string());
    }
    let query = query.finish();
    if query.is_empty() { path.to_owned() } else { format!("{path}?{query}") }
}

/// Handles `GET /wallet/statement.csv`: streams the lines of the filter, newest first. At most one
/// chunk is in memory.
pub(crate) async fn show_statement(
    app: Data<App>,
    me: CurrentAccount,
    query: Query<StatementQuery>,
) -> Result<HttpResponse, PageError> {
    let (filter, after) = query.parse()?;
    let wallet = store::find_shown_wallet(&app.db, me.account_id).await?;
    let download =
        Download { db: app.db.clone(), v: me.view, wallet, filter, next: Next::Head, after };
    let body = stream::try_unfold(download, async |mut download: Download| {
        let chunk = download.chunk().await.map_err(ErrorInternalServerError)?;
        Ok::<_, actix_web::Error>(chunk.map(|chunk| (chunk, download)))
    });
    Ok(HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, "text/csv; charset=utf-8; header=present"))
        .insert_header((CONTENT_DISPOSITION, "attachment; filename=\"statement.csv\""))
        .streaming(body))
}

/// State of a running download.
struct Download {
    db: Pool,
    v: View,
    /// Wallet when the download started; later changes are not in the file.
    wallet: Option<Wallet>,
    filter: StatementFilter,
    next: Next,
    after: Option<Uuid>,
}

enum Next {
    Head,
    Lines,
    End,
}

#[derive(Debug, thiserror::Error)]
enum DownloadError {
    #[error(transparent)]
    Database(#[from] sqlx::Error),
    #[error(transparent)]
    Csv(#[from] csv::Error),
}

impl Download {
    /// Returns the next chunk of the file; `None` at its end.
    async fn chunk(&mut self) -> Result<Option<Bytes>, DownloadError> {
        match (&self.next, &self.wallet) {
            (Next::Head, wallet) => {
                self.next = if wallet.is_some() { Next::Lines } else { Next::End };
                head(&self.v).map(Some)
            }
            (Next::Lines, Some(wallet)) => {
                let rows = list(&self.db, wallet, self.filter, self.after, CHUNK_ROWS).await?;
                self.after = rows.last().map(|row| row.id);
                if self.after.is_none() {
                    return Ok(None);
                }
                lines(&self.v, &rows).map(Some)
            }
            _ => Ok(None),
        }
    }
}

/// Returns the header line. The byte order mark before it makes spreadsheets read the file as
/// UTF-8.
fn head(v: &View) -> Result<Bytes, DownloadError> {
    const COLUMNS: [&str; 6] = [
        "wallet-history-when",
        "wallet-history-what",
        "wallet-history-amount",
        "wallet-history-pending",
        "wallet-history-balance",
        "wallet-history-reference",
    ];
    let mut writer = csv::Writer::from_writer("\u{feff}".as_bytes().to_vec());
    writer.write_record(COLUMNS.map(|key| v.t(key).to_string()))?;
    bytes(writer)
}

fn lines(v: &View, rows: &[PointTransaction]) -> Result<Bytes, DownloadError> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        writer.write_record([
            rfc3339(row.created_at),
            v.t(row.kind.text_key()).to_string(),
            row.amount.to_string(),
            row.pending_change.to_string(),
            row.balance_after.get().to_string(),
            row.reference_id.to_string(),
        ])?;
    }
    bytes(writer)
}

fn bytes(writer: csv::Writer<Vec<u8>>) -> Result<Bytes, DownloadError> {
    let written = writer.into_inner().map_err(|error| csv::Error::from(error.into_error()))?;
    Ok(Bytes::from(written))
}
