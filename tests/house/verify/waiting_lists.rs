//! Waiting lists and their offers, each broken once.

use sqlx::PgPool;
use stagedoor::verify::Invariant::WishesAreServedInOrder;

use super::{HEALTHY, UNGUARDED, breaks, run, violations};

broken! {
    a_wish_that_nobody_counts: WishesAreServedInOrder, "update waiting_lists set waiting = 0";
    a_gap_in_the_numbers_of_a_list: WishesAreServedInOrder,
        "update waiting_lists set next_number = 5; update wishes set number = 4 where number = 3";
    an_offer_of_nothing: WishesAreServedInOrder,
        "update wishes set status = 'OFFERED', settled_at = now() where status = 'WAITING';
         update waiting_lists set waiting = 0";
    an_offer_to_whoever_left: WishesAreServedInOrder,
        "update wishes set status = 'LEFT' where status = 'OFFERED'";
    an_offer_of_less_than_was_wished_for: WishesAreServedInOrder,
        "update wishes set places = 2 where status = 'OFFERED'";
    an_offer_above_the_price: WishesAreServedInOrder,
        "update wishes set price_max = 49999 where status = 'OFFERED'";
    an_offer_of_another_area: WishesAreServedInOrder,
        "update wishes set section = 'Standing' where status = 'OFFERED'";
    an_offer_of_another_zone: WishesAreServedInOrder,
        "update reservation_items set schedule_seat_id = null,
             zone_id = '00000000-0000-0000-0000-000000000004'
         where id::text like '%c5';
         update wishes set section = 'Standing' where status = 'OFFERED'";
    a_wish_that_was_passed_over: WishesAreServedInOrder, PASSED;
    a_wish_of_somebody_who_was_locked_later: WishesAreServedInOrder,
        &format!("{PASSED}; update accounts set locked_at = now() where name = 'bob'");
    a_wish_of_somebody_who_was_locked_and_unlocked_before: WishesAreServedInOrder,
        &format!("{PASSED}; {}", was_locked("2 hours", "90 minutes"));
}

/// Bob's wish is passed over by that of cas, which was served an hour ago.
const PASSED: &str = "
    update wishes set number = 9 where status = 'OFFERED';
    update wishes set number = 2 where status = 'WAITING';
    update wishes set number = 3 where status = 'OFFERED'";

/// Acts by which bob was locked and unlocked, so long ago.
fn was_locked(since: &str, until: &str) -> String {
    format!(
        "insert into audit_log (id, account_id, act, subject_kind, subject_id, acted_at)
         select gen_random_uuid(), id, act, 'account', id, now() - ago::interval
         from accounts, (values ('account-locked', '{since}'), ('account-unlocked', '{until}'))
            acts (act, ago)
         where name = 'bob'"
    )
}

/// Act by which the least number of places of an order became 1, so long ago.
fn had_least_number(least: i32, until: &str) -> String {
    format!(
        "insert into audit_log (id, account_id, act, subject_kind, subject_id, before, acted_at)
         select gen_random_uuid(), accounts.id, 'program-edited', 'program', programs.id,
            '{{\"places_per_order_min\": {least}}}', now() - interval '{until}'
         from accounts, programs where name = 'bob'"
    )
}

/// The offered place was on return, and could be held in any number.
#[sqlx::test]
async fn a_wish_for_fewer_is_passed_over_by_an_offer_of_what_is_on_return(db: PgPool) {
    run(&db, HEALTHY.to_owned()).await;
    run(&db, super::returns::RETURNED.to_owned()).await;
    run(&db, format!("{UNGUARDED}; {PASSED}; {}", had_least_number(2, "10 minutes"))).await;
    assert_eq!(violations(&db).await, []);
    let offer = "select id from reservations where wish_id is not null";
    let of_return = format!(
        "update reservations set buys_return = true where id in ({offer});
         update reservation_items set return_id = (
            select id from ticket_returns where status = 'OPEN') where reservation_id in ({offer})"
    );
    run(&db, of_return).await;
    let found = violations(&db).await;
    let passed = found.iter().filter(|found| found.invariant == WishesAreServedInOrder);
    assert_eq!(passed.count(), 1, "{found:#?}");
}

#[sqlx::test]
async fn a_wish_that_was_rightly_passed_over_is_none_that_was_passed(db: PgPool) {
    run(&db, HEALTHY.to_owned()).await;
    run(&db, format!("{UNGUARDED}; {PASSED}")).await;
    let acts = [was_locked("90 minutes", "10 minutes"), had_least_number(2, "10 minutes")];
    for act in acts {
        run(&db, act.clone()).await;
        assert_eq!(violations(&db).await, []);
        run(&db, "alter table audit_log disable trigger audit_log_append_only".to_owned()).await;
        run(&db, "delete from audit_log where act <> 'refunded'".to_owned()).await;
        assert_eq!(violations(&db).await.len(), 1, "{act}");
    }
}
