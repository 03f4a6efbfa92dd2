//! Parts of an office that mails are about: what each of them is made by, and the mails that tell it.

use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, PgPool};
use uuid::Uuid;

use super::{People, Told};
use crate::{
    mail::{buy, offer},
    support::{
        Answer, Concert, ConcertOptions, Hold, Person, Purchase, admit, email_of, hold, read_one,
        read_one_with, run_sql, run_sql_with, until,
    },
};

const NO_ACCOUNT: &str = "nobody@example.com";

/// Runs a statement about one row without the triggers that let only the product's own steps through.
async fn put(db: &PgPool, sql: &str, id: Uuid) {
    let mut connection = db.acquire().await.unwrap();
    run_sql(&mut *connection, "set session_replication_role = replica").await;
    run_sql_with(&mut *connection, AssertSqlSafe(sql.to_owned()), id).await;
    run_sql(&mut *connection, "set session_replication_role = origin").await;
}

#[track_caller]
fn done(answer: &Answer) -> Value {
    assert!(answer.status < 300, "{} {}", answer.status, answer.body);
    answer.json()
}

fn id_in(path: &str) -> Uuid {
    path.rsplit('/').next().unwrap().parse().unwrap()
}

/// Mails about an account.
pub(super) fn accounts(people: &People) -> Vec<Told> {
    let to = |kind, payload| Told::to(&people.ada, None, kind, payload);
    let change = |change| to("sign-in-protection-changed", json!({ "change": change }));
    vec![
        Told::secret("reset-password"),
        Told::secret("confirm-address"),
        to("password-changed", Value::Null),
        to("address-change-asked", json!({ "to": "other@example.com" })),
        to("address-changed", json!({ "to": "other@example.com" })),
        Told::elsewhere("account-deleted", Value::Null),
        change("set"),
        change("removed"),
        change("codes-renewed"),
        change("recovery-code-used"),
        Told::to(&people.admin, None, "api-keys-ended", json!({ "keys": 1 })),
        Told::to(&people.admin, None, "api-keys-ended", json!({ "keys": 3 })),
    ]
}

/// Mails about offers of points: one that is open, one to an address, and one of each end.
pub(super) async fn transfers(db: &PgPool, people: &People) -> Vec<Told> {
    let People { ada, bob, .. } = people;
    done(&ada.post("/wallet/charges", &[("amount", 1_000_000)]).await);
    let mut paths = Vec::new();
    for act in ["", "acceptance", "rejection", "cancellation", "expiry"] {
        let path = offer(db, ada, bob, 100).await;
        match act {
            "" => {}
            "expiry" => {
                let due = "update transfers set expires_at = now() where id = $1";
                run_sql_with(db, due, id_in(&path)).await;
                until("the end of an offer", async || {
                    let status = "select status from transfers where id = $1";
                    read_one_with::<String>(db, status, id_in(&path)).await == "EXPIRED"
                })
                .await;
            }
            act => {
                let person = if act == "cancellation" { ada } else { bob };
                done(&person.post(&format!("{path}/{act}"), &()).await);
            }
        }
        paths.push(id_in(&path));
    }
    let form = json!({ "to": NO_ACCOUNT, "amount": 100 });
    let made = done(&ada.post_json("/wallet/transfers", &form).await);
    let [open, accepted, rejected, cancelled, expired] = paths[..] else { unreachable!() };
    let of = |id: Uuid| json!({ "transfer_id": id });
    let settled = |id| Told::to(ada, Some(super::ADA), "transfer-settled", of(id));
    let to_bob = |kind, id| Told::to(bob, Some(super::BOB), kind, of(id));
    vec![
        to_bob("transfer-received", open),
        to_bob("transfer-expiring", open),
        to_bob("transfer-withdrawn", cancelled),
        settled(accepted),
        settled(rejected),
        settled(expired),
        settled(cancelled),
        Told::elsewhere("transfer-waiting", json!({ "transfer_id": made["transfer_id"] })),
    ]
}

/// Offers a ticket to the address, and returns the hand-over.
async fn hand(from: &Person, code: &str, address: &str) -> Uuid {
    let form = json!({ "to": address });
    let made = done(&from.post_json(&format!("/tickets/{code}/hand-overs"), &form).await);
    made["hand_over_id"].as_str().unwrap().parse().unwrap()
}

