//! The line of a program: the queue, its draw and its logs.

use super::{AccountError, KitError, QueueError};
use crate::{
    entry_queue::{
        announcements::{AnnouncementsDocument, pages as announcements},
        draw::{self, DrawDocument, entries::OwnEntry},
        guards::pages::{ProofDocument, WaitDocument},
        log::{self, pages::LogDocument, receipt::model::Receipt},
        model::QueueState,
        pages,
        turn_notices::pages::{self as notices, NoticeDocument, NoticeWithdrawalDocument},
    },
    web::{
        error::codes,
        path::{
            Path, at,
            operation::{changes, creates, ends, file, gives, page, shows},
        },
    },
};

#[rustfmt::skip]
pub(super) fn paths() -> Vec<Path> {
    let mut paths = vec![
        at("/programs/{slug}/queue").with_counted_refusals()
            .get(pages::show_queue, shows::<QueueState>("Shows the account's place in the queue, and sets the entry pass once it is admitted. Ask again after `retry_after_ms`.").refuses(codes![QueueError::NoToken]))
            .post(pages::create_token, creates::<QueueState>("Joins the queue.").refuses(codes![AccountError::Deleted, QueueError::{TokenAlreadyIssued, SaleNotOpen, AddressUnconfirmed, ProofRequired, SaleClosed, AccountTooNew, AddressFull, CoolingDown, DrawClosed, DrawRunning}]))
            .delete(pages::delete_token, ends("Leaves the queue. What is held can still be paid.").refuses(codes![QueueError::NoToken])),
        at("/programs/{slug}/queue/new")
            .get(pages::new_token, page("Asks whether to join, and with a code or work where the show wants them.")),
        at("/programs/{slug}/queue/proof")
            .get(pages::show_proof, shows::<ProofDocument>("Sets the work that a join takes where the show is guarded."))
            .post(pages::create_wait, creates::<WaitDocument>("Begins the wait that replaces the work.")),
        at("/programs/{slug}/queue/notice")
            .post(notices::create_notice, creates::<NoticeDocument>("Asks for a mail when the turn comes.").refuses(codes![QueueError::NoToken]))
            .delete(notices::delete_notice, changes::<NoticeWithdrawalDocument>("Withdraws the request for a mail.").refuses(codes![QueueError::NoToken])),
        at("/programs/{slug}/queue/notice/withdrawal")
            .post(notices::delete_notice, changes::<NoticeWithdrawalDocument>("Withdraws the request for a mail, from a form.").refuses(codes![QueueError::NoToken])),
        at("/programs/{slug}/queue/departure")
            .post(pages::delete_token, ends("Leaves the queue, from a form.").refuses(codes![QueueError::NoToken])),
        at("/programs/{slug}/queue/receipt")
            .get(log::pages::receipt::show_receipt, shows::<Receipt>("Shows the receipt that proves the account's number in the public log.").refuses(codes![QueueError::{NoToken, ReceiptUnavailable}])),
        at("/programs/{slug}/queue/receipt.json")
            .get(log::pages::receipt::download_receipt, gives::<Receipt>("Downloads the receipt.").refuses(codes![QueueError::{NoToken, ReceiptUnavailable}])),
        at("/programs/{slug}/queue/receipt.svg")
            .get(log::pages::receipt::show_qr_code, file("Draws the receipt as a QR code.", "image/svg+xml").refuses(codes![QueueError::{NoToken, ReceiptUnavailable}])),
        at("/programs/{slug}/announcements")
            .get(announcements::show_announcements, gives::<AnnouncementsDocument<'_>>("Returns what the office says to everybody who waits or is inside, once or as a stream of events.").or_file("text/event-stream").refuses(codes![KitError::TooOften])),
    ];
    paths.extend(draw_paths());
    paths.extend(log_paths());
    paths
}

#[rustfmt::skip]
fn draw_paths() -> Vec<Path> {
    vec![
        at("/programs/{slug}/draw")
            .get(draw::pages::show_draw, shows::<DrawDocument>("Shows the opening draw, with everything that is needed to check it.")),
        at("/programs/{slug}/draw.json")
            .get(draw::pages::download_draw, gives::<DrawDocument>("Downloads the opening draw.")),
        at("/programs/{slug}/draw/entries/{page}")
            .get(draw::pages::show_entries, file("Lists the hashed entries of a closed draw, a page at a time.", "text/plain")),
        at("/programs/{slug}/draw/entry")
            .get(draw::pages::show_entry, shows::<OwnEntry>("Shows the account's entry in the draw.").refuses(codes![QueueError::NoToken]))
            .delete(draw::pages::delete_entry, ends("Takes the account out of the draw.").refuses(codes![QueueError::{NoToken, DrawClosed, DrawRunning}])),
        at("/programs/{slug}/draw/entry.json")
            .get(draw::pages::download_entry, gives::<OwnEntry>("Downloads the account's entry.").refuses(codes![QueueError::NoToken])),
        at("/programs/{slug}/draw/entry/withdrawal")
            .post(draw::pages::delete_entry, ends("Takes the account out of the draw, from a form.").refuses(codes![QueueError::{NoToken, DrawClosed, DrawRunning}])),
    ]
}

#[rustfmt::skip]
fn log_paths() -> Vec<Path> {
    vec![
        at("/programs/{slug}/log")
            .get(log::pages::show_log, shows::<LogDocument<'_>>("Shows the public logs of the queue: the order of joins, and the moves.")),
        at("/programs/{slug}/log/checkpoint")
            .get(log::pages::checkpoint::show_checkpoint, file("Returns the newest signed checkpoint of the log of joins.", "text/plain")),
        at("/programs/{slug}/log/checkpoint/cosigned")
            .get(log::pages::checkpoint::show_cosigned, file("Returns the newest checkpoint that witnesses signed, too.", "text/plain")),
        at("/programs/{slug}/log/tile/{*path}")
            .get(log::pages::show_tile, file("Returns a tile of the log of joins (C2SP tlog-tiles).", "application/octet-stream")),
        at("/programs/{slug}/log/moves/checkpoint")
            .get(log::pages::checkpoint::show_move_checkpoint, file("Returns the newest signed checkpoint of the log of moves.", "text/plain")),
        at("/programs/{slug}/log/moves/checkpoint/cosigned")
            .get(log::pages::checkpoint::show_cosigned_moves, file("Returns the newest checkpoint of moves that witnesses signed, too.", "text/plain")),
        at("/programs/{slug}/log/moves/tile/{*path}")
            .get(log::pages::show_move_tile, file("Returns a tile of the log of moves.", "application/octet-stream")),
    ]
}
