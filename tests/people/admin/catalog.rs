//! Programs and performances: made, published, edited by two people at once.

use serde_json::json;
use sqlx::PgPool;

use super::{field, make_venue, program, with};
use crate::support::{Concert, Hold, Office, acts, run_sql};

#[sqlx::test]
async fn a_program_is_made_priced_published_and_sold(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let admin = office.employ("admin", "ADMIN").await;
    let made = admin.post("/admin/programs", &program("Hamlet", "hamlet")).await;
    assert_eq!(made.status, 201, "{}", made.body);
    let id = field(&made, "id").as_str().unwrap().to_owned();
    assert_eq!(field(&made, "on_sale_at"), "2030-01-02T10:00:00Z", "typed on Seoul's clock");
    let path = format!("/admin/programs/{id}");

    let early = admin.post(&format!("{path}/publication"), &[("version", "0")]).await;
    assert_eq!((early.status, early.code().as_str()), (409, "nothing-to-sell"));

    let venue = make_venue(&admin, "Stalls, 2, 5\nBalcony, 1, 4").await;
    let moment = [("venue_id", venue.as_str()), ("starts_at", "2030-03-01T20:00")];
    let schedule = admin.post(&format!("{path}/schedules"), &moment).await;
    assert_eq!(schedule.status, 201, "{}", schedule.body);
    let twice = admin.post(&format!("{path}/schedules"), &moment).await;
    assert_eq!((twice.status, twice.code().as_str()), (409, "moment-taken"));
    let schedule = format!("/admin/schedules/{}", field(&schedule, "id").as_str().unwrap());
    let prices = json!({ "version": 0, "section": ["Stalls", "Balcony"], "price": [50_000, ""] });
    let priced = admin.post_json(&format!("{schedule}/prices"), &prices).await;
    assert_eq!(priced.status, 200, "{}", priced.body);
    let zone = [("version", "1"), ("name", "Floor"), ("price", "30000"), ("capacity", "200")];
    assert_eq!(admin.post(&format!("{schedule}/zones"), &zone).await.status, 200);

    let published = admin.submit(&format!("{path}/publication"), &[("version", "0")]).await;
    assert_eq!((published.status, published.location()), (303, path.as_str()));
    let shown = office.stranger().get("/programs/hamlet").await.json();
    assert_eq!(shown["schedules"][0]["free"], 10 + 200, "a section without a price is not sold");
    assert_eq!(shown["schedules"][0]["price_from"], 30_000);
    let expected = [
        "program-created",
        "venue-created",
        "seats-replaced",
        "schedule-created",
        "prices-set",
        "zone-created",
        "program-published",
    ];
    assert_eq!(acts(&db).await, expected);
    for page in
        [path.as_str(), &schedule, "/admin/programs", "/admin", "/admin/audit", "/admin/venues"]
    {
        let page = admin.visit(page).await;
        assert_eq!(page.status, 200, "{}", page.body);
    }
    office.close().await;
}

#[sqlx::test]
async fn what_another_admin_changed_meanwhile_is_shown_and_not_overwritten(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let (mina, jun) = (office.employ("mina", "ADMIN").await, office.employ("jun", "ADMIN").await);
    let jun = office.moved(&jun, 1);
    let form = program("Hamlet", "hamlet");
    let made = mina.post("/admin/programs", &form).await;
    let path = format!("/admin/programs/{}", field(&made, "id").as_str().unwrap());

    let hers = with(&form, &[("version", "0"), ("title", "Hamlet, Prince")]);
    assert_eq!(mina.submit(&path, &hers).await.status, 303);
    let his = with(&form, &[("version", "0"), ("queue_capacity", "7")]);
    let refused = jun.submit(&path, &his).await;
    assert_eq!(refused.status, 409);
    for told in ["mina changed this", "<del>Hamlet</del>", "<ins>Hamlet, Prince</ins>"] {
        assert!(refused.body.contains(told), "{told}: {}", refused.body);
    }
    assert!(refused.has("[name='queue_capacity'][type='number'][value='7']"));
    assert!(refused.has("[name='version'][value='1']"), "{}", refused.body);
    let problem = jun.post(&path, &his).await;
    assert_eq!((problem.status, problem.code().as_str()), (409, "changed-meanwhile"));
    assert_eq!(problem.json()["meanwhile"][0]["changes"][0]["field"], "title");
    let kept: (String, i64) =
        sqlx::query_as("select title, version from programs").fetch_one(&db).await.unwrap();
    assert_eq!(kept, ("Hamlet, Prince".to_owned(), 1));
    assert_eq!(acts(&db).await, ["program-created", "program-edited"]);

    let knowingly = with(&his, &[("version", "1"), ("title", "Hamlet, Prince")]);
    assert_eq!(jun.submit(&path, &knowingly).await.status, 303);
    office.close().await;
}

