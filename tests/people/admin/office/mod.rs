//! Settings of the office: what an administrator sets is on every page, in mails and in files.

mod logo;

use reqwest::{Method, multipart::Form};
use serde_json::json;
use sqlx::PgPool;

use crate::support::{Concert, Hold, Office, Pdf, Purchase, acts, email_of, read_one, until};

const PATH: &str = "/admin/office";

/// Settings of edition `version` as an administrator types them.
fn settings<'a>(version: &'a str, own: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    let mut form = vec![("version", version)];
    form.extend_from_slice(own);
    form
}

#[sqlx::test]
async fn what_an_office_is_called_is_on_each_page_of_every_instance(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    let admin = office.employ("mina", "ADMIN").await;
    let before = office.stranger().visit("/").await;
    assert!(before.texts("title")[0].ends_with("· Stagedoor"), "{}", before.body);
    assert!(!before.has(".footer__link[href='/imprint']"));
    assert_eq!(office.stranger().visit("/imprint").await.status, 404);

    let form = [
        ("name", "Globe & Co"),
        ("email", "Help@Globe.example"),
        ("phone", "+44 (0)20 7902"),
        ("imprint", "# Who we are\n\nGlobe & Co, **Bankside**"),
        ("privacy", "We keep little."),
    ];
    let saved = admin.post(PATH, &settings("0", &form)).await;
    assert_eq!(saved.status, 200, "{}", saved.body);
    let saved = saved.json();
    assert_eq!((&saved["version"], &saved["name"]), (&json!(1), &json!("Globe & Co")));
    let elsewhere = office.moved(&office.stranger(), 1);
    until("the other instance shows it", async || {
        elsewhere.visit("/").await.texts("title")[0].ends_with("· Globe & Co")
    })
    .await;
    for person in [&office.stranger(), &elsewhere] {
        let page = person.visit(&format!("/programs/{}", concert.slug)).await;
        assert_eq!(page.texts(".header__brand"), ["Globe & Co"]);
        assert_eq!(page.attribute("meta[property='og:site_name']", "content"), "Globe & Co");
        assert_eq!(page.texts("a[href='mailto:help@globe.example']"), ["help@globe.example"]);
        assert_eq!(page.texts("a[href='tel:+440207902']"), ["+44 (0)20 7902"]);
        assert!(!page.has(".footer__link[href='/terms']"), "a text that is empty has no link");
        for (path, title, text) in [
            ("/imprint", "Imprint", "Who we are Globe & Co, Bankside"),
            ("/privacy", "Privacy", "We keep little."),
        ] {
            let link = format!(".footer__link[href='{path}']");
            assert_eq!(page.texts(&link), [title]);
            let legal = person.visit(path).await;
            assert_eq!(
                (legal.texts("h1"), legal.texts(".prose")),
                (vec![title.to_owned()], vec![text.to_owned()])
            );
        }
        let manifest = person.get("/manifest.webmanifest").await.json();
        assert_eq!(
            (&manifest["name"], &manifest["theme_color"]),
            (&json!("Globe & Co"), &json!("#0c5f47"))
        );
        let door = person.get("/door.webmanifest").await;
        assert_eq!(door.header("content-type"), "application/manifest+json");
        let shown = ["name", "short_name", "start_url"].map(|key| door.json()[key].clone());
        assert_eq!(shown, [json!("Door · Globe & Co"), json!("Door"), json!("/door")]);
    }
    let korean = office.stranger();
    korean.submit("/language", &[("lang", "ko"), ("next", "/")]).await;
    let door = korean.get("/door.webmanifest").await.json();
    assert_eq!(door["name"], json!("입장 확인 · Globe & Co"));
    let imprint = admin.visit("/imprint").await;
    assert!(
        imprint.has(".header form[action='/logout']"),
        "who is logged in stays so: {}",
        imprint.body
    );
    let wrong = office.stranger().visit("/nowhere").await;
    assert_eq!(wrong.status, 404);
    assert!(wrong.texts("title")[0].ends_with("· Globe & Co"), "{}", wrong.body);
    office.close().await;
}

