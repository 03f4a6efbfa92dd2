//! The URL table: every path with its handlers and their descriptions for the API reference, one file
//! for each group of the reference.

mod account;
mod door;
mod houses;
mod integrations;
mod people;
mod programs;
mod queue;
mod records;
mod reservations;
mod seats;
mod service;
mod shows;
mod tickets;
mod wallet;

use std::sync::LazyLock;

use crate::{
    account_deletion::error::DeletionError,
    accounts::AccountError,
    admin::error::AdminError,
    api_reference::ApiReference,
    catalog::{CatalogError, price_types::PriceTypeError},
    entry_queue::QueueError,
    payment::{
        PaymentError, exchange::error::ExchangeError, shares::error::ShareError,
        ticket_refund::error::TicketRefundError,
    },
    receipts::error::ReceiptError,
    rehearsal::error::FixtureError,
    reservation::{
        InventoryError, ReservationError,
        codes::error::{CodeEditError, CodeRefusal},
        order_rules::error::BrokenRule,
        returns::error::ReturnRefusal,
        waiting_list::error::WaitingListError,
    },
    tickets::{
        TicketError,
        hand_over::error::HandOverError,
        returns::error::{ReturnError, TicketKept},
    },
    wallet::WalletError,
    web::{error::KitError, form::FieldsError, path::Path},
    webhooks::error::WebhookError,
};

/// Returns the table's rows.
pub fn all() -> Vec<Path> {
    let groups = [
        ("shows", shows::paths()),
        ("queue", queue::paths()),
        ("account", account::paths()),
        ("account", account::own_paths()),
        ("reservations", reservations::paths()),
        ("tickets", tickets::paths()),
        ("programs", houses::paths()),
        ("integrations", integrations::paths()),
        ("seats", seats::paths()),
        ("wallet", wallet::paths()),
        ("door", door::paths()),
        ("programs", programs::paths()),
        ("people", people::paths()),
        ("records", records::paths()),
        ("service", service::paths()),
    ];
    let in_group = |(group, paths): (&'static str, Vec<Path>)| {
        paths.into_iter().map(move |path| path.in_group(group))
    };
    groups.into_iter().flat_map(in_group).collect()
}

/// Returns the API reference of this table, which is made once in the life of a process.
pub fn api_reference() -> &'static ApiReference {
    static REFERENCE: LazyLock<ApiReference> = LazyLock::new(|| ApiReference::of(&all()));
    &REFERENCE
}
