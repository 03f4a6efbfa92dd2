//! E-mail addresses that are one, and paths that lead on.

use sqlx::PgPool;

use crate::support::{Office, read_all};

const PASSWORD: &str = "a long enough one";

#[sqlx::test]
async fn one_letter_is_one_letter_for_everybody_who_compares(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let sign_up = async |email: &str| {
        let form = [("email", email), ("name", "Adi"), ("password", PASSWORD)];
        office.stranger().post("/signup", &form).await
    };
    assert_eq!(sign_up("Adi@Example.com").await.status, 201);
    for same in
        ["adi@example.com", "ADI@EXAMPLE.COM", "ＡＤＩ@example.com", "adi@ＥＸＡＭＰＬＥ.com"]
    {
        assert_eq!(sign_up(same).await.code(), "email-taken", "{same}");
        let form = [("email", same), ("password", PASSWORD)];
        assert_eq!(office.stranger().post("/login", &form).await.status, 200, "{same}");
    }
    // A capital I with a dot is a letter of its own: it opens no other account.
    for other in ["ad\u{130}@example.com", "AD\u{130}@example.com", "ad\u{131}@example.com"] {
        let form = [("email", other), ("password", PASSWORD)];
        let answer = office.stranger().post("/login", &form).await;
        assert_eq!(answer.code(), "wrong-credentials", "{other}");
    }
    assert_eq!(sign_up("ad\u{130}@example.com").await.status, 201);
    let stored: Vec<String> = read_all(&db, "select email from accounts order by email").await;
    assert_eq!(stored, ["adi@example.com", "adi\u{307}@example.com"]);
    office.close().await;
}

#[sqlx::test]
async fn nobody_is_sent_to_another_site_and_no_path_is_an_accident(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[("TEST_LOGIN_PER_MINUTE", "1000")]).await;
    let ada = office.stranger();
    let form = [("email", "ada@example.com"), ("name", "Ada"), ("password", PASSWORD)];
    assert_eq!(ada.post("/signup", &form).await.status, 201);
    let long = format!("/{}", "a".repeat(20_000));
    let foreign = [
        "/a\u{1}b",
        "/a\u{0}b",
        "/a\u{7f}b",
        "/a\nb",
        "/a\r\nset-cookie: x=y",
        "/%0d%0ax:y",
        "//evil.example",
        "/\\evil.example",
        "/\t/evil.example",
        "/..//evil.example",
        "https://evil.example",
        "/을",
        long.as_str(),
    ];
    for next in foreign {
        let log_in = [("email", "ada@example.com"), ("password", PASSWORD), ("next", next)];
        let language = [("lang", "ko"), ("next", next)];
        let charge = [("amount", "1000"), ("next", next)];
        let confirm = [("password", PASSWORD), ("next", next)];
        for (path, answer) in [
            ("/login", office.stranger().submit("/login", &log_in).await),
            ("/language", ada.submit("/language", &language).await),
            ("/wallet/charges", ada.submit("/wallet/charges", &charge).await),
            ("/account/confirmation", ada.submit("/account/confirmation", &confirm).await),
        ] {
            assert_eq!((answer.status, answer.location()), (303, "/"), "{path}: {next:?}");
        }
        let email = format!("{}@example.com", uuid::Uuid::new_v4());
        let sign_up =
            [("email", email.as_str()), ("name", "Bob"), ("password", PASSWORD), ("next", next)];
        let answer = office.stranger().submit("/signup", &sign_up).await;
        assert_eq!((answer.status, answer.location()), (303, "/"), "{next:?}");
    }
    for page in ["/login?next=%0d%0ax", "/signup?next=//evil.example", "/login?next=%ff"] {
        let page = office.stranger().visit(page).await;
        assert!(page.status == 200 && page.has("[name='next'][value='/']"), "{}", page.body);
    }
    office.close().await;
}
