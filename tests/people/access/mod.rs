//! Who may open what: every line of the URL table, asked with every role.

mod house;
mod integrations;
mod key_rights;
mod objects;
mod unknown_fields;

use std::{collections::BTreeSet, fmt::Write};

use actix_web::http::Method;
use sqlx::PgPool;
use stagedoor::routes;

use crate::support::{Answer, Office, Person, run_sql};

/// For whom a path is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Door {
    /// Open to all.
    Public,
    /// Signed-in accounts.
    Account,
    /// Staff at the door, and administrators.
    Staff,
    /// Administrators.
    Admin,
    /// Clients with the deployment's rehearsal token; where it has none the path does not exist.
    RehearsalToken,
    /// The payment provider, by its signature; where there is none the path does not exist.
    PaymentProvider,
}

/// Every path. A new one without an entry here fails the test below.
#[rustfmt::skip]
const PATHS: &[(&str, Door)] = &[
    ("/", Door::Public),
    ("/popular", Door::Public),
    ("/sitemap.xml", Door::Public),
    ("/robots.txt", Door::Public), ("/posters/{slug}/{version}.png", Door::Public),
    ("/programs/{slug}", Door::Public),
    ("/programs/{slug}/draw", Door::Public),
    ("/programs/{slug}/draw.json", Door::Public),
    ("/programs/{slug}/draw/entries/{page}", Door::Public),
    ("/programs/{slug}/log", Door::Public),
    ("/programs/{slug}/log/checkpoint", Door::Public),
    ("/programs/{slug}/log/checkpoint/cosigned", Door::Public),
    ("/programs/{slug}/log/tile/{*path}", Door::Public),
    ("/programs/{slug}/log/moves/checkpoint", Door::Public),
    ("/programs/{slug}/log/moves/checkpoint/cosigned", Door::Public),
    ("/programs/{slug}/log/moves/tile/{*path}", Door::Public),
    ("/signup", Door::Public),
    ("/login", Door::Public), ("/login/code", Door::Public), ("/logout", Door::Public),
    ("/password/forgotten", Door::Public), ("/password/reset", Door::Public),
    ("/address/confirmation", Door::Public),
    ("/mails/unsubscription", Door::Public),
    ("/language", Door::Public),
    ("/openapi.json", Door::Public), ("/api", Door::Public), ("/api/{group}", Door::Public),
    ("/healthz", Door::Public), ("/readyz", Door::Public), ("/metrics", Door::Public),
    ("/static/{version}/{*name}", Door::Public),

    ("/account", Door::Account), ("/account/name", Door::Account),
    ("/account/address", Door::Account), ("/account/address/confirmation", Door::Account),
    ("/account/password", Door::Account), ("/account/deletion", Door::Account),
    ("/account/mails", Door::Account), ("/account/data.json", Door::Account),
    ("/account/sessions", Door::Account), ("/account/sessions/logout", Door::Account),
    ("/account/sessions/{id}/logout", Door::Account), ("/account/confirmation", Door::Account),
    ("/account/confirmation/code", Door::Account), ("/account/second-factor", Door::Account),
    ("/account/second-factor/recovery-codes", Door::Account),
    ("/account/second-factor/removal", Door::Account),
    ("/programs/{slug}/code-redemptions", Door::Account),
    ("/programs/{slug}/queue", Door::Account),
    ("/programs/{slug}/queue/new", Door::Account),
    ("/programs/{slug}/queue/proof", Door::Account),
    ("/programs/{slug}/queue/notice", Door::Account),
    ("/programs/{slug}/queue/notice/withdrawal", Door::Account),
    ("/programs/{slug}/queue/departure", Door::Account),
    ("/programs/{slug}/queue/receipt", Door::Account),
    ("/programs/{slug}/queue/receipt.json", Door::Account),
    ("/programs/{slug}/queue/receipt.svg", Door::Account),
    ("/programs/{slug}/announcements", Door::Account),
    ("/programs/{slug}/draw/entry", Door::Account),
    ("/programs/{slug}/draw/entry.json", Door::Account),
    ("/programs/{slug}/draw/entry/withdrawal", Door::Account),
    ("/schedules/{id}", Door::Account),
    ("/schedules/{id}/changes", Door::Account),
    ("/schedules/{id}/price-types", Door::Account),
    ("/schedules/{id}/code", Door::Account),
    ("/schedules/{id}/reservations", Door::Account),
    ("/reservations", Door::Account), ("/reservations/{id}", Door::Account),
    ("/reservations/{id}/renewal", Door::Account),
    ("/reservations/{id}/payment", Door::Account),
    ("/reservations/{id}/cancellation", Door::Account),
    ("/reservations/{id}/tickets", Door::Account), ("/reservations/{id}/tickets.pdf", Door::Account),
    ("/reservations/{id}/tickets.ics", Door::Account),
    ("/reservations/{id}/tickets-a4.pdf", Door::Account),
    ("/schedules/{id}/waiting-list", Door::Account),
    ("/wishes/{id}/cancellation", Door::Account),
    ("/reservations/{id}/exchange", Door::Account),
    ("/exchanges/{id}/cancellation", Door::Account),
    ("/reservations/{id}/shares", Door::Account),
    ("/reservations/{id}/shares/new", Door::Account),
    ("/reservations/{id}/shares/{share_id}/cancellation", Door::Account),
    ("/reservations/{id}/rest/payment", Door::Account),
    ("/shares/{code}", Door::Account),
    ("/shares/{code}/payment", Door::Account),
    ("/shares/{code}/withdrawal", Door::Account),
    ("/tickets", Door::Account), ("/tickets/{code}", Door::Account),
    ("/tickets/{code}/hand-overs", Door::Account), ("/tickets/{code}/returns", Door::Account),
    ("/tickets/{code}/mail", Door::Account),
    ("/tickets/{code}/refund", Door::Account),
    ("/returns/{id}", Door::Account),
    ("/returns/{id}/cancellation", Door::Account),
    ("/hand-overs/{id}", Door::Account),
    ("/hand-overs/{id}/acceptance", Door::Account),
    ("/hand-overs/{id}/declining", Door::Account),
    ("/hand-overs/{id}/cancellation", Door::Account),
    ("/tickets/{code}.ics", Door::Account), ("/tickets/{code}.pdf", Door::Account),
    ("/tickets/{code}.svg", Door::Account),
    ("/wallet", Door::Account),
    ("/wallet/charges", Door::Account),
    ("/wallet/charges/{id}", Door::Account),
    ("/wallet/statement.csv", Door::Account),
    ("/wallet/payouts", Door::Account),
    ("/receipts", Door::Account), ("/receipts/name", Door::Account), ("/receipts/{number}", Door::Account),
    ("/receipts/{number}.pdf", Door::Account), ("/receipts/{number}/replacements", Door::Account),
    ("/wallet/transfers", Door::Account),
    ("/wallet/transfers/{id}", Door::Account),
    ("/wallet/transfers/{id}/acceptance", Door::Account),
    ("/wallet/transfers/{id}/rejection", Door::Account),
    ("/wallet/transfers/{id}/cancellation", Door::Account),

    ("/door", Door::Staff),
    ("/door/{schedule_id}", Door::Staff), ("/door/{schedule_id}/guests", Door::Staff),
    ("/door/{schedule_id}/check-ins", Door::Staff),
    ("/door/{schedule_id}/check-ins/{ticket_id}/undoing", Door::Staff),

    ("/admin", Door::Admin),
    ("/admin/programs", Door::Admin),
    ("/admin/programs/new", Door::Admin),
    ("/admin/programs/{id}", Door::Admin),
    ("/admin/programs/{id}/publication", Door::Admin), ("/admin/programs/{id}/schedules", Door::Admin),
    ("/admin/schedules/{id}", Door::Admin),
    ("/admin/programs/{id}/preview", Door::Admin), ("/admin/programs/{id}/copies", Door::Admin),
    ("/admin/venues/{id}/deletion", Door::Admin),
    ("/admin/schedules/{id}/deletion", Door::Admin), ("/admin/schedules/{id}/cancellation", Door::Admin),
    ("/admin/schedules/{id}/attendees", Door::Admin), ("/admin/schedules/{id}/attendees.csv", Door::Admin),
    ("/admin/schedules/{id}/attendees/sheet", Door::Admin), ("/admin/schedules/{id}/kept-places", Door::Admin),
    ("/admin/schedules/{id}/prices", Door::Admin), ("/admin/schedules/{id}/price-types", Door::Admin),
    ("/admin/schedules/{id}/venue", Door::Admin), ("/admin/schedules/{id}/price-types/copies", Door::Admin),
    ("/admin/schedules/{id}/price-types/{type_id}", Door::Admin),
    ("/admin/schedules/{id}/price-types/{type_id}/withdrawal", Door::Admin),
    ("/admin/schedules/{id}/hidden-sections", Door::Admin), ("/admin/schedules/{id}/blocks", Door::Admin),
    ("/admin/schedules/{id}/zones", Door::Admin), ("/admin/schedules/{id}/zones/{zone_id}", Door::Admin),
    ("/admin/venues", Door::Admin), ("/admin/venues/new", Door::Admin),
    ("/admin/venues/{id}", Door::Admin), ("/admin/venues/{id}/seats", Door::Admin),
    ("/admin/venues/{id}/seats.csv", Door::Admin),
    ("/admin/venues/{id}/seats/preview", Door::Admin),
    ("/admin/venues/{id}/seats/saves/{save_id}", Door::Admin),
    ("/admin/programs/{id}/cancellation", Door::Admin),
    ("/admin/programs/{id}/queue", Door::Admin), ("/admin/programs/{id}/live", Door::Admin),
    ("/admin/programs/{id}/queue/draw", Door::Admin),
    ("/admin/programs/{id}/queue/draw/withdrawal", Door::Admin),
    ("/admin/programs/{id}/queue/draw/beacon-omission", Door::Admin),
    ("/admin/programs/{id}/queue/guards", Door::Admin),
    ("/admin/programs/{id}/queue/pause", Door::Admin),
    ("/admin/programs/{id}/queue/resumption", Door::Admin),
    ("/admin/programs/{id}/queue/announcements", Door::Admin),
    ("/admin/programs/{id}/queue/announcements/{announcement_id}/withdrawal", Door::Admin),
    ("/admin/programs/{id}/queue/admissions", Door::Admin),
    ("/admin/programs/{id}/queue/clock/restart", Door::Admin),
    ("/admin/programs/{id}/queue/clock/stop", Door::Admin),
    ("/admin/programs/{id}/queue/given-time", Door::Admin),
    ("/admin/programs/{id}/queue/purge", Door::Admin),
    ("/admin/people", Door::Admin), ("/admin/people/{id}", Door::Admin),
    ("/admin/people/{id}/lock", Door::Admin), ("/admin/people/{id}/unlock", Door::Admin),
    ("/admin/people/{id}/role", Door::Admin),
    ("/admin/people/{id}/adjustments", Door::Admin),
    ("/admin/people/{id}/debt-write-offs", Door::Admin),
    ("/admin/people/{id}/second-factor/removal", Door::Admin),
    ("/admin/reservations", Door::Admin),
    ("/admin/reservations/{id}", Door::Admin),
    ("/admin/reservations/{id}/exchange", Door::Admin),
    ("/admin/reservations/{id}/mail", Door::Admin),
    ("/admin/reservations/{id}/refund", Door::Admin),
    ("/admin/programs/{id}/codes", Door::Admin),
    ("/admin/programs/{id}/codes.csv", Door::Admin),
    ("/admin/programs/{id}/codes/{code_id}/limit", Door::Admin),
    ("/admin/programs/{id}/codes/{code_id}/withdrawal", Door::Admin),
    ("/admin/programs/{id}/sales", Door::Admin),
    ("/admin/programs/{id}/sales.csv", Door::Admin),
    ("/admin/popularity", Door::Admin), ("/admin/popularity/sell-outs", Door::Admin),
    ("/admin/audit", Door::Admin), ("/admin/audit.csv", Door::Admin),
    ("/admin/receipts", Door::Admin), ("/admin/receipts.csv", Door::Admin),
    ("/admin/receipts/{number}.pdf", Door::Admin),
    ("/admin/reconciliation", Door::Admin),
    ("/admin/settlement", Door::Admin), ("/admin/settlement.csv", Door::Admin),
    ("/admin/settlement.jsonl", Door::Admin), ("/admin/settlement/money.csv", Door::Admin),
    ("/admin/settlement/money.jsonl", Door::Admin),
    ("/admin/charges", Door::Admin), ("/admin/charges.csv", Door::Admin),
    ("/admin/setbacks", Door::Admin), ("/admin/setbacks/{id}/end", Door::Admin),
    ("/admin/payouts", Door::Admin), ("/admin/payouts/attempts", Door::Admin),
    ("/admin/payouts/{id}/attempts", Door::Admin),

    ("/webhooks/stripe", Door::PaymentProvider),
    ("/rehearsal/stages", Door::RehearsalToken),
    ("/rehearsal/stages/{id}", Door::RehearsalToken),
    ("/rehearsal/stages/{id}/people", Door::RehearsalToken),
];

