//! Requests decided one after the other.

mod beside;
mod kept;
mod typed;

use std::sync::Arc;

use chrono::TimeDelta;
use uuid::Uuid;

use super::*;
use crate::{
    catalog::{Program, ProgramId, Schedule, ScheduleId, SeatId, SeatKind},
    entry_queue::QueueNumber,
    infra::idempotency::RequestKey,
    points::Points,
    reservation::hold::{price_types::asked::TypesAsked, request::ShownPrice},
};

const PLACES_MAX: i32 = 3;
const PRICE: i64 = 50;

/// Transaction that has locked the seats 1 to 9, a zone with five places, and the tokens of
/// `accounts`.
struct House {
    program: Arc<Program>,
    schedule: Schedule,
    zone_id: ZoneId,
    decisions: Decisions,
}

impl House {
    fn with(accounts: &[AccountId], when_held: WhenHeld) -> Self {
        let (program, schedule) = (program(), schedule());
        let price = Points::new(PRICE).unwrap();
        let zone_id = ZoneId(Uuid::now_v7());
        let zone = LockedZone {
            id: zone_id,
            schedule_id: schedule.id,
            version: 1,
            price,
            remaining: 5,
            returned: 0,
            is_hidden: false,
        };
        let seat = |id: i64| LockedSeat {
            id: ScheduleSeatId(id),
            version: 1,
            price,
            price_version: 0,
            status: SeatStatus::Available,
            seat_id: SeatId(100 + id),
            kind: SeatKind::Standard,
            wheelchair_seat_id: None,
            return_id: None,
            seller_id: None,
            is_hidden: false,
        };
        let decisions = Decisions {
            stays: accounts.iter().map(|id| (*id, stay(*id))).collect(),
            held: HashSet::new(),
            terms: accounts.iter().map(|id| (*id, terms(*id))).collect(),
            seats: (1..10).map(|id| (ScheduleSeatId(id), seat(id))).collect(),
            when_held,
            zone: Some(zone),
            price_types: TypesRead::default(),
            codes: OrderCodes::default(),
            returned: Vec::new(),
            outcomes: Outcomes::default(),
            new: NewHolds::default(),
            taken: Vec::new(),
            n_places: 0,
            extended: HashMap::new(),
        };
        Self { program: Arc::new(program), schedule, zone_id, decisions }
    }

    fn request(&self, account_id: AccountId, choice: Choice) -> ChosenRequest {
        let request = HoldRequest {
            account_id,
            program: self.program.clone(),
            schedule: self.schedule.clone(),
            choice,
            blocks: Some(Vec::new()),
            types: TypesAsked::default(),
            shown: None,
            code: None,
            is_needed: false,
            request_key: None,
            pass: None,
        };
        ChosenRequest { request, key: None }
    }

    fn seats(&self, account_id: AccountId, ids: &[i64]) -> ChosenRequest {
        let ids = ids.iter().map(|id| ScheduleSeatId(*id)).collect();
        self.request(account_id, Choice::Seats(ids))
    }

    fn decide(&mut self, chosen: &ChosenRequest) -> Result<Option<Hold>, ReservationError> {
        self.decisions.decide(chosen)
    }
}

fn now() -> DateTime<Utc> {
    DateTime::UNIX_EPOCH
}

fn later() -> DateTime<Utc> {
    now() + TimeDelta::hours(1)
}

fn stay(account_id: AccountId) -> Stay {
    Stay {
        token_id: TokenId(Uuid::now_v7()),
        program_id: ProgramId(Uuid::nil()),
        account_id,
        queue_number: QueueNumber(1),
        stay_ends_at: later(),
        expires_at: later(),
    }
}

fn terms(account_id: AccountId) -> HoldTerms {
    HoldTerms {
        account_id,
        moment: now(),
        is_on_sale: true,
        hold_ttl_secs: 300,
        refund_until: now(),
        refund_percent: 100,
        places_min: 1,
        places_max: PLACES_MAX,
        places_live: 0,
        cools_until: None,
        kept_until: later(),
        wheelchairs: None,
        no_single_seats: true,
        has_wish: false,
        exchanged: 0,
    }
}

fn schedule() -> Schedule {
    Schedule {
        id: ScheduleId(Uuid::now_v7()),
        program_id: ProgramId(Uuid::nil()),
        starts_at: later(),
        venue_name: String::new(),
        time_zone: String::new(),
        kept_until: later(),
        has_price_types: false,
        has_hidden: false,
        is_cancelled: false,
    }
}

fn program() -> Program {
    Program::on_sale("gala", now(), later())
}

fn people<const N: usize>() -> [AccountId; N] {
    std::array::from_fn(|_| AccountId(Uuid::now_v7()))
}

