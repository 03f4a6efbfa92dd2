//! Decisions about the wishes of one transaction, one after the other. Pure: all rows were locked
//! and read before.

use std::collections::{HashMap, HashSet};

use super::{
    error::WaitingListError,
    matching::FreePlaces,
    model::{OfferTerms, WaitingWish, WishOrder, WishRequest, Wished},
    parts::{meant, require_existing},
    store::own::Part,
};
use crate::{
    accounts::AccountId,
    infra::{idempotency::Outcomes, ids::new_id},
    reservation::{hold::store::HoldTerms, model::WishId},
};

/// Maximum number of waiting wishes in one list.
const WAITING_MAX: i32 = 5_000;

/// State of a performance, read with its list locked.
#[derive(Debug)]
pub(super) struct ListState {
    pub(super) offers: OfferTerms,
    pub(super) terms: HashMap<AccountId, HoldTerms>,
    pub(super) parts: Vec<Part>,
    pub(super) free: FreePlaces,
    /// Accounts that wait in this list.
    pub(super) wishers: HashSet<AccountId>,
    /// Number of wishes that wait.
    pub(super) waiting: i32,
    /// Maximum number of places of a hold.
    pub(super) places_max: i64,
}

/// Decisions so far.
#[derive(Debug)]
pub(super) struct WishDecisions {
    state: ListState,
    next_number: i64,
    /// Wishes to be written, in their order.
    pub(super) new: Vec<WaitingWish>,
}

impl WishDecisions {
    pub(super) fn new(state: ListState, next_number: i64) -> Self {
        Self { state, next_number, new: Vec::new() }
    }

    /// Returns the wish of a request, or the wish that an earlier request with its key made.
    pub(super) fn decide(
        &mut self,
        request: &WishRequest,
        outcomes: &mut Outcomes,
    ) -> Result<Wished, WaitingListError> {
        if let Some(key) = &request.key
            && let Some(wished) = outcomes.find(key)?
        {
            return Ok(wished);
        }
        let WishRequest { account_id, order, key } = request;
        self.require_allowed(*account_id, order)?;
        let wished = Wished { wish_id: WishId(new_id()), number: self.next_number };
        self.next_number += 1;
        self.state.waiting += 1;
        self.state.wishers.insert(*account_id);
        self.new.push(WaitingWish {
            id: wished.wish_id,
            account_id: *account_id,
            number: wished.number,
            order: order.clone(),
        });
        if let Some(key) = key {
            outcomes.add(key, &wished);
        }
        Ok(wished)
    }

