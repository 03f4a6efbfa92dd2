//! Legs: parts of what people do, each of which a person can begin at its beginning.
//!
//! The people of a rehearsal leave no trace outside it. What they cannot do is done by people who signed up,
//! at a **sale** beside the rehearsal.

mod sale;

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};
use uuid::Uuid;

use crate::purchase::{POINTS, PRICE, Stage};

pub(crate) use self::sale::Sale;

/// Upper bound of one leg, with all repetitions.
const LEG_MAX: Duration = Duration::from_mins(1);
/// Pause before a request that was refused for now is repeated.
const PAUSE: Duration = Duration::from_millis(100);
/// Refusals that ask for a repetition.
const FOR_NOW: [&str; 3] = ["contended", "waiting", "unavailable"];
/// Points that a person adds, and sends to a friend.
const ADDED: i64 = 777;
const SENT: i64 = 100;

/// What a person does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Leg {
    /// Joins the line, goes in and leaves.
    Line,
    /// Holds a seat and gives it back.
    Hold,
    /// Holds a standing place and gives it back.
    Place,
    /// Pays a seat.
    Pay,
    /// Pays two seats together with a friend.
    Share,
    /// Offers a ticket to a friend, and takes the offer back.
    Offer,
    /// Adds points, and sends some to a friend.
    Points,
    /// Cancels a paid seat.
    Refund,
    /// Gives a ticket to a friend, who accepts it and is let in.
    Evening,
    /// Waits for the place that a friend gives back, pays it and gives it back, too.
    Wish,
    /// Signs up, changes the name, logs out and logs in again.
    Account,
    /// Changes webhooks and a line as an administrator.
    Manage,
}

/// Person who does something, with a friend.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Actor<'a> {
    pub(crate) stage: &'a Stage,
    pub(crate) sale: &'a Sale,
    pub(crate) me: usize,
    pub(crate) friend: usize,
}

impl Leg {
    pub(crate) const ALL: [Self; 12] = [
        Self::Line,
        Self::Hold,
        Self::Place,
        Self::Pay,
        Self::Share,
        Self::Offer,
        Self::Points,
        Self::Refund,
        Self::Evening,
        Self::Wish,
        Self::Account,
        Self::Manage,
    ];

    /// Whether it is gone at the sale, and not at the rehearsal.
    pub(crate) fn is_of_sale(self) -> bool {
        matches!(self, Self::Evening | Self::Wish | Self::Account | Self::Manage)
    }
}

