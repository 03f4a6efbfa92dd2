//! The second factor of administrators and staff: set up, asked for, lost and reset.

mod log_ins;
mod passwords;

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::Value;
use sqlx::PgPool;
use totp_rs::{Builder, Secret};

use crate::support::{
    Answer, Office, PASSWORD, Person, Signed, acts, count, read_all, run_sql, run_sql_with,
    sign_up, storm,
};

/// Where the office is reached from elsewhere, so that administrators need a second factor.
const ELSEWHERE: [(&str, &str); 1] = [("PUBLIC_URL", "http://tickets.example")];
const STEP: Duration = Duration::from_secs(30);

/// Administrator who has signed up, with an app.
struct Boss {
    person: Person,
    email: String,
    app: App,
    recovery_codes: Vec<String>,
}

/// Authenticator app with one secret.
#[derive(Clone)]
struct App(Secret);

impl App {
    fn of(secret: &str) -> Self {
        Self(Secret::try_from_base32(secret.replace(' ', "")).unwrap())
    }

    /// Returns the code that it showed `ago`.
    fn code(&self, ago: Duration) -> String {
        self.code_at(now().saturating_sub(ago))
    }

    fn code_at(&self, since_epoch: Duration) -> String {
        let totp = Builder::new().with_secret(self.0.clone()).build().unwrap();
        totp.generate(since_epoch.as_secs()).to_string()
    }

    /// Returns the code that it shows, as if none had been given before.
    async fn fresh(&self, db: &PgPool) -> String {
        run_sql(db, "update second_factors set last_step = 0").await;
        self.code(Duration::ZERO)
    }

    /// Returns a code that it does not show about now.
    fn wrong(&self) -> String {
        let near = [-2_i32, -1, 0, 1, 2].map(|steps| match u32::try_from(steps) {
            Ok(later) => self.code_at(now() + STEP * later),
            Err(_) => self.code(STEP * steps.unsigned_abs()),
        });
        (0..6).map(|nth| format!("{nth:06}")).find(|code| !near.contains(code)).unwrap()
    }
}

fn now() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap()
}

async fn administrator(office: &Office, name: &str) -> Signed {
    let signed = sign_up(office, name).await;
    let promote = "update accounts set role = 'ADMIN' where id = $1";
    run_sql_with(&office.db, promote, signed.person.account_id).await;
    signed
}

/// Asks for a secret, as a tab of the browser does.
async fn offer(person: &Person) -> (String, App) {
    let offer = person.get("/account/second-factor").await.json();
    let text = |name: &str| offer[name].as_str().unwrap().to_owned();
    (text("sealed"), App::of(&text("secret")))
}

async fn confirm(person: &Person, sealed: &str, code: &str) -> Answer {
    person.post("/account/second-factor", &[("sealed", sealed), ("code", code)]).await
}

async fn boss(office: &Office) -> Boss {
    let Signed { person, email } = administrator(office, "boss").await;
    let (sealed, app) = offer(&person).await;
    let set = confirm(&person, &sealed, &app.code(Duration::ZERO)).await;
    assert_eq!(set.status, 201, "{}", set.body);
    let codes = set.json()["recovery_codes"].as_array().unwrap().clone();
    let recovery_codes = codes.iter().map(|code| code.as_str().unwrap().to_owned()).collect();
    Boss { person, email, app, recovery_codes }
}

/// Gives the password; returns the browser, which has a pending log-in.
async fn give_password(office: &Office, email: &str) -> Person {
    let browser = office.stranger();
    let asked = browser.post("/login", &[("email", email), ("password", PASSWORD)]).await;
    assert_eq!((asked.status, &asked.json()["code_required"]), (202, &Value::Bool(true)));
    assert!(browser.cookie("session").is_none() && browser.cookie("device").is_none());
    browser
}

async fn give_code(browser: &Person, code: &str) -> Answer {
    browser.post("/login/code", &[("code", code)]).await
}

async fn told(db: &PgPool) -> Vec<String> {
    let changes = "select payload ->> 'change' from outbox
                   where kind = 'sign-in-protection-changed' order by position";
    read_all(db, changes).await
}