#[test]
fn a_seat_is_the_first_ones_who_may_have_it() {
    let [ada, bob, cyd] = people();
    let mut house = House::with(&[ada, bob, cyd], WhenHeld::Skip);
    let mut dearer = house.seats(ada, &[1, 2]);
    dearer.request.shown = Some(ShownPrice::Total(Points::ZERO));
    let refused = house.decide(&dearer).unwrap_err();
    assert!(matches!(refused, ReservationError::PriceChanged { .. }), "{refused:?}");
    // The refused request took nothing.
    let held = house.decide(&house.seats(bob, &[1])).unwrap().unwrap();
    assert_eq!((held.total.get(), held.items.len()), (PRICE, 1));
    let refused = house.decide(&house.seats(cyd, &[1, 2])).unwrap_err();
    let ReservationError::SeatUnavailable { seat_ids, .. } = refused else { panic!("{refused}") };
    assert_eq!(seat_ids, [ScheduleSeatId(1)]);
    assert!(house.decide(&house.seats(cyd, &[2])).unwrap().is_some());
    assert_eq!(house.decisions.new.into_ids().len(), 2);
    let taken: Vec<i64> = house.decisions.taken.iter().map(|seat| seat.id.0).collect();
    assert_eq!(taken, [1, 2]);
}

#[test]
fn what_an_account_gets_counts_for_its_next_request() {
    let [ada] = people();
    let mut house = House::with(&[ada], WhenHeld::Skip);
    assert!(house.decide(&house.seats(ada, &[1, 2])).unwrap().is_some());
    let refused = house.decide(&house.seats(ada, &[3, 4])).unwrap_err();
    assert!(matches!(refused, ReservationError::AccountLimit { places_max: 3 }), "{refused:?}");
    assert!(house.decide(&house.seats(ada, &[3])).unwrap().is_some());
}

#[test]
fn one_key_is_one_hold_and_stands_for_one_request() {
    let [ada] = people();
    let mut house = House::with(&[ada], WhenHeld::Skip);
    let key = Uuid::now_v7();
    let keyed = |house: &House, ids: &[i64]| {
        let mut chosen = house.seats(ada, ids);
        chosen.key = Some(RequestKey::new(ada.0, key, "", &chosen.request.choice));
        chosen
    };
    let first = house.decide(&keyed(&house, &[1])).unwrap().unwrap();
    let second = house.decide(&keyed(&house, &[1])).unwrap().unwrap();
    assert_eq!(first, second);
    let other = house.decide(&keyed(&house, &[2])).unwrap_err();
    assert!(matches!(other, ReservationError::KeyReused), "{other:?}");
    assert_eq!(house.decisions.new.into_ids().len(), 1);
}

#[test]
fn what_others_hold_is_left_out_and_what_there_is_not_is_refused() {
    let [ada, bob, cyd] = people();
    let mut house = House::with(&[ada, bob], WhenHeld::Skip);
    assert!(house.decide(&house.seats(ada, &[9, 10])).unwrap().is_none());
    house.decisions.held.insert(bob);
    assert!(house.decide(&house.seats(bob, &[1])).unwrap().is_none());
    let refused = house.decide(&house.seats(cyd, &[1])).unwrap_err();
    assert!(matches!(refused, ReservationError::NotInside(_)), "{refused:?}");
    let mut house = House::with(&[ada], WhenHeld::Wait);
    let refused = house.decide(&house.seats(ada, &[9, 10])).unwrap_err();
    assert!(matches!(refused, ReservationError::UnknownSeat), "{refused:?}");
    assert!(house.decisions.new.is_empty());
}

#[test]
fn places_are_taken_one_request_after_the_other() {
    let people: [AccountId; 3] = people();
    let mut house = House::with(&people, WhenHeld::Skip);
    let zone_id = house.zone_id;
    let mut take = |nth: usize, quantity: i32| {
        let chosen = house.request(people[nth], Choice::Places { zone_id, quantity });
        house.decisions.decide(&chosen)
    };
    assert_eq!(take(0, 3).unwrap().unwrap().total.get(), 3 * PRICE);
    let refused = take(1, 3).unwrap_err();
    assert!(matches!(refused, ReservationError::SoldOut { .. }), "{refused:?}");
    assert!(take(2, 2).unwrap().is_some());
    assert_eq!(house.decisions.n_places, 5);
}

#[test]
fn a_hold_keeps_its_owner_admitted_to_its_end() {
    let [ada] = people();
    for secs in [299, 300, 301] {
        let mut house = House::with(&[ada], WhenHeld::Skip);
        let ends_at = now() + TimeDelta::seconds(secs);
        house.decisions.stays.get_mut(&ada).unwrap().expires_at = ends_at;
        house.decide(&house.seats(ada, &[1])).unwrap().unwrap();
        assert_eq!(house.decisions.extended.len(), usize::from(secs < 300), "{secs}");
    }
}
