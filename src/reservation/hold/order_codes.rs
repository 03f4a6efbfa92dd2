//! Codes of the requests of one transaction: locked, decided one request after the other, and their
//! uses written; and the hidden seats and zones that codes have opened to the accounts.

use std::{
    collections::{HashMap, HashSet},
    mem,
};

use chrono::{DateTime, Utc};

use super::{
    request::{ChosenRequest, HoldRequest},
    store::LockedSeat,
};
use crate::{
    accounts::AccountId,
    catalog::{ScheduleSeatId, ZoneId},
    infra::postgres::{Connection, is_lock_timeout},
    reservation::{
        codes::{
            error::CodeRefusal,
            model::{OrderPrice, OrderSum, SaleCode, SaleCodeId},
            store::{self, NewUses, access},
        },
        error::ReservationError,
        inventory::model::LockedZone,
        model::{Choice, Hold},
    },
};

/// Codes that a transaction has locked, updated by each hold that it decides.
#[derive(Debug, Default)]
pub(super) struct OrderCodes {
    codes: HashMap<SaleCodeId, SaleCode>,
    /// Live reservations that an account has with a code, if the code limits them.
    own_uses: HashMap<(SaleCodeId, AccountId), i64>,
    /// Sections of the seats, if a code is for a section.
    seat_sections: HashMap<ScheduleSeatId, String>,
    /// Hidden seats and zones that codes open to an account.
    open_seats: HashSet<(AccountId, ScheduleSeatId)>,
    open_zones: HashSet<(AccountId, ZoneId)>,
    /// Uses to be written.
    new: NewUses,
}

impl OrderCodes {
    /// Locks the codes of `requests`, whose seats or zone are locked, and reads the uses and
    /// sections that their limits need. Runs no query if no request has a code.
    pub(super) async fn lock(
        tx: &mut Connection,
        requests: &[&ChosenRequest],
    ) -> Result<Self, ReservationError> {
        let asked: Vec<&HoldRequest> = requests.iter().map(|chosen| &chosen.request).collect();
        let ids: HashSet<SaleCodeId> = asked.iter().filter_map(|request| id_of(request)).collect();
        let (Some(first), false) = (asked.first(), ids.is_empty()) else {
            return Ok(Self::default());
        };
        let ids: Vec<SaleCodeId> = ids.into_iter().collect();
        let locked = store::lock(tx, first.schedule.program_id, &ids).await.map_err(|error| {
            match is_lock_timeout(&error) {
                true => ReservationError::AlreadyProcessing,
                false => error.into(),
            }
        })?;
        let mut codes = Self {
            codes: locked.into_iter().map(|code| (code.id, code)).collect(),
            ..Self::default()
        };
        codes.read_own_uses(tx, first, &asked).await?;
        codes.read_sections(tx, &asked).await?;
        Ok(codes)
    }

    async fn read_own_uses(
        &mut self,
        tx: &mut Connection,
        first: &HoldRequest,
        asked: &[&HoldRequest],
    ) -> Result<(), sqlx::Error> {
        let limited = self.ids_of(|code| code.uses_per_account_max.is_some());
        if limited.is_empty() {
            return Ok(());
        }
        let accounts: HashSet<AccountId> = asked
            .iter()
            .filter(|request| id_of(request).is_some())
            .map(|each| each.account_id)
            .collect();
        let accounts: Vec<AccountId> = accounts.into_iter().collect();
        let program_id = first.schedule.program_id;
        let uses = store::count_own_uses(tx, program_id, &limited, &accounts).await?;
        self.own_uses = uses.into_iter().map(|(id, owner, uses)| ((id, owner), uses)).collect();
        Ok(())
    }

    async fn read_sections(
        &mut self,
        tx: &mut Connection,
        asked: &[&HoldRequest],
    ) -> Result<(), sqlx::Error> {
        let of_section = self.ids_of(|code| code.section.is_some());
        let is_asked =
            |request: &&&HoldRequest| id_of(request).is_some_and(|id| of_section.contains(&id));
        let mut seats = Vec::new();
        for request in asked.iter().filter(is_asked) {
            if let Choice::Seats(ids) = &request.choice {
                seats.extend_from_slice(ids);
            }
        }
        if !seats.is_empty() {
            self.seat_sections = store::list_sections(tx, &seats).await?.into_iter().collect();
        }
        Ok(())
    }

    fn ids_of(&self, is_meant: impl Fn(&SaleCode) -> bool) -> Vec<SaleCodeId> {
        self.codes.values().filter(|code| is_meant(code)).map(|code| code.id).collect()
    }