/// Lists every path with for whom it is.
fn paths() -> impl Iterator<Item = &'static (&'static str, Door)> {
    PATHS.iter().chain(integrations::PATHS)
}

/// A path of the pattern: every gap is filled with an id that nothing has.
pub(crate) fn example(pattern: &str) -> String {
    const NOBODY: &str = "00000000-0000-0000-0000-000000000000";
    let mut path = String::new();
    let mut rest = pattern;
    while let Some((before, gap)) = rest.split_once('{') {
        let (gap, after) = gap.split_once('}').unwrap();
        path = path + before + if gap == "number" { "999999999" } else { NOBODY };
        rest = after;
    }
    path + rest
}

async fn ask(person: &Person, method: &Method, path: &str, accept: &str) -> Answer {
    let method = method.as_str().parse().unwrap();
    person.send(person.asks(method, path, accept)).await
}

/// The route reference, as it should stand in docs/ROUTES.md.
fn reference() -> String {
    let mut text = "# Routes\n\nMade from `src/routes/`: `UPDATE_ROUTES=1 make test \
                    ARGS=access::` writes it anew.\n\nEvery path answers people with pages and \
                    programs with JSON (`Accept: application/json`), but for files.\n\n\
                    | path | methods | for |\n|---|---|---|\n"
        .to_owned();
    for path in routes::all() {
        let (_, door) = paths().find(|(told, _)| *told == path.pattern()).unwrap();
        let methods: Vec<&str> = path.methods().map(Method::as_str).collect();
        let scopes = key_rights::scopes_of(path.pattern());
        let whom = match door {
            Door::Admin if !scopes.is_empty() => &format!("admins, and keys with {scopes}"),
            Door::Public => "anybody",
            Door::Account => "whoever is signed in",
            Door::Staff => "staff and admins",
            Door::Admin => "admins",
            Door::RehearsalToken => "whoever has the rehearsal token",
            Door::PaymentProvider => "the payment provider, by its signature",
        };
        writeln!(text, "| `{}` | {} | {whom} |", path.pattern(), methods.join(", ")).unwrap();
    }
    text
}

