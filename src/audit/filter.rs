//! Filters of the audit log.

use uuid::Uuid;

use crate::{accounts::find_accounts, infra::postgres::Pool};

/// Filter for lines of the log; `None` does not restrict.
#[derive(Clone, Debug, Default)]
pub struct AuditFilter {
    /// Name of an act, as stored in `audit_log.act`.
    pub act: Option<String>,
    /// Id of one subject.
    pub subject_id: Option<String>,
    /// Beginning of the name or address of the account that acted.
    pub who: Option<String>,
}

impl AuditFilter {
    /// Resolves `who` to account ids.
    pub async fn resolve(&self, db: &Pool) -> Result<ResolvedFilter, sqlx::Error> {
        let who = match &self.who {
            Some(text) => Some(find_accounts(db, text).await?),
            None => None,
        };
        Ok(ResolvedFilter { act: self.act.clone(), subject_id: self.subject_id.clone(), who })
    }
}

/// [`AuditFilter`] with `who` resolved to account ids.
#[derive(Clone, Debug, Default)]
pub struct ResolvedFilter {
    pub act: Option<String>,
    pub subject_id: Option<String>,
    pub who: Option<Vec<Uuid>>,
}
