//! Points.

use crate::{
    payment::checkout::pages::{
        self as checkout, ChargeDocument,
        order::{CheckoutDocument, create_charge},
    },
    wallet::{
        self,
        charges::model::Charged,
        pages::WalletDocument,
        transfers::{
            list::pages::{TransfersDocument, list_transfers},
            model::Requested,
            pages::{self as transfers, TransferDocument, TransferStatusDocument},
        },
    },
    web::{
        operation::{changes, creates, file, shows},
        path::{Path, at},
    },
};

#[rustfmt::skip]
pub(super) fn paths() -> Vec<Path> {
    vec![
        at("/wallet")
            .get(wallet::pages::show_wallet, shows::<WalletDocument<'_>>("Shows the wallet: usable points, its history, and transfers under way.")),
        at("/wallet/statement.csv")
            .get(wallet::statement::pages::show_statement, file("Downloads the history of the wallet.", "text/csv")),
        at("/wallet/charges")
            .post(create_charge, creates::<Charged>("Adds points to the wallet: at once in a demo, else by a payment at the provider.").answers::<CheckoutDocument>(202).refuses("account-deleted charge-hold-over wallet-full provider-away provider-refused contended key-reused already-processing")),
        at("/wallet/charges/{id}")
            .get(checkout::show_charge, shows::<ChargeDocument>("Shows a purchase of points, and whether it is paid.")),
        at("/wallet/transfers")
            .get(list_transfers, shows::<TransfersDocument<'_>>("Lists points sent and received, the newest first."))
            .post(transfers::create_transfer, creates::<Requested>("Offers points to another person.").refuses("insufficient-points self-transfer transfer-limit account-deleted contended key-reused already-processing")),
        at("/wallet/transfers/{id}")
            .get(transfers::show_transfer, shows::<TransferDocument<'_>>("Shows points sent or received, with their history, to both sides.")),
        at("/wallet/transfers/{id}/acceptance")
            .post(transfers::create_acceptance, changes::<TransferStatusDocument>("Accepts points.").refuses("already-settled transfer-planned points-frozen expired wallet-full account-deleted contended")),
        at("/wallet/transfers/{id}/rejection")
            .post(transfers::create_rejection, changes::<TransferStatusDocument>("Rejects points.").refuses("already-settled expired contended")),
        at("/wallet/transfers/{id}/cancellation")
            .post(transfers::create_cancellation, changes::<TransferStatusDocument>("Takes back points that are not accepted.").refuses("already-settled expired contended")),
    ]
}