#[test]
fn the_route_reference_is_what_is_served() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/ROUTES.md");
    if std::env::var_os("UPDATE_ROUTES").is_some() {
        std::fs::write(file, reference()).unwrap();
    }
    let written = std::fs::read_to_string(file).unwrap_or_default();
    assert!(written == reference(), "docs/ROUTES.md is old: run with UPDATE_ROUTES=1");
}

#[test]
fn every_path_says_for_whom_it_is() {
    let served: BTreeSet<&str> =
        routes::all().iter().map(stagedoor::web::path::Path::pattern).collect();
    let told: BTreeSet<&str> = paths().map(|(pattern, _)| *pattern).collect();
    assert_eq!(served, told, "routes/ and this table differ");
    for (pattern, door) in paths() {
        let is_admin = *pattern == "/admin" || pattern.starts_with("/admin/");
        assert_eq!(is_admin, *door == Door::Admin, "{pattern}");
        let is_door = *pattern == "/door" || pattern.starts_with("/door/");
        assert_eq!(is_door, *door == Door::Staff, "{pattern}");
        assert_eq!(pattern.starts_with("/rehearsal/"), *door == Door::RehearsalToken, "{pattern}");
    }
}

#[sqlx::test]
async fn strangers_log_in_and_nobody_passes_a_door_that_is_not_theirs(db: PgPool) {
    let office = Office::open_with(db, 1, &[]).await;
    let stranger = office.stranger();
    let customer = office.sign_in("customer").await;
    let staff = office.employ("door", "STAFF").await;
    let admin = office.employ("admin", "ADMIN").await;
    // Points that are not given up keep an account, also when all paths are tried.
    for person in [&customer, &staff] {
        assert_eq!(person.post("/wallet/charges", &[("amount", 1_000)]).await.status, 201);
    }
    for path in routes::all() {
        let (pattern, methods) = (path.pattern(), path.methods().cloned().collect::<Vec<_>>());
        let Some((_, door)) = paths().find(|(told, _)| *told == pattern) else { continue };
        let path = example(pattern);
        for method in methods {
            let case = format!("{method} {path}");
            if *door == Door::Public {
                continue;
            }
            if [Door::RehearsalToken, Door::PaymentProvider].contains(door) {
                for person in [&stranger, &customer, &staff, &admin] {
                    let answer = ask(person, &method, &path, "application/json").await;
                    assert_eq!((answer.status, answer.code()), (404, "not-found".to_owned()));
                }
                continue;
            }
            let page = ask(&stranger, &method, &path, "text/html").await;
            assert_eq!(page.status, 303, "{case}: {}", page.body);
            assert!(page.location().starts_with("/login?next="), "{case}: {}", page.location());
            let problem = ask(&stranger, &method, &path, "application/json").await;
            let told = (problem.status, problem.code());
            assert_eq!(told, (401, "login-required".to_owned()), "{case}");

            let refused = |answer: &Answer| answer.status == 403 && answer.code() == "forbidden";
            let cases = [
                (&customer, *door != Door::Account),
                (&staff, *door == Door::Admin),
                (&admin, false),
            ];
            for (person, is_refused) in cases {
                let answer = ask(person, &method, &path, "application/json").await;
                assert_eq!(refused(&answer), is_refused, "{case}: {}", answer.body);
                assert!(answer.status < 500 && answer.status != 401, "{case}: {}", answer.body);
            }
        }
    }
    office.close().await;
}

#[sqlx::test]
async fn whoever_loses_a_role_is_out_at_once(db: PgPool) {
    let office = Office::open_with(db, 1, &[]).await;
    let admin = office.employ("admin", "ADMIN").await;
    let page = admin.visit("/admin").await;
    assert_eq!(page.status, 200, "{}", page.body);
    assert!(page.has("[href='/admin']"), "{}", page.body);
    run_sql(&office.db, "update accounts set role = 'CUSTOMER'").await;
    assert_eq!(admin.visit("/admin").await.status, 403);
    assert!(!admin.visit("/").await.has("[href='/admin']"));
    office.close().await;
}