#[sqlx::test]
async fn a_form_that_makes_no_sense_changes_nothing(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let admin = office.employ("admin", "ADMIN").await;
    let form = program("Hamlet", "hamlet");
    let cases = [
        ("queue_capacity", "0"),
        ("queue_capacity", "-1"),
        ("queue_rate_per_second", "1.5"),
        ("off_sale_at", "2030-01-02T18:59"),
        ("off_sale_at", "tomorrow"),
        ("slug", "Hamlet!"),
        ("slug", "-"),
        ("title", " "),
        ("stay_minutes", "0"),
        ("hold_minutes", "0:59"),
        ("hold_minutes", "61"),
        ("places_per_account_max", "99999999999999999999"),
        ("places_per_order_min", "0"),
        ("places_per_order_min", "5"),
        ("no_single_seats", "perhaps"),
        ("refund_percent", "101"),
        ("running_mins", "0"),
        ("running_mins", "1441"),
        ("age_min", "-1"),
        ("age_min", "100"),
    ];
    for (name, value) in cases {
        let form = with(&form, &[(name, value)]);
        let refused = admin.post("/admin/programs", &form).await;
        assert_eq!((refused.status, refused.code().as_str()), (422, "invalid"), "{name}={value}");
        assert!(refused.json()["fields"][name].is_string(), "{name}: {}", refused.body);
        let page = admin.submit("/admin/programs", &form).await;
        assert_eq!(page.status, 422);
        assert!(page.has("[aria-invalid]") && page.has("[value='Hamlet']") || name == "title");
    }
    assert!(acts(&db).await.is_empty());
    assert_eq!(admin.post("/admin/programs", &form).await.status, 201);
    let taken = admin.post("/admin/programs", &form).await;
    assert_eq!((taken.status, taken.code().as_str()), (409, "slug-taken"));
    office.close().await;
}

#[sqlx::test]
async fn the_rules_of_an_order_are_set_and_shown_before_anybody_orders(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let admin = office.employ("admin", "ADMIN").await;
    let form = program("Hamlet", "hamlet");
    let made = admin.post("/admin/programs", &form).await;
    let path = format!("/admin/programs/{}", field(&made, "id").as_str().unwrap());
    assert!(admin.visit(&path).await.has("[name='places_per_order_min'][value='1']"));
    let rules = [
        ("version", "0"),
        ("places_per_order_min", "2"),
        ("no_single_seats", "on"),
        ("running_mins", "90"),
        ("age_min", "12"),
    ];
    assert_eq!(admin.submit(&path, &with(&form, &rules)).await.status, 303);
    let page = admin.visit(&path).await;
    assert!(page.has("[name='places_per_order_min'][value='2']"), "{}", page.body);
    assert!(page.has("[name='no_single_seats'][checked]"), "{}", page.body);
    assert!(page.has("[name='running_mins'][value='90']"), "{}", page.body);
    assert!(page.has("[name='age_min'][value='12']"), "{}", page.body);
    run_sql(&db, "update programs set status = 'PUBLISHED'").await;
    let page = office.stranger().visit("/programs/hamlet").await;
    for rule in [
        "At least 2 seats per order.",
        "leave a single seat on its own.",
        "90 minutes",
        "12 and over",
    ] {
        assert!(page.body.contains(rule), "{rule}: {}", page.body);
    }
    office.close().await;
}

#[sqlx::test]
async fn a_price_change_leaves_holds_their_price(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    let admin = office.employ("admin", "ADMIN").await;
    let ada = office.sign_in("ada").await;
    let hold = Hold { seat_ids: &concert.seat_ids[..2], places: 1, ..Hold::default() };
    let id = hold.write(&db, &concert, ada.account_id).await;

    let schedule = format!("/admin/schedules/{}", concert.schedule_id);
    let prices = [("version", "0"), ("section", "Stalls"), ("price", "70000")];
    assert_eq!(admin.post(&format!("{schedule}/prices"), &prices).await.status, 200);
    let zone = [("version", "1"), ("name", "Floor"), ("price", "99000"), ("capacity", "100")];
    let zone_path = format!("{schedule}/zones/{}", concert.zone_id);
    assert_eq!(admin.post(&zone_path, &zone).await.status, 200);

    assert_eq!(ada.post("/wallet/charges", &[("amount", "200000")]).await.status, 201);
    let paid = ada.post(&format!("/reservations/{id}/payment"), &()).await;
    assert_eq!((paid.status, field(&paid, "amount")), (201, json!(130_000)));
    office.verify().await;
    office.close().await;
}

