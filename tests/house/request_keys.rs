//! Request keys: a key stands for one order, on one route, with one body.

use sqlx::PgPool;
use uuid::Uuid;

use crate::support::{
    Answer, Concert, Hold, Office, Person, Purchase, admit, email_of,
    ledger::{balance, entries},
    read_all,
};

/// Posts `form` under `key`.
async fn send(person: &Person, path: &str, key: &str, form: &[(&str, &str)]) -> Answer {
    let form: Vec<_> = form.iter().copied().chain([("request_key", key)]).collect();
    person.post(path, &form).await
}

/// Sends `first` twice and then each of `others` under the same key: once done, twice
/// answered, and otherwise refused.
async fn assert_one_order(person: &Person, first: Order<'_>, others: &[Order<'_>]) {
    let key = Uuid::now_v7().to_string();
    let done = send(person, first.0, &key, first.1).await;
    assert!([200, 201].contains(&done.status), "{} {}", first.0, done.body);
    let again = send(person, first.0, &key, first.1).await;
    assert_eq!((again.status, &again.body), (done.status, &done.body), "{}", first.0);
    for other in others {
        let refused = send(person, other.0, &key, other.1).await;
        let told = (refused.status, refused.code());
        assert_eq!(told, (422, "key-reused".to_owned()), "{other:?}: {}", refused.body);
        let typed: Vec<_> = other.1.iter().copied().chain([("request_key", &*key)]).collect();
        assert_eq!(person.submit(other.0, &typed).await.status, 422, "{other:?} as a browser");
    }
}

type Order<'a> = (&'a str, &'a [(&'a str, &'a str)]);

#[sqlx::test]
async fn a_key_buys_and_sends_points_once(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    let email = email_of(&db, bob.account_id).await;
    let (charges, transfers) = ("/wallet/charges", "/wallet/transfers");
    let send_100: Order<'_> = (transfers, &[("to", &email), ("amount", "100")]);
    let others: [Order<'_>; 2] = [(charges, &[("amount", "501")]), send_100];
    assert_one_order(&ada, (charges, &[("amount", "500")]), &others).await;
    let more: Order<'_> = (transfers, &[("to", &email), ("amount", "101")]);
    let back: Order<'_> = (transfers, &[("to", "somebody@example.com"), ("amount", "100")]);
    assert_one_order(&ada, send_100, &[more, back, (charges, &[("amount", "100")])]).await;
    assert_eq!(balance(&db, ada.account_id).await, 500);
    assert_eq!(entries(&db, ada.account_id, "TRANSFER_HOLD").await, 1);
    // Keys belong to one account.
    let key = Uuid::now_v7().to_string();
    for (person, amount) in [(&ada, "7"), (&bob, "8")] {
        assert_eq!(send(person, charges, &key, &[("amount", amount)]).await.status, 201);
    }
    office.verify().await;
    office.close().await;
}

#[sqlx::test]
async fn a_key_holds_pays_and_gives_back_once(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    let ada = office.sign_in("ada").await;
    admit(&db, &concert, std::slice::from_ref(&ada)).await;
    assert_eq!(send(&ada, "/wallet/charges", "", &[("amount", "500000")]).await.status, 201);

    let holds = format!("/schedules/{}/reservations", concert.schedule_id);
    let seats: Vec<String> = concert.seat_ids.iter().map(ToString::to_string).collect();
    let zone = concert.zone_id.to_string();
    let seat = [("seat_ids", &*seats[0])];
    let others: [Order<'_>; 4] = [
        (&holds, &[("seat_ids", &seats[1])]),
        (&holds, &[("zone_id", &zone), ("quantity", "1")]),
        (&holds, &[("best", "1")]),
        ("/wallet/charges", &[("amount", "1")]),
    ];
    assert_one_order(&ada, (&holds, &seat), &others).await;
    let places = [("zone_id", &*zone), ("quantity", "1")];
    let two: Order<'_> = (&holds, &[("zone_id", &zone), ("quantity", "2")]);
    assert_one_order(&ada, (&holds, &places), &[two]).await;

    let ids: Vec<Uuid> = read_all(&db, "select id from reservations order by id").await;
    let path = |idx: usize, what: &str| format!("/reservations/{}/{what}", ids[idx]);
    let (pay, pay_other) = (path(0, "payment"), path(1, "payment"));
    let (cancel, cancel_other) = (path(0, "cancellation"), path(1, "cancellation"));
    assert_one_order(&ada, (&pay, &[]), &[(&pay_other, &[]), (&cancel, &[])]).await;
    assert_one_order(&ada, (&cancel, &[]), &[(&cancel_other, &[]), (&pay_other, &[])]).await;
    // A hold as well: given back once, and told so again.
    assert_one_order(&ada, (&cancel_other, &[]), &[(&cancel, &[])]).await;
    assert_eq!(balance(&db, ada.account_id).await, 500_000);
    office.verify().await;
    office.close().await;
}

#[sqlx::test]
async fn a_key_corrects_and_refunds_once(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    let admin = office.employ("admin", "ADMIN").await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    let path = |person: &Person| format!("/admin/people/{}/adjustments", person.account_id);
    let (of_ada, of_bob) = (path(&ada), path(&bob));
    let why = ("reason", "a mistake at the till");
    let others: [Order<'_>; 4] = [
        (&of_ada, &[("amount", "501"), why]),
        (&of_ada, &[("amount", "-500"), why]),
        (&of_ada, &[("amount", "500"), ("reason", "another mistake")]),
        (&of_bob, &[("amount", "500"), why]),
    ];
    assert_one_order(&admin, (&of_ada, &[("amount", "500"), why]), &others).await;
    assert_eq!(balance(&db, ada.account_id).await, 500);
    assert_eq!(balance(&db, bob.account_id).await, 0);

    let mut paths = Vec::new();
    for (person, seat) in [(&ada, 0), (&bob, 1)] {
        let hold = Hold {
            seat_ids: &concert.seat_ids[seat..=seat],
            refund_percent: 50,
            ..Hold::default()
        };
        let bought = Purchase::make(&db, &concert, person, hold).await;
        paths.push(format!("/admin/reservations/{}/refund", bought.reservation_id));
    }
    let agreed = [("share", "agreed"), why];
    let others: [Order<'_>; 3] = [
        (&paths[0], &[("share", "all"), why]),
        (&paths[1], &agreed),
        (&of_ada, &[("amount", "500"), why]),
    ];
    assert_one_order(&admin, (&paths[0], &agreed), &others).await;
    assert_eq!(balance(&db, ada.account_id).await, 1_000_500 - 25_000);
    assert_eq!(balance(&db, bob.account_id).await, 1_000_000 - 50_000);
    office.verify().await;
    office.close().await;
}