impl Actor<'_> {
    /// Brings the actor to the beginning of a leg; returns the reservation that it begins with.
    pub(crate) async fn prepare(&self, leg: Leg) -> Result<String, String> {
        let stage = self.stage;
        match leg {
            leg if leg.is_of_sale() => return self.prepare_at_sale(leg).await,
            Leg::Line | Leg::Points => return Ok(String::new()),
            _ => stage.enter(self.me).await?,
        }
        match leg {
            Leg::Pay => self.hold(&json!({ "best": 1 })).await,
            Leg::Share => self.hold(&json!({ "best": 2 })).await,
            Leg::Offer | Leg::Refund => {
                let reservation = self.hold(&json!({ "best": 1 })).await?;
                self.pay(self.me, &reservation).await?;
                Ok(reservation)
            }
            _ => Ok(String::new()),
        }
    }

    /// Goes a leg from its beginning, and looks at what is left; `Err` says what must not be.
    pub(crate) async fn go(&self, leg: Leg, reservation: &str) -> Result<(), String> {
        let going = timeout(LEG_MAX, self.go_in_time(leg, reservation)).await;
        let went = going.unwrap_or_else(|_| Err(format!("no end in {LEG_MAX:?}")));
        went.map_err(|why| format!("{leg:?}: {why}"))
    }

    async fn go_in_time(&self, leg: Leg, reservation: &str) -> Result<(), String> {
        match leg {
            Leg::Line => {
                self.stage.enter(self.me).await?;
                self.stage.leave(self.me).await?;
                self.expect(POINTS, 0).await
            }
            Leg::Hold => {
                let held = self.hold(&json!({ "best": 1 })).await?;
                self.cancel(self.me, &held).await?;
                self.expect(POINTS, 0).await
            }
            Leg::Place => {
                let map = format!("schedules/{}", self.stage.schedule_id);
                let map = self.get(self.me, &map).await?;
                let zone = &map["zones"][0]["id"];
                let held = self.hold(&json!({ "zone_id": zone, "quantity": 1 })).await?;
                self.cancel(self.me, &held).await?;
                self.expect(POINTS, 0).await
            }
            Leg::Pay => {
                self.pay(self.me, reservation).await?;
                self.expect(POINTS - PRICE, 1).await
            }
            Leg::Share => self.share(reservation).await,
            Leg::Offer => self.offer(reservation).await,
            Leg::Points => self.send_points().await,
            Leg::Refund => {
                self.cancel(self.me, reservation).await?;
                self.expect(POINTS, 0).await
            }
            Leg::Evening => self.evening().await,
            Leg::Wish => self.wish(reservation).await,
            Leg::Account => self.account().await,
            Leg::Manage => self.manage().await,
        }
    }

    async fn share(&self, reservation: &str) -> Result<(), String> {
        let shares = format!("reservations/{reservation}/shares");
        let place = self.get(self.me, &shares).await?["left"][0]["place"].clone();
        let form = json!({ "places": [place], "request_key": Uuid::now_v7() });
        let made = self.post(self.me, &shares, &form).await?;
        let url = made["url"].as_str().unwrap_or_default();
        let code = url.rsplit('/').next().unwrap_or_default();
        let key = json!({ "request_key": Uuid::now_v7() });
        self.post(self.friend, &format!("shares/{code}/payment"), &key).await?;
        let key = json!({ "request_key": Uuid::now_v7() });
        self.post(self.me, &format!("reservations/{reservation}/rest/payment"), &key).await?;
        self.expect(POINTS - PRICE, 1).await?;
        self.expect_balance(self.friend, POINTS - PRICE).await
    }

    /// Tickets of a rehearsal never leave it, so no friend can accept one.
    async fn offer(&self, reservation: &str) -> Result<(), String> {
        let tickets = self.get(self.me, "tickets").await?;
        let code = tickets["tickets"][0]["code"].as_str().unwrap_or_default();
        let form = json!({ "to": "nobody@stage.invalid", "request_key": Uuid::now_v7() });
        let offer = self.post(self.me, &format!("tickets/{code}/hand-overs"), &form).await?;
        let id = offer["hand_over_id"].as_str().unwrap_or_default();
        self.post(self.me, &format!("hand-overs/{id}/cancellation"), &json!({})).await?;
        let left = self.get(self.me, "tickets").await?["tickets"][0].clone();
        let is_mine = left["reservation_id"] == *reservation && left["status"] == "VALID";
        match is_mine && left["is_offered"] == false {
            true => self.expect(POINTS - PRICE, 1).await,
            false => Err(format!("an offer was taken back, and there is {left}")),
        }
    }

    async fn send_points(&self) -> Result<(), String> {
        let (mine, theirs) = (self.balance(self.me).await?, self.balance(self.friend).await?);
        let form = json!({ "amount": ADDED, "request_key": Uuid::now_v7() });
        self.post(self.me, "wallet/charges", &form).await?;
        let to = self.stage.email(self.friend);
        let form = json!({ "to": to, "amount": SENT, "request_key": Uuid::now_v7() });
        let sent = self.post(self.me, "wallet/transfers", &form).await?;
        let id = sent["transfer_id"].as_str().unwrap_or_default();
        self.post(self.friend, &format!("wallet/transfers/{id}/acceptance"), &json!({})).await?;
        self.expect(mine + ADDED - SENT, 0).await?;
        self.expect_balance(self.friend, theirs + SENT).await
    }

    async fn hold(&self, what: &Value) -> Result<String, String> {
        let mut form = what.clone();
        form["request_key"] = json!(Uuid::now_v7());
        let path = format!("schedules/{}/reservations", self.stage.schedule_id);
        let held = self.post(self.me, &path, &form).await?;
        let id = held["reservation_id"].as_str().map(str::to_owned);
        id.ok_or_else(|| format!("a hold without an id: {held}"))
    }

    async fn pay(&self, nth: usize, reservation: &str) -> Result<(), String> {
        let form = json!({ "request_key": Uuid::now_v7() });
        self.post(nth, &format!("reservations/{reservation}/payment"), &form).await.map(drop)
    }

    async fn cancel(&self, nth: usize, reservation: &str) -> Result<(), String> {
        let path = format!("reservations/{reservation}/cancellation");
        self.post(nth, &path, &json!({})).await.map(drop)
    }

    async fn get(&self, nth: usize, path: &str) -> Result<Value, String> {
        self.stage.known(nth, Method::GET, path, &Value::Null).await?.expect(path)
    }

    /// Asks until it is done. A request with a key is never refused because it was carried out already.
    /// One without, refused after an unknown outcome, was carried out or will be missed in the end.
    async fn post(&self, nth: usize, path: &str, form: &Value) -> Result<Value, String> {
        loop {
            let answer = self.stage.known(nth, Method::POST, path, form).await?;
            if FOR_NOW.iter().any(|code| answer.is(code)) {
                sleep(PAUSE).await;
            } else if answer.unknown > 0 && form["request_key"].is_null() {
                return Ok(answer.json);
            } else {
                return answer.expect(path);
            }
        }
    }

    /// Checks what the actor has in the end: points, and reservations that are paid.
    async fn expect(&self, balance: i64, paid: usize) -> Result<(), String> {
        let mine = self.get(self.me, "reservations").await?;
        let mine: Vec<&str> = mine["reservations"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|one| one["status"].as_str())
            .collect();
        let confirmed = mine.iter().filter(|status| **status == "CONFIRMED").count();
        if confirmed != paid || mine.contains(&"HELD") {
            return Err(format!("{paid} are to be paid in the end, and there are {mine:?}"));
        }
        self.expect_balance(self.me, balance).await
    }

    async fn expect_balance(&self, nth: usize, balance: i64) -> Result<(), String> {
        match self.balance(nth).await? {
            found if found == balance => Ok(()),
            found => Err(format!("{balance} points are to be left, and there are {found}")),
        }
    }

    async fn balance(&self, nth: usize) -> Result<i64, String> {
        let wallet = self.get(nth, "wallet").await?;
        wallet["balance"].as_i64().ok_or_else(|| format!("a wallet without a balance: {wallet}"))
    }
}
