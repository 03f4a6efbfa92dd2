//! Lines of the audit log, as they are read.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use uuid::Uuid;

use crate::accounts::AccountId;

/// Line of the audit log, as stored.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LogLine {
    pub id: Uuid,
    pub account_id: AccountId,
    pub who: String,
    /// Name of the key by which the account acted; `None`: the account itself.
    pub api_key: Option<String>,
    pub act: String,
    pub subject_kind: String,
    pub subject_id: String,
    /// Name of the subject today, or of the program of a ticket or a reservation; `None` for deleted
    /// subjects.
    pub subject_name: Option<String>,
    /// Last six characters of a ticket's code; `None` for other subjects.
    #[serde(skip)]
    pub ticket_code: Option<String>,
    /// Start of a performance; `None` for other subjects.
    #[serde(skip)]
    pub starts_at: Option<DateTime<Utc>>,
    /// Time zone of `starts_at`.
    #[serde(skip)]
    pub time_zone: Option<String>,
    /// Id of the reservation of a ticket; `None` for other subjects.
    #[serde(skip)]
    pub reservation_id: Option<Uuid>,
    pub before: Option<Value>,
    pub after: Option<Value>,
    pub reason: Option<String>,
    pub acted_at: DateTime<Utc>,
}

/// Change of a subject that came between an editor's reading and saving, as the refused editor sees it.
#[derive(Clone, Debug)]
pub struct LaterAct {
    pub who: String,
    pub before: Option<Value>,
    pub after: Option<Value>,
    pub acted_at: DateTime<Utc>,
}
