//! Tickets, and their ways from one holder to another.

use super::{
    BrokenRule, HandOverError, KitError, PaymentError, ReturnError, ReturnRefusal, TicketError,
    TicketKept, TicketRefundError,
};
use crate::{
    payment::ticket_refund::{self, model::TicketRefunded, pages::TicketRefundDocument},
    tickets::{
        hand_over::{
            self,
            model::{HandOverAnswered, TicketOffered},
            pages::HandOverDocument,
        },
        pages::{
            self, TicketDocument, TicketsDocument,
            bought::{self, BoughtDocument},
            downloads, mailing,
        },
        returns::{self, model::ReturnMade, pages::ReturnTakenBackDocument},
    },
    web::{
        error::codes,
        page::Empty,
        path::{
            Path, at,
            operation::{changes, creates, file, redirects, shows},
        },
    },
};

const PDF: &str = "application/pdf";
const CALENDAR: &str = "text/calendar";

#[rustfmt::skip]
pub(super) fn paths() -> Vec<Path> {
    vec![
        at("/reservations/{id}/tickets")
            .get(bought::show_bought, shows::<BoughtDocument<'_>>("Shows the tickets that a payment issued to the account.").or_redirects()),
        at("/reservations/{id}/tickets.pdf")
            .get(downloads::show_reservation_pdf, file("Downloads the tickets of a reservation, a page each.", PDF)),
        at("/reservations/{id}/tickets-a4.pdf")
            .get(downloads::show_reservation_print, file("Downloads the tickets of a reservation to print on A4.", PDF)),
        at("/reservations/{id}/tickets.ics")
            .get(downloads::show_reservation_calendar, file("Downloads the performance as an entry of a calendar.", CALENDAR)),
        at("/tickets")
            .get(pages::list_tickets, shows::<TicketsDocument<'_>>("Lists the account's tickets, and tickets that others offer to it.")),
        at("/tickets/{code}.ics")
            .get(downloads::show_calendar, file("Downloads the performance of a ticket as an entry of a calendar.", CALENDAR)),
        at("/tickets/{code}.pdf")
            .get(downloads::show_pdf, file("Downloads a ticket.", PDF)),
        at("/tickets/{code}.svg")
            .get(downloads::show_qr_code, file("Draws a ticket as a QR code.", "image/svg+xml")),
        at("/tickets/{code}")
            .get(pages::show_ticket, shows::<TicketDocument<'_>>("Shows a ticket.").or_redirects()),
        at("/tickets/{code}/hand-overs")
            .post(hand_over::pages::create_hand_over, creates::<TicketOffered>("Offers a ticket to another person.").refuses(codes![HandOverError::{NotValid, Begun, ToOneself, OfferedAlready, OnReturn, TooManyHands, TooManyOffers, TooOften, AddressUnconfirmed}, KitError::{Contended, KeyReused, AlreadyProcessing}])),
        at("/tickets/{code}/mail")
            .post(mailing::create_mail, changes::<Empty>("Mails the account its valid tickets of the performance once more, once in each ten minutes of the clock.").answers::<Empty>(202).refuses(codes![TicketError::{MailedLately, NoneValid}])),
        at("/tickets/{code}/refund")
            .get(ticket_refund::pages::show_ticket_refund, shows::<TicketRefundDocument>("Shows what comes back of a ticket that is refunded by itself now, or why nothing does.").refuses(codes![TicketKept::{NotValid, OnSale, NotPayer, Offered}, PaymentError::RefundOver, BrokenRule::{CompanionAlone, TooFew, WithoutOrdinary, WithoutWheelchair}]))
            .post(ticket_refund::pages::create_ticket_refund, creates::<TicketRefunded>("Refunds a ticket, and further ones of its order with it, by the terms of the order: their places are free again, and the rest of the order stays.").refuses(codes![TicketKept::{NotValid, OnSale, NotPayer, Offered}, TicketRefundError::Changed, PaymentError::RefundOver, BrokenRule::{CompanionAlone, TooFew, WithoutOrdinary, WithoutWheelchair}, KitError::{Contended, KeyReused, AlreadyProcessing}])),
        at("/tickets/{code}/returns")
            .post(returns::pages::create_return, creates::<ReturnMade>("Puts a ticket back on sale.").refuses(codes![ReturnError::{NotValid, OnReturn, NotPayer, Reduced, Offered, SaleClosed, PayoutChanged}, ReturnRefusal::Closed, BrokenRule::{CompanionAlone, TooFew, WithoutOrdinary, WithoutWheelchair}, KitError::{Contended, KeyReused, AlreadyProcessing}])),
        at("/returns/{id}")
            .get(returns::pages::show_return, redirects("Leads to the ticket of a return.")),
        at("/returns/{id}/cancellation")
            .post(returns::pages::create_cancellation, changes::<ReturnTakenBackDocument>("Takes back a ticket that is still on sale: at once, or as soon as the hold of its place ends unpaid.").answers::<ReturnTakenBackDocument>(202).refuses(codes![ReturnRefusal::{Ended, Gone}, KitError::Contended])),
        at("/hand-overs/{id}")
            .get(hand_over::pages::show_hand_over, shows::<HandOverDocument<'_>>("Shows a ticket that is offered, to both sides.")),
        at("/hand-overs/{id}/acceptance")
            .post(hand_over::pages::create_acceptance, changes::<HandOverAnswered>("Accepts a ticket.").refuses(codes![HandOverError::{NotValid, Ended, Expired, Begun, Frozen, AddressUnconfirmed}, KitError::Contended])),
        at("/hand-overs/{id}/declining")
            .post(hand_over::pages::create_declining, changes::<HandOverAnswered>("Declines a ticket.").refuses(codes![HandOverError::{Ended, Expired}, KitError::Contended])),
        at("/hand-overs/{id}/cancellation")
            .post(hand_over::pages::create_cancellation, changes::<HandOverAnswered>("Takes an offer back.").refuses(codes![HandOverError::{Ended, Expired}, KitError::Contended])),
    ]
}
