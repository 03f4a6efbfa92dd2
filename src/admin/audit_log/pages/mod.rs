//! Audit log as a page, as JSON and as a CSV file.

pub mod fields;
mod sentence;

use actix_web::{
    HttpResponse,
    web::{Data, Query},
};
use askama::Template;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use self::sentence::SentencePart;
use crate::{
    accounts::AdminAccount,
    app::App,
    audit::{
        self,
        filter::AuditFilter,
        model::{FieldChange, LogLine},
        store,
    },
    text::{times::rfc3339, typed},
    web::{
        error::PageError,
        files::download::{CHUNK_ROWS, csv},
        page::View,
    },
};

/// Line of the log as a page shows it.
#[derive(Debug)]
pub struct LogRow {
    pub log: LogLine,
    pub sentence: Vec<SentencePart>,
    pub changes: Vec<FieldChange>,
}

/// Prepares lines of the log for a page.
pub fn lines(v: &View, log: Vec<LogLine>) -> Vec<LogRow> {
    log.into_iter()
        .map(|log| LogRow { sentence: sentence::of(v, &log), changes: fields::of(v, &log), log })
        .collect()
}

#[derive(Template)]
#[template(path = "admin/audit.html")]
struct AuditPage {
    v: View,
    query: AuditQuery,
    lines: Vec<LogRow>,
    /// Name of the only subject whose acts are listed, in the words of the newest of them.
    only: Option<SentencePart>,
    next: Option<Uuid>,
}

/// Query string of the log: filters and the page.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct AuditQuery {
    /// Email address of the author.
    #[serde(deserialize_with = "typed::deserialize")]
    who: String,
    /// Name of the act.
    act: String,
    /// Id of the subject of the act.
    #[serde(deserialize_with = "typed::deserialize")]
    subject: String,
    /// Key of the last row of the page before.
    after: Option<Uuid>,
}

impl AuditQuery {
    pub(crate) fn filter(&self) -> AuditFilter {
        let given = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        AuditFilter {
            act: given(&self.act),
            subject_id: given(&self.subject),
            who: given(&self.who),
        }
    }

    /// Whether only acts on one subject are listed.
    fn is_of_one_subject(&self) -> bool {
        !self.subject.is_empty()
    }

    /// Returns the filters as a query string, without the page.
    fn query(&self) -> String {
        url::form_urlencoded::Serializer::new(String::new())
            .append_pair("who", &self.who)
            .append_pair("act", &self.act)
            .append_pair("subject", &self.subject)
            .finish()
    }
}

/// Page of the log.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ActsDocument {
    acts: Vec<LogLine>,
    next: Option<Uuid>,
}

/// `GET /admin/audit`
pub async fn list_acts(
    app: Data<App>,
    me: AdminAccount,
    query: Query<AuditQuery>,
) -> Result<HttpResponse, PageError> {
    let query = query.into_inner();
    let found = audit::list(&app.db, &query.filter(), query.after).await?;
    let document = ActsDocument { acts: found.rows.clone(), next: found.next };
    let only = found.rows.first().filter(|_| query.is_of_one_subject());
    let only = only.map(|line| sentence::subject(&me.view, line));
    let lines = lines(&me.view, found.rows);
    let page = AuditPage { v: me.view, query, lines, only, next: found.next };
    Ok(page.v.show(&page, &document))
}

/// Columns of the CSV file.
const COLUMNS: &[&str] =
    &["acted_at", "who", "act", "subject", "subject_id", "reason", "before", "after", "api_key"];

/// `GET /admin/audit.csv`
pub async fn download_acts(
    app: Data<App>,
    _: AdminAccount,
    query: Query<AuditQuery>,
) -> Result<HttpResponse, PageError> {
    let filter = query.filter().resolve(&app.db).await?;
    let db = app.db.clone();
    csv("audit", COLUMNS.iter().copied(), move |after| {
        let (db, filter) = (db.clone(), filter.clone());
        async move {
            let lines = store::list(&db, &filter, after, CHUNK_ROWS).await?;
            let text = |value: Option<serde_json::Value>| {
                value.map(|value| value.to_string()).unwrap_or_default()
            };
            let row = |line: LogLine| {
                let cells = vec![
                    rfc3339(line.acted_at),
                    line.who,
                    line.act,
                    line.subject_kind,
                    line.subject_id,
                    line.reason.unwrap_or_default(),
                    text(line.before),
                    text(line.after),
                    line.api_key.unwrap_or_default(),
                ];
                (line.id, cells)
            };
            Ok(lines.into_iter().map(row).collect())
        }
    })
    .await
}
