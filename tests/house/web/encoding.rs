//! Compressed bodies are refused before they are read, wherever they are sent.

use sqlx::PgPool;

use crate::support::{Office, Raw};

/// Only the head is sent: a server that waits for the body never answers with this.
#[sqlx::test]
async fn a_compressed_body_is_refused_before_a_byte_of_it_is_read(db: PgPool) {
    let office = Office::open_with(db, 1, &[]).await;
    let base = office.base(0);
    let bodies = [
        ("content-type: application/json", "content-length: 61000"),
        ("content-type: application/x-www-form-urlencoded", "content-length: 61000"),
        ("content-type: multipart/form-data; boundary=x", "content-length: 61000"),
        ("content-type: application/json", "transfer-encoding: chunked"),
    ];
    let paths = [
        ("POST", "/login"),
        ("POST", "/signup"),
        ("POST", "/nowhere"),
        ("DELETE", "/programs/a/queue"),
        ("PUT", "/"),
        ("POST", "/admin/venues/x/seats"),
    ];
    let codings = [
        "gzip",
        "GZip",
        "deflate",
        "br",
        "zstd",
        "identity, gzip",
        "identity\r\ncontent-encoding: gzip",
        "",
    ];
    for (method, path) in paths {
        for (kind, length) in bodies {
            let head = format!(
                "{method} {path} HTTP/1.1\r\nhost: here\r\naccept: application/json\r\n{kind}\r\n{length}\r\n"
            );
            for coding in codings {
                let sent = format!("{head}content-encoding: {coding}\r\n\r\n");
                let status = Raw::send(&base, &sent).await.status().await;
                assert_eq!(status, 415, "{sent}");
            }
        }
    }
    office.close().await;
}

#[sqlx::test]
async fn a_body_that_says_that_it_is_plain_is_read(db: PgPool) {
    let office = Office::open_with(db, 1, &[]).await;
    let stranger = office.stranger();
    for coding in ["identity", "Identity"] {
        let request = stranger.asks(reqwest::Method::POST, "/login", "application/json");
        let answer = stranger
            .send(
                request
                    .header("content-encoding", coding)
                    .body("{}")
                    .header("content-type", "application/json"),
            )
            .await;
        assert_eq!((answer.status, answer.code().as_str()), (401, "wrong-credentials"));
    }
    office.close().await;
}

/// What the head says fits into one packet, and what it would inflate to into no machine.
#[sqlx::test]
async fn whoever_sends_a_bomb_is_told_so(db: PgPool) {
    let office = Office::open_with(db, 1, &[]).await;
    let stranger = office.stranger();
    let request = stranger.asks(reqwest::Method::POST, "/login", "application/json");
    let request =
        request.header("content-encoding", "gzip").header("content-type", "application/json");
    let answer = stranger.send(request.body(vec![0x1f; 61_000])).await;
    assert_eq!((answer.status, answer.code().as_str()), (415, "unsupported-media-type"));
    office.close().await;
}
