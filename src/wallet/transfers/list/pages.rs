//! Page of the list, and its query.

use actix_web::{
    HttpResponse,
    web::{Data, Query},
};
use askama::Template;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::VariantArray;
use url::form_urlencoded;
use uuid::Uuid;

use super::{
    ListedTransfers, list_page,
    model::{Counterparty, TransferFilter},
};
use crate::{
    accounts::{CurrentAccount, Email},
    app::App,
    infra::postgres::page::Page,
    wallet::transfers::model::{Transfer, TransferDirection, TransferId, TransferStatus},
    web::{
        error::PageError,
        form::{Field, FormRefusal, Mistakes},
        page::View,
    },
};

/// Path of the list.
pub const TRANSFERS_PATH: &str = "/wallet/transfers";
/// Value of a filter that selects everything, as an empty one does.
const ALL: &str = "all";

/// Query of the list: the filter as typed, and the last request seen.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct TransferQuery {
    /// `sent` or `received`; empty or `all`: both.
    direction: Field,
    /// Status, such as `PENDING`; empty or `all`: any.
    status: Field,
    /// Address of the other person, or id of a request with the person.
    counterparty: Field,
    /// Id of the last request of the page before.
    after: Field,
}

impl TransferQuery {
    fn parse(&self) -> Result<(TransferFilter, Option<TransferId>), Mistakes> {
        let mut mistakes = Mistakes::default();
        let (mut filter, mut after) = (TransferFilter::default(), None);
        if !self.direction.is_empty() && self.direction.text() != ALL {
            let direction = self.direction.parse();
            filter.direction = mistakes.note("direction", "wallet-refusal-direction", direction);
        }
        if !self.status.is_empty() && self.status.text() != ALL {
            filter.status = mistakes.note("status", "wallet-refusal-status", self.status.parse());
        }
        if !self.counterparty.is_empty() {
            let of_transfer = || self.counterparty.parse().map(Counterparty::OfTransfer);
            let address = Email::parse(self.counterparty.text()).map(Counterparty::Address);
            let counterparty = address.or_else(of_transfer);
            filter.counterparty =
                mistakes.note("counterparty", "account-refusal-email", counterparty);
        }
        if !self.after.is_empty() {
            after = mistakes.note("after", "wallet-refusal-after", self.after.parse());
        }
        mistakes.or(Some((filter, after)))
    }

    /// Returns the address of the same list after the request `after`.
    fn href(&self, after: Option<&Uuid>) -> String {
        let mut query = form_urlencoded::Serializer::for_suffix(
            format!("{TRANSFERS_PATH}?"),
            TRANSFERS_PATH.len() + 1,
        );
        let fields = [
            ("direction", &self.direction),
            ("status", &self.status),
            ("counterparty", &self.counterparty),
        ];
        for (name, field) in fields.into_iter().filter(|(_, field)| !field.is_empty()) {
            query.append_pair(name, field.text());
        }
        if let Some(after) = after {
            query.append_pair("after", &after.to_string());
        }
        query.finish()
    }
}

#[derive(Template)]
#[template(path = "wallet/transfers.html")]
struct TransfersPage {
    v: View,
    query: TransferQuery,
    refusal: FormRefusal,
    transfers: Page<Transfer>,
    /// Name of a counterparty who was picked by a request.
    picked: Option<String>,
}

impl TransfersPage {
    /// Whether the filter selects requests of `direction` only.
    fn is_direction(&self, direction: TransferDirection) -> bool {
        self.query.direction.text() == direction.as_ref()
    }

    /// Whether the filter selects requests in `status` only.
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "called from templates")]
    fn is_status(&self, status: &TransferStatus) -> bool {
        self.query.status.text() == status.as_ref()
    }

    /// Whether the filter leaves anything out.
    fn is_narrow(&self) -> bool {
        let TransferQuery { direction, status, counterparty, .. } = &self.query;
        [direction, status].into_iter().any(|field| !field.is_empty() && field.text() != ALL)
            || !counterparty.is_empty()
    }
}

/// Page of requests.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TransfersDocument<'a> {
    transfers: &'a [Transfer],
    /// Value of `after` for the next page; null on the last.
    next: Option<Uuid>,
}

/// Handles `GET /wallet/transfers`.
pub async fn list_transfers(
    app: Data<App>,
    me: CurrentAccount,
    query: Query<TransferQuery>,
) -> Result<HttpResponse, PageError> {
    let query = query.into_inner();
    let (filter, after) = match me.view.or_refusal(query.parse().map_err(PageError::from))? {
        Ok(parsed) => parsed,
        Err(refusal) => {
            let transfers = Page { rows: Vec::new(), next: None };
            let page = TransfersPage { v: me.view, query, refusal, transfers, picked: None };
            return Ok(page.v.html(page.refusal.status(), &page));
        }
    };
    let ListedTransfers { rows, picked } =
        list_page(&app.db, me.account_id, &filter, after).await?;
    let transfers = Page::cut(rows, |transfer| transfer.transfer_id.0);
    let refusal = FormRefusal::default();
    let page = TransfersPage { v: me.view, query, refusal, transfers, picked };
    let document = TransfersDocument { transfers: &page.transfers.rows, next: page.transfers.next };
    Ok(page.v.show(&page, &document))
}