#[sqlx::test]
async fn an_edit_of_one_field_leaves_every_second_of_the_others(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let admin = office.employ("admin", "ADMIN").await;
    let made = admin.post("/admin/programs", &program("Hamlet", "hamlet")).await;
    let path = format!("/admin/programs/{}", field(&made, "id").as_str().unwrap());
    let read = async || -> (i32, i32, String, String, String) {
        sqlx::query_as(
            "select stay_secs, hold_ttl_secs, on_sale_at::text, off_sale_at::text, title
             from programs",
        )
        .fetch_one(&db)
        .await
        .unwrap()
    };
    run_sql(
        &db,
        "update programs set stay_secs = 95, hold_ttl_secs = 75,
         on_sale_at = '2030-01-02 10:00:07.123456Z', off_sale_at = '2030-02-02 10:00:00.5Z'",
    )
    .await;
    let before = read().await;
    let page = admin.visit(&path).await.body;
    let shown = |name: &str| {
        let input = page.split(&format!("name=\"{name}\"")).nth(1).unwrap();
        input.split("value=\"").nth(1).unwrap().split('"').next().unwrap().to_owned()
    };
    let names = ["stay_minutes", "hold_minutes", "on_sale_at", "off_sale_at"];
    let values = names.map(|name| (name, shown(name)));
    let expected = ["1:35", "1:15", "2030-01-02T19:00:07", "2030-02-02T19:00"];
    assert_eq!(values.clone().map(|(_, value)| value), expected);

    let mut form = with(&program("Macbeth", "hamlet"), &[("version", "0")]);
    for (name, value) in &values {
        form = with(&form, &[(name, value)]);
    }
    assert_eq!(admin.submit(&path, &form).await.status, 303);
    assert_eq!(read().await, (before.0, before.1, before.2, before.3, "Macbeth".to_owned()));
    for nonsense in ["0:59", "1:60", "1:5", "4.5", "1440:01"] {
        let form = with(&form, &[("version", "1"), ("stay_minutes", nonsense)]);
        assert_eq!(admin.post(&path, &form).await.status, 422, "{nonsense}");
    }
    let form = with(&form, &[("version", "1"), ("stay_minutes", "2:05")]);
    assert_eq!(admin.post(&path, &form).await.status, 200);
    assert_eq!(read().await.0, 125);
    office.close().await;
}

#[sqlx::test]
async fn a_show_without_an_address_gets_one_of_its_title(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let admin = office.employ("admin", "ADMIN").await;
    let form = program("조용한 밤", "");
    let form = with(&form, &[("slug", "")]);
    let other = office.moved(&admin, 1);
    let (first, second) =
        tokio::join!(admin.post("/admin/programs", &form), other.post("/admin/programs", &form));
    let mut slugs = [&first, &second].map(|made| field(made, "slug").as_str().unwrap().to_owned());
    slugs.sort();
    assert_eq!(slugs, ["joyonghan-bam", "joyonghan-bam-2"], "{}", first.body);

    let path = format!("/admin/programs/{}", field(&first, "id").as_str().unwrap());
    let renamed = with(&form, &[("version", "0"), ("title", "A loud night")]);
    let saved = admin.post(&path, &renamed).await;
    assert_eq!(field(&saved, "slug"), field(&first, "slug"), "an address that people have stays");
    let page = admin.visit("/admin/programs/new").await;
    assert!(!page.has("#slug[required]") && page.body.contains("made from the title"));
    office.close().await;
}

#[sqlx::test]
async fn a_show_without_a_waiting_room_is_asked_about_before_it_is_published(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::usual(&db).await;
    run_sql(&db, "update programs set status = 'DRAFT'").await;
    let admin = office.employ("admin", "ADMIN").await;
    let path = format!("/admin/programs/{}", concert.program_id);
    let ask = format!("{path}/publication");
    let asked = admin.submit(&ask, &[("version", "0")]).await;
    assert_eq!((asked.status, asked.location()), (303, ask.as_str()));
    let page = admin.visit(&ask).await;
    assert!(page.body.contains("This show has no line. Publish anyway?"), "{}", page.body);
    assert_eq!(page.attribute("main a.button", "href"), format!("{path}#queue_capacity"));
    assert_eq!(admin.get(&path).await.json()["program"]["status"], "DRAFT", "nothing was done");
    let version = page.attribute("main form [name=version]", "value");
    let answer = page.attribute("main form [name=is_open_house]", "value");
    let form = [("version", version.as_str()), ("is_open_house", answer.as_str())];
    let published = admin.submit(&ask, &form).await;
    assert_eq!((published.status, published.location()), (303, path.as_str()));
    assert!(admin.visit(&ask).await.body.contains("not a draft any more"));

    let other = Concert::usual(&db).await;
    run_sql(&db, "update programs set status = 'DRAFT'").await;
    let path = format!("/admin/programs/{}/publication", other.program_id);
    let program = admin.post(&path, &[("version", "0")]).await;
    assert_eq!(program.status, 200, "a program that manages is asked nothing: {}", program.body);
    office.close().await;
}

#[sqlx::test]
async fn the_time_zone_of_a_venue_is_chosen_from_a_list(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let admin = office.employ("admin", "ADMIN").await;
    let page = admin.visit("/admin/venues/new").await;
    let zones = page.texts("select[name=time_zone] option");
    assert_eq!(zones[0], "Asia/Seoul", "the office's own comes first");
    assert!(zones.len() > 300 && zones.contains(&"Europe/Berlin".to_owned()), "{zones:?}");
    assert!(!zones.contains(&"US/Eastern".to_owned()), "an older name");
    let old = [("name", "A hall"), ("address", ""), ("time_zone", "US/Eastern")];
    let venue = admin.post("/admin/venues", &old).await;
    let path = format!("/admin/venues/{}", field(&venue, "id").as_str().unwrap());
    let chosen = admin.visit(&path).await.texts("select[name=time_zone] option[selected]");
    assert_eq!(chosen, ["US/Eastern"], "what was chosen once is kept");
    office.close().await;
}
