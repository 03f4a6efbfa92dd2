//! Headers and cookies of every answer.

use reqwest::Method;
use sqlx::PgPool;
use stagedoor::routes;

use crate::{
    access::example,
    support::{Answer, Concert, Hold, Office, Purchase},
};

/// Settings of an office behind a proxy with TLS.
const HTTPS: [(&str, &str); 2] =
    [("PUBLIC_URL", "https://tickets.example"), ("PAYMENT_PROVIDER", "demo")];

fn assert_safe(case: &str, answer: &Answer) {
    let policy = answer.header("content-security-policy");
    assert!(policy.contains("default-src 'none'"), "{case}: {policy}");
    assert!(!policy.contains("unsafe-") && !policy.contains('*'), "{case}: {policy}");
    let is_framed = !policy.contains("frame-ancestors 'none'");
    assert!(!is_framed || policy.contains("sandbox"), "{case}: {policy}");
    assert_eq!(answer.header("x-content-type-options"), "nosniff", "{case}");
    let referrer = answer.header("referrer-policy");
    let is_own = ["same-origin", "strict-origin", "no-referrer"].contains(&referrer);
    assert!(is_own, "{case}: {referrer}");
    assert!(!answer.headers.contains_key("access-control-allow-origin"), "{case}");
    let kind = answer.header("content-type");
    assert!(answer.body.is_empty() || !kind.is_empty(), "{case} has no type");
    let has_charset = kind.contains("charset=utf-8") || !kind.starts_with("text/html");
    assert!(has_charset, "{case}: {kind}");
}

#[sqlx::test]
async fn every_path_has_the_headers_that_keep_it_safe(db: PgPool) {
    let office = Office::open_with(db, 1, &[]).await;
    let (stranger, admin) = (office.stranger(), office.employ("admin", "ADMIN").await);
    for path in routes::all() {
        let path = example(path.pattern());
        for person in [&stranger, &admin] {
            for accept in ["text/html", "application/json"] {
                let asked = person.asks(Method::GET, &path, accept);
                let answer = person.send(asked.header("origin", "https://evil.example")).await;
                assert_safe(&format!("{accept} {path}"), &answer);
            }
        }
    }
    for path in ["/nowhere", "/static/x/css/none.css", "/tickets/%00"] {
        assert_safe(path, &stranger.visit(path).await);
    }
    office.close_as_it_is().await;
}

/// There it reads the codes of tickets from a camera.
#[sqlx::test]
async fn only_the_door_may_compile_webassembly(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::tonight(&db).await;
    let admin = office.employ("admin", "ADMIN").await;
    let door = format!("/door/{}", concert.schedule_id);
    let may = |answer: &Answer| {
        let policy = answer.header("content-security-policy");
        assert!(policy.starts_with("default-src 'none'; script-src 'self'"), "{policy}");
        assert!(!policy.replace("'wasm-unsafe-eval'", "").contains("unsafe"), "{policy}");
        policy.contains("script-src 'self' 'wasm-unsafe-eval';")
    };
    assert!(may(&admin.visit(&door).await));
    let refused = admin.submit(&format!("{door}/check-ins"), &[("code", "nonsense")]).await;
    assert!(refused.has(".verdict--out") && may(&refused), "{}", refused.body);
    for path in ["/", "/door", &format!("{door}/guests"), "/wallet", "/admin"] {
        let page = admin.visit(path).await;
        assert!(page.status == 200 && !may(&page), "{path}");
    }
    office.close().await;
}

fn cookies(answer: &Answer) -> Vec<String> {
    let set = answer.headers.get_all("set-cookie").iter();
    set.map(|cookie| cookie.to_str().unwrap().to_owned()).collect()
}

#[sqlx::test]
async fn every_cookie_of_an_https_office_is_bound_to_its_host(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &HTTPS).await;
    let (concert, person) = (Concert::usual(&db).await, office.stranger());
    let form = [("email", "ada@example.com"), ("name", "Ada"), ("password", "open sesame door")];
    let signed_up = person.submit("/signup", &form).await;
    assert_eq!(signed_up.header("strict-transport-security"), "max-age=31536000");
    let mut set = cookies(&signed_up);
    set.extend(cookies(&person.submit("/language", &[("lang", "ko")]).await));
    assert!(person.visit("/login").await.has("html[lang='ko']"), "the language is read again");
    set.extend(cookies(&person.submit(&format!("/programs/{}/queue", concert.slug), &()).await));
    set.extend(cookies(&person.submit("/logout", &()).await));
    let shown = cookies(&person.visit("/").await);
    assert!(
        shown.iter().any(|cookie| cookie.starts_with("__Host-flash=;")),
        "it was read: {shown:?}"
    );
    set.extend(shown);
    let kept: Vec<&String> = set.iter().filter(|cookie| !cookie.contains("Max-Age=0")).collect();
    for name in ["session", "device", "locale", "flash"] {
        let name = format!("__Host-{name}=");
        assert!(kept.iter().any(|cookie| cookie.starts_with(&name)), "{name} {kept:?}");
    }
    for cookie in &set {
        let is_bound = cookie.starts_with("__Host-") && !cookie.contains("Domain");
        assert!(is_bound && cookie.contains("; Path=/") && cookie.contains("; Secure"), "{cookie}");
    }
    for cookie in kept {
        assert!(cookie.contains("; HttpOnly") && cookie.contains("; SameSite=Lax"), "{cookie}");
    }
    // A cookie that another host of the domain planted has no prefix, and is not read.
    let planted = office.stranger();
    planted.set_cookie("locale", "ja");
    assert!(planted.visit("/login").await.has("html[lang='en']"));
    office.close().await;
}

#[sqlx::test]
async fn what_is_personal_is_stored_by_nobody(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let (concert, ada) = (Concert::usual(&db).await, office.sign_in("ada").await);
    let admin = office.employ("admin", "ADMIN").await;
    let hold = Hold { seat_ids: &concert.seat_ids[..1], ..Hold::default() };
    let bought = Purchase::make(&db, &concert, &ada, hold).await;
    let (code, id) = (&bought.codes[0], bought.reservation_id);
    let mut paths: Vec<String> =
        ["", ".svg", ".pdf", ".ics"].iter().map(|end| format!("/tickets/{code}{end}")).collect();
    paths.extend(
        ["", "/tickets", "/tickets.pdf"].iter().map(|end| format!("/reservations/{id}{end}")),
    );
    paths.extend(
        ["/", "/account", "/account/data.json", "/account/sessions", "/reservations", "/tickets"]
            .map(str::to_owned),
    );
    paths.extend(["/wallet", "/wallet/statement.csv", "/wallet/transfers"].map(str::to_owned));
    for path in &paths {
        let answer = ada.visit(path).await;
        assert_eq!((answer.status, answer.header("cache-control")), (200, "no-store"), "{path}");
    }
    for path in
        ["/admin/people", "/admin/audit", "/admin/audit.csv", "/admin/mails", "/admin/charges.csv"]
    {
        let answer = admin.visit(path).await;
        assert!(answer.status < 500, "{path}");
        assert_eq!(answer.header("cache-control"), "no-store", "{path}");
    }
    office.close().await;
}
