//! Refused hold request shown on its map: the reason, the alternatives and the typed values.

use actix_web::http::StatusCode;
use chrono::{DateTime, Utc};

use super::form::HoldForm;
use crate::{
    catalog::{Schedule, ScheduleSeatId},
    points::Points,
    reservation::{
        codes::model::SaleCode,
        error::ReservationError,
        hold::refusals::{alternatives::Alternative, other_places::PlacesAlternative},
        seat_map::{
            pages::{names::seat_name, reading::MapView},
            seat::MapSeat,
        },
    },
    text::i18n::Phrase,
    web::{
        error::HttpError,
        form::{FormRefusal, Mistakes},
        page::View,
    },
};

/// Form that was sent to a map, with the code and the refusal that the map shows.
pub(crate) struct SentForm<'a> {
    pub form: &'a HoldForm,
    /// Code of the form, if it may be used.
    pub code: Option<SaleCode>,
    /// Reason of the refusal; `None` if the form only asked for a code's terms.
    pub reason: Option<&'a FormRefusal>,
}

impl<'a> SentForm<'a> {
    pub(crate) fn refused(&self) -> Option<Refused<'a>> {
        self.reason.map(|reason| Refused { reason, typed: self.form })
    }
}

/// Refused form and the reason.
#[derive(Debug, Clone, Copy)]
pub struct Refused<'a> {
    pub reason: &'a FormRefusal,
    pub typed: &'a HoldForm,
}

impl<'a> Refused<'a> {
    /// Returns the HTTP status of the reason.
    pub fn status(&self) -> StatusCode {
        self.reason.status()
    }

    /// Returns the refusal of a valid form.
    pub fn refusal(&self) -> Option<&'a ReservationError> {
        self.reason.find()
    }

    /// Returns the refusal as the map shows it.
    pub fn shown(&self, v: &View, map: &MapView, schedule: &Schedule) -> Refusal<'a> {
        let Some(error) = self.refusal() else {
            return Refusal::of_mistakes(v, &self.reason.mistakes);
        };
        match error {
            ReservationError::SeatUnavailable { seat_ids, alternatives, .. }
                if !seat_ids.is_empty() =>
            {
                Refusal {
                    gone: names_of(v, map, seat_ids),
                    alternatives,
                    leased: error.leased_seat_ids(),
                    is_about_seats: true,
                    ..Refusal::plain(
                        v.t("seat-taken-title").number("count", seat_ids.len()),
                        String::new(),
                    )
                }
            }
            ReservationError::CompanionAlone { seat_ids } => self.alone(v, map, error, seat_ids),
            ReservationError::PlacesKept { general_sale_at, .. } => {
                let at = general_sale_at.map(|at| kept_until(v, schedule, at));
                let text = [Some(v.refusal(error)), at].into_iter().flatten();
                Refusal {
                    to_confirm: Some(self.typed.to_confirm(&[])),
                    ..Refusal::plain(
                        v.told(&error.problem(), "title"),
                        text.collect::<Vec<_>>().join(" "),
                    )
                }
            }
            ReservationError::PriceChanged { total } => {
                let plain = self.price_changed(v, error, *total);
                Refusal { new_total: Some((*total, self.typed.at_total(*total))), ..plain }
            }
            ReservationError::Code(_) => Refusal {
                without_code: self.typed.has_choice().then(|| self.typed.without_code()),
                ..Refusal::plain(v.told(&error.problem(), "title"), v.refusal(error))
            },
            ReservationError::LeavesSingle { seat_ids } => {
                let names = names_of(v, map, seat_ids);
                let text = v.t("seat-single-text").word("seats", names.join(", "));
                Refusal::plain(v.told(&error.problem(), "title"), text.to_string())
            }
            ReservationError::SoldOut { zone_id: None, .. } => {
                Refusal::plain(v.t("seat-best-none-title"), v.t("seat-best-none").to_string())
            }
            ReservationError::SoldOut { alternatives, .. } => {
                let title = v.told(&error.problem(), "title");
                Refusal { places: alternatives, ..Refusal::plain(title, v.refusal(error)) }
            }
            ReservationError::UnknownSeat | ReservationError::UnknownZone => {
                let mistakes = error.mistake();
                Refusal::of_mistakes(v, &mistakes.unwrap_or_default())
            }
            _ => Refusal::plain(v.told(&error.problem(), "title"), v.refusal(error)),
        }
    }

    /// Returns the refusal of an order whose price is not the shown one: the order has a code whose
    /// terms were not shown yet, or prices have changed.
    fn price_changed(&self, v: &View, error: &ReservationError, total: Points) -> Refusal<'a> {
        if self.typed.has_code() {
            let text = v.t("seat-code-total").word("amount", v.price(total.get()));
            Refusal::plain(v.t("seat-code-total-title"), text.to_string())
        } else {
            let title = v.told(&error.problem(), "title");
            Refusal::plain(title, v.refusal(error))
        }
    }

    /// Returns the refusal of companions' places without their wheelchair places, and the request
    /// with the missing places added, if all of them are free.
    fn alone(
        &self,
        v: &View,
        map: &MapView,
        error: &ReservationError,
        seat_ids: &[ScheduleSeatId],
    ) -> Refusal<'a> {
        let with_section = map.sections.len() > 1;
        let companions = || map.drawing.seats().filter(|seat| seat_ids.contains(&seat.id));
        let mut places: Vec<&MapSeat> = companions()
            .filter_map(|seat| map.drawing.seats().find(|each| each.is_wheelchair_place_of(seat)))
            .collect();
        places.dedup_by_key(|place| place.id);
        let is_free = !places.is_empty() && places.iter().all(|place| place.is_free());
        let ids: Vec<_> = places.iter().map(|place| place.id).collect();
        let names = places.iter().map(|place| seat_name(v, place, with_section).to_string());
        let names: Vec<_> = names.collect();
        let which = v.t("seat-companion-of").word("seats", names.join(" · "));
        let which = Some(which.to_string()).filter(|_| !names.is_empty());
        let text: Vec<_> = [Some(v.refusal(error)), which].into_iter().flatten().collect();
        Refusal {
            to_confirm: is_free.then(|| self.typed.to_confirm(&ids)),
            ..Refusal::plain(v.told(&error.problem(), "title"), text.join(" "))
        }
    }
}

