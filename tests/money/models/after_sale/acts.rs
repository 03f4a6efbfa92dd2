//! What people do with what they bought, at the office and in the model.

use serde_json::{Value, json};
use uuid::Uuid;

use super::{
    AfterSale,
    model::{CHILD, Item, Order, Place, Standing, State},
};
use crate::{
    models::{assert_answer, send},
    support::{Answer, Office, read_one_with},
};

/// Places of a reservation: the seat, the return whose place it is.
type HeldPlace = (Option<i64>, Option<Uuid>);

pub(super) fn id_of(document: &Value, name: &str) -> Uuid {
    document[name].as_str().unwrap_or_else(|| panic!("{document}")).parse().unwrap()
}

/// Fails unless a request was carried out exactly where the model says that it is.
#[track_caller]
pub(super) fn assert_done(answer: &Answer, status: u16, is_right: bool) {
    assert_eq!(answer.status == status, is_right, "{} {}", answer.status, answer.body);
}

impl AfterSale {
    fn form(&self, places: &[Place], is_child: bool, has_code: bool) -> Value {
        let mut form = json!({ "request_key": Uuid::now_v7() });
        let seats: Vec<i64> = places.iter().filter_map(|place| self.seat_id(*place)).collect();
        if seats.is_empty() {
            form["zone_id"] = json!(self.concert.zone_id);
            form["quantity"] = json!(1);
        } else {
            if is_child {
                let first = format!("{}:{}", seats[0], self.child);
                form["seat_types"] = json!([first]);
            }
            form["seat_ids"] = json!(seats);
        }
        if has_code {
            form["code"] = json!(self.code);
        }
        form
    }

    fn seat_id(&self, place: Place) -> Option<i64> {
        match place {
            Place::Seat(seat) => Some(self.concert.seat_ids[seat]),
            Place::Standing => None,
        }
    }

    pub(super) async fn hold(
        &mut self,
        office: &Office,
        who: usize,
        places: &[Place],
        is_child: bool,
        has_code: bool,
    ) {
        let path = format!("/schedules/{}/reservations", self.concert.schedule_id);
        let is_child = is_child && places[0] != Place::Standing;
        let form = self.form(places, is_child, has_code);
        let answer = send(&self.people[who], &path, &form).await;
        // A refused person may have a lease of other seats for some seconds: it ends here.
        office.app.redis.forget_keys("lease:").await.unwrap();
        let model = &self.model;
        let is_full = model.places_left() == 0 && model.on_return(Place::Standing).is_none();
        let is_barred = places.iter().any(|place| match place {
            Place::Seat(_) => model.is_taken(*place) || model.is_hidden_for(who, *place),
            Place::Standing => is_full,
        });
        let is_plain = !has_code
            && (!is_child || places.len() > 1)
            && places.iter().all(|place| match place {
                Place::Seat(_) => model.on_return(*place).is_none(),
                Place::Standing => model.places_left() > 0,
            });
        match answer.status {
            201 => assert!(!is_barred, "{}", answer.body),
            _ => return assert!(is_barred || !is_plain, "{} {}", answer.status, answer.body),
        }
        let id = id_of(&answer.json(), "reservation_id");
        self.learn_order(office, who, id, is_child, has_code).await;
        let exchange = self.model.open_exchange(who);
        let order = self.model.orders.last_mut().unwrap();
        order.exchange = exchange;
        let total = order.total();
        assert_eq!(answer.json()["total"], total, "{}", answer.body);
    }

    /// Adds a hold to the model. Which of several returns of the zone it has is the office's choice.
    async fn learn_order(
        &mut self,
        office: &Office,
        who: usize,
        id: Uuid,
        is_child: bool,
        has_code: bool,
    ) {
        let held: Vec<HeldPlace> = sqlx::query_as(
            "select schedule_seat_id, return_id from reservation_items where reservation_id = $1
             order by schedule_seat_id",
        )
        .bind(id)
        .fetch_all(&office.db)
        .await
        .unwrap();
        let shown = self.people[who].get(&format!("/reservations/{id}")).await.json();
        let child_seat = shown["items"].as_array().unwrap().iter();
        let child_seat = child_seat
            .filter(|item| item.get("price_type").is_some())
            .find_map(|item| item["seat_id"].as_i64());
        let items = held.into_iter().map(|(seat_id, return_id)| {
            let place = match seat_id {
                Some(id) => {
                    Place::Seat(self.concert.seat_ids.iter().position(|s| *s == id).unwrap())
                }
                None => Place::Standing,
            };
            let of = return_id.map(|id| {
                let tickets = &self.model.tickets;
                tickets.iter().position(|ticket| ticket.on_return == Some(id)).unwrap()
            });
            assert_eq!(of.is_some(), self.model.on_return(place).is_some() && !self.has_own(place));
            let is_child = is_child && seat_id.is_some() && seat_id == child_seat;
            let price = match of {
                Some(of) => self.model.tickets[of].price,
                None if is_child => place.price() * CHILD / 100,
                None => place.price(),
            };
            let was_on_return = of.is_some();
            Item { place, price, is_child: is_child && !was_on_return, of, was_on_return }
        });
        let items = items.collect();
        self.model.orders.push(Order {
            id,
            owner: who,
            items,
            has_code,
            state: State::Held,
            exchange: None,
        });
    }