    /// Reads which accounts of `requests` may have the hidden seats among the locked ones, or the
    /// hidden zone. Runs no query if neither is hidden.
    pub(super) async fn read_open(
        &mut self,
        tx: &mut Connection,
        requests: &[&ChosenRequest],
        seats: impl Iterator<Item = &LockedSeat>,
        zone: Option<&LockedZone>,
    ) -> Result<(), sqlx::Error> {
        let seats: Vec<ScheduleSeatId> =
            seats.filter(|seat| seat.is_hidden).map(|seat| seat.id).collect();
        let zone = zone.filter(|zone| zone.is_hidden);
        if seats.is_empty() && zone.is_none() {
            return Ok(());
        }
        let accounts: Vec<AccountId> =
            requests.iter().map(|chosen| chosen.request.account_id).collect();
        if !seats.is_empty() {
            let open = access::list_open_seats(tx, &seats, &accounts).await?;
            self.open_seats = open.into_iter().collect();
        }
        if let Some(zone) = zone {
            let open = access::list_accounts_inside(tx, zone.id, &accounts).await?;
            self.open_zones = open.into_iter().map(|account_id| (account_id, zone.id)).collect();
        }
        Ok(())
    }

    /// Whether an account may have a seat: it is not hidden, or a code opens it to the account.
    pub(super) fn opens_seat(&self, account_id: AccountId, seat: &LockedSeat) -> bool {
        !seat.is_hidden || self.open_seats.contains(&(account_id, seat.id))
    }

    /// Whether an account may have places of a zone: it is not hidden, or a code opens it to the
    /// account.
    pub(super) fn opens_zone(&self, account_id: AccountId, zone: &LockedZone) -> bool {
        !zone.is_hidden || self.open_zones.contains(&(account_id, zone.id))
    }

    /// Returns the price of an order of `sum`, or the refusal of its code at `moment`, which was
    /// read after the lock.
    pub(super) fn price(
        &self,
        request: &HoldRequest,
        moment: DateTime<Utc>,
        sum: OrderSum,
    ) -> Result<OrderPrice, CodeRefusal> {
        if request.code.is_none() {
            return Ok(OrderPrice::without_code(sum));
        }
        let code = id_of(request).and_then(|id| self.codes.get(&id));
        let code = code.ok_or(CodeRefusal::Unknown)?;
        code.require_usable(moment, request.schedule.id)?;
        if code.section.is_some() && !self.is_in(&request.choice, code) {
            return Err(CodeRefusal::Elsewhere);
        }
        let own_uses = self.own_uses.get(&(code.id, request.account_id)).copied().unwrap_or(0);
        if code.uses_per_account_max.is_some_and(|uses_max| own_uses >= i64::from(uses_max)) {
            return Err(CodeRefusal::UsedByAccount);
        }
        if sum.places == 0 {
            return Err(CodeRefusal::OnReturn);
        }
        code.require_places_left(sum.places)?;
        Ok(code.price(sum))
    }

    /// Whether the whole order is in the section or zone that the code is for.
    fn is_in(&self, choice: &Choice, code: &SaleCode) -> bool {
        match choice {
            Choice::Seats(ids) => ids.iter().all(|id| {
                self.seat_sections.get(id).is_some_and(|section| code.is_for_section(section))
            }),
            Choice::Places { zone_id, .. } => code.is_for_zone(*zone_id),
            Choice::Best(_) => false,
        }
    }

    /// Takes a use for `hold`, which costs `price`, and returns the hold with its code.
    pub(super) fn take(&mut self, account_id: AccountId, hold: Hold, price: OrderPrice) -> Hold {
        let code = price.code_id.and_then(|id| self.codes.get_mut(&id));
        let Some(code) = code else { return hold };
        code.uses = code.uses.saturating_add(1);
        code.places = code.places.map(|places| places.saturating_add(price.sum.places));
        *self.own_uses.entry((code.id, account_id)).or_default() += 1;
        self.new.add(hold.reservation_id, code.id, price);
        Hold { code: Some(code.word.clone()), discount: Some(price.discount), ..hold }
    }

    /// Whether a code is locked.
    pub(super) fn has_locked(&self) -> bool {
        !self.codes.is_empty()
    }

    /// Returns the uses to be written, and forgets them.
    pub(super) fn take_uses(&mut self) -> NewUses {
        mem::take(&mut self.new)
    }
}

/// Returns the code of a request, as it was looked up.
fn id_of(request: &HoldRequest) -> Option<SaleCodeId> {
    request.code.as_ref()?.found.as_ref().map(|code| code.id)
}
