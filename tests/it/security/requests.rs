//! Requests as no page sends them.

use reqwest::Method;
use serde_json::json;
use sqlx::PgPool;
use stagedoor::routes;

use crate::{
    access::example,
    reservation::admit,
    support::{Concert, Office, Raw},
};

#[sqlx::test]
async fn no_change_comes_from_another_site(db: PgPool) {
    let office = Office::open_with(db, 1, &[]).await;
    let admin = office.employ("admin", "ADMIN").await;
    for path in routes::all() {
        let example = example(path.pattern());
        for method in path.methods().filter(|method| !method.is_safe()) {
            let method: Method = method.as_str().parse().unwrap();
            for (name, value) in [
                ("sec-fetch-site", "cross-site"),
                ("sec-fetch-site", "same-site"),
                ("origin", "https://evil.example"),
                ("origin", "null"),
            ] {
                let asked = admin.asks(method.clone(), &example, "application/json");
                let answer = admin.send(asked.header(name, value)).await;
                let told = (answer.status, answer.code());
                assert_eq!(
                    told,
                    (403, "cross-site".to_owned()),
                    "{method} {example} {name}: {value}"
                );
            }
        }
    }
    office.close().await;
}

#[sqlx::test]
async fn no_method_is_answered_that_is_not_in_the_table(db: PgPool) {
    let office = Office::open_with(db, 1, &[]).await;
    let admin = office.employ("admin", "ADMIN").await;
    for path in routes::all() {
        let listed: Vec<&str> = path.methods().map(actix_web::http::Method::as_str).collect();
        let example = example(path.pattern());
        for method in ["GET", "POST", "PUT", "PATCH", "DELETE", "TRACE", "OPTIONS", "PROPFIND"] {
            if listed.contains(&method) {
                continue;
            }
            let asked = admin.asks(method.parse().unwrap(), &example, "application/json");
            let answer = admin.send(asked).await;
            assert_eq!(answer.status, 405, "{method} {example}: {}", answer.body);
            assert_eq!(answer.header("allow"), listed.join(", "), "{method} {example}");
        }
    }
    office.close().await;
}

/// What a proxy and the office read differently would be two requests to one of them.
#[sqlx::test]
async fn a_request_of_two_lengths_is_refused(db: PgPool) {
    let office = Office::open_with(db, 1, &[]).await;
    let base = office.base(0);
    for lengths in [
        "content-length: 5\r\ntransfer-encoding: chunked",
        "transfer-encoding: chunked\r\ncontent-length: 5",
        "content-length: 5\r\ncontent-length: 6",
        "content-length: +5",
        "content-length: 5, 6",
        "transfer-encoding: xchunked",
        "transfer-encoding: chunked, identity",
    ] {
        let sent = format!("POST /logout HTTP/1.1\r\nhost: here\r\n{lengths}\r\n\r\n0\r\n\r\n");
        assert_eq!(Raw::send(&base, &sent).await.status().await, 400, "{lengths}");
    }
    office.close().await;
}

#[sqlx::test]
async fn nobody_reads_files_by_their_path(db: PgPool) {
    let office = Office::open_with(db, 1, &[]).await;
    let base = office.base(0);
    for path in [
        "/.git/config",
        "/.env",
        "/Cargo.toml",
        "/static/",
        "/static/x/",
        "/static/x/css/",
        "/static/x/../../Cargo.toml",
        "/static/x/css/../../../Cargo.toml",
        "/static/x/..%2f..%2fCargo.toml",
        "/static/x/%2e%2e/%2e%2e/Cargo.toml",
        "/static/x//etc/passwd",
        "/static/x/%5c..%5cCargo.toml",
        "/static/x/css/base.css%00",
        "/posters/../../Cargo.toml",
        "/posters/..%2f..%2fetc/passwd.png",
        "/programs/../static/x/../../Cargo.toml",
    ] {
        let sent = format!("GET {path} HTTP/1.1\r\nhost: here\r\nconnection: close\r\n\r\n");
        let status = Raw::send(&base, &sent).await.status().await;
        assert!([400, 404].contains(&status), "{path}: {status}");
    }
    let ada = office.sign_in("ada").await;
    let file = ada.visit("/wallet/statement.csv?name=../../x&filename=y%0d%0az").await;
    assert_eq!(file.header("content-disposition"), "attachment; filename=\"statement.csv\"");
    office.close().await;
}

