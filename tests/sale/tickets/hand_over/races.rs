//! Answers, scans, refunds and the clock at the same moment: exactly one of them decides.

use sqlx::PgPool;
use uuid::Uuid;

use super::{Evening, act, handed, offer, offered};
use crate::support::{
    Answer, Concert, ConcertOptions, Hold, Office, Person, Purchase, count, overtaken, read_all,
    read_one, run_sql, storm, until_it_waits, until_locks_wait,
};

const RIVALS: usize = 40;
const ROUNDS: usize = 20;
const TRIES_MAX: usize = 5;

async fn scan(door: &Person, schedule_id: Uuid, code: &str) -> Answer {
    door.post(&format!("/door/{schedule_id}/check-ins"), &[("code", code)]).await
}

#[sqlx::test]
async fn of_many_acceptances_at_once_one_succeeds(db: PgPool) {
    let evening = Evening::tonight(&db, 1).await;
    let Evening { office, ada, bob, bought, .. } = &evening;
    let path = offered(&db, ada, &bought.codes[0], bob).await;
    let answers = storm((0..RIVALS).map(|idx| {
        let (bob, path) = (office.moved(bob, idx), path.clone());
        async move { act(&bob, &path, "acceptance").await }
    }))
    .await;
    assert_eq!(count(&answers, 200, ""), 1, "{answers:?}");
    assert_eq!(count(&answers, 409, "hand-over-ended"), RIVALS - 1, "{answers:?}");
    assert_eq!(read_one::<i64>(&db, "select count(*) from ticket_holder_changes").await, 1);
    evening.office.close().await;
}

#[sqlx::test]
async fn of_many_offers_of_a_ticket_at_once_one_is_made(db: PgPool) {
    let evening = Evening::tonight(&db, 1).await;
    let Evening { office, ada, bought, .. } = &evening;
    let friends = office.crowd(RIVALS, "friend").await;
    let answers = storm(friends.into_iter().enumerate().map(|(idx, friend)| {
        let (db, ada, code) = (db.clone(), office.moved(ada, idx), bought.codes[0].clone());
        async move { offer(&db, &ada, &code, &friend).await }
    }))
    .await;
    assert_eq!(count(&answers, 201, ""), 1, "{answers:?}");
    assert_eq!(count(&answers, 409, "hand-over-pending"), RIVALS - 1, "{answers:?}");
    evening.office.close().await;
}

/// Two friends, a door and the clock: each round ends in exactly one way, and the door agrees with it.
#[sqlx::test]
async fn of_accepting_declining_cancelling_scanning_and_running_out_exactly_one_wins(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let options = ConcertOptions {
        starts_in_secs: 3_600,
        seats: i32::try_from(ROUNDS).unwrap(),
        places_per_account_max: 50,
        ..ConcertOptions::default()
    };
    let concert = Concert::with(&db, options).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    let door = office.employ("door", "STAFF").await;
    let hold = Hold { seat_ids: &concert.seat_ids, ..Hold::default() };
    let bought = Purchase::make(&db, &concert, &ada, hold).await;
    for (round, old) in bought.codes.iter().enumerate() {
        let path = offered(&db, &ada, old, &bob).await;
        if round % 5 == 4 {
            let lapse = "update ticket_hand_overs set expires_at = now() - interval '1 second'
                         where status = 'PENDING'";
            run_sql(&db, lapse).await;
        }
        let (at, there) = (office.moved(&ada, round), office.moved(&bob, round + 1));
        let (accepted, declined, cancelled, scanned) = tokio::join!(
            act(&there, &path, "acceptance"),
            act(&bob, &path, "declining"),
            act(&at, &path, "cancellation"),
            scan(&door, concert.schedule_id, old),
        );
        let answers = [accepted.clone(), declined, cancelled];
        let n_won = count(&answers, 200, "");
        let n_told =
            count(&answers, 409, "hand-over-ended") + count(&answers, 410, "hand-over-expired");
        assert_eq!(n_won + n_told, 3, "{answers:?}");
        let status = ada.get(&path).await.json()["status"].as_str().unwrap().to_owned();
        match status.as_str() {
            "ACCEPTED" => {
                assert_eq!((n_won, accepted.status), (1, 200));
                assert_eq!(scanned.code(), "ticket-replaced", "the old code let somebody in");
                let new = accepted.json()["code"].as_str().unwrap().to_owned();
                let let_in = scan(&door, concert.schedule_id, &new).await;
                assert_eq!((let_in.status, &let_in.json()["holder"]), (201, &"bob".into()));
            }
            "DECLINED" | "CANCELLED" => assert_eq!((n_won, scanned.status), (1, 201)),
            "ADMITTED" | "EXPIRED" => assert_eq!((n_won, scanned.status), (0, 201)),
            other => panic!("{other}"),
        }
    }
    office.close().await;
}

