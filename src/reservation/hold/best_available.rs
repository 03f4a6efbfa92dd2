//! Best available seats for a wish: found in a map that may be a moment old, held like any other
//! seats, and searched again after a lost race.
//!
//! While places are kept, a wish gets them only if it asks for step-free seats and confirms that
//! they are needed; then groups with a wheelchair place come first. Seats with a restricted view
//! come last.

use std::{collections::HashSet, sync::Arc};

use super::{
    kept_places::Proposal,
    limiter::ReservationState,
    price_types::{asked::TypesAsked, wanted::WantedTypes},
    request::{ChosenRequest, HoldRequest, ShownPrice},
    seat_groups,
    single_seats::blocks_of_proposal,
    store as hold_store,
};
use crate::{
    app::App,
    catalog::{ScheduleSeatId, SeatKind, price_types::list_named},
    infra::idempotency::RequestKey,
    points::Points,
    reservation::{
        codes::error::CodeRefusal,
        error::ReservationError,
        lifecycle::expiry,
        model::{Choice, Hold, SeatStatus, Wish},
        returns::{error::ReturnRefusal, store::list_seats_on_return},
        seat_map::{seat::MapSeat, store},
    },
};

/// Groups tried per reading of the map.
const GROUPS_MAX: usize = 24;
/// Readings of the map before the request is refused because seats sell faster than it can hold.
const READINGS_MAX: u32 = 6;

/// Holds the best group that is free and that no other request is taking. Refuses only when no
/// group is left, or none for the shown total, or after `READINGS_MAX` readings.
pub(crate) async fn hold_best(
    app: &App,
    state: &ReservationState,
    request: &HoldRequest,
    wish: &Wish,
    key: Option<&RequestKey>,
) -> Result<Hold, ReservationError> {
    if wish.section.as_deref().is_some_and(|section| !request.is_of_code(section)) {
        return Err(CodeRefusal::Elsewhere.into());
    }
    let (mut lost, mut too_few, mut useless) = (Vec::new(), None, None);
    let mut is_ruled = request.program.no_single_seats;
    let types = read_types(app, state, request).await?;
    let mut search = Search::of(app, wish, request, &types);
    for reading in 0..READINGS_MAX {
        // The first reading may come from the cache; a lost race needs a fresh one.
        let seats = if reading == 0 {
            state.seats(app, request.schedule.id, wish.section.as_deref()).await?
        } else {
            let anew = state.seats_anew(app, request.schedule.id, wish.section.as_deref());
            state.permits.with(anew).await?
        };
        let groups = search.groups(&seats);
        // The cached schedule was behind.
        let is_refused = groups.is_empty() && reading > 0;
        if is_refused && search.proposal != Proposal::All && !search.keeps_places(app).await? {
            search.proposal = Proposal::All;
            continue;
        }
        if is_refused && !is_freed(app, state, &search, &seats).await? {
            let none = none_left(app, &seats, &search).await?;
            return Err(too_few.or(useless).unwrap_or(none));
        }
        let mut gone: HashSet<ScheduleSeatId> = HashSet::new();
        for group in groups {
            if group.ids.iter().any(|id| gone.contains(id)) {
                continue;
            }
            // A wish that names a price was shown that price and must not hold at another one.
            let shown = request.shown.or(wish.price.map(|_| ShownPrice::Total(group.total)));
            let attempt = async |is_ruled: bool| {
                let is_choice = |seat: &MapSeat| search.is_choice(seat);
                let blocks = is_ruled.then(|| blocks_of_proposal(&seats, &group.ids, is_choice));
                let (choice, types) = (Choice::Seats(group.ids.clone()), group.types.clone());
                let chosen = HoldRequest { choice, blocks, types, shown, ..request.clone() };
                state.seat_holds.hold(ChosenRequest { request: chosen, key: key.cloned() }).await
            };
            let mut held = attempt(is_ruled).await;
            // The cached program was older than the rule of single seats.
            if matches!(held, Err(ReservationError::RulesChanged)) {
                is_ruled = true;
                held = attempt(is_ruled).await;
            }
            match held {
                Err(ReservationError::SeatUnavailable { seat_ids, .. }) => {
                    gone.extend(&seat_ids);
                    lost = seat_ids;
                }
                // Another group leaves no single seat.
                Err(ReservationError::LeavesSingle { .. }) => {}
                // The map was old: these seats no longer have the price that the wish names.
                Err(ReservationError::PriceChanged { .. }) if request.shown.is_none() => {
                    gone.extend(group.ids);
                }
                // Fewer seats than the program's minimum can be held only if all of them are on
                // return.
                Err(few @ ReservationError::TooFew { .. }) if search.on_return.is_none() => {
                    let on_return = list_seats_on_return(&app.db, request.schedule.id);
                    search.on_return = Some(state.permits.with(on_return).await?);
                    too_few = Some(few);
                    break;
                }
                // The map was old: the places are kept, or a
                // companion's place needs its wheelchair place.
                Err(
                    ReservationError::PlacesKept { .. } | ReservationError::CompanionAlone { .. },
                ) => {
                    search.proposal = Proposal::of(true, wish.is_step_free && request.is_needed);
                    gone.extend(group.ids);
                }
                // The account cannot buy seats that it sells itself, and no code is for seats on
                // return.
                Err(ReservationError::Return(ReturnRefusal::Own { seat_ids })) => {
                    gone.extend(&seat_ids);
                    search.own.extend(seat_ids);
                }
                Err(refusal @ ReservationError::Code(CodeRefusal::OnReturn)) => {
                    gone.extend(group.ids);
                    useless = Some(refusal);
                }
                outcome => return outcome,
            }
        }
    }
    Err(useless.unwrap_or_else(|| ReservationError::seats_unavailable(lost)))
}

