//! Posters that are uploaded for shows.

use image::ImageFormat;
use reqwest::{Method, header::HeaderMap};
use serde_json::{Value, json};
use sqlx::PgPool;

use super::{field, program};
use crate::support::{
    Answer, Concert, ConcertOptions, Office, Person, acts, eventually, picture, picture_bomb,
    picture_form, read_one, until,
};

const JSON: &str = "application/json";

fn poster_path(program_id: impl std::fmt::Display) -> String {
    format!("/admin/programs/{program_id}/poster")
}

/// Adds to a JPEG that its camera was turned by 90 degrees, and where it was: Exif 2.3, sections 4.5.4 and
/// 4.6.2, and a comment.
fn photographed(jpeg: &[u8]) -> Vec<u8> {
    let exif: &[u8] =
        b"Exif\0\0MM\0\x2a\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0at home";
    let length = u16::try_from(exif.len() + 2).unwrap().to_be_bytes();
    [&jpeg[..2], b"\xff\xe1", &length, exif, b"\xff\xfe\0\x09at home", &jpeg[2..]].concat()
}

/// Makes a PNG of few bytes a pixel.
fn grey(width: u32, height: u32) -> Vec<u8> {
    let mut file = std::io::Cursor::new(Vec::new());
    image::GrayImage::new(width, height).write_to(&mut file, ImageFormat::Png).unwrap();
    file.into_inner()
}

/// Returns a JPEG whose left half is red, and whose right half is blue.
fn two_halves(width: u32, height: u32) -> Vec<u8> {
    let drawn = image::RgbImage::from_fn(width, height, |x, _| {
        image::Rgb(if 2 * x < width { [0xff, 0, 0] } else { [0, 0, 0xff] })
    });
    let mut file = std::io::Cursor::new(Vec::new());
    drawn.write_to(&mut file, ImageFormat::Jpeg).unwrap();
    file.into_inner()
}

/// Reads a file: its status, its headers and its bytes.
async fn read(person: &Person, path: &str) -> (u16, HeaderMap, Vec<u8>) {
    let answer = person.asks(Method::GET, path, "image/*").send().await.unwrap();
    let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
    (status, headers, answer.bytes().await.unwrap().to_vec())
}

/// Returns the page once a picture stands at `selector`: pages are a second old at most.
async fn page_with(person: &Person, path: &str, selector: &str) -> Answer {
    eventually("the picture is shown", async || {
        let page = person.visit(path).await;
        if page.has(selector) { Ok(page) } else { Err(page.body) }
    })
    .await
}

#[sqlx::test]
async fn a_poster_is_shown_where_shows_are_chosen_and_where_they_are_shared(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    let coming = ConcertOptions { opens_in_secs: 3_600, ..ConcertOptions::default() };
    let coming = Concert::with(&db, coming).await;
    let admin = office.employ("mina", "ADMIN").await;
    for concert in [&concert, &coming] {
        let path = poster_path(concert.program_id);
        let file = picture(1_600, 1_000, ImageFormat::WebP);
        let saved = admin.upload(&path, "0", file, JSON).await;
        assert_eq!(saved.status, 200, "{}", saved.body);
        assert_eq!(field(&saved, "version"), 1);
        assert_eq!(field(&saved, "poster").as_str().unwrap().len(), 16, "{}", saved.body);
    }
    let reader = office.stranger();
    let show = format!("/programs/{}", concert.slug);
    let home = page_with(&reader, "/", ".program-card__poster img").await;
    let page = page_with(&reader, &show, ".program__poster img").await;
    let card = |name: &str| home.attribute(".program-card__poster img", name);
    let src = card("src");
    assert!(src.starts_with(&format!("/posters/{}/", concert.slug)), "{src}");
    assert_eq!(page.attribute(".program__poster img", "src"), src);
    assert_eq!([card("width"), card("height"), card("alt")], ["640", "480", ""]);
    assert!(!home.has(".program-card__poster img[loading]"), "the first cards are seen at once");
    assert!(!home.has(".program-card__poster svg") && !page.has(".program__poster svg"));
    let thumbnail = ".program-list__poster img[sizes='3.5rem'][loading='lazy']";
    assert!(home.attribute(thumbnail, "src").contains(&coming.slug), "{}", home.body);

    let shared =
        |name: &str| page.attribute(&format!("meta[property='og:image{name}']"), "content");
    assert!(shared("").ends_with(&src.replace("small", "large")), "{}", shared(""));
    assert_eq!(
        [shared(":type"), shared(":width"), shared(":height")],
        ["image/jpeg", "1200", "900"]
    );
    let managed = admin.visit(&format!("/admin/programs/{}", concert.program_id)).await;
    assert_eq!(managed.attribute(".admin__poster", "src"), src);
    assert_eq!(acts(&db).await, ["poster-replaced", "poster-replaced"]);
    office.close().await;
}

