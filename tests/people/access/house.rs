//! Office with something of every kind, so that each path of the URL table leads to something that exists.

use std::collections::HashMap;

use actix_web::http::Method;
use serde_json::json;
use sqlx::PgPool;
use stagedoor::routes;
use uuid::Uuid;

use super::{Door, paths};
use crate::support::{
    Answer, Concert, ConcertOptions, Hold, HookReceiver, Office, Person, Purchase, admit,
    api_document::takes_field, email_of, read_one, read_one_with, run_sql_with, until,
};

/// Office with something of every kind: ada's, or the administrators'.
pub(super) struct House {
    pub(super) office: Office,
    pub(super) ada: Person,
    pub(super) admin: Person,
    /// Ids by the pattern that begins a path, the longest that fits first.
    ids: Vec<(&'static str, HashMap<&'static str, String>)>,
}

pub(super) fn made(answer: &Answer, name: &str) -> String {
    assert!([200, 201].contains(&answer.status), "{name}: {} {}", answer.status, answer.body);
    answer.json()[name].as_str().unwrap().to_owned()
}

async fn id_in(db: &PgPool, table: &str) -> String {
    let sql = format!("select id::text from {table} limit 1");
    read_one(db, sqlx::AssertSqlSafe(sql)).await
}

/// Says something to the line of a program, and returns its id.
async fn say(admin: &Person, program: Uuid) -> String {
    let path = format!("/admin/programs/{program}/queue");
    let version = admin.get(&path).await.json()["program"]["version"].clone();
    let words = json!({ "version": version, "words_en": "We begin at eight." });
    let said = admin.post_json(&format!("{path}/announcements"), &words).await;
    assert_eq!(said.status, 200, "{}", said.body);
    said.json()["announcements"][0]["id"].as_str().unwrap().to_owned()
}

/// Makes what ada has: a paid order, of whose tickets one is offered to carol and one on sale, a hold that is
/// shared, a wish, a transfer and a charge.
async fn of_ada(office: &Office, ada: &Person, concert: &Concert) -> HashMap<&'static str, String> {
    let (db, carol) = (&office.db, office.sign_in("carol").await);
    let hold = Hold { seat_ids: &concert.seat_ids[..3], ..Hold::default() };
    let bought = Purchase::make(db, concert, ada, hold).await;
    let to = email_of(db, carol.account_id).await;
    let path = format!("/tickets/{}/hand-overs", bought.codes[1]);
    let offered = made(&ada.post(&path, &[("to", &to)]).await, "hand_over_id");
    let path = format!("/tickets/{}/returns", bought.codes[2]);
    let on_sale =
        made(&ada.post_json(&path, &json!({ "request_key": Uuid::now_v7() })).await, "return_id");
    let sent = ada.post_json("/wallet/transfers", &json!({ "to": to, "amount": 100 })).await;
    let hold = Hold { seat_ids: &concert.seat_ids[3..5], ..Hold::default() };
    let reservation = hold.write(db, concert, ada.account_id).await;
    let path = format!("/reservations/{reservation}/shares");
    let places = ada.get(&path).await.json()["left"].clone();
    let place = places[0]["place"].as_str().unwrap();
    let shared = ada.post_json(&path, &json!({ "places": [place] })).await;
    assert_eq!(shared.status, 201, "{places} {}", shared.body);
    let link = shared.json()["url"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();

    let options = ConcertOptions { zone_capacity: 1, seats: 1, ..ConcertOptions::default() };
    let full = Concert::with(db, options).await;
    let hold = Hold { seat_ids: &full.seat_ids, places: 1, ..Hold::default() };
    hold.write(db, &full, carol.account_id).await;
    admit(db, &full, std::slice::from_ref(ada)).await;
    let path = format!("/schedules/{}/waiting-list", full.schedule_id);
    let wished = ada.post_json(&path, &json!({ "places": 1 })).await;
    assert_eq!(wished.status, 201, "{}", wished.body);
    let charge = "insert into charges (id, account_id, request_key, points, amount_minor, currency, provider,
             pays, next_path, status, expires_at, check_at)
         values (gen_random_uuid(), $1, gen_random_uuid(), 100, 100, 'KRW', 'STRIPE', false, '/wallet',
             'EXPIRED', now(), now())";
    run_sql_with(db, charge, ada.account_id).await;
    let exchange = "insert into exchanges (id, account_id, program_id, from_id, fee)
         select gen_random_uuid(), account_id, program_id, id, 0 from reservations where id = $1";
    run_sql_with(db, exchange, bought.reservation_id).await;
    let given = "insert into exchanged_tickets select x.id, t.id from exchanges x, tickets t where t.code = $1";
    run_sql_with(db, given, &bought.codes[0]).await;
    let session = "select id from sessions where account_id = $1";
    let session: Uuid = read_one_with(db, session, ada.account_id).await;
    HashMap::from([
        ("reservation", reservation.to_string()),
        ("paid", bought.reservation_id.to_string()),
        ("share_id", id_in(db, "shares").await),
        ("share", link),
        ("ticket", bought.codes[0].clone()),
        ("return", on_sale),
        ("hand_over", offered),
        ("wish", id_in(db, "wishes").await),
        ("transfer", made(&sent, "transfer_id")),
        ("charge", id_in(db, "charges").await),
        ("session", session.to_string()),
    ])
}

