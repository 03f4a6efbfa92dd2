//! Logo of the office.

use image::ImageFormat;
use reqwest::Method;
use serde_json::Value;
use sqlx::PgPool;

use crate::support::{Answer, Office, Person, acts, picture, picture_bomb, read_one};

const JSON: &str = "application/json";

/// Uploads a file as the logo.
async fn upload(admin: &Person, version: &str, file: Vec<u8>, accept: &str) -> Answer {
    admin.upload("/admin/office/logo", version, file, accept).await
}

#[sqlx::test]
async fn a_logo_is_made_anew_from_what_was_uploaded(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let admin = office.employ("mina", "ADMIN").await;
    let wide = picture(1_000, 500, ImageFormat::Jpeg);
    let saved = upload(&admin, "0", wide.clone(), JSON).await;
    assert_eq!(saved.status, 200, "{}", saved.body);
    let stranger = office.stranger();
    let src = stranger.visit("/").await.attribute(".header__picture", "src");
    let elsewhere = office.moved(&stranger, 1);
    for person in [&elsewhere, &stranger] {
        let answer = person.asks(Method::GET, &src, "image/*").send().await.unwrap();
        assert_eq!(answer.headers()["content-type"], "image/png");
        assert!(answer.headers()["cache-control"].to_str().unwrap().contains("immutable"));
        let etag = answer.headers()["etag"].to_str().unwrap().to_owned();
        let file = answer.bytes().await.unwrap();
        assert!(
            !file.windows(8).any(|part| wide.windows(8).any(|own| own == part)),
            "no byte of it is kept"
        );
        let small = image::load_from_memory(&file).unwrap();
        assert_eq!((small.width(), small.height()), (192, 96));
        let known = person.asks(Method::GET, &src, "image/*").header("if-none-match", etag);
        assert_eq!(known.send().await.unwrap().status(), 304);
    }
    let large = src.replace("small", "large");
    for path in ["/manifest.webmanifest", "/door.webmanifest"] {
        let manifest: Value = stranger.get(path).await.json();
        assert_eq!(manifest["icons"][0]["src"].as_str(), Some(large.as_str()), "{path}");
    }
    assert_eq!(stranger.visit(&large).await.status, 200);

    let stale = upload(&admin, "0", picture(20, 20, ImageFormat::Png), JSON).await;
    assert_eq!((stale.status, stale.code().as_str()), (409, "changed-meanwhile"));
    assert_eq!(upload(&admin, "1", picture(20, 20, ImageFormat::WebP), JSON).await.status, 200);
    // A page that was made before shows the present logo, and keeps nothing under the old address.
    let answer = stranger.asks(Method::GET, &src, "image/*").send().await.unwrap();
    assert_eq!(answer.headers()["cache-control"], "no-cache");
    let present = image::load_from_memory(&answer.bytes().await.unwrap()).unwrap();
    assert_eq!((present.width(), present.height()), (20, 20));
    assert_eq!(read_one::<i64>(&db, "select count(*) from office_logos").await, 1);
    let removed = admin.submit("/admin/office/logo/removal", &[("version", "2")]).await;
    assert_eq!(removed.status, 303);
    assert!(!stranger.visit("/").await.has(".header__picture"));
    assert_eq!(stranger.visit(&src).await.status, 404);
    assert_eq!(read_one::<i64>(&db, "select count(*) from office_logos").await, 0);
    assert_eq!(acts(&db).await, ["logo-replaced", "logo-replaced", "logo-removed"]);
    office.close().await;
}

#[sqlx::test]
async fn what_is_no_picture_of_a_bounded_size_is_no_logo(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let admin = office.employ("mina", "ADMIN").await;
    let svg = b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>".to_vec();
    let mut cut = picture(400, 400, ImageFormat::Png);
    cut.truncate(cut.len() / 2);
    for (file, code) in [
        (svg, "picture-unreadable"),
        (Vec::new(), "picture-unreadable"),
        (b"GIF89a\x01\0\x01\0\0\0\0".to_vec(), "picture-unreadable"),
        (cut, "picture-unreadable"),
        (picture_bomb(), "picture-too-large"),
        (picture(4_097, 1, ImageFormat::Png), "picture-too-large"),
        (vec![0; 2 * 1024 * 1024 + 1], "picture-too-large"),
    ] {
        let refused = upload(&admin, "0", file.clone(), JSON).await;
        let start = String::from_utf8_lossy(&file[..file.len().min(20)]).into_owned();
        assert_eq!((refused.status, refused.code().as_str()), (422, code), "{start:?}");
    }
    let shown = upload(&admin, "0", picture_bomb(), "text/html").await;
    assert_eq!(shown.status, 422);
    assert!(
        shown.body.contains("This picture may have up to 2 MB, 4,096 pixels on each side"),
        "{}",
        shown.body
    );
    let huge = upload(&admin, "0", vec![0; 9 * 1024 * 1024], JSON).await;
    assert_eq!((huge.status, huge.code().as_str()), (413, "body-too-large"));
    let form = admin.post("/admin/office/logo", &[("version", "0")]).await;
    assert_eq!((form.status, form.code().as_str()), (415, "unsupported-media-type"));
    let ada = office.sign_in("ada").await;
    let refused = upload(&ada, "0", picture(20, 20, ImageFormat::Png), JSON).await;
    assert_eq!(refused.status, 403, "{}", refused.body);
    assert!(acts(&db).await.is_empty(), "nothing was changed");
    office.close().await;
}