/// Reads the price types that `request` counts.
async fn read_types(
    app: &App,
    state: &ReservationState,
    request: &HoldRequest,
) -> Result<WantedTypes, ReservationError> {
    let counts = &request.types.counts;
    if counts.is_empty() {
        return Ok(WantedTypes::default());
    }
    let named = counts.iter().flat_map(|(id, count)| {
        std::iter::repeat_n(*id, usize::try_from(*count).unwrap_or_default())
    });
    let ids: Vec<_> = counts.keys().copied().collect();
    let types = state.permits.with(list_named(&app.db, request.schedule.id, &ids)).await?;
    Ok(WantedTypes::of(&types, named)?)
}

/// Group of seats to try.
struct Candidate {
    ids: Vec<ScheduleSeatId>,
    types: TypesAsked,
    /// Price of the group, less the discount of the code.
    total: Points,
}

/// Search for a group of seats.
#[derive(Clone)]
struct Search<'a> {
    wish: Wish,
    request: &'a HoldRequest,
    /// Price types that are wanted for some of the seats.
    types: &'a WantedTypes,
    /// Price that was shown; `None` accepts any price.
    shown: Option<ShownPrice>,
    /// Kept places that may be proposed.
    proposal: Proposal,
    /// Seats on return, if only these may be proposed.
    on_return: Option<HashSet<ScheduleSeatId>>,
    /// Seats that the account itself has put on sale, as far as attempts found them.
    own: HashSet<ScheduleSeatId>,
}

impl<'a> Search<'a> {
    fn of(app: &App, wish: &Wish, request: &'a HoldRequest, types: &'a WantedTypes) -> Self {
        let keeps_places = request.schedule.keeps_places(app.now());
        let proposal = Proposal::of(keeps_places, wish.is_step_free && request.is_needed);
        let (wish, shown, on_return) = (wish.clone(), request.shown, None);
        let own = HashSet::new();
        Self { wish, request, types, shown, proposal, on_return, own }
    }

    /// Whether places are kept now, by the database's clock.
    async fn keeps_places(&self, app: &App) -> Result<bool, sqlx::Error> {
        hold_store::keeps_places(&app.db, self.request.schedule.id).await
    }

    /// Whether a seat counts as free for the rule of single seats, by which a kept place is never
    /// left single.
    fn is_choice(&self, seat: &MapSeat) -> bool {
        seat.is_free() && (self.proposal == Proposal::All || !seat.kind.is_kept())
    }

    fn fits(&self, seat: &MapSeat) -> bool {
        seat.is_free()
            && self.on_return.as_ref().is_none_or(|seats| seats.contains(&seat.id))
            && self.wish.price.is_none_or(|price| price == seat.price)
            && (seat.kind.is_step_free() || !self.wish.is_step_free)
            && self.proposal.allows(seat)
            && self.request.is_of_code(&seat.section)
            && !self.own.contains(&seat.id)
    }

