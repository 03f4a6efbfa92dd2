//! People and their reservations, as those see them who manage.

use serde_json::json;
use sqlx::PgPool;
use uuid::Uuid;

use super::field;
use crate::support::{
    Concert, ConcertOptions, Hold, Office, Purchase, acts, agree_on, ledger::balance, read_one,
    read_one_with, run_sql, run_sql_with, storm, until_locks_wait,
};

#[sqlx::test]
async fn one_person_is_found_and_seen_across_everything_they_did(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let options = ConcertOptions { queue_capacity: Some(10), ..ConcertOptions::default() };
    let concert = Concert::with(&db, options).await;
    let admin = office.employ("admin", "ADMIN").await;
    let ada = office.sign_in("ada").await;
    office.sign_in("bob").await;
    let joined = ada.post(&format!("/programs/{}/queue", concert.slug), &()).await;
    assert_eq!(joined.status, 201, "{}", joined.body);
    let hold = Hold { seat_ids: &concert.seat_ids[..1], ..Hold::default() };
    let bought = Purchase::make(&db, &concert, &ada, hold).await;

    let found = admin.get("/admin/people?q=ADA").await.json();
    assert_eq!(found["people"].as_array().unwrap().len(), 1, "{found}");
    assert_eq!(found["people"][0]["account_id"], ada.account_id.to_string());
    let person = format!("/admin/people/{}", ada.account_id);
    let told = admin.get(&person).await.json();
    let moments: Vec<&str> =
        told["timeline"].as_array().unwrap().iter().map(|m| m["what"].as_str().unwrap()).collect();
    for what in ["joined", "admitted", "held", "ended-confirmed", "points"] {
        assert!(moments.contains(&what), "{what}: {moments:?}");
    }
    let page = admin.visit(&person).await;
    assert!(page.body.contains("Paid for A concert, 50,000 points"), "{}", page.body);

    let found = admin.get("/admin/reservations?q=ada").await.json();
    assert_eq!(found["reservations"][0]["id"], bought.reservation_id.to_string());
    for path in ["/admin/people", "/admin/reservations"] {
        assert_eq!(admin.visit(path).await.status, 200);
    }
    // The number that the owner reads out, as it is heard.
    let page = ada.visit(&format!("/reservations/{}", bought.reservation_id)).await;
    let shown = page.texts("article > p.small.soft").pop().unwrap();
    let number = shown.rsplit(' ').next().unwrap().to_lowercase().replace('-', "%20");
    let found = admin.get(&format!("/admin/reservations?q={number}")).await.json();
    assert_eq!(found["reservations"].as_array().unwrap().len(), 1, "{found}");
    assert_eq!(found["reservations"][0]["id"], bought.reservation_id.to_string());
    // One field finds it by the code of its ticket and by its seat, whichever way that is named.
    let seat: String = read_one(
        &db,
        "select s.section || ' ' || s.row_label || '-' || s.number
         from reservation_items i
         join schedule_seats c on c.id = i.schedule_seat_id join seats s on s.id = c.seat_id",
    )
    .await;
    let (section, place) = seat.rsplit_once(' ').unwrap();
    let bare = place.to_lowercase();
    let loud = format!("{} {}", section.to_uppercase(), place.replace('-', " "));
    for sought in [&bought.codes[0].to_lowercase(), &seat, &bare, &loud] {
        let path = format!("/admin/reservations?q={}", sought.replace(' ', "%20"));
        let found = admin.get(&path).await.json();
        let ids: Vec<_> = found["reservations"].as_array().unwrap().iter().collect();
        assert_eq!(ids.len(), 1, "{sought}: {found}");
        assert_eq!(ids[0]["id"], bought.reservation_id.to_string(), "{sought}");
    }
    let other = admin.get(&format!("/admin/reservations?q=Nowhere%20{place}")).await.json();
    assert!(other["reservations"].as_array().unwrap().is_empty(), "{other}");
    assert!(admin.visit("/admin").await.has("form[action='/admin/reservations'] #q"));
    let found = admin.get("/admin/reservations?q=00000-00000").await.json();
    assert!(found["reservations"].as_array().unwrap().is_empty(), "{found}");
    let nobody = admin.get(&format!("/admin/people/{}", Uuid::nil())).await;
    assert_eq!(nobody.status, 404);
    office.close().await;
}