    /// Whether the zone still has places of the office's own, which go first.
    fn has_own(&self, place: Place) -> bool {
        place == Place::Standing && self.model.places_left() > 0
    }

    pub(super) async fn pay(&mut self, office: &Office, nth: usize) {
        let order = &self.model.orders[nth];
        let (id, owner, total) = (order.id, order.owner, order.total());
        let form = json!({ "request_key": Uuid::now_v7() });
        let path = format!("/reservations/{id}/payment");
        let answer = send(&self.people[owner], &path, &form).await;
        let exchange = self.model.paying_exchange(nth);
        let given = exchange.map(|exchange| self.model.exchanges[exchange].ticket);
        if given.is_some_and(|ticket| !self.model.may_exchange(ticket)) {
            return assert_eq!(answer.status, 409, "{}", answer.body);
        }
        let worth = given.map_or(0, |ticket| self.model.worth(ticket));
        let is_enough = total <= self.model.usable_with(owner, worth);
        let expected = if is_enough { (201, "") } else { (402, "insufficient-points") };
        assert_answer(&answer, expected);
        if is_enough {
            if let Some(exchange) = exchange {
                self.model.give(exchange);
            }
            let payers = vec![owner; self.model.orders[nth].items.len()];
            self.model.pay(nth, &payers);
            self.learn_codes(office, nth).await;
        }
    }

    pub(super) async fn pay_together(&mut self, office: &Office, nth: usize, friend: usize) {
        let order = &self.model.orders[nth];
        let (id, owner) = (order.id, order.owner);
        if order.items.len() < 2 || friend == owner || self.model.is_out(friend) {
            return;
        }
        let path = format!("/reservations/{id}/shares");
        let left = self.people[owner].get(&path).await.json()["left"].clone();
        let shared = left[1]["place"].as_str().unwrap_or_else(|| panic!("{left}")).to_owned();
        let form = json!({ "places": [shared] });
        let answer = send(&self.people[owner], &path, &form).await;
        let is_allowed =
            order.exchange.is_none() && order.items.iter().all(|item| item.of.is_none());
        if answer.status != 201 {
            return assert!(!is_allowed, "{} {}", answer.status, answer.body);
        }
        let url = answer.json()["url"].as_str().unwrap().to_owned();
        let link = &url[url.find("/shares/").unwrap()..];
        let key = || json!({ "request_key": Uuid::now_v7() });
        let paid = send(&self.people[friend], &format!("{link}/payment"), &key()).await;
        let rest_path = format!("/reservations/{id}/rest/payment");
        let rest = send(&self.people[owner], &rest_path, &key()).await;
        if (paid.status, rest.status) == (201, 201) {
            // A place is named by its item, and items stand in the order of the seats.
            let seat =
                "select schedule_seat_id from reservation_items where starts_with($1, id::text)";
            let seat: Option<i64> = read_one_with(&office.db, seat, shared).await;
            let items = &self.model.orders[nth].items;
            let payers: Vec<usize> = items
                .iter()
                .map(|item| if self.seat_id(item.place) == seat { friend } else { owner })
                .collect();
            self.model.pay(nth, &payers);
            return self.learn_codes(office, nth).await;
        }
        for (answer, who) in [(&paid, friend), (&rest, owner)] {
            let is_refused = answer.status == 402;
            assert!(is_refused || answer.status == 201, "{} {}", answer.status, answer.body);
            assert!(!is_refused || self.model.usable(who) < order.total(), "{}", answer.body);
        }
        self.release(nth).await;
    }