/// Mails about tickets that are given to friends: one of each state, and one of an order that is refunded.
pub(super) async fn hand_overs(db: &PgPool, concert: &Concert, people: &People) -> Vec<Told> {
    let People { ada, bob, admin } = people;
    let to = email_of(db, bob.account_id).await;
    let kept = Hold { seat_ids: &concert.seat_ids[..6], ..Hold::default() };
    let kept = Purchase::make(db, concert, ada, kept).await.codes;
    let given = Hold { seat_ids: &concert.seat_ids[6..8], ..Hold::default() };
    let given = Purchase::make(db, concert, ada, given).await;
    let [open, accepted, declined, expired, admitted] = [
        hand(ada, &kept[0], &to).await,
        hand(ada, &kept[1], &to).await,
        hand(ada, &kept[2], &to).await,
        hand(ada, &kept[3], &to).await,
        hand(ada, &kept[4], &to).await,
    ];
    let waiting = hand(ada, &kept[5], NO_ACCOUNT).await;
    done(&bob.post(&format!("/hand-overs/{accepted}/acceptance"), &()).await);
    done(&bob.post(&format!("/hand-overs/{declined}/declining"), &()).await);
    for (status, id) in [("EXPIRED", expired), ("ADMITTED", admitted)] {
        let end = "update ticket_hand_overs set settled_at = now(), address = null, status = ";
        put(db, &format!("{end} '{status}' where id = $1"), id).await;
    }

    let lost = hand(ada, &given.codes[0], &to).await;
    done(&bob.post(&format!("/hand-overs/{lost}/acceptance"), &()).await);
    let voided = hand(ada, &given.codes[1], &to).await;
    let path = format!("/admin/reservations/{}/refund", given.reservation_id);
    done(&admin.post(&path, &[("share", "all"), ("reason", "a flood")]).await);
    let ticket = "select ticket_id from ticket_hand_overs where id = $1";
    let ticket: Uuid = read_one_with(db, ticket, lost).await;

    let of = |id: Uuid| json!({ "hand_over_id": id });
    let to_ada = |id| Told::to(ada, Some(super::ADA), "hand-over-ended", of(id));
    let to_bob = |kind, id| Told::to(bob, Some(super::BOB), kind, of(id));
    vec![
        to_bob("hand-over-offered", open),
        to_bob("hand-over-withdrawn", admitted),
        to_bob("hand-over-withdrawn", voided),
        to_ada(accepted),
        to_ada(declined),
        to_ada(expired),
        to_ada(voided),
        Told::elsewhere("hand-over-waiting", of(waiting)),
        Told::to(bob, Some(super::BOB), "ticket-voided", json!({ "ticket_id": ticket })),
    ]
}

/// Mails about a seat that is sold on, and about a ticket that goes back to the house.
pub(super) async fn returns(db: &PgPool, concert: &Concert, people: &People) -> Vec<Told> {
    let People { ada, bob, .. } = people;
    run_sql(db, "update programs set return_fee_percent = 10").await;
    let sold = buy(db, concert, ada, 8).await;
    let given = Hold { seat_ids: &concert.seat_ids[9..11], ..Hold::default() };
    let given = Purchase::make(db, concert, ada, given).await;
    let key = json!({ "request_key": Uuid::now_v7() });
    let path = format!("/tickets/{}/returns", sold.codes[0]);
    let offered = done(&ada.post_json(&path, &key).await);
    admit(db, concert, std::slice::from_ref(bob)).await;
    let held = done(&hold(bob, concert, &concert.seat_ids[8..9]).await);
    done(&bob.post("/wallet/charges", &[("amount", 1_000_000)]).await);
    let held = held["reservation_id"].as_str().unwrap();
    done(&bob.post(&format!("/reservations/{held}/payment"), &()).await);
    let key = json!({ "request_key": Uuid::now_v7() });
    done(&ada.post_json(&format!("/tickets/{}/refund", given.codes[0]), &key).await);
    let refunded: Uuid = read_one(db, "select id from ticket_returns where to_house").await;
    vec![
        Told::to(
            ada,
            Some(super::ADA),
            "ticket-sold",
            json!({ "return_id": offered["return_id"] }),
        ),
        Told::to(ada, Some(super::ADA), "ticket-refunded", json!({ "return_id": refunded })),
        Told::to(bob, Some(super::BOB), "return-gone", json!({ "reservation_id": held })),
    ]
}