#[sqlx::test]
async fn the_log_says_who_changed_what_and_a_second_author_is_told_of_it(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let admin = office.employ("mina", "ADMIN").await;
    let terms = "Once more. ".repeat(1_000);
    let form = [("name", "Globe & Co"), ("terms", terms.as_str())];
    assert_eq!(admin.post(PATH, &settings("0", &form)).await.status, 200);
    let page = admin.visit("/admin/audit?act=office-edited").await;
    assert_eq!(page.texts(".log__sentence"), ["mina edited the settings of the office"]);
    assert!(page.texts("ins").contains(&"Globe & Co".to_owned()), "{}", page.body);
    let log = admin.get("/admin/audit?act=office-edited").await.json();
    let names = ["before", "after"].map(|side| log["acts"][0][side]["name"].clone());
    assert_eq!(names, [json!(""), json!("Globe & Co")]);

    let stale = admin.submit(PATH, &settings("0", &[("name", "The Swan")])).await;
    assert_eq!(stale.status, 409);
    assert!(stale.texts("ins").contains(&"Globe & Co".to_owned()), "{}", stale.body);
    assert_eq!(stale.attribute("#name", "value"), "The Swan", "what was typed is kept");
    for page in [page, stale] {
        assert!(!page.body.contains(&terms[..400]), "a long text is cut in a list of changes");
    }
    assert_eq!(acts(&db).await, ["office-edited"]);
    office.close().await;
}

#[sqlx::test]
async fn each_field_that_is_wrong_is_named_and_what_was_typed_is_kept(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let admin = office.employ("mina", "ADMIN").await;
    let (name, terms) = ("N".repeat(61), "t".repeat(40_001));
    let form = [
        ("name", name.as_str()),
        ("email", "nobody"),
        ("phone", "javascript:alert(1)"),
        ("colour", "red"),
        ("imprint", "Kept as it was typed"),
        ("terms", terms.as_str()),
    ];
    let told = admin.post(PATH, &settings("0", &form)).await;
    assert_eq!((told.status, told.code().as_str()), (422, "invalid"));
    let fields = told.json()["fields"].as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(fields, ["colour", "email", "name", "phone", "terms"]);
    let page = admin.submit(PATH, &settings("0", &form)).await;
    assert_eq!(page.status, 422);
    for (field, typed) in &form[..4] {
        assert_eq!(&page.attribute(&format!("#{field}"), "value"), typed);
        assert!(page.has(&format!("#{field}[aria-invalid='true']")), "{field}");
    }
    assert_eq!(page.texts("#imprint"), ["Kept as it was typed"]);
    assert_eq!(page.texts("#terms"), [terms.as_str()]);
    for colour in ["#7a004", "#7a00445", "7a0044", "#7a004g", "#7a0044;}"] {
        let refused = admin.post(PATH, &settings("0", &[("colour", colour)])).await;
        assert_eq!((refused.status, refused.code().as_str()), (422, "invalid"), "{colour}");
    }
    let two_lines = admin.post(PATH, &settings("0", &[("name", "Globe\nand Co")])).await;
    assert_eq!(two_lines.status, 422, "{}", two_lines.body);
    assert!(acts(&db).await.is_empty(), "nothing was changed");

    // As long as it may be, and more bytes than an ordinary form may have.
    let (name, terms) = ("극".repeat(60), "약".repeat(40_000));
    let form = Form::new().text("version", "0").text("name", name);
    let form = form.text("terms", terms.clone()).text("privacy", terms.clone());
    let asked = admin.asks(Method::POST, PATH, "application/json").multipart(form);
    let saved = admin.send(asked).await;
    assert_eq!(saved.status, 200, "{}", saved.body);
    assert_eq!(office.stranger().visit("/terms").await.texts(".prose"), [terms]);
    office.close().await;
}

