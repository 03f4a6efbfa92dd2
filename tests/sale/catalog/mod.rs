//! What is shown before a person joins a queue.

mod office_clock;
mod popularity;
mod ranking_scripts;
mod sell_outs;
mod unpriced;

use sqlx::PgPool;

use crate::support::{Concert, ConcertOptions, Office, eventually, run_sql, run_sql_with};

#[sqlx::test]
async fn the_home_page_lists_what_is_on_sale_and_what_is_coming(db: PgPool) {
    let office = Office::open(db).await;
    let open = Concert::usual(&office.db).await;
    let coming = ConcertOptions { opens_in_secs: 3_600, ..ConcertOptions::default() };
    let coming = Concert::with(&office.db, coming).await;
    let over = ConcertOptions { closes_in_secs: -60, ..ConcertOptions::default() };
    Concert::with(&office.db, over).await;

    let home = office.stranger().get("/").await.json();
    assert_eq!(home["on_sale"].as_array().unwrap().len(), 1);
    assert_eq!(home["on_sale"][0]["slug"], open.slug);
    assert_eq!(home["on_sale"][0]["price_from"], 30_000);
    assert_eq!(home["coming"][0]["slug"], coming.slug);
    assert!(home["coming"][0]["opens_at"].is_string());
    assert!(office.stranger().visit("/").await.body.contains(&open.slug));
    office.close().await;
}

#[sqlx::test]
async fn a_program_has_one_poster_on_every_page_and_its_neighbours_have_others(db: PgPool) {
    let office = Office::open(db).await;
    let concerts = [
        Concert::usual(&office.db).await,
        Concert::usual(&office.db).await,
        Concert::usual(&office.db).await,
    ];
    // The class of the palette, and the art.
    let poster = |page: &str| {
        let (_, rest) = page.split_once("poster poster--").expect("no poster");
        let (palette, rest) = rest.split_once(' ').unwrap();
        let (art, _) = rest.split_once("</svg>").unwrap();
        let (_, art) = art.split_once("<svg").unwrap();
        (palette.to_owned(), art.to_owned())
    };
    let home = office.stranger().visit("/").await.body;
    let mut posters = Vec::new();
    for concert in &concerts {
        let path = format!("/programs/{}", concert.slug);
        let (_, card) = home.split_once(&format!("href=\"{path}\"")).unwrap();
        let page = office.stranger().visit(&path).await.body;
        assert_eq!(poster(card), poster(&page));
        posters.push(poster(&page));
    }
    for (nth, (palette, art)) in posters.iter().enumerate() {
        for (other_palette, other_art) in &posters[..nth] {
            assert!(palette != other_palette && art != other_art);
        }
    }
    office.close().await;
}

#[sqlx::test]
async fn a_program_says_what_is_free_and_from_which_price(db: PgPool) {
    let office = Office::open(db).await;
    let concert = Concert::usual(&office.db).await;
    for name in [concert.slug.clone(), concert.program_id.to_string()] {
        let program = office.stranger().get(&format!("/programs/{name}")).await.json();
        assert_eq!(program["sale"]["state"], "on-sale");
        assert_eq!(program["schedules"][0]["id"], concert.schedule_id.to_string());
        assert_eq!(program["schedules"][0]["free"], 120);
        assert_eq!(program["schedules"][0]["price_from"], 30_000);
    }
    office.close().await;
}

#[sqlx::test]
async fn a_cancelled_program_offers_no_seats_and_no_prices(db: PgPool) {
    let office = Office::open(db).await;
    let concert = Concert::usual(&office.db).await;
    let path = format!("/programs/{}", concert.slug);
    assert!(office.stranger().visit(&path).await.body.contains("120 left"));
    run_sql(
        &office.db,
        "update programs set status = 'CANCELLED', cancelled_at = clock_timestamp()",
    )
    .await;
    let page = eventually("a page that says so", async || {
        let page = office.stranger().visit(&path).await;
        let is_told = page.body.contains("This show was cancelled");
        if is_told { Ok(page) } else { Err(page.body) }
    })
    .await;
    assert!(!page.body.contains("left</span>") && !page.body.contains("30,000"), "{}", page.body);
    assert!(page.has(".schedule-list .badge--off"));
    office.close().await;
}

#[sqlx::test]
async fn where_nobody_waits_joining_leads_straight_to_the_seats(db: PgPool) {
    let office = Office::open(db).await;
    let concert = Concert::usual(&office.db).await;
    let ada = office.sign_in("ada").await;
    let page = ada.visit(&format!("/programs/{}", concert.slug)).await;
    assert!(page.body.contains("You go straight to the seats"));
    let joined = ada.submit(&format!("/programs/{}/queue", concert.slug), &()).await;
    assert_eq!(joined.status, 303);
    let map = joined.header("location");
    assert_eq!(map, format!("/schedules/{}", concert.schedule_id));
    assert_eq!(ada.visit(map).await.status, 200);
    office.close().await;
}

#[sqlx::test]
async fn a_draft_is_nowhere(db: PgPool) {
    let office = Office::open(db).await;
    let concert = Concert::usual(&office.db).await;
    run_sql(&office.db, "update programs set status = 'DRAFT'").await;
    let answer = office.stranger().get(&format!("/programs/{}", concert.slug)).await;
    assert_eq!((answer.status, answer.code().as_str()), (404, "not-found"));
    assert!(office.stranger().get("/").await.json()["on_sale"].as_array().unwrap().is_empty());
    office.close().await;
}

