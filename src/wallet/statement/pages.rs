//! Download of the statement, and the query of the history.

use actix_web::{
    HttpResponse,
    web::{Data, Query},
};
use schemars::JsonSchema;
use serde::Deserialize;
use url::form_urlencoded;
use uuid::Uuid;

use super::{Month, StatementFilter, list};
use crate::{
    accounts::CurrentAccount,
    app::App,
    text::times::rfc3339,
    wallet::{model::PointTransaction, transfers::store},
    web::{
        error::PageError,
        files::download::{CHUNK_ROWS, csv},
        form::{Field, Mistakes},
        page::View,
    },
};

/// Path of the statement file.
pub(crate) const STATEMENT_PATH: &str = "/wallet/statement.csv";

/// Query of the history: the filter, and the last line seen.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct StatementQuery {
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
pub fn href(path: &str, filter: StatementFilter, after: Option<Uuid>) -> String {
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

/// Handles `GET /wallet/statement.csv`: streams the lines of the filter, newest first. Changes later
/// than the start of the download are not in the file.
pub async fn show_statement(
    app: Data<App>,
    me: CurrentAccount,
    query: Query<StatementQuery>,
) -> Result<HttpResponse, PageError> {
    const COLUMNS: [&str; 7] = [
        "wallet-history-when",
        "wallet-history-what",
        "wallet-history-amount",
        "wallet-history-pending",
        "wallet-history-balance",
        "wallet-history-reference",
        "wallet-history-counterparty",
    ];
    let (filter, begin) = query.parse()?;
    let wallet = store::find_shown_wallet(&app.db, me.account_id).await?;
    let (db, v) = (app.db.clone(), me.view);
    let header = COLUMNS.map(|key| v.t(key).to_string());
    csv("statement", header, move |after| {
        let (db, v, wallet) = (db.clone(), v.clone(), wallet.clone());
        async move {
            let Some(wallet) = wallet else { return Ok(Vec::new()) };
            let rows = list(&db, &wallet, filter, after.or(begin), CHUNK_ROWS).await?;
            Ok(rows.into_iter().map(|row| (row.id, cells_of(&v, row))).collect())
        }
    })
    .await
}

fn cells_of(v: &View, row: PointTransaction) -> Vec<String> {
    vec![
        rfc3339(row.created_at),
        v.t(row.kind.text_key()).to_string(),
        row.amount.to_string(),
        row.pending_change.to_string(),
        row.balance_after.get().to_string(),
        row.reference_id.to_string(),
        row.counterparty.unwrap_or_default(),
    ]
}