/// Either the price is paid back or the friend has the ticket, whichever transaction comes first.
#[sqlx::test]
async fn beside_a_refund_a_ticket_is_given_back_or_offered_and_never_both(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    let bob = office.sign_in("bob").await;
    for (idx, seat) in concert.seat_ids.iter().enumerate().take(ROUNDS) {
        let ada = office.sign_in("ada").await;
        let hold = Hold { seat_ids: &[*seat], ..Hold::default() };
        let bought = Purchase::make(&db, &concert, &ada, hold).await;
        let elsewhere = office.moved(&ada, idx);
        let refund = format!("/reservations/{}/cancellation", bought.reservation_id);
        let (offered, refunded) =
            tokio::join!(offer(&db, &ada, &bought.codes[0], &bob), elsewhere.post(&refund, &()));
        match (offered.status, refunded.status) {
            (201, 409) => {
                assert_eq!(refunded.code(), "ticket-offered");
                let id = offered.json()["hand_over_id"].as_str().unwrap().to_owned();
                let path = format!("/hand-overs/{id}");
                // Accepting it or giving it back again.
                let (accepted, refunded) =
                    tokio::join!(act(&bob, &path, "acceptance"), elsewhere.post(&refund, &()));
                assert_eq!((accepted.status, refunded.status), (200, 409), "{}", refunded.body);
            }
            (409, 200) => assert_eq!(offered.code(), "hand-over-not-valid"),
            other => panic!("{other:?}: {} {}", offered.body, refunded.body),
        }
    }
    office.close().await;
}

/// The scan has found the old code when the hand-over is accepted, and waits for the ticket. On a
/// busy machine the acceptance may have given up before the scan waits too: another ticket is tried.
#[sqlx::test]
async fn a_scan_that_waited_for_an_acceptance_does_not_let_the_old_code_in(db: PgPool) {
    let evening = Evening::tonight(&db, TRIES_MAX).await;
    let Evening { office, concert, ada, bob, bought } = &evening;
    let door = office.employ("door", "STAFF").await;
    let mut watch = db.acquire().await.unwrap();
    let mut n_judged = 0;
    for old in &bought.codes {
        let path = offered(&db, ada, old, bob).await;
        let mut held = db.begin().await.unwrap();
        run_sql(&mut *held, "select from tickets for update").await;
        let bob = bob.clone();
        let accepting = tokio::spawn(async move { act(&bob, &path, "acceptance").await });
        until_locks_wait(&mut watch, 1).await;
        let (door, schedule_id, code) = (door.clone(), concert.schedule_id, old.clone());
        let scanning = tokio::spawn(async move { scan(&door, schedule_id, &code).await });
        until_it_waits(&mut watch, 2, &accepting).await;
        held.commit().await.unwrap();
        let (accepted, scanned) = (accepting.await.unwrap(), scanning.await.unwrap());
        if [accepted.status, scanned.status].contains(&503) {
            continue;
        }
        assert_eq!(accepted.status, 200, "{}", accepted.body);
        assert_eq!((scanned.status, scanned.code().as_str()), (409, "ticket-replaced"));
        n_judged += 1;
        break;
    }
    assert_eq!(n_judged, 1, "no scan waited beside an acceptance");
    drop(watch);
    evening.office.close().await;
}

/// The canary of the storms above: acceptances that look first, and then write without the ticket's lock
/// and without what the database refuses.
#[sqlx::test]
async fn without_the_lock_and_the_guards_one_ticket_is_given_twice(db: PgPool) {
    let evening = Evening::tonight(&db, 1).await;
    let Evening { ada, bob, bought, .. } = &evening;
    offered(&db, ada, &bought.codes[0], bob).await;
    run_sql(&db, "drop trigger tickets_new_holder_has_new_code on tickets").await;
    run_sql(&db, "drop trigger ticket_hand_overs_end_once on ticket_hand_overs").await;
    run_sql(
        &db,
        "alter table ticket_holder_changes drop constraint ticket_holder_changes_pkey,
        drop constraint ticket_holder_changes_ticket_id_number_key,
        drop constraint ticket_holder_changes_code_hash_key",
    )
    .await;
    // All look before one writes: what a storm does to statements without a lock, made certain.
    let looks = (0..RIVALS).map(|_| {
        read_all::<Uuid>(&db, "select id from ticket_hand_overs where status = 'PENDING'")
    });
    let looks = futures_util::future::join_all(looks).await;
    let naive = looks.into_iter().filter(|pending| !pending.is_empty()).map(async |_| {
        for statement in [
            "insert into ticket_holder_changes (hand_over_id, ticket_id, number, code_hash)
             select h.id, t.id, 1, sha256(t.code::bytea) from tickets t join ticket_hand_overs h on h.ticket_id = t.id",
            "update ticket_hand_overs set status = 'ACCEPTED', settled_at = now(), address = null",
            "update tickets set account_id = (select recipient_id from ticket_hand_overs)",
        ] {
            run_sql(&db, statement).await;
        }
    });
    futures_util::future::join_all(naive).await;
    let n_given: i64 = read_one(&db, "select count(*) from ticket_holder_changes").await;
    assert!(n_given > 1, "the naive statements happened to run one after the other");
    let found = crate::support::ledger::violations(&evening.office).await;
    assert!(found.iter().any(|violation| violation.starts_with("P5 ")), "{found:?}");
    evening.office.close_as_it_is().await;
}

