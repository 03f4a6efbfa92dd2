//! Form that offers a ticket: its fields as sent, and the form as shown.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use uuid::Uuid;

use crate::{
    accounts::{AccountId, Email},
    infra::{idempotency::RequestKey, ids::new_id},
    text::i18n::Locale,
    tickets::{
        hand_over::model::{HandOverOrder, OFFER_DAYS},
        model::TicketCode,
    },
    web::{
        form::{Field, Mistakes},
        request_key,
    },
};

/// Fields of a hand-over, as sent.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("required" = ["to"]))]
pub struct HandOverForm {
    /// Email address of the recipient.
    pub to: Field,
    /// UUID of the request. Repeated with the same body, it answers the first success again.
    request_key: Field,
}

impl HandOverForm {
    /// Parses the fields; notes every mistake.
    pub fn parse(
        &self,
        sender_id: AccountId,
        code: TicketCode,
        locale: Locale,
    ) -> Result<(HandOverOrder, Option<RequestKey>), Mistakes> {
        let mut mistakes = Mistakes::default();
        let to = mistakes.note("to", "account-refusal-email", Email::parse(self.to.text()));
        let key = request_key::parse(&mut mistakes, &self.request_key);
        let order = to.map(|to| {
            let key = key.map(|key| {
                let order = json!({ "code": code, "to": to.as_str() });
                RequestKey::new(sender_id.0, key, "POST /tickets/{code}/hand-overs", &order)
            });
            (HandOverOrder { sender_id, code, to, locale }, key)
        });
        mistakes.or(order)
    }
}

/// Form on a ticket's page.
#[derive(Clone, Debug)]
pub struct HandOverBox {
    /// Request key of the form, so that a double click makes one hand-over.
    pub request_key: Uuid,
    /// E-mail address typed before.
    pub to: String,
    /// Reason of the refusal.
    pub refusal: Option<String>,
    /// Days after which a hand-over expires.
    pub days: u32,
}

impl HandOverBox {
    pub(crate) fn new() -> Self {
        Self { request_key: new_id(), to: String::new(), refusal: None, days: OFFER_DAYS }
    }
}