#[sqlx::test]
async fn an_administrator_sets_it_up_before_anything_else(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &ELSEWHERE).await;
    let Signed { person, .. } = administrator(&office, "boss").await;
    // Not even one of the demo data is let in from elsewhere.
    run_sql(&db, "update accounts set is_demo = true").await;
    for path in ["/admin", "/wallet", "/reservations", "/door"] {
        let refused = person.get(path).await;
        assert_eq!((refused.status, refused.code().as_str()), (403, "second-factor-required"));
    }
    let sent = person.visit("/admin/people").await;
    assert_eq!(sent.location(), "/account/second-factor?next=%2Fadmin%2Fpeople");
    assert_eq!(person.visit("/account").await.status, 200);

    let page = person.visit("/account/second-factor").await;
    assert!(page.status == 200 && page.has("svg.factor__code path") && page.has("[name=sealed]"));
    assert!(page.body.contains("You manage this office"), "{}", page.body);
    assert_eq!(page.header("cache-control"), "no-store");
    assert!(page.attribute("a[href^='otpauth:']", "href").starts_with("otpauth://totp/Stagedoor:"));
    let (sealed, app) = offer(&person).await;
    let long = app.code(Duration::ZERO) + "0";
    for wrong in ["", "code", &long, &app.wrong(), &app.code(STEP * 10)] {
        assert_eq!(confirm(&person, &sealed, wrong).await.code(), "wrong-code", "{wrong:?}");
    }
    let again = [("sealed", sealed.clone()), ("code", app.wrong())];
    let again = person.submit("/account/second-factor", &again).await;
    assert!(again.status == 422 && again.has(&format!("[value='{sealed}']")), "{}", again.body);
    run_sql(&db, "delete from outbox").await;
    let shown = app.code(Duration::ZERO);
    let grouped = format!(" {} {}", &shown[..3], &shown[3..]);
    let next = "/admin/people".to_owned();
    let form = [("sealed", sealed), ("code", grouped), ("next", next)];
    let set = person.submit("/account/second-factor", &form).await;
    assert_eq!((set.status, set.count(".factor__codes li")), (201, 10), "{}", set.body);
    assert!(set.has("main a[href='/admin/people']"), "it leads on: {}", set.body);
    assert_eq!(person.visit("/admin").await.status, 200);
    assert_eq!(told(&db).await, ["set"]);
    let kept = person.visit("/account/second-factor").await;
    assert!(!kept.body.contains(&set.texts(".factor__codes li")[0]), "codes are shown once");
    office.close().await;
}

#[sqlx::test]
async fn an_administrator_of_the_demo_is_offered_one_and_needs_none(db: PgPool) {
    let office = Office::open_with(db, 1, &[]).await;
    let admin = office.employ("boss", "ADMIN").await;
    assert_eq!(admin.visit("/admin").await.status, 200);
    let page = admin.visit("/account/second-factor").await;
    assert!(page.has("[name=sealed]") && !page.body.contains("You manage this office"));
    office.close().await;
}

#[sqlx::test]
async fn of_two_tabs_that_set_it_up_the_first_wins_and_other_devices_are_logged_out(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let Signed { person, email } = administrator(&office, "boss").await;
    let stranger = administrator(&office, "other").await.person;
    let device = office.log_in(&person, 1).await;
    let tabs = [offer(&person).await, offer(&person).await];
    let foreign = confirm(&stranger, &tabs[0].0, &tabs[0].1.code(Duration::ZERO)).await;
    assert_eq!(foreign.code(), "offer-unreadable");
    let form = [("sealed", tabs[0].0.as_str()), ("code", "000000"), ("next", "/admin")];
    let page = stranger.submit("/account/second-factor", &form).await;
    assert!(page.has("a[href='/account/second-factor?next=%2Fadmin']"), "{}", page.body);
    let answers = storm(tabs.iter().enumerate().map(|(idx, (sealed, app))| {
        let (person, sealed) = (office.moved(&person, idx), sealed.clone());
        let code = app.code(Duration::ZERO);
        async move { confirm(&person, &sealed, &code).await }
    }))
    .await;
    assert_eq!((count(&answers, 201, ""), count(&answers, 409, "second-factor-set")), (1, 1));
    assert_eq!(person.get("/account/sessions").await.status, 200);
    assert_eq!(device.get("/account/sessions").await.code(), "login-required");
    let mut n_right = 0;
    for (_, app) in &tabs {
        let browser = give_password(&office, &email).await;
        n_right += usize::from(give_code(&browser, &app.fresh(&db).await).await.status == 200);
    }
    assert_eq!(n_right, 1);
    // A session without a code does not count, however it was opened.
    let unproven = office.log_in(&person, 0).await;
    assert_eq!(unproven.get("/account").await.code(), "login-required");
    office.close().await;
}