/// Waits until ada's payment has its receipt; returns it, the exchange, and a payout and a setback that are none.
async fn money(db: &PgPool) -> [(&'static str, HashMap<&'static str, String>); 5] {
    until("a receipt", async || read_one(db, "select exists (select from receipts)").await).await;
    let (nil, first) = (Uuid::nil().to_string(), "1".to_owned());
    [
        ("/receipts/", HashMap::from([("number", first.clone())])),
        ("/admin/receipts/", HashMap::from([("number", first)])),
        ("/admin/payouts/", HashMap::from([("id", nil.clone())])),
        ("/admin/setbacks/", HashMap::from([("id", nil)])),
        ("/exchanges/", HashMap::from([("id", id_in(db, "exchanges").await)])),
    ]
}

impl House {
    pub(super) async fn open(db: PgPool) -> Self {
        let private = ("WEBHOOK_PRIVATE_TARGETS", "true");
        let office = Office::open_with(db.clone(), 1, &[private]).await;
        let (ada, admin) = (office.sign_in("ada").await, office.employ("admin", "ADMIN").await);
        let hook = HookReceiver::start().await.href();
        let hook =
            json!({ "url": hook, "description": "Accounting", "kinds": ["reservation.paid"] });
        let hook = made(&admin.post_json("/admin/webhooks", &hook).await, "id");
        let key = json!({ "name": "A calendar", "scopes": ["programs:read"] });
        let key = made(&admin.post_json("/admin/api-keys", &key).await, "id");
        let concert = Concert::usual(&db).await;
        let path = format!("/admin/programs/{}/codes", concert.program_id);
        let code = admin.post_json(&path, &json!({ "code": "SUMMER", "percent": 5 })).await;
        assert_eq!(code.status, 201, "{}", code.body);
        let path = format!("/admin/schedules/{}/price-types", concert.schedule_id);
        let version = admin.get(&path).await.json()["schedule"]["version"].clone();
        let child = json!({ "name": "Child", "percent": 50, "version": version });
        let child = admin.post_json(&path, &child).await;
        assert!([200, 201].contains(&child.status), "{}", child.body);
        let mut own = of_ada(&office, &ada, &concert).await;
        let mut one =
            |gap: &'static str, kind: &str| HashMap::from([(gap, own.remove(kind).unwrap())]);
        let shares = one("share_id", "share_id");
        let mut ids = vec![
            ("/account/sessions/", one("id", "session")),
            ("/tickets/", one("code", "ticket")),
            ("/shares/", one("code", "share")),
            ("/returns/", one("id", "return")),
            ("/hand-overs/", one("id", "hand_over")),
            ("/wishes/", one("id", "wish")),
            ("/wallet/charges/", one("id", "charge")),
            ("/wallet/transfers/", one("id", "transfer")),
            ("/reservations/{id}/tickets", one("id", "paid")),
            ("/reservations/", one("id", "reservation")),
        ];
        let id = |id: &dyn ToString| HashMap::from([("id", id.to_string())]);
        let reservation = ids.last().unwrap().1.clone();
        ids.last_mut().unwrap().1.extend(shares);
        ids.push(("/admin/reservations/", reservation));
        let (schedule, program) = (concert.schedule_id.to_string(), concert.program_id);
        let ticket = id_in(&db, "tickets").await;
        ids.push((
            "/door/",
            HashMap::from([("schedule_id", schedule.clone()), ("ticket_id", ticket)]),
        ));
        let mut of_schedule = id(&schedule);
        of_schedule.insert("type_id", id_in(&db, "price_types").await);
        of_schedule.insert("zone_id", concert.zone_id.to_string());
        ids.push(("/admin/schedules/", of_schedule));
        ids.push(("/schedules/", id(&schedule)));
        let mut of_program = id(&program);
        of_program.insert("code_id", id_in(&db, "sale_codes").await);
        of_program.insert("announcement_id", say(&admin, program).await);
        ids.push(("/admin/programs/", of_program));
        ids.push(("/programs/", HashMap::from([("slug", concert.slug.clone())])));
        let mut of_venue = id(&id_in(&db, "venues").await);
        of_venue.insert("save_id", Uuid::nil().to_string());
        ids.push(("/admin/venues/", of_venue));
        ids.push(("/admin/people/", id(&ada.account_id)));
        ids.extend(money(&db).await);
        let letter = json!({ "subject_en": "Where to enter", "words_en": "By the north door." });
        let path = format!("/admin/programs/{program}/letters");
        ids.push(("/admin/letters/", id(&made(&admin.post_json(&path, &letter).await, "id"))));
        ids.push(("/admin/mails/", id(&id_in(&db, "outbox").await)));
        ids.push(("/admin/api-keys/", id(&key)));
        let mut of_hook = id(&hook);
        of_hook.insert("event_id", id_in(&db, "domain_events").await);
        ids.push(("/admin/webhooks/", of_hook));
        Self { office, ada, admin, ids }
    }

