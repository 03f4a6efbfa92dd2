//! Legs of people who signed up.

use reqwest::Method;
use serde_json::{Value, json};
use url::Url;
use uuid::Uuid;

use super::{Actor, Leg};
use crate::{Failure, purchase::Stage, world::World};

/// Sale of the demo data, all of whose places are in zones.
const SLUG: &str = "lantern-field";
/// Its performance begins in an hour and a half, so that the door is open, and is an hour before and after
/// that, as clocks are set; another has one place.
const PERFORMANCES: &str = "
    update programs set unpaid_holds_max = null, cool_down_mins = null, refund_until_hours = 0,
        refund_percent = 100 where slug = 'lantern-field';
    update schedules set starts_at = clock_timestamp() + interval '90 minutes'
        where program_id = (select id from programs where slug = 'lantern-field');
    with later as (
        insert into schedules (id, program_id, venue_id, starts_at, kept_until_hours)
        select gen_random_uuid(), program_id, venue_id, starts_at + interval '20 days', 48
        from schedules where program_id = (select id from programs where slug = 'lantern-field')
        returning id
    )
    insert into zones (id, schedule_id, name, price, capacity, remaining)
    select gen_random_uuid(), id, 'Lantern', 1000, 1, 1 from later";
/// Members of staff of the demo data, and the password of both.
const DOOR: &str = "door@stagedoor.example";
const ADMIN: &str = "admin@stagedoor.example";
const DEMO_PASSWORD: &str = "open sesame door";
/// Show without visitors.
const QUIET: &str = "spring-voices";
const PASSWORD: &str = "a password of this leg";
/// People who signed up before the first round: four go the two legs that need them.
const PEOPLE: usize = 48;
const PEOPLE_OF_ROUND: usize = 4;
/// Points that a person adds before a purchase.
const SAVINGS: i64 = 200_000;

/// Sale with people who signed up.
#[derive(Debug)]
pub(crate) struct Sale {
    pub(crate) stage: Stage,
    /// Performance of one place.
    small: String,
    door: usize,
    admin: usize,
}

impl Sale {
    /// Opens it in a world with demo data.
    pub(crate) async fn open(world: &World, address: &Url) -> Result<Self, Failure> {
        world.postgres.run_in_office(PERFORMANCES).await?;
        let mut stage = Stage::of_sale(address, SLUG, PEOPLE).await?;
        let door = stage.log_in(DOOR, DEMO_PASSWORD).await?;
        let admin = stage.log_in(ADMIN, DEMO_PASSWORD).await?;
        let program =
            stage.known(0, Method::GET, &format!("programs/{SLUG}"), &Value::Null).await?;
        let small = &program.json["schedules"][1]["id"];
        let small = small.as_str().ok_or("there is no second performance")?.to_owned();
        Ok(Self { stage, small, door, admin })
    }

    /// Returns the people of a leg in a round; `None` when all had their round.
    pub(crate) fn people(leg: Leg, n_round: usize) -> Option<[usize; 2]> {
        let first = n_round * PEOPLE_OF_ROUND + if leg == Leg::Wish { 2 } else { 0 };
        (first + 1 < PEOPLE).then_some([first, first + 1])
    }
}