#[sqlx::test]
async fn what_weighs_most_asks_for_a_code_again(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let Boss { person, app, .. } = boss(&office).await;
    let ada = office.sign_in("ada").await;
    for age in [
        "update second_factors set set_at = set_at - interval '20 minutes'",
        "update sessions set code_given_at = code_given_at - interval '11 minutes'",
    ] {
        run_sql(&db, age).await;
    }
    let adjust = format!("/admin/people/{}/adjustments", ada.account_id);
    let adjusted = async |amount: &str| {
        let form = [("amount", amount), ("reason", "a mistake at the till")];
        person.post(&adjust, &form).await
    };
    let role = format!("/admin/people/{}/role", ada.account_id);
    let form = [("from", "CUSTOMER"), ("role", "STAFF"), ("reason", "a new colleague")];
    assert_eq!(adjusted("100000").await.status, 200);
    assert_eq!(adjusted("100001").await.code(), "code-required");
    assert_eq!(person.post(&role, &form).await.code(), "code-required");
    for path in ["recovery-codes", "removal"] {
        let refused = person.post(&format!("/account/second-factor/{path}"), &()).await;
        assert_eq!(refused.code(), "code-required");
    }
    let page = person.visit("/account/confirmation/code?next=%2Fadmin").await;
    assert!(page.has("[name=code]") && page.has("form[action='/account/confirmation/code']"));
    let confirmed = async |password: &str, code: String| {
        let form = [("password", password.to_owned()), ("code", code)];
        person.post("/account/confirmation/code", &form).await
    };
    assert_eq!(confirmed(PASSWORD, app.wrong()).await.code(), "wrong-code");
    assert_eq!(confirmed(PASSWORD, String::new()).await.code(), "wrong-code");
    assert_eq!(confirmed("not this one", app.fresh(&db).await).await.code(), "wrong-password");
    assert_eq!(person.post(&role, &form).await.code(), "code-required");
    assert_eq!(confirmed(PASSWORD, app.fresh(&db).await).await.status, 200);
    assert_eq!(adjusted("100001").await.status, 200);
    assert_eq!(person.post(&role, &form).await.status, 200);
    assert_eq!(person.post("/account/second-factor/removal", &()).await.status, 200);
    assert_eq!(told(&db).await, ["set", "removed"]);
    assert_eq!(person.get("/admin").await.code(), "second-factor-required");
    office.close().await;
}

#[sqlx::test]
async fn a_lost_factor_is_reset_by_another_admin_and_at_the_command_line(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let Boss { person, email, .. } = boss(&office).await;
    let admin = office.employ("admin", "ADMIN").await;
    let path = format!("/admin/people/{}/second-factor/removal", person.account_id);
    let why = [("reason", "the phone fell into the sea")];
    assert!(
        admin.visit(&format!("/admin/people/{}", person.account_id)).await.has("#factor-reason")
    );
    assert_eq!(person.post(&path, &why).await.code(), "own-account");
    let pending = give_password(&office, &email).await;
    assert_eq!(admin.post(&path, &why).await.status, 200);
    assert_eq!(admin.post(&path, &why).await.code(), "second-factor-missing");
    assert_eq!(person.get("/account").await.code(), "login-required");
    assert_eq!(give_code(&pending, "123456").await.code(), "log-in-over");

    let browser = office.stranger();
    let form = [("email", email.as_str()), ("password", PASSWORD)];
    assert_eq!(browser.post("/login", &form).await.status, 200);
    let (sealed, app) = offer(&browser).await;
    let set = confirm(&browser, &sealed, &app.code(Duration::ZERO)).await;
    assert_eq!(set.status, 201, "{}", set.body);
    stagedoor::admin::reset_second_factor(&office.app.db, &email.to_uppercase()).await.unwrap();
    assert_eq!(browser.get("/account").await.code(), "login-required");
    assert_eq!(acts(&db).await, ["second-factor-reset"; 2]);
    assert_eq!(told(&db).await, ["set", "removed", "set", "removed"]);
    let unknown = stagedoor::admin::reset_second_factor(&office.app.db, "nobody@example.com").await;
    assert!(unknown.is_err());
    office.close().await;
}

#[sqlx::test]
async fn customers_are_offered_none_and_a_foreign_key_opens_none(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let ada = sign_up(&office, "ada").await.person;
    assert_eq!(ada.get("/account/second-factor").await.status, 404);
    assert!(!ada.visit("/account").await.has("a[href='/account/second-factor']"));
    let Boss { email, app, recovery_codes, .. } = boss(&office).await;
    office.close().await;

    // Another key: the app's codes are of no use, the recovery codes are.
    let settings = [("SECRET_KEY", "a key of thirty-two bytes or more")];
    let office = Office::open_with(db.clone(), 1, &settings).await;
    let browser = give_password(&office, &email).await;
    assert_eq!(give_code(&browser, &app.fresh(&db).await).await.code(), "wrong-code");
    assert_eq!(give_code(&browser, &recovery_codes[0]).await.status, 200);
    office.close().await;
}
