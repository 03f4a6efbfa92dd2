//! Refusals of a sale's paths, counted by their code for the pages of administrators.
//!
//! A row of the URL table says that refusals of its changes are counted. They are counted for the program or the
//! performance that stands in the path, else for the office. A refusal is counted once, whether a page shows it in a
//! form or an error page does.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use actix_web::{dev::ServiceRequest, http::StatusCode, web::Data};

use super::error::{KitError, ProblemCode, codes};
use crate::{
    app::App,
    infra::tally::{OFFICE, Tally, scope_of},
};

/// Bound on the bytes of a name in a path that is a scope of its own.
const NAME_BYTES_MAX: usize = 80;
/// Refusal of requests that come too often, which is made before their program is looked up.
const TOO_OFTEN: &[ProblemCode] = codes![KitError::TooOften];

/// Count of a request's refusal, in the extensions of a request whose refusal is counted.
#[derive(Clone, Debug)]
pub(crate) struct RefusalCount {
    tally: Tally,
    scope: String,
    is_noted: Arc<AtomicBool>,
}

impl RefusalCount {
    /// Creates the count of a request; `None` outside of an office.
    pub(crate) fn of(request: &ServiceRequest) -> Option<Self> {
        let app = request.app_data::<Data<App>>()?;
        let scope = scope_in(request.path()).unwrap_or_else(|| OFFICE.to_owned());
        Some(Self { tally: app.tally.clone(), scope, is_noted: Arc::default() })
    }

    /// Counts the refusal with this code, unless it was counted before or is none of the sale: who is not logged in,
    /// or asks for what does not exist, is not refused by it. Requests above a limit are the office's, whatever
    /// names they make up.
    pub(crate) fn note(&self, status: StatusCode, code: &'static str) {
        let is_of_sale = status.is_client_error()
            && status != StatusCode::UNAUTHORIZED
            && status != StatusCode::NOT_FOUND;
        if !is_of_sale || self.is_noted.swap(true, Ordering::Relaxed) {
            return;
        }
        let is_too_often = TOO_OFTEN.iter().any(|row| row.code == code);
        self.tally.add(if is_too_often { OFFICE } else { &self.scope }, code);
    }
}

/// Returns the program or performance that `path` stands below; `None` for other paths, and for names that none has.
fn scope_in(path: &str) -> Option<String> {
    let mut parts = path.strip_prefix('/')?.splitn(3, '/');
    let (noun, name) = (parts.next()?, parts.next()?);
    let is_plain = |byte: u8| byte == b'-' || byte.is_ascii_alphanumeric();
    let is_name = name.len() <= NAME_BYTES_MAX && name.bytes().all(is_plain);
    (["programs", "schedules"].contains(&noun) && is_name).then(|| scope_of(noun, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_belongs_to_the_program_or_performance_in_its_path() {
        for (path, scope) in [
            ("/programs/hamlet/queue", Some("programs/hamlet")),
            ("/schedules/0190-af/reservations", Some("schedules/0190-af")),
            ("/reservations/0190-af/payment", None),
            ("/wallet/charges", None),
            ("/programs/%7Btally%7D/queue", None),
            ("/programs", None),
        ] {
            assert_eq!(scope_in(path).as_deref(), scope, "{path}");
        }
        assert_eq!(scope_in(&format!("/programs/{}/queue", "a".repeat(81))), None);
    }
}