#[sqlx::test]
async fn a_locked_account_is_out_everywhere_at_once(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let admin = office.employ("admin", "ADMIN").await;
    let ada = office.moved(&office.sign_in("ada").await, 1);
    let path = format!("/admin/people/{}", ada.account_id);
    assert_eq!(admin.post(&format!("{path}/lock"), &()).await.status, 422, "without a reason");
    let why = [("reason", "sold her tickets on")];
    assert_eq!(admin.submit(&format!("{path}/lock"), &why).await.status, 303);
    assert_eq!(ada.get("/wallet").await.status, 401);
    let twice = admin.post(&format!("{path}/lock"), &why).await;
    assert_eq!((twice.status, twice.code().as_str()), (409, "changed-meanwhile"));
    assert_eq!(admin.post(&format!("{path}/unlock"), &why).await.status, 200);
    assert_eq!(ada.get("/wallet").await.status, 401, "what was open then is over");
    let ada = office.log_in(&ada, 1).await;
    assert_eq!(ada.get("/wallet").await.status, 200);

    let promoted = [("from", "CUSTOMER"), ("role", "STAFF"), ("reason", "works at the door now")];
    assert_eq!(admin.post(&format!("{path}/role"), &promoted).await.status, 200);
    assert_eq!(ada.get("/door").await.status, 401);
    let ada = office.log_in(&ada, 1).await;
    assert_eq!(ada.get("/door").await.status, 200);
    let stale = admin.post(&format!("{path}/role"), &promoted).await;
    assert_eq!((stale.status, stale.code().as_str()), (409, "changed-meanwhile"));
    let own = format!("/admin/people/{}/lock", admin.account_id);
    let own = admin.post(&own, &why).await;
    assert_eq!((own.status, own.code().as_str()), (409, "own-account"));
    assert_eq!(acts(&db).await, ["account-locked", "account-unlocked", "role-changed"]);
    office.close().await;
}

#[sqlx::test]
async fn points_are_corrected_once_with_a_reason(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let admin = office.employ("admin", "ADMIN").await;
    let ada = office.sign_in("ada").await;
    let path = format!("/admin/people/{}/adjustments", ada.account_id);
    for nonsense in ["0", "", "1e3", "10000001", "-10000001", "9223372036854775808"] {
        let form = [("amount", nonsense), ("reason", "a mistake at the till")];
        assert_eq!(admin.post(&path, &form).await.status, 422, "{nonsense}");
    }
    assert_eq!(admin.post(&path, &[("amount", "500")]).await.status, 422);
    let key = Uuid::now_v7().to_string();
    let presses = (0..10).map(|idx| {
        let (admin, path, key) = (office.moved(&admin, idx), path.clone(), key.clone());
        async move {
            let form =
                [("amount", "500"), ("reason", "a mistake at the till"), ("request_key", &key)];
            admin.post(&path, &form).await
        }
    });
    for answer in storm(presses).await {
        assert_eq!((answer.status, field(&answer, "balance")), (200, 500.into()));
    }
    let too_much = [("amount", "-501"), ("reason", "taken back")];
    let refused = admin.post(&path, &too_much).await;
    assert_eq!((refused.status, refused.code().as_str()), (402, "insufficient-points"));
    let back = [("amount", "-200"), ("reason", "taken back")];
    assert_eq!(admin.submit(&path, &back).await.status, 303);
    assert_eq!(balance(&db, ada.account_id).await, 300);
    assert_eq!(acts(&db).await, ["points-adjusted", "points-adjusted"]);
    office.verify().await;
    office.close().await;
}

#[sqlx::test]
async fn a_reservation_is_refunded_as_agreed_or_wholly_and_once(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    let admin = office.employ("admin", "ADMIN").await;
    let ada = office.sign_in("ada").await;
    let over = Hold {
        seat_ids: &concert.seat_ids[..1],
        refund_ends_in_secs: -60,
        refund_percent: 50,
        ..Hold::default()
    };
    let bought = Purchase::make(&db, &concert, &ada, over).await;
    let path = format!("/admin/reservations/{}", bought.reservation_id);
    assert_eq!(admin.visit(&path).await.status, 200);

    let refund = |share| [("share", share), ("reason", "she broke her leg")];
    let late = admin.post(&format!("{path}/refund"), &refund("agreed")).await;
    assert_eq!((late.status, late.code().as_str()), (409, "refund-over"));
    assert_eq!(admin.post(&format!("{path}/refund"), &refund("some")).await.status, 422);
    let presses = (0..8).map(|idx| {
        let (admin, path) = (office.moved(&admin, idx), format!("{path}/refund"));
        async move { admin.post(&path, &[("share", "all"), ("reason", "she broke her leg")]).await }
    });
    let answers = storm(presses).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 1);
    assert!(answers.iter().all(|answer| [200, 409].contains(&answer.status)));
    assert_eq!(balance(&db, ada.account_id).await, 1_000_000);
    assert_eq!(acts(&db).await, ["refunded"]);
    office.verify().await;
    office.close().await;
}

