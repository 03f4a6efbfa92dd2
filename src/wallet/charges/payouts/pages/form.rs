//! Payout form: its fields as sent, and its box on the wallet page.

use schemars::JsonSchema;
use serde::Deserialize;
use tokio::try_join;
use uuid::Uuid;

use crate::{
    accounts::AccountId,
    app::App,
    infra::{idempotency::RequestKey, ids::new_id},
    points::Points,
    wallet::charges::payouts::{model::ShownPayout, plan::PlannedPart, preview, store},
    web::{
        form::{Field, Mistakes},
        request_key,
    },
};

/// Payouts that a page lists.
pub const SHOWN_MAX: i64 = 20;

/// Payouts of a wallet as its page shows them, and the form.
#[derive(Debug)]
pub struct PayoutBox {
    /// What can be paid out, the newest purchase first.
    pub parts: Vec<PlannedPart>,
    /// The newest payouts.
    pub payouts: Vec<ShownPayout>,
    pub request_key: Uuid,
    pub refusal: Option<String>,
}

impl PayoutBox {
    /// Creates the box of an office whose points cost no money.
    pub fn empty(refusal: Option<String>) -> Self {
        Self { parts: Vec::new(), payouts: Vec::new(), request_key: new_id(), refusal }
    }

    /// Reads the box of an account.
    pub async fn of(
        app: &App,
        account_id: AccountId,
        refusal: Option<String>,
    ) -> Result<Self, sqlx::Error> {
        let shown = store::list_shown(&app.db, account_id, None, SHOWN_MAX);
        let (parts, payouts) = try_join!(preview(&app.db, account_id), shown)?;
        Ok(Self { parts, payouts, request_key: new_id(), refusal })
    }

    /// Returns the points of all parts.
    pub fn points(&self) -> Points {
        Points::new(self.parts.iter().map(|part| part.points).sum()).unwrap_or_default()
    }
}

/// Fields of a payout, as sent.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct PayoutForm {
    /// Points to be paid out at most; empty: all that can be.
    points: Field,
    /// UUID of the request. Repeated with the same body, it answers the first success again.
    request_key: Field,
}

impl PayoutForm {
    pub(super) fn parse(
        &self,
        account_id: AccountId,
    ) -> Result<(i64, Option<RequestKey>), Mistakes> {
        let mut mistakes = Mistakes::default();
        let points = match self.points.is_empty() {
            true => Some(i64::MAX),
            false => self.points.parse().filter(|points| *points > 0),
        };
        let points = mistakes.note("points", "payout-refusal-points", points);
        let key = request_key::parse(&mut mistakes, &self.request_key);
        let order = points.map(|points| {
            let route = "POST /wallet/payouts";
            (points, key.map(|key| RequestKey::new(account_id.0, key, route, &points)))
        });
        mistakes.or(order)
    }
}
