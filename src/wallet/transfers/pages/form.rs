//! Transfer form: its fields as sent, and the form as shown.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use uuid::Uuid;

use crate::{
    accounts::{AccountId, Email},
    app::App,
    infra::idempotency::RequestKey,
    points::Points,
    wallet::transfers::model::TransferOrder,
    web::{
        form::{Field, Mistakes},
        request_key,
    },
};

const SECS_PER_DAY: u32 = 86_400;

/// Fields of a transfer request, as sent.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("required" = ["to", "amount"]))]
pub(crate) struct TransferForm {
    /// Email address of the recipient.
    pub(crate) to: Field,
    /// Points.
    pub(crate) amount: Field,
    /// UUID of the request. Repeated with the same body, it answers the first success again.
    request_key: Field,
}

impl TransferForm {
    pub(crate) fn parse(
        &self,
        sender_id: AccountId,
    ) -> Result<(TransferOrder, Option<RequestKey>), Mistakes> {
        let mut mistakes = Mistakes::default();
        let to = mistakes.note("to", "account-refusal-email", Email::parse(self.to.text()));
        let amount = self.amount.parse().and_then(Points::new);
        let amount = amount.filter(|amount| *amount > Points::ZERO);
        let amount = mistakes.note("amount", "wallet-refusal-send-amount", amount);
        let key = request_key::parse(&mut mistakes, &self.request_key);
        let order = to.zip(amount).map(|(to, amount)| {
            let key = key.map(|key| {
                let order = json!({ "to": to.as_str(), "amount": amount });
                RequestKey::new(sender_id.0, key, "POST /wallet/transfers", &order)
            });
            (TransferOrder { sender_id, to, amount }, key)
        });
        mistakes.or(order)
    }
}

/// Transfer form of the wallet page.
#[derive(Clone, Debug)]
pub(crate) struct SendBox {
    /// Request key of the form, so that a double click makes one request.
    pub request_key: Uuid,
    /// E-mail address typed before.
    pub to: String,
    /// Amount typed before.
    pub amount: String,
    /// Reason of the refusal.
    pub refusal: Option<String>,
    /// Days after which a request expires, rounded up.
    pub days: u32,
}

impl SendBox {
    pub(crate) fn new(app: &App) -> Self {
        Self {
            request_key: Uuid::now_v7(),
            to: String::new(),
            amount: String::new(),
            refusal: None,
            days: app.config.transfer_ttl_secs.get().div_ceil(SECS_PER_DAY),
        }
    }
}