#[sqlx::test]
async fn staff_give_back_what_the_step_says_or_all_of_it(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    let (admin, ada) = (office.employ("admin", "ADMIN").await, office.sign_in("ada").await);
    for (seat, share, expected) in [(0, "agreed", 34_500), (1, "all", 50_000)] {
        let hold = Hold { seat_ids: &concert.seat_ids[seat..=seat], ..Hold::default() };
        let bought = Purchase::make(&db, &concert, &ada, hold).await;
        agree_on(&db, bought.reservation_id, 70, 500).await;
        let path = format!("/admin/reservations/{}", bought.reservation_id);
        let page = admin.visit(&path).await;
        assert!(
            page.has(".refund-terms__now") && page.body.contains("70%, less 500"),
            "{}",
            page.body
        );
        let shown = admin.get(&path).await.json()["reservation"].clone();
        assert_eq!(
            (&shown["refund_percent"], &shown["refund_steps"][0]["fee"]),
            (&json!(70), &json!(500))
        );
        let refund = [("share", share), ("reason", "she broke her leg")];
        let refunded = admin.post(&format!("{path}/refund"), &refund).await;
        assert_eq!(refunded.json()["refunded"], expected, "{}", refunded.body);
    }
    office.verify().await;
    office.close().await;
}

#[sqlx::test]
async fn of_administrators_who_demote_each_other_one_remains(db: PgPool) {
    const ROUNDS: usize = 12;
    let office = Office::open(db.clone()).await;
    for round in 0..ROUNDS {
        run_sql(&db, "update accounts set role = 'CUSTOMER'").await;
        let mut admins = Vec::new();
        for idx in 0..3 {
            let admin = office.employ(&format!("admin-{round}-{idx}"), "ADMIN").await;
            admins.push(office.moved(&admin, idx));
        }
        // Each ends the next one's power, by role or by lock.
        let acts = (0..admins.len()).map(|idx| {
            let (by, next) = (admins[idx].clone(), &admins[(idx + 1) % admins.len()]);
            let path = format!("/admin/people/{}", next.account_id);
            let is_lock = (round + idx) % 3 == 0;
            async move {
                let demoted = [("from", "ADMIN"), ("role", "CUSTOMER"), ("reason", "a coup")];
                match is_lock {
                    true => by.post(&format!("{path}/lock"), &[("reason", "a coup")]).await,
                    false => by.post(&format!("{path}/role"), &demoted).await,
                }
            }
        });
        let answers = storm(acts).await;
        let left: i64 = read_one(
            &db,
            "select count(*) from accounts where role = 'ADMIN' and locked_at is null",
        )
        .await;
        assert!(left >= 1, "round {round}: nobody manages any more: {answers:?}");
        assert!(
            answers.iter().all(|answer| [200, 401, 403].contains(&answer.status)),
            "{answers:?}"
        );
    }
    office.close().await;
}

#[sqlx::test]
async fn whoever_may_not_manage_any_more_changes_nobody(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let (ada, bob) = (office.employ("ada", "ADMIN").await, office.employ("bob", "ADMIN").await);
    // Ada's row is locked, as by an administrator who demotes her right now; her request is on its
    // way.
    let mut coup = db.begin().await.unwrap();
    run_sql_with(&mut *coup, "update accounts set role = 'STAFF' where id = $1", ada.account_id)
        .await;
    let demotion = {
        let (ada, path) = (ada.clone(), format!("/admin/people/{}/role", bob.account_id));
        let form = [("from", "ADMIN"), ("role", "STAFF"), ("reason", "a coup")];
        tokio::spawn(async move { ada.post(&path, &form).await })
    };
    until_locks_wait(&mut db.acquire().await.unwrap(), 1).await;
    coup.commit().await.unwrap();
    let refused = demotion.await.unwrap();
    assert_eq!((refused.status, refused.code().as_str()), (403, "forbidden"));
    let role: String =
        read_one_with(&db, "select role from accounts where id = $1", bob.account_id).await;
    assert_eq!(role, "ADMIN");
    office.close().await;
}