/// Writes a charge of an account and its payout, of an order where one is given; returns the payout.
async fn payout(db: &PgPool, person: &Person, order: Option<Uuid>, status: &str) -> Uuid {
    let id = Uuid::now_v7();
    let sql = "with charged as (
            insert into charges (id, account_id, request_key, points, amount_minor, currency, provider,
                provider_ref, payment_ref, pays, next_path, status, expires_at, settled_at, check_at, paid_out)
            values ($1, $2, $1, 50000, 5000000, 'USD', 'STRIPE', $1::text, $1::text, false, '/wallet', 'SETTLED',
                now(), now(), 'infinity', 50000)
            returning id)
        insert into payouts (id, charge_id, reservation_id, schedule_id, points, amount_minor, status, sent_at,
            ended_at, failure, check_at)
        select $1, id, $3, (select schedule_id from reservations where id = $3), 50000, 5000000, $4, now(),
            case $4 when 'FAILED' then now() end, case $4 when 'FAILED' then 'expired card' end, 'infinity'
        from charged";
    let query = sqlx::query(sql).bind(id).bind(person.account_id).bind(order).bind(status);
    query.execute(db).await.unwrap();
    id
}

/// Mails about orders: paid, offered, refunded with and without a card, and of a show or a date that is cancelled.
pub(super) async fn orders(db: &PgPool, concert: &Concert, people: &People) -> Vec<Told> {
    let People { ada, bob, admin } = people;
    let paid = Hold { seat_ids: &concert.seat_ids[11..13], places: 2, ..Hold::default() };
    let paid = Purchase::make(db, concert, ada, paid).await.reservation_id;
    let offered = Hold { places: 2, ..Hold::default() };
    let offered = offered.write(db, concert, bob.account_id).await;
    let (shows, dates) = (Concert::usual(db).await, Concert::usual(db).await);
    let mut told = vec![
        Told::to(ada, Some(super::ADA), "reservation-paid", json!({ "reservation_id": paid })),
        Told::to(
            ada,
            Some(super::ADA),
            "tickets-exchanged",
            json!({ "reservation_id": paid, "from_id": paid, "tickets": 2, "worth": 98_000 }),
        ),
        Told::to(bob, Some(super::BOB), "places-offered", json!({ "reservation_id": offered })),
    ];
    let mut refunds = Vec::new();
    for (kind, concert) in [
        ("reservation-refunded", concert),
        ("program-cancelled", &shows),
        ("program-cancelled", &dates),
    ] {
        for (nth, is_to_card) in [(13, false), (14, true)] {
            let order = buy(db, concert, ada, nth).await.reservation_id;
            refunds.push((kind, order, is_to_card));
        }
    }
    let reason = [("version", "0"), ("reason", "the singer is ill")];
    let cancelled = format!("/admin/programs/{}/cancellation", shows.program_id);
    done(&admin.post(&cancelled, &reason).await);
    let cancelled = format!("/admin/schedules/{}/cancellation", dates.schedule_id);
    done(&admin.post(&cancelled, &reason).await);
    for (kind, order, is_to_card) in refunds {
        if kind == "reservation-refunded" {
            done(&ada.post(&format!("/reservations/{order}/cancellation"), &()).await);
        }
        if is_to_card {
            payout(db, ada, Some(order), "SENT").await;
        }
        let payload = json!({ "reservation_id": order, "refunded": 50_000 });
        told.push(Told::to(ada, Some(super::ADA), kind, payload));
    }
    let failed = payout(db, ada, None, "FAILED").await;
    told.push(Told::to(ada, Some(super::ADA), "payout-failed", json!({ "payout_id": failed })));
    told.extend(cancelled_shows(db, &shows, &dates, people).await);
    told
}

/// Mails about shows and dates that are cancelled, to people who had paid nothing yet.
async fn cancelled_shows(
    db: &PgPool,
    shows: &Concert,
    dates: &Concert,
    people: &People,
) -> Vec<Told> {
    let token: Uuid = read_one_with(
        db,
        "select id from queue_tokens where program_id = $1 limit 1",
        shows.program_id,
    )
    .await;
    let entry = "insert into queue_draw_entries (id, program_id, account_id, commitment)
        select gen_random_uuid(), $1, id, sha256('salt') from accounts where role = 'ADMIN'";
    put(db, entry, shows.program_id).await;
    let entry: Uuid = read_one(db, "select id from queue_draw_entries").await;
    let to_ada = |kind, payload| Told::to(&people.ada, None, kind, payload);
    let cancelled = |of: &Concert, date: Option<Uuid>, is_waiting: bool| {
        let payload =
            json!({ "program_id": of.program_id, "schedule_id": date, "is_waiting": is_waiting });
        to_ada("performance-cancelled", payload)
    };
    vec![
        cancelled(shows, None, false),
        cancelled(shows, None, true),
        cancelled(dates, Some(dates.schedule_id), false),
        cancelled(dates, Some(dates.schedule_id), true),
        Told::to(&people.ada, Some(super::ADA), "queue-cancelled", json!({ "token_id": token })),
        Told::to(&people.admin, Some("boss"), "queue-cancelled", json!({ "token_id": entry })),
    ]
}