    fn require_allowed(
        &self,
        account_id: AccountId,
        order: &WishOrder,
    ) -> Result<(), WaitingListError> {
        let state = &self.state;
        if state.offers.is_coming {
            return Err(WaitingListError::NotOpen);
        }
        if !state.offers.can_offer() {
            return Err(WaitingListError::SaleClosed);
        }
        if state.waiting >= WAITING_MAX {
            return Err(WaitingListError::Full);
        }
        if state.wishers.contains(&account_id) {
            return Err(WaitingListError::WishedAlready);
        }
        let terms = state.terms.get(&account_id).ok_or(WaitingListError::NotFound)?;
        let (places, places_max) = (i64::from(order.places), i64::from(terms.places_max));
        if places > state.places_max {
            return Err(WaitingListError::TooMany { places_max: state.places_max });
        }
        if terms.places_live.checked_add(places).is_none_or(|places| places > places_max) {
            return Err(WaitingListError::AccountLimit { places_max });
        }
        require_existing(&state.parts, order)?;
        match state.free.find(account_id, &meant(&state.parts, order)) {
            Some(_) => Err(WaitingListError::PlacesFree),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use chrono::DateTime;

    use super::*;
    use crate::{
        catalog::{ScheduleId, ZoneId},
        infra::idempotency::RequestKey,
        points::Points,
        reservation::waiting_list::matching::FreeZone,
    };

    /// Returns a list of a performance with nothing free. An account may have 3 places, 2 of them
    /// by a wish.
    fn state(accounts: &[AccountId]) -> ListState {
        let terms = |account_id| HoldTerms {
            account_id,
            moment: DateTime::UNIX_EPOCH,
            is_on_sale: true,
            hold_ttl_secs: 300,
            refund_until: DateTime::UNIX_EPOCH,
            refund_percent: 100,
            places_min: 1,
            places_max: 3,
            places_live: 0,
            cools_until: None,
            kept_until: DateTime::UNIX_EPOCH,
            wheelchairs: None,
            no_single_seats: false,
            has_wish: false,
            exchanged: 0,
        };
        ListState {
            offers: OfferTerms {
                schedule_id: ScheduleId(Uuid::nil()),
                is_on_sale: true,
                is_coming: false,
                keeps_places: false,
                places_min: 1,
                offer_secs: 60,
            },
            terms: accounts.iter().map(|id| (*id, terms(*id))).collect(),
            parts: vec![part("Stalls", 30, 2, false), part("Pit", 20, 2, true)],
            free: FreePlaces::default(),
            wishers: HashSet::new(),
            waiting: 0,
            places_max: 2,
        }
    }

    fn part(name: &str, price: i64, places: i64, is_zone: bool) -> Part {
        let zone_id = is_zone.then(|| ZoneId(Uuid::now_v7()));
        Part { name: name.to_owned(), price: Points::new(price).unwrap(), places, zone_id }
    }

    fn order(places: i32) -> WishOrder {
        WishOrder { places, section: None, zone_id: None, price_max: None, is_together: false }
    }

    fn wish(account_id: AccountId, order: WishOrder) -> WishRequest {
        WishRequest { account_id, order, key: None }
    }

    /// Returns the decision about the first wish of Ada's list, after a change of its state.
    fn decide_after(
        change: impl FnOnce(&mut ListState, AccountId),
        order: WishOrder,
    ) -> Result<Wished, WaitingListError> {
        let ada = AccountId(Uuid::now_v7());
        let mut state = state(&[ada]);
        change(&mut state, ada);
        WishDecisions::new(state, 1).decide(&wish(ada, order), &mut Outcomes::default())
    }

    #[test]
    fn wishes_are_numbered_in_their_order_and_an_account_has_one() {
        let [ada, bob] = std::array::from_fn(|_| AccountId(Uuid::now_v7()));
        let (mut decisions, mut outcomes) =
            (WishDecisions::new(state(&[ada, bob]), 7), Outcomes::default());
        let mut keyed = wish(ada, order(1));
        keyed.key = Some(RequestKey::new(ada.0, Uuid::now_v7(), "", &keyed.order));
        let first = decisions.decide(&keyed, &mut outcomes).unwrap();
        assert_eq!(decisions.decide(&keyed, &mut outcomes).unwrap(), first);
        let refused = decisions.decide(&wish(ada, order(2)), &mut outcomes).unwrap_err();
        assert!(matches!(refused, WaitingListError::WishedAlready), "{refused:?}");
        let second = decisions.decide(&wish(bob, order(2)), &mut outcomes).unwrap();
        assert_eq!((first.number, second.number), (7, 8));
        let written: Vec<_> = decisions.new.iter().map(|wish| (wish.id, wish.number)).collect();
        assert_eq!(written, [(first.wish_id, 7), (second.wish_id, 8)]);
    }

    #[test]
    fn the_last_wish_that_a_list_has_room_for_fills_it() {
        let [ada, bob] = std::array::from_fn(|_| AccountId(Uuid::now_v7()));
        let almost_full = ListState { waiting: WAITING_MAX - 1, ..state(&[ada, bob]) };
        let (mut decisions, mut outcomes) =
            (WishDecisions::new(almost_full, 1), Outcomes::default());
        assert!(decisions.decide(&wish(ada, order(1)), &mut outcomes).is_ok());
        let refused = decisions.decide(&wish(bob, order(1)), &mut outcomes).unwrap_err();
        assert!(matches!(refused, WaitingListError::Full), "{refused:?}");
    }

    #[test]
    fn a_list_is_open_while_its_performance_is_on_sale_and_an_offer_has_time() {
        let coming = decide_after(|state, _| state.offers.is_coming = true, order(1));
        assert!(matches!(coming, Err(WaitingListError::NotOpen)), "{coming:?}");
        let over = decide_after(|state, _| state.offers.is_on_sale = false, order(1));
        assert!(matches!(over, Err(WaitingListError::SaleClosed)), "{over:?}");
        let late = decide_after(|state, _| state.offers.offer_secs = 59, order(1));
        assert!(matches!(late, Err(WaitingListError::SaleClosed)), "{late:?}");
        assert!(decide_after(|_, _| {}, order(1)).is_ok());
    }

    #[test]
    fn a_wish_is_within_what_a_hold_and_an_account_may_have() {
        let more = decide_after(|_, _| {}, order(3));
        assert!(matches!(more, Err(WaitingListError::TooMany { places_max: 2 })), "{more:?}");
        let have = |places_live| {
            let change = move |state: &mut ListState, ada| {
                state.terms.get_mut(&ada).unwrap().places_live = places_live;
            };
            decide_after(change, order(2))
        };
        assert!(have(1).is_ok());
        for places_live in [2, i64::MAX] {
            let above = have(places_live);
            let is_limit = matches!(above, Err(WaitingListError::AccountLimit { places_max: 3 }));
            assert!(is_limit, "{above:?}");
        }
    }

    #[test]
    fn what_is_free_is_bought_and_not_wished_for() {
        let zone = || FreeZone {
            id: ZoneId(Uuid::now_v7()),
            price: Points::new(20).unwrap(),
            remaining: 1,
            returned: Vec::new(),
        };
        let free = FreePlaces { zones: vec![zone(), zone()], ..FreePlaces::default() };
        let wish = |order| decide_after(|state, _| state.free = free.clone(), order);
        let one = wish(order(1));
        assert!(matches!(one, Err(WaitingListError::PlacesFree)), "{one:?}");
        // Two places are free, but in different zones.
        assert!(wish(order(2)).is_ok());
        // One is less than an order has: it is waited for, until one is on return.
        let few = |state: &mut ListState, _| {
            state.free = FreePlaces { places_min: 2, ..free.clone() };
        };
        assert!(decide_after(few, order(1)).is_ok());
    }

    #[test]
    fn a_wish_is_for_what_exists() {
        let parts = vec![
            part("Stalls", 30, 1, false),
            part("Circle", 10, 1, false),
            part("Pit", 20, 1, true),
            part("Lawn", 20, 1, true),
        ];
        let wish = |places, section: Option<&str>, price_max| {
            let section = section.map(str::to_owned);
            let price_max = Points::new(price_max);
            let order = WishOrder { section, price_max, ..order(places) };
            decide_after(|state, _| state.parts = parts.clone(), order)
        };
        assert!(wish(2, None, -1).is_ok(), "seats of two sections");
        assert!(wish(2, None, 30).is_ok(), "each at most at that price");
        let is_more = |wished: Result<Wished, _>, exist| match wished {
            Err(WaitingListError::MoreThanExist { places_max }) => places_max == exist,
            _ => false,
        };
        assert!(is_more(wish(2, None, 29), 1), "one seat, or one place of a zone");
        assert!(is_more(wish(1, Some("Pit"), 19), 0));
        assert!(wish(1, Some("Pit"), 20).is_ok());
        assert!(is_more(wish(2, Some("Stalls"), -1), 1));
        let unknown = wish(1, Some("Attic"), -1);
        assert!(matches!(unknown, Err(WaitingListError::UnknownSection)), "{unknown:?}");
        let nothing = decide_after(|state, _| state.parts = Vec::new(), order(1));
        assert!(is_more(nothing, 0));
    }
}