    /// Returns the groups to try, best first; only groups at the shown total, if one was shown.
    fn groups(&self, seats: &[MapSeat]) -> Vec<Candidate> {
        let free: Vec<&MapSeat> = seats.iter().filter(|seat| self.fits(seat)).collect();
        let account_id = self.request.account_id;
        let mut ranked = seat_groups::ranked(seats, &free, self.wish.n_seats, account_id);
        ranked.retain(|group| self.proposal.allows_together(group.seats));
        if self.proposal == Proposal::Needed {
            // The sort is stable.
            let is_wheelchair = |seat: &&MapSeat| seat.kind == SeatKind::Wheelchair;
            ranked.sort_by_key(|group| !group.seats.iter().any(is_wheelchair));
        }
        let candidates = ranked.into_iter().filter_map(|group| {
            let (types, sum) = self.types.give(group.seats)?;
            let total = self.request.price(sum).total();
            let mut ids: Vec<_> = group.seats.iter().map(|seat| seat.id).collect();
            ids.sort();
            Some(Candidate { ids, types, total })
        });
        let is_as_shown = |candidate: &Candidate| match self.shown {
            Some(ShownPrice::Total(shown)) => shown == candidate.total,
            Some(ShownPrice::Sum(_) | ShownPrice::PriceVersion(_) | ShownPrice::UnitPrice(_))
            | None => true,
        };
        candidates.filter(is_as_shown).take(GROUPS_MAX).collect()
    }
}

/// Returns the refusal when no group was found: the price changed, the wish asks for step-free
/// seats and only kept places fit, the price types fit no group, or all is sold.
async fn none_left(
    app: &App,
    seats: &[MapSeat],
    search: &Search<'_>,
) -> Result<ReservationError, sqlx::Error> {
    let schedule = &search.request.schedule;
    let is_priced_anew = match search.shown {
        None | Some(ShownPrice::UnitPrice(_)) => false,
        Some(ShownPrice::Total(_) | ShownPrice::Sum(_)) => true,
        Some(ShownPrice::PriceVersion(shown)) => {
            store::position(&app.db, schedule.id).await?.price_version > shown
        }
    };
    let wish = Wish { price: None, ..search.wish.clone() };
    let at_any_price = Search { wish, shown: None, ..search.clone() };
    let others = if is_priced_anew { at_any_price.groups(seats) } else { Vec::new() };
    let if_needed = Search { proposal: Proposal::Needed, ..search.clone() };
    let no_types = WantedTypes::default();
    let of_no_type = Search { types: &no_types, shown: None, ..search.clone() };
    let is_kept = search.wish.is_step_free && search.proposal == Proposal::NoneKept;
    Ok(match others.first() {
        Some(best) => ReservationError::PriceChanged { total: best.total },
        None if is_kept && !if_needed.groups(seats).is_empty() => ReservationError::PlacesKept {
            seat_ids: Vec::new(),
            general_sale_at: schedule.general_sale_at(),
        },
        None if !search.types.is_empty() => match of_no_type.groups(seats).first() {
            Some(best) => {
                let best = seats.iter().filter(|seat| best.ids.contains(&seat.id));
                search.types.had_nowhere(&best.collect::<Vec<_>>()).into()
            }
            None => ReservationError::SoldOut { zone_id: None, alternatives: Vec::new() },
        },
        None => ReservationError::SoldOut { zone_id: None, alternatives: Vec::new() },
    })
}

/// Expires lapsed holds that block the best group; returns whether another reading is worthwhile.
async fn is_freed(
    app: &App,
    state: &ReservationState,
    search: &Search<'_>,
    seats: &Arc<Vec<MapSeat>>,
) -> Result<bool, ReservationError> {
    let held = seats.iter().filter(|seat| seat.status == SeatStatus::Held);
    let held: Vec<_> = held.map(|seat| seat.id).collect();
    let (schedule_id, section) = (search.request.schedule.id, search.wish.section.as_deref());
    let freeing = async {
        let lapsed = state.lapsed(app, schedule_id, section, &held).await?;
        if lapsed.is_empty() {
            return Ok(false);
        }
        let mut as_if_freed = seats.to_vec();
        for seat in &mut as_if_freed {
            if seat.status == SeatStatus::Held && lapsed.contains(&seat.id) {
                seat.status = SeatStatus::Available;
            }
        }
        let groups = search.groups(&as_if_freed);
        let Some(best) = groups.first() else { return Ok(false) };
        expiry::expire_in_the_way(app, &best.ids, None).await?;
        state.forget_lapsed(schedule_id, section).await;
        Ok(true)
    };
    state.permits.with_spare(freeing).await.unwrap_or(Ok(false))
}