/// Mails to a friend about shares of two orders, one of which ended unpaid.
pub(super) async fn shares(db: &PgPool, concert: &Concert, people: &People) -> Vec<Told> {
    let People { ada, bob, .. } = people;
    let mut shares = Vec::new();
    for seats in [&concert.seat_ids[15..17], &concert.seat_ids[17..19]] {
        let held = Hold { seat_ids: seats, ..Hold::default() };
        let order = held.write(db, concert, ada.account_id).await;
        let path = format!("/reservations/{order}");
        let left = done(&ada.get(&format!("{path}/shares")).await)["left"].clone();
        let form = json!({ "places": [left[0]["place"]] });
        let made = done(&ada.post_json(&format!("{path}/shares"), &form).await);
        let url = made["url"].as_str().unwrap();
        let link = &url[url.find("/shares/").unwrap()..];
        done(&bob.post(&format!("{link}/payment"), &()).await);
        let share = "select id from shares where reservation_id = $1";
        shares.push((order, read_one_with::<Uuid>(db, share, order).await));
    }
    let [(paid, of_paid), (ended, of_ended)] = shares[..] else { unreachable!() };
    done(&ada.post(&format!("/reservations/{paid}/rest/payment"), &()).await);
    payout(db, bob, Some(paid), "SENT").await;
    done(&ada.post(&format!("/reservations/{ended}/cancellation"), &()).await);
    let to_bob = |kind, id: Uuid| {
        let payload = match kind {
            "share-refunded" => json!({ "share_id": id, "refunded": 50_000 }),
            _ => json!({ "share_id": id }),
        };
        Told::to(bob, Some(super::BOB), kind, payload)
    };
    let held = Hold { seat_ids: &concert.seat_ids[27..28], ends_in_secs: 3_600, ..Hold::default() };
    let path = format!("/reservations/{}", held.write(db, concert, ada.account_id).await);
    let left = done(&ada.get(&format!("{path}/shares")).await)["left"].clone();
    let form = json!({ "places": [left[0]["place"]] });
    let open = done(&ada.post_json(&format!("{path}/shares"), &form).await)["share_id"].clone();
    let offered = Told::elsewhere("share-offered", json!({ "share_id": open }));
    vec![
        Told { has_secret: true, ..offered },
        to_bob("share-paid", of_paid),
        to_bob("share-returned", of_ended),
        to_bob("share-taken-back", of_ended),
        to_bob("share-refunded", of_paid),
        to_bob("share-refunded", of_ended),
    ]
}

/// Mails about a turn that is near, has come or was missed.
pub(super) async fn turns(db: &PgPool, people: &People) -> Vec<Told> {
    let options = ConcertOptions { queue_capacity: Some(1), ..ConcertOptions::default() };
    let concert = Concert::with(db, options).await;
    let mut told = Vec::new();
    for (person, name, number, state) in [
        (&people.admin, "boss", 1, "'ACTIVE', null, now(), now() + interval '1 hour'"),
        (&people.ada, super::ADA, 2, "'WAITING', now(), null, null"),
        (&people.bob, super::BOB, 3, "'WAITING', null, null, null"),
    ] {
        let sql = format!(
            "insert into queue_tokens (id, program_id, account_id, queue_number, status, parked_at,
                 admitted_at, stay_ends_at, expires_at)
             select gen_random_uuid(), '{}', $1, {number}, state.*, stay_ends_at
             from (values ({state})) as state (status, parked_at, admitted_at, stay_ends_at)",
            concert.program_id
        );
        let sql = sql.replace("null", "null::timestamptz");
        put(db, &sql, person.account_id).await;
        let id: Uuid = sqlx::query_scalar(
            "select id from queue_tokens where program_id = $1 and account_id = $2",
        )
        .bind(concert.program_id)
        .bind(person.account_id)
        .fetch_one(db)
        .await
        .unwrap();
        told.push(Told::to(person, Some(name), "queue-turn", json!({ "token_id": id })));
    }
    told
}