    /// Returns the path of something that exists.
    pub(super) fn real(&self, pattern: &str) -> String {
        let mut path = pattern.to_owned();
        while let Some((before, rest)) = path.clone().split_once('{') {
            let (gap, after) = rest.split_once('}').unwrap();
            let known = self.ids.iter().find(|(begin, _)| pattern.starts_with(begin));
            let value = known.and_then(|(_, ids)| ids.get(gap));
            let value = value.unwrap_or_else(|| panic!("{pattern}: give an id for {gap}"));
            path = format!("{before}{value}{after}");
        }
        path
    }
}

/// Each method of each path that needs a role or a log-in.
pub(super) fn operations() -> impl Iterator<Item = (&'static str, Door, Method)> {
    let is_closed = |door: Door| [Door::Account, Door::Staff, Door::Admin].contains(&door);
    routes::all()
        .into_iter()
        .filter_map(|path| {
            paths().find(|(told, _)| *told == path.pattern()).map(|told| (path, told))
        })
        .filter(move |(_, (_, door))| is_closed(*door))
        .flat_map(|(path, (pattern, door))| {
            let methods: Vec<Method> = path.methods().cloned().collect();
            methods.into_iter().map(|method| (*pattern, *door, method))
        })
}

/// Sends fields that the form understands, so that a form is no reason to refuse.
pub(super) async fn ask(
    person: &Person,
    method: &Method,
    path: &str,
    bearer: Option<&str>,
) -> Answer {
    let method: reqwest::Method = method.as_str().parse().unwrap();
    let mut request = person.asks(method.clone(), path, "application/json");
    if let Some(key) = bearer {
        request = request.bearer_auth(key);
    }
    let mut form = json!({
        "to": "somebody@example.com", "amount": 1, "places": "1", "version": 0, "points": 0, "reason": "why not",
        "name": "A name", "status": "PENDING",
    });
    form.as_object_mut().unwrap().retain(|field, _| takes_field(&method, path, field));
    person.send(request.json(&form)).await
}

/// Everything that must not change, in one text. Who reads a list of people is in the log of acts, which is left out.
pub(super) async fn state(db: &PgPool) -> String {
    const TABLES: [&str; 13] = [
        "accounts",
        "api_keys",
        "programs",
        "reservations",
        "sale_codes",
        "schedules",
        "shares",
        "ticket_hand_overs",
        "ticket_returns",
        "tickets",
        "transfers",
        "wallets",
        "wishes",
    ];
    let mut state = String::new();
    for table in TABLES {
        let sql = format!(
            "select coalesce(md5(string_agg(t::text, ',' order by id)), '') from {table} t"
        );
        state += &read_one::<String>(db, sqlx::AssertSqlSafe(sql)).await;
    }
    let counts = "select (select count(*) from sessions)::text || ' ' ||
        (select count(*) from webhook_endpoints where sealed_secret is not null)";
    state + &read_one::<String>(db, counts).await
}
