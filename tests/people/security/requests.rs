//! Requests as no page sends them.

use reqwest::Method;
use serde_json::json;
use sqlx::PgPool;
use stagedoor::routes;

use crate::{
    access::example,
    support::{Concert, Office, Raw, admit},
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
    // Nor does a document name one twice, or an upload a part.
    let asked = ada.asks(Method::POST, "/wallet/charges", "application/json");
    let asked = asked.header("content-type", "application/json");
    let refused = ada.send(asked.body("{\"amount\": 1, \"amount\": 1000}")).await;
    assert_eq!((refused.status, refused.code().as_str()), (400, "bad-request"));
    let admin = office.employ("admin", "ADMIN").await;
    let concert = Concert::usual(&office.db).await;
    let part = |name: &str, value: &str| {
        format!("--x\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
    };
    let poster = format!("/admin/programs/{}/poster", concert.program_id);
    let logo = "/admin/office/logo".to_owned();
    for (path, parts) in [
        (&poster, [part("version", "0"), part("version", "1"), part("file", "x")]),
        (&poster, [part("version", "0"), part("file", "x"), part("file", "y")]),
        (&logo, [part("version", "0"), part("file", "x"), part("file", "y")]),
    ] {
        let asked = admin.asks(Method::POST, path, "application/json");
        let asked = asked.header("content-type", "multipart/form-data; boundary=x");
        let refused = admin.send(asked.body(parts.concat() + "--x--\r\n")).await;
        assert_eq!((refused.status, refused.code().as_str()), (400, "bad-request"), "{parts:?}");
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
    let refused = ada.post_json(&path, &form).await;
    assert_eq!((refused.status, refused.code().as_str()), (422, "invalid"), "{}", refused.body);
    let held = ada.post_json(&path, &json!({ "seat_ids": [seat] })).await;
    assert_eq!((held.status, &held.json()["total"]), (201, &json!(50_000)), "{}", held.body);
    let id = held.json()["reservation_id"].as_str().unwrap().to_owned();
    for amount in ["-1", "0", "1e9", "99999999999999999999", "1.5", "0x10"] {
        let refused = ada.post("/wallet/charges", &[("amount", amount)]).await;
        assert_eq!(refused.status, 422, "{amount}: {}", refused.body);
    }
    let form = json!({ "amount": 0, "total": 0, "balance": 1_000_000 });
    let payment = format!("/reservations/{id}/payment");
    assert_eq!(ada.post_json(&payment, &form).await.status, 422);
    let unpaid = ada.post_json(&payment, &json!({})).await;
    assert_eq!((unpaid.status, unpaid.code().as_str()), (402, "insufficient-points"));
    office.verify_database().await;
    office.close_as_it_is().await;
}

/// What is no text is no word of ours, and who forwards a request decides nothing unless the office trusts it.
#[sqlx::test]
async fn an_origin_that_cannot_be_read_is_foreign_and_a_forwarded_host_is_not_ours(db: PgPool) {
    let office = Office::open_with(db, 1, &[]).await;
    let ada = office.sign_in("ada").await;
    let host = office.base(0).strip_prefix("http://").unwrap().to_owned();
    let send = async |headers: &[(&str, &[u8])]| {
        let mut asked = ada.asks(Method::POST, "/account/name", "application/json");
        for (name, value) in headers {
            let name: reqwest::header::HeaderName = name.parse().unwrap();
            asked = asked.header(name, reqwest::header::HeaderValue::from_bytes(value).unwrap());
        }
        let answer = ada.send_form(asked, &[("name", "Ada")]).await;
        (answer.status, if answer.status == 200 { String::new() } else { answer.code() })
    };
    let ours = format!("http://{host}");
    let ours = ours.as_bytes();
    assert_eq!(send(&[("origin", ours)]).await, (200, String::new()));
    let evil: &[u8] = b"http://evil.example";
    for headers in [
        &[("origin", &b"http://\xff"[..])][..],
        &[("origin", &b""[..])],
        &[("origin", ours), ("origin", evil)],
        &[("sec-fetch-site", &b"\xff"[..])],
        &[("sec-fetch-site", &b"same-origin"[..]), ("sec-fetch-site", &b"cross-site"[..])],
        &[("origin", evil), ("x-forwarded-host", &b"evil.example"[..])],
        &[("origin", evil), ("forwarded", &b"host=evil.example"[..])],
    ] {
        assert_eq!(send(headers).await, (403, "cross-site".to_owned()), "{headers:?}");
    }
    office.close().await;
}

/// A body without an end keeps no connection: neither one that no handler reads, nor one that is
/// late.
#[sqlx::test]
async fn a_body_without_an_end_ends_with_its_connection(db: PgPool) {
    let office = Office::open_with(db, 1, &[]).await;
    let token = office.sign_in("ada").await.cookie("session").unwrap();
    let head = |what: &str| {
        format!(
            "{what} HTTP/1.1\r\nHost: x\r\nAccept: application/json\r\nTransfer-Encoding: chunked\r\n"
        )
    };
    let form = "Content-Type: application/x-www-form-urlencoded\r\n";
    let mut waiting = Vec::new();
    for (request, status) in [
        // Late.
        (
            format!(
                "{}{form}Cookie: session={token}\r\n\r\n5\r\nname=",
                head("POST /account/name")
            ),
            408,
        ),
        // Refused before a byte of the body is read.
        (
            format!(
                "{}{form}Origin: http://evil.example\r\n\r\n1\r\nn",
                head("POST /account/name")
            ),
            403,
        ),
        (format!("{}\r\n1\r\nn", head("GET /")), 0),
        (format!("{}\r\n1\r\nn", head("GET /nowhere")), 404),
    ] {
        for _ in 0..3 {
            let mut raw = Raw::send(&office.base(0), &request).await;
            waiting.push(async move {
                let answered = raw.status().await;
                assert!(answered == status || status == 0, "{answered}");
                raw.ended().await;
            });
        }
    }
    futures_util::future::join_all(waiting).await;
    // One that ends is answered on a connection that goes on.
    let whole = format!("{}\r\n1\r\nn\r\n0\r\n\r\n", head("GET /robots.txt"));
    let mut raw = Raw::send(&office.base(0), whole.clone() + &whole).await;
    raw.status().await;
    office.close().await;
}
