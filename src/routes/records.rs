//! Figures, mails and the log of acts.

use super::{AdminError, FieldsError, KitError, WalletError};
use crate::{
    accounts::admin_of,
    admin::{
        audit_log::pages::{self as audit_log, ActsDocument},
        charges::pages::{self as charges, UnclaimedDocument},
        mails::pages::{self as mails, LetterDocument, MailListDocument},
        office::pages as office,
        payouts::pages::{self as payouts, AttemptsDocument, PayoutsDocument},
        popularity::pages::{self as popularity, PopularityDocument, SellOutsDocument},
        receipts::pages as receipts,
        reconciliation::pages::{
            ReconciliationDocument, create_reconciliation, show_reconciliation,
        },
        setbacks::pages::{SetbacksDocument, end_setback, show_setbacks},
        settlement::{
            money::pages as money,
            pages::{self as settlement, SettlementDocument},
        },
    },
    office::model::OfficeSettings,
    outbox::MailId,
    receipts::pages::ReceiptsDocument,
    setbacks::model::Setback,
    wallet::charges::payouts::PaidOut,
    web::{
        error::codes,
        page::Identified,
        path::{
            Path, at,
            operation::{changes, file, page, shows},
        },
    },
};

#[rustfmt::skip]
pub(super) fn paths() -> Vec<Path> {
    vec![
        at("/admin/charges")
            .get(charges::list_unclaimed, shows::<UnclaimedDocument<'_>>("Lists money that came for deleted accounts.")),
        at("/admin/charges.csv")
            .get(charges::download_charges, file("Downloads the purchases of points of a day.", "text/csv").refuses(codes![FieldsError::Invalid])),
        at("/admin/payouts")
            .get(payouts::list_payouts, shows::<PayoutsDocument<'_>>("Lists money on its way back to cards, the newest first, with its sums.").refuses(codes![FieldsError::Invalid])),
        at("/admin/payouts/attempts")
            .post(payouts::create_attempts, changes::<AttemptsDocument>("Tries failed payouts again.").refuses(codes![FieldsError::Invalid])),
        at("/admin/payouts/{id}/attempts")
            .post(payouts::create_attempt, changes::<PaidOut>("Tries a failed payout again, or asks the provider about one under way.").refuses(codes![WalletError::{NothingToPayOut, PayoutNotFailed}])),
        at("/admin/receipts")
            .get(receipts::list_all_receipts, shows::<ReceiptsDocument>("Lists the receipts of all people, the newest first.")),
        at("/admin/receipts.csv")
            .get(receipts::download_receipts, file("Downloads the list of all receipts.", "text/csv")),
        at("/admin/receipts/{number}.pdf")
            .get(receipts::show_any_receipt_pdf, file("Downloads a receipt.", "application/pdf")),
        at("/admin/reconciliation")
            .get(show_reconciliation, page("Shows the form that compares a day with the payment provider."))
            .post(create_reconciliation, changes::<ReconciliationDocument>("Compares the payments and refunds of a day with the payment provider's lists; changes nothing.").or_page(200).refuses(codes![WalletError::{ProviderAway, ProviderRefused}])).with_long_deadline(),
        at("/admin/setbacks")
            .get(show_setbacks, shows::<SetbacksDocument<'_>>("Shows what is known to be lost after a backup was put back.")),
        at("/admin/setbacks/{id}/end")
            .post(end_setback, changes::<Setback>("Lets lines and sales go on after a backup was put back: no number is given and no log signed a second time.").refuses(codes![AdminError::SetbackEnded])),
        at("/admin/settlement")
            .get(settlement::show_settlement, shows::<SettlementDocument>("Settles a show, or a period across shows: what was sold and given back, and the tax.").refuses(codes![FieldsError::Invalid])),
        at("/admin/settlement/money.csv")
            .get(money::download_money, file("Downloads the money of a period, by day and kind of entry.", "text/csv").refuses(codes![FieldsError::Invalid])),
        at("/admin/settlement/money.jsonl")
            .get(money::stream_money, file("Downloads the money of a period, by day and kind of entry, one JSON document a line.", "application/x-ndjson").refuses(codes![FieldsError::Invalid])),
        at("/admin/settlement.csv")
            .get(settlement::download_settlement, file("Downloads the lines of a settlement.", "text/csv").refuses(codes![FieldsError::Invalid])),
        at("/admin/settlement.jsonl")
            .get(settlement::stream_settlement, file("Downloads the lines of a settlement, one JSON document a line.", "application/x-ndjson").refuses(codes![FieldsError::Invalid])),
        at("/admin/popularity")
            .get(popularity::show_popularity, shows::<PopularityDocument<'_>>("Ranks shows or performances by sales.").refuses(codes![FieldsError::Invalid])),
        at("/admin/popularity/sell-outs")
            .get(popularity::show_sell_outs, shows::<SellOutsDocument<'_>>("Lists the performances that were sold out, and how long it took.")),
        at("/admin/mails")
            .get(mails::list_mails, shows::<MailListDocument<'_>>("Lists the mails, the newest first.")),
        at("/admin/mails/{id}")
            .get(mails::show_mail, shows::<LetterDocument<'_>>("Shows a mail.")),
        at("/admin/mails/{id}/html")
            .get(mails::show_html, page("Shows the page of a mail, as its reader sees it.")),
        at("/admin/mails/{id}/sending")
            .post(mails::create_sending, changes::<Identified<MailId>>("Sends again a mail that was given up.").refuses(codes![AdminError::MailNotFailed])),
        at("/admin/office")
            .get(office::show_office, shows::<OfficeSettings>("Shows the settings of the office."))
            .post(office::update_office, changes::<OfficeSettings>("Changes the settings of the office.").refuses(codes![KitError::ChangedMeanwhile])).uploads(admin_of),
        at("/admin/office/logo")
            .post(office::update_logo, changes::<OfficeSettings>("Replaces the logo.").refuses(codes![KitError::{ChangedMeanwhile, Contended, PictureTooLarge, PictureUnreadable}])).uploads(admin_of),
        at("/admin/office/logo/removal")
            .post(office::remove_logo, changes::<OfficeSettings>("Removes the logo.").refuses(codes![KitError::ChangedMeanwhile])),
        at("/admin/audit")
            .get(audit_log::list_acts, shows::<ActsDocument>("Lists the acts of administrators and their API keys.")),
        at("/admin/audit.csv")
            .get(audit_log::download_acts, file("Downloads the acts of administrators and their API keys.", "text/csv")),
    ]
}
