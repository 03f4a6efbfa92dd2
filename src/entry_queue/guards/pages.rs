//! Pages of the work that joining asks for: computed by a script, or waited for without one.

use actix_web::{HttpRequest, HttpResponse, http::StatusCode, web::Data};
use askama::Template;
use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Challenge, JoinAttempt, Solution};
use crate::{
    accounts::CurrentAccount,
    app::App,
    catalog::Program,
    entry_queue::{
        guards,
        pages::program::AtProgram,
        paths::{proof_path, queue_path},
    },
    web::{
        client,
        error::{NotFound, PageError},
        form::Field,
        page::{View, see_other},
    },
};

/// Longest interval between two reloads of the page without JavaScript, in seconds.
const REFRESH_SECS_MAX: i64 = 30;

/// Form of a join: empty, or a solved challenge.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct JoinForm {
    /// Challenge that was set, where the show wants work.
    challenge: Field,
    /// Number that solves it.
    nonce: Field,
}

impl JoinForm {
    /// Returns the join attempt of `me`, the client that sent `request`.
    pub(crate) fn attempt(
        &self,
        app: &App,
        request: &HttpRequest,
        me: &CurrentAccount,
    ) -> JoinAttempt {
        let is_solved = !self.challenge.is_empty() && !self.nonce.is_empty();
        JoinAttempt {
            network: client::network(request, &app.config.trusted_proxies),
            is_address_confirmed: me.email_confirmed_at.is_some(),
            solution: is_solved.then(|| Solution {
                challenge: self.challenge.text().to_owned(),
                nonce: self.nonce.text().to_owned(),
            }),
        }
    }
}

#[derive(Template)]
#[template(path = "entry_queue/proof.html")]
struct ProofPage<'a> {
    v: &'a View,
    program: &'a Program,
    challenge: Challenge,
    /// End of the wait that was begun, if any.
    ready_at: Option<DateTime<Utc>>,
    now: DateTime<Utc>,
}

impl ProofPage<'_> {
    fn is_over(&self) -> bool {
        self.ready_at.is_some_and(|ready_at| ready_at <= self.now)
    }

    fn refresh_secs(&self) -> i64 {
        let left = self.ready_at.map_or(1, |ready_at| (ready_at - self.now).num_seconds() + 1);
        left.clamp(1, REFRESH_SECS_MAX)
    }

    fn time(&self, moment: &DateTime<Utc>) -> String {
        self.v.near(moment, &self.now, &self.program.time_zone)
    }
}

/// Work that a join takes, and the wait that replaces it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ProofDocument {
    /// The work.
    #[serde(flatten)]
    challenge: Challenge,
    /// Always `sha-256`.
    algorithm: &'static str,
    /// End of the wait that the account began; null: it began none.
    ready_at: Option<DateTime<Utc>>,
}

/// `GET /programs/{slug}/queue/proof`
pub async fn show_proof(
    app: Data<App>,
    AtProgram { program, me }: AtProgram<CurrentAccount>,
) -> Result<HttpResponse, PageError> {
    let v = &me.view;
    let Some(set) = guards::set_work(&app, me.account_id, &program).await? else {
        // The guard was turned off meanwhile: the browser is sent on to the program.
        return match v.format.is_for_programs() {
            true => Err(NotFound.into()),
            false => Ok(see_other(&format!("/programs/{}", program.slug))),
        };
    };
    if set.is_in && !v.format.is_for_programs() {
        return Ok(see_other(&queue_path(&program.slug)));
    }
    let (challenge, ready_at, now) = (set.challenge, set.ready_at, set.now);
    let document = ProofDocument { challenge: challenge.clone(), algorithm: "sha-256", ready_at };
    let page = ProofPage { v, program: &program, challenge, ready_at, now };
    Ok(v.show(&page, &document))
}

/// Wait that was begun.
#[derive(Debug, Serialize, JsonSchema)]
pub struct WaitDocument {
    ready_at: DateTime<Utc>,
    retry_after_ms: u64,
}

/// `POST /programs/{slug}/queue/proof`: begins a wait in place of work.
pub async fn create_wait(
    app: Data<App>,
    AtProgram { program, me }: AtProgram<CurrentAccount>,
    request: HttpRequest,
) -> Result<HttpResponse, PageError> {
    let network = client::network(&request, &app.config.trusted_proxies);
    let begun = guards::begin_wait(&app, me.account_id, &program, network).await?;
    let Some((ready_at, retry_after_ms)) = begun else { return Err(NotFound.into()) };
    let document = WaitDocument { ready_at, retry_after_ms };
    Ok(me.view.done(StatusCode::CREATED, &document, &proof_path(&program.slug)))
}