#[sqlx::test]
async fn the_files_of_a_poster_are_made_anew_and_kept_for_ever(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    let admin = office.employ("mina", "ADMIN").await;
    let path = poster_path(concert.program_id);
    let uploaded = photographed(&two_halves(900, 1_600));
    assert_eq!(admin.upload(&path, "0", uploaded.clone(), JSON).await.status, 200);
    let reader = office.stranger();
    let home = page_with(&reader, "/", ".program-card__poster img").await;
    let srcset = home.attribute(".program-card__poster img", "srcset");
    let files: Vec<(&str, u32)> = srcset
        .split(", ")
        .map(|file| file.split_once(' ').unwrap())
        .map(|(path, width)| (path, width.trim_end_matches('w').parse().unwrap()))
        .collect();
    assert_eq!(files.iter().map(|(_, width)| *width).collect::<Vec<_>>(), [160, 640, 1_200]);
    for (path, width) in &files {
        for person in [&reader, &office.moved(&reader, 1)] {
            let (status, headers, file) = read(person, path).await;
            assert_eq!((status, &headers["content-type"]), (200, &"image/jpeg".parse().unwrap()));
            assert_eq!(headers["cache-control"], "public, max-age=31536000, immutable");
            assert_eq!(headers["x-content-type-options"], "nosniff");
            assert!(file.len() <= 393_216, "{}", file.len());
            let has = |part: &[u8]| file.windows(part.len()).any(|own| own == part);
            assert!(!has(b"Exif") && !has(b"at home"), "nothing but the picture is kept");
            let made = image::load_from_memory(&file).unwrap().into_rgb8();
            assert_eq!((made.width(), made.height()), (*width, width * 3 / 4));
            // Turned to the right, its left half is above.
            let [red, _, blue] = made.get_pixel(width / 2, 2).0;
            assert!(red > 0xe0 && blue < 0x20, "{red} {blue}");
            let [red, _, blue] = made.get_pixel(width / 2, made.height() - 3).0;
            assert!(red < 0x20 && blue > 0xe0, "{red} {blue}");
            let known = person.asks(Method::GET, path, "image/*");
            let known = known.header("if-none-match", &headers["etag"]).send().await.unwrap();
            assert_eq!(known.status(), 304);
        }
    }
    let (large, _) = files[2];
    let version: String = read_one(&db, "select version from program_posters").await;
    for unknown in [
        large.replace(&version, "0123456789abcdef"),
        large.replace("large", "huge"),
        large.replace(&concert.slug, "nothing"),
        large.replace(&version, "%00"),
    ] {
        assert_eq!(read(&reader, &unknown).await.0, 404, "{unknown}");
    }

    // Another picture has another address, and nothing stays of the old one.
    let stale = admin.upload(&path, "0", picture(20, 20, ImageFormat::Png), JSON).await;
    assert_eq!((stale.status, stale.code().as_str()), (409, "changed-meanwhile"));
    assert_eq!(admin.upload(&path, "1", picture(20, 20, ImageFormat::Png), JSON).await.status, 200);
    until("the old file is gone", async || read(&reader, large).await.0 == 404).await;
    assert_eq!(read_one::<i64>(&db, "select count(*) from program_posters").await, 1);
    let removed = admin.submit(&format!("{path}/removal"), &[("version", "2")]).await;
    assert_eq!(removed.status, 303);
    until("the drawing is back", async || {
        let home = reader.visit("/").await;
        let page = reader.visit(&format!("/programs/{}", concert.slug)).await;
        let shared = page.attribute("meta[property='og:image:type']", "content");
        home.has(".program-card__poster svg") && shared == "image/png"
    })
    .await;
    assert_eq!(read_one::<i64>(&db, "select count(*) from program_posters").await, 0);
    assert_eq!(acts(&db).await, ["poster-replaced", "poster-replaced", "poster-removed"]);
    office.close().await;
}

