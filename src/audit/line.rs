//! Lines of the audit log, as they are read.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use uuid::Uuid;

use crate::accounts::AccountId;

/// Line of the audit log, as stored.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct LogLine {
    pub(crate) id: Uuid,
    pub(crate) account_id: AccountId,
    pub(crate) who: String,
    /// Name of the key by which the account acted; `None`: the account itself.
    pub(crate) api_key: Option<String>,
    pub(crate) act: String,
    pub(crate) subject_kind: String,
    pub(crate) subject_id: String,
    /// Name of the subject today, or of the program of a ticket or a reservation; `None` for deleted
    /// subjects.
    pub(crate) subject_name: Option<String>,
    /// Last six characters of a ticket's code; `None` for other subjects.
    #[serde(skip)]
    pub(crate) ticket_code: Option<String>,
    /// Start of a performance; `None` for other subjects.
    #[serde(skip)]
    pub(crate) starts_at: Option<DateTime<Utc>>,
    /// Time zone of `starts_at`.
    #[serde(skip)]
    pub(crate) time_zone: Option<String>,
    /// Id of the reservation of a ticket; `None` for other subjects.
    #[serde(skip)]
    pub(crate) reservation_id: Option<Uuid>,
    pub(crate) before: Option<Value>,
    pub(crate) after: Option<Value>,
    pub(crate) reason: Option<String>,
    pub(crate) acted_at: DateTime<Utc>,
}

/// Change of a subject that came between an editor's reading and saving, as the refused editor sees it.
#[derive(Clone, Debug)]
pub(crate) struct LaterAct {
    pub(crate) who: String,
    pub(crate) before: Option<Value>,
    pub(crate) after: Option<Value>,
    pub(crate) acted_at: DateTime<Utc>,
}
