//! Stylesheets, scripts and pictures.

use std::io::Read;

use reqwest::Method;
use sqlx::PgPool;

use crate::support::Office;

#[sqlx::test]
async fn a_file_is_sent_in_the_smallest_coding_that_is_taken(db: PgPool) {
    let office = Office::open_with(db, 1, &[]).await;
    let stranger = office.stranger();
    let page = stranger.visit("/").await;
    let path = page.attribute("link[rel='stylesheet'][href$='components.css']", "href");
    let asked = |accepted: &'static str| {
        let request = stranger.asks(Method::GET, &path, "*/*").header("accept-encoding", accepted);
        async { request.send().await.unwrap() }
    };
    let plain = asked("identity").await;
    assert_eq!(plain.status(), 200);
    assert!(plain.headers().get("content-encoding").is_none());
    let plain = plain.bytes().await.unwrap();

    let mut sizes = vec![plain.len()];
    for (accepted, coding) in
        [("gzip", "gzip"), ("gzip, deflate, br, zstd", "br"), ("*;q=0.1, br", "br")]
    {
        let answer = asked(accepted).await;
        let headers = answer.headers().clone();
        assert_eq!(headers["content-encoding"], coding, "{accepted}");
        assert_eq!(headers["vary"], "accept-encoding");
        assert_eq!(headers["content-type"], "text/css; charset=utf-8");
        assert_eq!(headers["cache-control"], "public, max-age=31536000, immutable");
        let sent = answer.bytes().await.unwrap();
        let mut read = Vec::new();
        match coding {
            "br" => brotli::BrotliDecompress(&mut &sent[..], &mut read).map(drop).unwrap(),
            _ => flate2::read::GzDecoder::new(&sent[..]).read_to_end(&mut read).map(drop).unwrap(),
        }
        assert_eq!(read, plain, "{accepted}");
        sizes.push(sent.len());
    }
    let [plain, gzip, brotli, same] = sizes[..] else { panic!("{sizes:?}") };
    assert!(brotli < gzip && gzip < plain && same == brotli, "{sizes:?}");
    for accepted in ["", "br;q=0", "zstd"] {
        let answer = asked(accepted).await;
        assert!(answer.headers().get("content-encoding").is_none(), "{accepted}");
    }
    office.close().await;
}

/// An address of an older version gets the current file, which no cache may keep under that name.
#[sqlx::test]
async fn an_old_address_is_not_kept(db: PgPool) {
    let office = Office::open_with(db, 1, &[]).await;
    let stranger = office.stranger();
    let old = stranger.visit("/static/000000000000/css/base.css").await;
    assert_eq!((old.status, old.header("cache-control")), (200, "no-cache"));
    assert_eq!(stranger.visit("/static/000000000000/css/none.css").await.status, 404);
    office.close().await;
}