#[sqlx::test]
async fn a_field_that_is_sent_twice_is_refused(db: PgPool) {
    let office = Office::open_with(db, 1, &[]).await;
    let ada = office.sign_in("ada").await;
    let twice = [("amount", "1"), ("amount", "1000")];
    let refused = ada.post("/wallet/charges", &twice).await;
    assert_eq!((refused.status, refused.code().as_str()), (400, "bad-request"));
    for path in ["/wallet?after=a&after=b", "/wallet/statement.csv?kind=CHARGE&kind=PAYMENT"] {
        assert!([400, 422].contains(&ada.get(path).await.status), "{path}");
    }
    // A query is no body.
    let refused = ada.post("/wallet/charges?amount=1000", &()).await;
    assert_eq!((refused.status, refused.code().as_str()), (422, "invalid"));
    office.close().await;
}

/// Found by fuzzing: a line before the first part, or a part that ends early, once ended the connection, or
/// kept it until its deadline.
#[sqlx::test]
async fn a_body_of_broken_parts_is_a_bad_request(db: PgPool) {
    let office = Office::open_with(db, 1, &[]).await;
    let stranger = office.stranger();
    let part = "--x\r\nContent-Disposition: form-data; name=\"email\"\r\n\r\na";
    for body in [
        "\n",
        "\r\n",
        "-\n--x--",
        "--",
        "--x",
        "--x\r\n",
        "--x\r\n\r\n",
        part,
        &format!("{part}\r\n--"),
        &format!("{part}\r\n--x"),
        &format!("{part}\r"),
    ] {
        for boundary in ["x", "xyz", "\"\"", ""] {
            let kind = format!("multipart/form-data; boundary={boundary}");
            let asked = stranger.asks(Method::POST, "/login", "application/json");
            let answer =
                stranger.send(asked.header("content-type", kind).body(body.to_owned())).await;
            assert!((400..500).contains(&answer.status), "{body:?} {boundary}: {}", answer.status);
        }
    }
    office.close().await;
}

/// Found by fuzzing: years that the database has no room for.
#[sqlx::test]
async fn a_time_that_cannot_be_kept_is_a_mistake_of_its_field(db: PgPool) {
    let office = Office::open_with(db, 1, &[]).await;
    let admin = office.employ("admin", "ADMIN").await;
    let usual = json!({
        "title": "Hamlet", "slug": "hamlet", "on_sale_at": "2030-01-02T19:00", "off_sale_at": "2030-02-02T19:00",
        "queue_capacity": "100", "stay_minutes": "10", "hold_minutes": "5", "places_per_account_max": "4",
        "refund_until_hours": "24", "refund_percent": "90",
    });
    for (name, time) in [
        ("on_sale_at", "-4800-01-01T00:00"),
        ("on_sale_at", "-262142-01-01T00:00"),
        ("off_sale_at", "+262142-12-31T23:59"),
        ("off_sale_at", "9999-12-31T23:59:59-23:59"),
    ] {
        let mut form = usual.clone();
        form[name] = json!(time);
        let refused = admin.post_json("/admin/programs", &form).await;
        assert_eq!(refused.status, 422, "{time}: {}", refused.body);
        assert!(refused.json()["fields"][name].is_string(), "{time}: {}", refused.body);
    }
    let made = admin.post_json("/admin/programs", &usual).await;
    assert_eq!(made.status, 201, "{}", made.body);
    office.close().await;
}

/// Prices, totals and balances of a page that was changed in the browser.
#[sqlx::test]
async fn a_browser_that_was_changed_gains_nothing(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let (concert, ada) = (Concert::usual(&db).await, office.sign_in("ada").await);
    admit(&db, &concert, std::slice::from_ref(&ada)).await;
    let path = format!("/schedules/{}/reservations", concert.schedule_id);
    let seat = concert.seat_ids[0];
    let cheaper = ada.post_json(&path, &json!({ "seat_ids": [seat], "total": 1 })).await;
    assert_eq!(cheaper.code(), "price-changed", "{}", cheaper.body);
    let form = json!({ "seat_ids": [seat], "unit_price": 0, "amount": 0, "discount": 50_000, "status": "CONFIRMED" });
    let held = ada.post_json(&path, &form).await;
    assert_eq!((held.status, &held.json()["total"]), (201, &json!(50_000)), "{}", held.body);
    let id = held.json()["reservation_id"].as_str().unwrap().to_owned();
    for amount in ["-1", "0", "1e9", "99999999999999999999", "1.5", "0x10"] {
        let refused = ada.post("/wallet/charges", &[("amount", amount)]).await;
        assert_eq!(refused.status, 422, "{amount}: {}", refused.body);
    }
    let form = json!({ "amount": 0, "total": 0, "balance": 1_000_000 });
    let unpaid = ada.post_json(&format!("/reservations/{id}/payment"), &form).await;
    assert_eq!((unpaid.status, unpaid.code().as_str()), (402, "insufficient-points"));
    office.verify_database().await;
    office.close_as_it_is().await;
}