#[sqlx::test]
async fn search_engines_are_told_the_programs_that_people_may_see(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let (shown, draft) = (Concert::usual(&db).await, Concert::usual(&db).await);
    run_sql_with(&db, "update programs set status = 'DRAFT' where id = $1", draft.program_id).await;
    let reader = office.stranger();
    let sitemap = reader.visit("/sitemap.xml").await;
    assert_eq!(sitemap.status, 200);
    assert!(sitemap.header("content-type").starts_with("application/xml"));
    assert!(sitemap.body.contains(&format!("/programs/{}</loc>", shown.slug)), "{}", sitemap.body);
    assert!(!sitemap.body.contains(&draft.slug), "{}", sitemap.body);
    let robots = reader.visit("/robots.txt").await;
    assert_eq!(robots.status, 200);
    assert!(robots.body.contains("\nSitemap: http"), "{}", robots.body);
    assert!(robots.body.contains("\nDisallow: /\n"), "{}", robots.body);
    office.close().await;
}

#[sqlx::test]
async fn a_program_says_what_it_is_how_long_it_takes_for_whom_and_where(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    let path = format!("/programs/{}", concert.slug);
    run_sql(&db, "update venues set address = 'Seoul, 1 & 2 Hall St'").await;
    let page = office.stranger().visit(&path).await;
    let map = page.attribute(".program__facts a", "href");
    assert!(map.ends_with("/?api=1&query=A+hall+Seoul%2C+1+%26+2+Hall+St"), "{map}");
    let address = "[itemtype='https://schema.org/Event'] [itemprop='address']";
    assert_eq!(page.attribute(address, "content"), "Seoul, 1 & 2 Hall St");
    for unsaid in ["Running time", "Ages", "About"] {
        assert!(!page.body.contains(unsaid), "{unsaid}: {}", page.body);
    }
    let said = "update programs set running_mins = 130, age_min = 8,
                description = E'A **long** night\n\n- <b>one</b>\n- [two](javascript:alert(1))'";
    run_sql(&db, said).await;
    // Pages of programs are kept for a moment.
    let page = eventually("what is said", async || {
        let page = office.stranger().visit(&path).await;
        let said = ["130 minutes", "8 and over", "<strong>long</strong>", "&lt;b&gt;one"];
        if said.iter().all(|said| page.body.contains(said)) { Ok(page) } else { Err(page.body) }
    })
    .await;
    assert!(!page.body.contains("javascript:"), "{}", page.body);
    let summary = page.attribute("meta[name='description']", "content");
    assert_eq!(summary, "A long night <b>one</b> two");
    office.close().await;
}

#[sqlx::test]
async fn a_link_to_a_program_says_what_it_is(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    let about = "A \"night\" by the sea & more. ".repeat(20);
    sqlx::query("update programs set description = $1").bind(&about).execute(&db).await.unwrap();
    let path = format!("/programs/{}", concert.slug);
    let page = office.stranger().visit(&path).await;
    assert!(page.attribute("link[rel='canonical']", "href").ends_with(&path));
    let said = page.attribute("meta[name='description']", "content");
    assert!(said.starts_with("A \"night\" by the sea & more."), "{said}");
    assert!(said.chars().count() <= 161 && said.ends_with('…'), "{said}");
    assert_eq!(page.attribute("meta[property='og:title']", "content"), "A concert");
    let event = "[itemtype='https://schema.org/Event']";
    let starts_at = page.attribute(&format!("{event} [itemprop='startDate']"), "content");
    assert!(starts_at.ends_with('Z'), "{starts_at}");
    assert_eq!(page.attribute(&format!("{event} [itemprop='location'] meta"), "content"), "A hall");
    office.close().await;
}

/// Sites on which links are shared take no SVG, and keep a picture for ever.
#[sqlx::test]
async fn a_link_to_a_program_shows_its_poster_as_a_picture(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    let reader = office.stranger();
    let page = reader.visit(&format!("/programs/{}", concert.slug)).await;
    let address = page.attribute("meta[property='og:image']", "content");
    let path = address[address.find("/posters/").unwrap()..].to_owned();
    let picture = reader.asks(reqwest::Method::GET, &path, "*/*").send().await.unwrap();
    assert_eq!(picture.status(), 200);
    assert_eq!(picture.headers()["content-type"], "image/png");
    assert_eq!(picture.headers()["cache-control"], "public, max-age=31536000, immutable");
    let bytes = picture.bytes().await.unwrap();
    // PNG (RFC 2083, section 11.2.1): the first chunk begins with width and height.
    let part = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
    assert_eq!((&bytes[1..4], part(16), part(20)), (&b"PNG"[..], 1200, 630));
    let named = ["width", "height"].map(|name| format!("meta[property='og:image:{name}']"));
    let named = named.map(|meta| page.attribute(&meta, "content"));
    assert_eq!(named, ["1200", "630"]);

    let old = reader.get(&format!("/posters/{}/000000000000.png", concert.slug)).await;
    assert_eq!((old.status, old.header("cache-control")), (200, "no-cache"));
    assert_eq!(reader.get("/posters/nothing/000000000000.png").await.status, 404);
    let draft = Concert::usual(&db).await;
    run_sql_with(&db, "update programs set status = 'DRAFT' where id = $1", draft.program_id).await;
    let hidden = reader.get(&format!("/posters/{}/000000000000.png", draft.slug)).await;
    assert_eq!(hidden.status, 404);
    assert!(reader.visit("/robots.txt").await.body.contains("\nAllow: /posters/\n"));
    office.close().await;
}
