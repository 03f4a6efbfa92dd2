//! Filters of the audit log.

use uuid::Uuid;

use crate::{accounts::find_accounts, infra::postgres::Pool};

/// Filter for lines of the log; `None` does not restrict.
#[derive(Clone, Debug, Default)]
pub(crate) struct AuditFilter {
    /// Name of an act, as stored in `audit_log.act`.
    pub(crate) act: Option<String>,
    /// Id of one subject.
    pub(crate) subject_id: Option<String>,
    /// Beginning of the name or address of the account that acted.
    pub(crate) who: Option<String>,
}

impl AuditFilter {
    /// Resolves `who` to account ids.
    pub(crate) async fn resolve(&self, db: &Pool) -> Result<ResolvedFilter, sqlx::Error> {
        let who = match &self.who {
            Some(text) => Some(find_accounts(db, text).await?),
            None => None,
        };
        Ok(ResolvedFilter { act: self.act.clone(), subject_id: self.subject_id.clone(), who })
    }
}

/// [`AuditFilter`] with `who` resolved to account ids.
#[derive(Clone, Debug, Default)]
pub(crate) struct ResolvedFilter {
    pub(crate) act: Option<String>,
    pub(crate) subject_id: Option<String>,
    pub(crate) who: Option<Vec<Uuid>>,
}
