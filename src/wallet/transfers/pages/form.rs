//! Transfer form: its fields as sent, and the form as shown.

use chrono::SubsecRound;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use uuid::Uuid;

use crate::{
    accounts::{AccountId, Email},
    app::App,
    infra::{idempotency::RequestKey, ids::new_id},
    points::Points,
    text::{
        i18n::Locale,
        times::{self, zone_name},
    },
    wallet::transfers::model::{OPEN_DAYS, TransferOrder},
    web::{
        form::{Field, FormRefusal, Mistakes, local_time::parse_optional_time},
        request_key,
    },
};

/// Digits of a second that the database stores.
const MICROS_DIGITS: u16 = 6;

/// Fields of a transfer request, as sent.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("required" = ["to", "amount"]))]
pub struct TransferForm {
    /// Email address of the recipient.
    pub to: Field,
    /// Points.
    pub amount: Field,
    /// Local time in the office's time zone, or RFC 3339; empty: at once.
    pub starts_at: Field,
    /// UUID of the request. Repeated with the same body, it answers the first success again.
    request_key: Field,
}

impl TransferForm {
    /// Parses the fields; notes every mistake.
    pub fn parse(
        &self,
        sender_id: AccountId,
        locale: Locale,
    ) -> Result<(TransferOrder, Option<RequestKey>), Mistakes> {
        let mut mistakes = Mistakes::default();
        let to = mistakes.note("to", "account-refusal-email", Email::parse(self.to.text()));
        let amount = self.amount.parse().and_then(Points::new);
        let amount = amount.filter(|amount| *amount > Points::ZERO);
        let amount = mistakes.note("amount", "wallet-refusal-send-amount", amount);
        let starts_at =
            parse_optional_time(&mut mistakes, "starts_at", &self.starts_at, times::home());
        // Whether the start lies ahead is up to the database.
        let starts_at = starts_at.map(|at| at.map(|at| at.trunc_subsecs(MICROS_DIGITS)));
        let key = request_key::parse(&mut mistakes, &self.request_key);
        let order = to.zip(amount).zip(starts_at).map(|((to, amount), starts_at)| {
            let key = key.map(|key| {
                let order = match starts_at {
                    None => json!({ "to": to.as_str(), "amount": amount }),
                    Some(at) => json!({ "to": to.as_str(), "amount": amount, "starts_at": at }),
                };
                RequestKey::new(sender_id.0, key, "POST /wallet/transfers", &order)
            });
            (TransferOrder { sender_id, to, amount, starts_at, locale }, key)
        });
        mistakes.or(order)
    }
}

/// Transfer form of the wallet page.
#[derive(Debug)]
pub struct SendBox {
    /// Request key of the form, so that a double click makes one request.
    pub request_key: Uuid,
    /// E-mail address typed before.
    pub to: String,
    /// Amount typed before.
    pub amount: String,
    /// Start typed before.
    pub starts_at: String,
    /// Why it was refused.
    pub refusal: FormRefusal,
    /// Days after which a request expires.
    pub days: u32,
    /// Abbreviation of the zone in which the start is typed.
    pub zone: String,
}

impl SendBox {
    pub(crate) fn new(app: &App) -> Self {
        Self {
            request_key: new_id(),
            to: String::new(),
            amount: String::new(),
            starts_at: String::new(),
            refusal: FormRefusal::default(),
            days: OPEN_DAYS,
            zone: zone_name(app.now(), times::home()),
        }
    }
}
