//! Hand-overs and the histories of tickets, each broken once.

use sqlx::PgPool;
use stagedoor::verify::Invariant::{PaidHasTickets, TicketsFollowHandOvers};

use super::breaks;

broken! {
    a_ticket_that_stayed_with_its_sender: PaidHasTickets,
        "update ticket_hand_overs set recipient_id = '00000000-0000-0000-0000-0000000000c1'
         where id::text like '%e2'";
    an_offer_of_a_ticket_that_was_used: TicketsFollowHandOvers,
        "update tickets set status = 'USED', used_at = now() where code = 'ADA'";
    an_offer_of_somebody_elses_ticket: TicketsFollowHandOvers,
        "update ticket_hand_overs set sender_id = '00000000-0000-0000-0000-0000000000c1'
         where status = 'PENDING'";
    a_hand_over_that_nobody_recorded: TicketsFollowHandOvers,
        "update ticket_hand_overs set status = 'ACCEPTED' where status = 'DECLINED'";
    a_change_of_hands_that_was_declined: TicketsFollowHandOvers,
        "update ticket_hand_overs set status = 'DECLINED' where id::text like '%e2'";
    a_gap_in_the_history_of_a_ticket: TicketsFollowHandOvers,
        "update ticket_holder_changes set number = 3 where number = 2";
    a_ticket_that_was_given_by_who_did_not_have_it: TicketsFollowHandOvers,
        "update ticket_hand_overs set sender_id = '00000000-0000-0000-0000-0000000000c1'
         where id::text like '%e2'";
    a_code_that_was_void_before: TicketsFollowHandOvers,
        "update tickets set code = 'BOB-1' where code = 'ADA'";
}