#[sqlx::test]
async fn to_and_fro_and_on_every_code_is_new(db: PgPool) {
    let evening = Evening::tonight(&db, 1).await;
    let Evening { ada, bob, bought, .. } = &evening;
    let mut codes = vec![bought.codes[0].clone()];
    for round in 0..8 {
        let (from, to) = if round % 2 == 0 { (ada, bob) } else { (bob, ada) };
        codes.push(handed(&db, from, codes.last().unwrap(), to).await);
    }
    let distinct: std::collections::BTreeSet<&String> = codes.iter().collect();
    assert_eq!(distinct.len(), codes.len(), "{codes:?}");
    evening.office.close().await;
}

/// What was accepted before the lock is the friend's, and no ticket leaves after it. Two hand-overs are
/// answered only then.
#[sqlx::test]
async fn of_a_lock_and_acceptances_at_once_no_ticket_leaves_after_the_lock(db: PgPool) {
    const BESIDE: usize = 6;
    const TICKETS: usize = BESIDE + 2;
    let evening = Evening::tonight(&db, TICKETS).await;
    let Evening { office, ada, bob, bought, .. } = &evening;
    let boss = office.employ("boss", "ADMIN").await;
    let mut paths = Vec::new();
    for code in &bought.codes {
        paths.push(offered(&db, ada, code, bob).await);
    }
    let accept_first = |n: usize| {
        storm(paths[..n].iter().cloned().enumerate().map(|(idx, path)| {
            let bob = office.moved(bob, idx);
            async move { act(&bob, &path, "acceptance").await }
        }))
    };
    let lock = format!("/admin/people/{}/lock", ada.account_id);
    let why = [("reason", "a stolen password")];
    let (beside, locked) = tokio::join!(accept_first(BESIDE), boss.post(&lock, &why));
    assert_eq!(locked.status, 200, "{}", locked.body);
    let n_accepted = count(&beside, 200, "");
    assert_eq!(n_accepted + count(&beside, 409, "hand-over-frozen"), BESIDE, "{beside:?}");
    let late = accept_first(TICKETS).await;
    assert_eq!(count(&late, 409, "hand-over-frozen"), TICKETS - n_accepted, "{late:?}");
    let left: Vec<Uuid> = read_all(&db, "select account_id from tickets").await;
    assert_eq!(left.iter().filter(|holder| **holder == bob.account_id).count(), n_accepted);
    evening.office.close().await;
}

/// An acceptance that has found the sender unlocked ends first, so that no ticket leaves behind the lock. On
/// a busy machine one of the two may give up, and another ticket is tried.
#[sqlx::test]
async fn an_account_is_locked_once_the_ticket_that_is_being_accepted_has_left(db: PgPool) {
    let evening = Evening::tonight(&db, TRIES_MAX).await;
    let Evening { office, ada, bob, bought, .. } = &evening;
    let boss = office.employ("boss", "ADMIN").await;
    let person = format!("/admin/people/{}", ada.account_id);
    let why = [("reason", "a stolen password")];
    for code in &bought.codes {
        let path = offered(&db, ada, code, bob).await;
        let (bob, locker, lock) = (bob.clone(), boss.clone(), format!("{person}/lock"));
        let accepting = async move { act(&bob, &path, "acceptance").await };
        let locking = async move { locker.post(&lock, &why).await };
        let (accepted, locked, is_overtaken) =
            overtaken(&db, "ticket_holder_changes", accepting, locking).await;
        if [accepted.status, locked.status] == [200, 200] {
            assert!(!is_overtaken, "a ticket left a locked account");
            evening.office.close().await;
            return;
        }
        assert!([accepted.status, locked.status].contains(&503), "{accepted:?} {locked:?}");
        if locked.status == 200 {
            assert_eq!(boss.post(&format!("{person}/unlock"), &why).await.status, 200);
        }
    }
    panic!("no lock came beside an acceptance");
}
