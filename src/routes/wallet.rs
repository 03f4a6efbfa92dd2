//! Points.

use super::{AccountError, KitError, ReceiptError, ShareError, WalletError};
use crate::{
    payment::checkout::pages::{
        self as checkout, ChargeDocument,
        order::{CheckoutDocument, create_charge},
    },
    receipts::pages::{self as receipts, NumberedDocument, ReceiptNameDocument, ReceiptsDocument},
    receipts::shown::ReceiptDocument,
    wallet::{
        self,
        charges::{
            model::Charged,
            payouts::{PaidOut, pages::create_payout},
        },
        pages::WalletDocument,
        transfers::{
            list::pages::{TransfersDocument, list_transfers},
            model::Requested,
            pages::{self as transfers, TransferDocument, TransferStatusDocument},
        },
    },
    web::{
        error::codes,
        path::{
            Path, at,
            operation::{changes, creates, file, shows},
        },
    },
};

#[rustfmt::skip]
pub(super) fn paths() -> Vec<Path> {
    vec![
        at("/wallet")
            .get(wallet::pages::show_wallet, shows::<WalletDocument<'_>>("Shows the wallet: usable points, its history, and transfers under way.")),
        at("/wallet/statement.csv")
            .get(wallet::statement::pages::show_statement, file("Downloads the history of the wallet.", "text/csv")),
        at("/wallet/charges").with_counted_refusals()
            .post(create_charge, creates::<Charged>("Adds points to the wallet: at once in a demo, else by a payment at the provider.").answers::<CheckoutDocument>(202).refuses(codes![AccountError::Deleted, WalletError::{HoldOver, TooManyPoints, ProviderAway, ProviderRefused}, ShareError::{OwnLink, Taken, Ended, HoldOver, AddressUnconfirmed}, KitError::{NotFound, Contended, KeyReused, AlreadyProcessing}])),
        at("/wallet/charges/{id}")
            .get(checkout::show_charge, shows::<ChargeDocument>("Shows a purchase of points, and whether it is paid.")),
        at("/wallet/payouts")
            .post(create_payout, creates::<PaidOut>("Pays points that were bought out to the cards that paid for them.").refuses(codes![WalletError::{NothingToPayOut}, KitError::{Contended, KeyReused, AlreadyProcessing}])),
        at("/receipts")
            .get(receipts::list_receipts, shows::<ReceiptsDocument>("Lists the own receipts, the newest first, or those of one order.")),
        at("/receipts/name")
            .post(receipts::update_name, changes::<ReceiptNameDocument>("Keeps a name or company for the receipts of payments from now on.")),
        at("/receipts/{number}.pdf")
            .get(receipts::show_receipt_pdf, file("Downloads a receipt.", "application/pdf")),
        at("/receipts/{number}")
            .get(receipts::show_receipt, shows::<ReceiptDocument>("Shows a receipt of a payment or refund.")),
        at("/receipts/{number}/replacements")
            .post(receipts::create_replacement, creates::<NumberedDocument>("Makes a receipt for another name or company, which replaces this one.").refuses(codes![ReceiptError::{Replaced, TooMany}, KitError::Contended])),
        at("/wallet/transfers")
            .get(list_transfers, shows::<TransfersDocument<'_>>("Lists points sent and received, the newest first."))
            .post(transfers::create_transfer, creates::<Requested>("Offers points to another person.").refuses(codes![WalletError::{InsufficientPoints, SelfTransfer, TooManyRequests}, AccountError::Deleted, KitError::{Contended, KeyReused, AlreadyProcessing}])),
        at("/wallet/transfers/{id}")
            .get(transfers::show_transfer, shows::<TransferDocument<'_>>("Shows points sent or received, with their history, to both sides.")),
        at("/wallet/transfers/{id}/acceptance")
            .post(transfers::create_acceptance, changes::<TransferStatusDocument>("Accepts points.").refuses(codes![WalletError::{AlreadySettled, TransferPlanned, Frozen, TransferExpired, TooManyPoints}, AccountError::Deleted, KitError::Contended])),
        at("/wallet/transfers/{id}/rejection")
            .post(transfers::create_rejection, changes::<TransferStatusDocument>("Rejects points.").refuses(codes![WalletError::{AlreadySettled, TransferExpired}, KitError::Contended])),
        at("/wallet/transfers/{id}/cancellation")
            .post(transfers::create_cancellation, changes::<TransferStatusDocument>("Takes back points that are not accepted.").refuses(codes![WalletError::{AlreadySettled, TransferExpired}, KitError::Contended])),
    ]
}