impl Actor<'_> {
    /// Brings the actor to the beginning of a leg at the sale.
    pub(super) async fn prepare_at_sale(&self, leg: Leg) -> Result<String, String> {
        let performance = match leg {
            Leg::Evening => &self.stage.schedule_id,
            Leg::Wish => &self.sale.small,
            _ => return Ok(String::new()),
        };
        for person in [self.me, self.friend] {
            let form = json!({ "amount": SAVINGS, "request_key": Uuid::now_v7() });
            self.post(person, "wallet/charges", &form).await?;
        }
        // Of the small performance the friend has the place.
        let buyer = if leg == Leg::Wish { self.friend } else { self.me };
        self.stage.enter(buyer).await?;
        let map = self.get(buyer, &format!("schedules/{performance}")).await?;
        let zone = map["zones"].as_array().and_then(|zones| zones.last());
        let zone = zone.ok_or("a performance without a zone")?;
        let form = json!({
            "zone_id": zone["id"], "quantity": 1, "request_key": Uuid::now_v7(),
        });
        let held =
            self.post(buyer, &format!("schedules/{performance}/reservations"), &form).await?;
        let held = held["reservation_id"].as_str().ok_or("a hold without an id")?.to_owned();
        self.pay(buyer, &held).await?;
        Ok(held)
    }

    pub(super) async fn evening(&self) -> Result<(), String> {
        let code = self.own_code(self.me).await?;
        let form = json!({
            "to": self.stage.email(self.friend), "request_key": Uuid::now_v7(),
        });
        let offer = self.post(self.me, &format!("tickets/{code}/hand-overs"), &form).await?;
        let id = offer["hand_over_id"].as_str().ok_or_else(|| format!("no offer: {offer}"))?;
        self.post(self.friend, &format!("hand-overs/{id}/acceptance"), &json!({})).await?;
        let code = self.own_code(self.friend).await?;
        let scan = format!("door/{}/check-ins", self.stage.schedule_id);
        self.post(self.sale.door, &scan, &json!({ "code": code })).await?;
        let theirs = self.get(self.friend, "tickets").await?["tickets"].clone();
        let mine = self.get(self.me, "tickets").await?["tickets"].clone();
        let is_mine = mine.as_array().into_iter().flatten().any(|one| one["status"] == "VALID");
        match theirs[0]["status"] == "USED" && !is_mine {
            true => Ok(()),
            false => Err(format!("a ticket was given and used: {mine} and {theirs}")),
        }
    }

    pub(super) async fn wish(&self, reservation: &str) -> Result<(), String> {
        let list = format!("schedules/{}/waiting-list", self.sale.small);
        let form = json!({ "places": 1, "request_key": Uuid::now_v7() });
        self.post(self.me, &list, &form).await?;
        self.cancel(self.friend, reservation).await?;
        let offered = loop {
            let wish = self.get(self.me, &list).await?["wish"].clone();
            match (wish["status"].as_str(), wish["reservation_id"].as_str()) {
                (Some("OFFERED"), Some(id)) => break id.to_owned(),
                (Some("WAITING"), _) => tokio::time::sleep(super::PAUSE).await,
                _ => return Err(format!("a place was given back, and there is {wish}")),
            }
        };
        self.pay(self.me, &offered).await?;
        self.cancel(self.me, &offered).await?;
        self.expect_balance(self.me, SAVINGS).await?;
        self.expect_balance(self.friend, SAVINGS).await
    }

    pub(super) async fn account(&self) -> Result<(), String> {
        let email = format!("{}@leg.test", Uuid::now_v7().simple());
        let stage = self.stage;
        let form = json!({ "email": email, "name": "Somebody", "password": PASSWORD });
        let log_in = json!({ "email": email, "password": PASSWORD });
        let signed_up = stage.known_in("", Method::POST, "signup", &form).await?;
        let session = match signed_up.session {
            None if signed_up.unknown > 0 && signed_up.is("email-taken") => {
                self.log_in(&log_in).await?
            }
            session => session.ok_or_else(|| format!("signing up: {}", signed_up.json))?,
        };
        let name = json!({ "name": "Somebody else" });
        stage.known_in(&session, Method::POST, "account/name", &name).await?.expect("a name")?;
        stage.known_in(&session, Method::POST, "logout", &json!({})).await?;
        let ended = stage.known_in(&session, Method::GET, "account", &Value::Null).await?;
        if ended.is_ok() {
            return Err("a session that was ended is one".to_owned());
        }
        let session = self.log_in(&log_in).await?;
        let account = stage.known_in(&session, Method::GET, "account", &Value::Null).await?;
        match account.json["name"] == "Somebody else" {
            true => Ok(()),
            false => Err(format!("a name was changed, and there is {}", account.json)),
        }
    }

    async fn log_in(&self, form: &Value) -> Result<String, String> {
        let answer = self.stage.known_in("", Method::POST, "login", form).await?;
        answer.session.ok_or_else(|| format!("logging in: {}", answer.json))
    }

    /// Has an endpoint told of events for a moment, and holds a line up for a moment.
    pub(super) async fn manage(&self) -> Result<(), String> {
        let admin = self.sale.admin;
        let endpoint = json!({
            "url": "https://hooks.example/stagedoor", "description": Uuid::now_v7(),
            "kinds": ["reservation.paid"],
        });
        self.post(admin, "admin/webhooks", &endpoint).await?;
        let listed = self.get(admin, "admin/webhooks").await?["webhooks"].clone();
        for one in listed.as_array().into_iter().flatten() {
            let id = one["id"].as_str().unwrap_or_default();
            self.post(admin, &format!("admin/webhooks/{id}/deletion"), &json!({})).await?;
        }
        let left = self.get(admin, "admin/webhooks").await?["webhooks"].clone();
        if left != json!([]) || listed == json!([]) {
            return Err(format!("of the webhooks {listed} there are {left} after their deletion"));
        }
        let shows = self.get(admin, &format!("admin/programs?q={QUIET}")).await?;
        let id = shows["programs"][0]["id"].as_str().unwrap_or_default();
        let line = format!("admin/programs/{id}/queue");
        for (change, is_paused) in [("pause", true), ("resumption", false)] {
            let version = self.get(admin, &line).await?["program"]["version"].clone();
            let form = json!({ "version": version });
            self.post(admin, &format!("{line}/{change}"), &form).await?;
            let found = self.get(admin, &line).await?["program"].clone();
            if found["queue_paused_at"].is_string() != is_paused {
                return Err(format!("after a {change} there is {found}"));
            }
        }
        Ok(())
    }

    async fn own_code(&self, person: usize) -> Result<String, String> {
        let tickets = self.get(person, "tickets").await?["tickets"].clone();
        let valid = tickets.as_array().into_iter().flatten().find(|one| one["status"] == "VALID");
        let code = valid.and_then(|one| one["code"].as_str());
        code.map(str::to_owned).ok_or_else(|| format!("no ticket is valid: {tickets}"))
    }
}