#[sqlx::test]
async fn nothing_that_is_typed_becomes_markup(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let admin = office.employ("mina", "ADMIN").await;
    let script = "<script>alert(1)</script>\"'><b>";
    let text =
        "<script>alert(1)</script>\n\n[press](javascript:alert(1)) <img src=x onerror=alert(1)>";
    let form = [
        ("name", script),
        ("email", "\"><b>?bcc=eve@globe.example"),
        ("imprint", text),
        ("terms", text),
        ("privacy", text),
    ];
    assert_eq!(admin.post(PATH, &settings("0", &form)).await.status, 200);
    let stranger = office.stranger();
    for path in ["/", "/imprint", "/terms", "/privacy", "/nowhere"] {
        let page = stranger.visit(path).await;
        assert_eq!(page.texts(".header__brand"), [script], "{path}");
        assert!(page.texts("title")[0].ends_with(script), "{path}");
        assert!(
            !page.has("b") && !page.has("script:not([src])") && !page.has("main img"),
            "{path}"
        );
        assert!(!page.has("a[href^='javascript:']") && !page.has("[onerror]"), "{path}");
        let mail = page.attribute(".footer__link[href^='mailto:']", "href");
        assert_eq!(mail, "mailto:%22%3E%3Cb%3E%3Fbcc%3Deve@globe.example", "{path}");
    }
    let edited = admin.visit(PATH).await;
    assert_eq!(edited.attribute("#name", "value"), script);
    assert!(!edited.has("b") && !edited.has("script:not([src])"), "{}", edited.body);
    assert_eq!(stranger.get("/manifest.webmanifest").await.json()["name"], json!(script));

    let ada = office.sign_in("ada").await;
    let reset = [("email", email_of(&db, ada.account_id).await)];
    stranger.post("/password/forgotten", &reset).await;
    let sought = "select id::text from outbox order by position desc limit 1";
    let mail: String = read_one(&db, sought).await;
    let page = admin.visit(&format!("/admin/mails/{mail}/html")).await;
    assert_eq!(page.texts(".brand"), [script]);
    assert!(!page.has("b") && !page.has("script"), "{}", page.body);
    office.close().await;
}

#[sqlx::test]
async fn mails_and_tickets_name_the_office_and_say_whom_to_ask(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::usual(&db).await;
    let admin = office.employ("mina", "ADMIN").await;
    let ada = office.sign_in("ada").await;
    let form = [
        ("name", "Globe & Co"),
        ("email", "help@globe.example"),
        ("colour", "#7a0044"),
        ("imprint", "Bankside"),
    ];
    assert_eq!(admin.post(PATH, &settings("0", &form)).await.status, 200);
    let reset = [("email", email_of(&db, ada.account_id).await)];
    office.stranger().post("/password/forgotten", &reset).await;
    let sought = "select id::text from outbox order by position desc limit 1";
    let mail: String = read_one(&db, sought).await;
    let text = admin.get(&format!("/admin/mails/{mail}")).await.json().to_string();
    for part in ["your Globe & Co account", "help@globe.example", "/imprint"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("Stagedoor"), "{text}");
    let page = admin.visit(&format!("/admin/mails/{mail}/html")).await;
    assert!(page.has("a[href='mailto:help@globe.example']"), "{}", page.body);
    assert!(page.has("a[href$='/imprint']") && !page.has("a[href$='/terms']"), "{}", page.body);
    assert!(page.body.contains("background: #7a0044; color: #ffffff"), "{}", page.body);

    let seats = Hold { seat_ids: &concert.seat_ids[..1], ..Hold::default() };
    let bought = Purchase::make(&db, &concert, &ada, seats).await;
    let pdf = Pdf::download(&ada, &format!("/tickets/{}.pdf", bought.codes[0])).await;
    assert!(
        pdf.words().contains("Globe & Co") && !pdf.words().contains("Stagedoor"),
        "{}",
        pdf.words()
    );
    office.close().await;
}

#[sqlx::test]
async fn a_colour_is_made_readable_on_light_and_on_dark_pages(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let admin = office.employ("mina", "ADMIN").await;
    assert!(!office.stranger().visit("/").await.has("link[href^='/office/']"));
    let saved = admin.post(PATH, &settings("0", &[("colour", "#FF9900")])).await;
    assert_eq!((saved.status, &saved.json()["colour"]), (200, &json!("#ff9900")));
    let page = office.stranger().visit("/").await;
    let href = page.attribute("link[href^='/office/']", "href");
    assert_eq!(href, "/office/ff9900.css");
    let style = office.stranger().visit(&href).await;
    assert_eq!((style.status, style.header("content-type")), (200, "text/css; charset=utf-8"));
    assert!(style.header("cache-control").contains("immutable"));
    // An orange can be read on dark pages as it is, and not on light ones.
    let (light, dark) = style.body.split_once("@media").unwrap();
    assert!(
        !light.contains("--accent:#ff9900") && dark.contains("--accent:#ff9900"),
        "{light} {dark}"
    );
    let manifest = office.stranger().get("/manifest.webmanifest").await.json();
    let theme = format!("--accent:{};", manifest["theme_color"].as_str().unwrap());
    assert!(light.contains(&theme), "{theme} {light}");
    for path in ["/office/red.css", "/office/ff990.css", "/office/%7D%7Dff99.css"] {
        assert_eq!(office.stranger().visit(path).await.status, 404, "{path}");
    }
    office.close().await;
}
