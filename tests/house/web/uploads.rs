//! Uploads: the role that they need, and the permits of one account and of all.

use reqwest::{Method, multipart::Form};
use sqlx::PgPool;
use uuid::Uuid;

use crate::support::{Office, Person, Raw};

/// The head of an upload of which nothing follows.
fn head(person: &Person, path: &str) -> String {
    let cookie = person.cookie("session").map(|value| format!("cookie: session={value}\r\n"));
    format!(
        "POST {path} HTTP/1.1\r\nhost: here\r\naccept: application/json\r\n{}\
         content-type: multipart/form-data; boundary=x\r\ncontent-length: 8000000\r\n\r\n",
        cookie.unwrap_or_default()
    )
}

#[sqlx::test]
async fn slow_uploads_of_strangers_are_refused_by_their_head_and_block_nobody(db: PgPool) {
    let office = Office::open_with(db, 1, &[]).await;
    let admin = office.employ("admin", "ADMIN").await;
    let (stranger, customer) = (office.stranger(), office.sign_in("ada").await);
    let staff = office.employ("door", "STAFF").await;
    let path = format!("/admin/venues/{}/seats/preview", Uuid::nil());
    let mut open = Vec::new();
    for (person, status) in [(&stranger, 401), (&customer, 403), (&staff, 403)] {
        for _ in 0..6 {
            let mut upload = Raw::send(&office.base(0), head(person, &path)).await;
            assert_eq!(upload.status().await, status);
            open.push(upload);
        }
    }
    // Elsewhere a file is a form that is too large, or late: it takes no permit either.
    let mut elsewhere = Vec::new();
    for _ in 0..6 {
        elsewhere.push(Raw::send(&office.base(0), head(&stranger, "/login")).await);
    }
    let form = Form::new().text("version", "1").text("file", "section,row,number\nA,A,1\n");
    let request = admin.asks(Method::POST, &path, "application/json").multipart(form);
    assert_eq!(admin.send(request).await.status, 404, "the upload was read; there is no venue");
    office.close().await;
}

/// An admin whose own connection is slow keeps two permits, and the other admins the others.
#[sqlx::test]
async fn a_slow_upload_keeps_a_share_until_its_time_is_over(db: PgPool) {
    let office = Office::open_with(db, 1, &[]).await;
    let (slow, quick) =
        (office.employ("slow", "ADMIN").await, office.employ("quick", "ADMIN").await);
    let path = format!("/admin/venues/{}/seats/preview", Uuid::nil());
    let mut kept = Vec::new();
    let mut refused = 0;
    for _ in 0..6 {
        kept.push(Raw::send(&office.base(0), head(&slow, &path)).await);
    }
    let upload = |person: &Person| {
        let form = Form::new().text("version", "1").text("file", "section,row,number\nA,A,1\n");
        let request = person.asks(Method::POST, &path, "application/json").multipart(form);
        let person = person.clone();
        async move { person.send(request).await }
    };
    assert_eq!(upload(&quick).await.status, 404);
    for held in &mut kept {
        match held.status().await {
            429 => refused += 1,
            status => assert_eq!(status, 408, "it ran out of its time"),
        }
    }
    assert_eq!(refused, 4, "two are received at once");
    assert_eq!(upload(&slow).await.status, 404, "the permits are back");
    office.close().await;
}