    /// Learns the codes of the tickets of an order that was just paid.
    async fn learn_codes(&mut self, office: &Office, nth: usize) {
        let issued: Vec<(String, Option<i64>)> = sqlx::query_as(
            "select t.code, i.schedule_seat_id
             from tickets t join reservation_items i on i.id = t.reservation_item_id
             where i.reservation_id = $1 and t.status = 'VALID'",
        )
        .bind(self.model.orders[nth].id)
        .fetch_all(&office.db)
        .await
        .unwrap();
        assert_eq!(issued.len(), self.model.orders[nth].items.len());
        for (code, seat_id) in issued {
            let is_it = |place| match place {
                Place::Seat(seat) => seat_id == Some(self.concert.seat_ids[seat]),
                Place::Standing => seat_id.is_none(),
            };
            let mut tickets = self.model.tickets.iter_mut();
            tickets.find(|t| t.order == nth && is_it(t.place)).unwrap().code = code;
        }
    }

    pub(super) async fn release(&mut self, nth: usize) {
        let order = &self.model.orders[nth];
        let path = format!("/reservations/{}/cancellation", order.id);
        assert_answer(&send(&self.people[order.owner], &path, &json!({})).await, (200, ""));
        self.model.release(nth);
    }

    pub(super) async fn put_on_sale(&mut self, idx: usize) {
        let ticket = &self.model.tickets[idx];
        let form = json!({ "request_key": Uuid::now_v7() });
        let path = format!("/tickets/{}/returns", ticket.code);
        let answer = send(&self.people[ticket.holder], &path, &form).await;
        let is_right = self.model.may_return(idx);
        assert_done(&answer, 201, is_right);
        if is_right {
            self.model.tickets[idx].on_return = Some(id_of(&answer.json(), "return_id"));
        }
    }

    pub(super) async fn take_back(&mut self, idx: usize) {
        let ticket = &self.model.tickets[idx];
        let path = format!("/returns/{}/cancellation", ticket.on_return.unwrap());
        let answer = send(&self.people[ticket.holder], &path, &json!({})).await;
        let is_held = self.model.is_being_bought(idx);
        assert_answer(&answer, (if is_held { 202 } else { 200 }, ""));
        let ticket = &mut self.model.tickets[idx];
        if is_held {
            ticket.is_wanted_back = true;
        } else {
            ticket.on_return = None;
        }
    }

    pub(super) async fn give_back(&mut self, idx: usize) {
        let ticket = &self.model.tickets[idx];
        let form = json!({ "request_key": Uuid::now_v7() });
        let path = format!("/tickets/{}/refund", ticket.code);
        let answer = send(&self.people[ticket.holder], &path, &form).await;
        let is_right = self.model.may_give_back(idx);
        assert_done(&answer, 201, is_right);
        if is_right {
            let ticket = &mut self.model.tickets[idx];
            assert_eq!(answer.json()["refunded"], ticket.paid, "{}", answer.body);
            ticket.standing = Standing::Void;
            self.model.points[ticket.payer] += ticket.paid;
        }
    }

    pub(super) async fn wish(&mut self, who: usize) {
        let path = format!("/schedules/{}/waiting-list", self.concert.schedule_id);
        let form = json!({ "places": 1, "request_key": Uuid::now_v7() });
        if send(&self.people[who], &path, &form).await.status == 201 {
            self.model.wishing.insert(who);
        }
    }

    /// Learns what the waiting people were offered: never their own, and at its price.
    pub(super) async fn learn_offers(&mut self, office: &Office) {
        let path = format!("/schedules/{}/waiting-list", self.concert.schedule_id);
        let is_locked = self.model.is_locked;
        for who in self.model.wishing.clone().into_iter().filter(|who| !is_locked[*who]) {
            let wish = self.people[who].get(&path).await.json()["wish"].clone();
            if wish["status"] == "WAITING" {
                continue;
            }
            self.model.wishing.remove(&who);
            if !wish["reservation_id"].is_string() {
                continue;
            }
            let id = id_of(&wish, "reservation_id");
            self.learn_order(office, who, id, false, false).await;
            let order = self.model.orders.last().unwrap();
            let shown = self.people[who].get(&format!("/reservations/{id}")).await.json();
            assert_eq!(shown["total"], order.total(), "{shown}");
            for item in &order.items {
                let seller = item.of.map(|of| self.model.tickets[of].payer);
                assert_ne!(seller, Some(who), "their own place is offered to them");
                assert!(!self.model.is_hidden_for(who, item.place), "what is hidden is offered");
            }
        }
    }
}