#[sqlx::test]
async fn what_is_no_picture_of_a_bounded_size_is_no_poster(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::usual(&db).await;
    let admin = office.employ("mina", "ADMIN").await;
    let path = poster_path(concert.program_id);
    let page = admin.visit(&format!("/admin/programs/{}", concert.program_id)).await;
    assert!(page.body.contains("8,192 pixels on each side and 25 million pixels in all"));
    let mut cut = picture(400, 400, ImageFormat::Png);
    cut.truncate(cut.len() / 2);
    for (file, code) in [
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>".to_vec(), "picture-unreadable"),
        (Vec::new(), "picture-unreadable"),
        (cut, "picture-unreadable"),
        (picture_bomb(), "picture-too-large"),
        (picture(8_193, 1, ImageFormat::Png), "picture-too-large"),
        (grey(8_192, 8_192), "picture-too-large"),
        (vec![0; 8 * 1024 * 1024 + 1], "picture-too-large"),
    ] {
        let refused = admin.upload(&path, "0", file.clone(), JSON).await;
        let start = String::from_utf8_lossy(&file[..file.len().min(20)]).into_owned();
        assert_eq!((refused.status, refused.code().as_str()), (422, code), "{start:?}");
    }
    let shown = admin.upload(&path, "0", picture_bomb(), "text/html").await;
    assert_eq!(shown.status, 422);
    assert!(
        shown.body.contains("up to 8 MB, 8,192 pixels on each side and 25 million pixels in all"),
        "{}",
        shown.body
    );
    assert_eq!(shown.attribute("input[name='title']", "value"), "A concert");
    assert!(shown.has(&format!("form[action='{path}'] input[type='file']")));
    let huge = admin.upload(&path, "0", vec![0; 9 * 1024 * 1024], JSON).await;
    assert_eq!((huge.status, huge.code().as_str()), (413, "body-too-large"));
    let form = admin.post(&path, &[("version", "0")]).await;
    assert_eq!((form.status, form.code().as_str()), (415, "unsupported-media-type"));
    let nowhere = poster_path(uuid::Uuid::now_v7());
    let file = picture(20, 20, ImageFormat::Png);
    assert_eq!(admin.upload(&nowhere, "0", file, JSON).await.status, 404);
    assert!(acts(&db).await.is_empty(), "nothing was changed");
    office.close().await;
}

#[sqlx::test]
async fn whoever_may_edit_a_show_may_change_its_poster_and_nobody_else(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::usual(&db).await;
    let admin = office.employ("mina", "ADMIN").await;
    let path = poster_path(concert.program_id);
    let file = picture(20, 20, ImageFormat::Png);
    let door = office.employ("door", "STAFF").await;
    for (person, status) in
        [(office.stranger(), 401), (office.sign_in("ada").await, 403), (door, 403)]
    {
        let refused = person.upload(&path, "0", file.clone(), JSON).await;
        assert_eq!(refused.status, status, "{}", refused.body);
        let removal = person.post(&format!("{path}/removal"), &[("version", "0")]).await;
        assert_eq!(removal.status, status, "{}", removal.body);
    }
    let mut sent = Vec::new();
    for scopes in [["programs:read"], ["programs:write"]] {
        let key = json!({ "name": "The calendar", "scopes": scopes });
        let key = admin.post_json("/admin/api-keys", &key).await.json()["key"].clone();
        let nobody = office.stranger();
        let request = nobody.asks(Method::POST, &path, JSON).bearer_auth(key.as_str().unwrap());
        let answer = nobody.send(request.multipart(picture_form("0", file.clone()))).await;
        sent.push((answer.status, answer.json()["code"].clone()));
    }
    assert_eq!(sent, [(403, json!("api-key-scope")), (200, Value::Null)]);
    assert_eq!(acts(&db).await, ["api-key-made", "api-key-made", "poster-replaced"]);
    office.close().await;
}

#[sqlx::test]
async fn a_copy_has_the_poster_and_keeps_it(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let admin = office.employ("mina", "ADMIN").await;
    let made = admin.post("/admin/programs", &program("Hamlet", "hamlet")).await;
    let id = |answer: &Answer| field(answer, "id").as_str().unwrap().to_owned();
    let first = id(&made);
    let file = picture(20, 20, ImageFormat::Png);
    let saved = admin.upload(&poster_path(&first), "0", file, JSON).await;
    let copied = admin.post(&format!("/admin/programs/{first}/copies"), &()).await;
    assert_eq!(copied.status, 201, "{}", copied.body);
    assert_eq!(field(&copied, "poster"), field(&saved, "poster"));

    let removal = format!("{}/removal", poster_path(&first));
    assert_eq!(admin.post(&removal, &[("version", "1")]).await.status, 200);
    let page = admin.visit(&format!("/admin/programs/{}", id(&copied))).await;
    let src = page.attribute(".admin__poster", "src");
    assert_eq!(read(&admin, &src).await.0, 200, "the copy keeps its own");
    let preview = admin.visit(&format!("/admin/programs/{}/preview", id(&copied))).await;
    assert_eq!(preview.attribute(".program__poster img", "src"), src);
    office.close().await;
}