/// Returns the names of the seats in `seat_ids` that the map shows.
fn names_of(v: &View, map: &MapView, seat_ids: &[ScheduleSeatId]) -> Vec<String> {
    let with_section = map.sections.len() > 1;
    let seats = map.drawing.seats().filter(|seat| seat_ids.contains(&seat.id));
    seats.map(|seat| seat_name(v, seat, with_section).to_string()).collect()
}

/// Returns the sentence that says when kept places go on general sale.
pub fn kept_until(v: &View, schedule: &Schedule, at: DateTime<Utc>) -> String {
    v.t("seat-kept-until").word("when", v.moment(&at, &schedule.time_zone)).to_string()
}

/// Text of a refusal on the map.
#[derive(Debug)]
pub struct Refusal<'a> {
    pub title: Phrase,
    pub text: String,
    /// Names of the unavailable seats.
    pub gone: Vec<String>,
    pub alternatives: &'a [Alternative],
    /// Seats of the first alternative, if they are leased to the account.
    pub leased: &'a [ScheduleSeatId],
    /// Zones with enough places, offered instead of a zone that has too few.
    pub places: &'a [PlacesAlternative],
    pub is_about_seats: bool,
    /// Current total, and the form fields that request it.
    pub new_total: Option<(Points, FormFields)>,
    /// Form fields of the same request, to be sent with the confirmation that its places are needed.
    pub to_confirm: Option<FormFields>,
    /// Form fields of the same request without its code.
    pub without_code: Option<FormFields>,
}

type FormFields = Vec<(&'static str, String)>;

impl Refusal<'_> {
    fn plain(title: Phrase, text: String) -> Self {
        let (gone, alternatives, places) = (Vec::new(), Default::default(), Default::default());
        let (new_total, to_confirm, without_code) = (None, None, None);
        Self {
            title,
            text,
            gone,
            alternatives,
            leased: &[],
            places,
            is_about_seats: false,
            new_total,
            to_confirm,
            without_code,
        }
    }

    fn of_mistakes(v: &View, mistakes: &Mistakes) -> Self {
        Self::plain(v.t("error-invalid-title"), v.reasons(mistakes))
    }
}
