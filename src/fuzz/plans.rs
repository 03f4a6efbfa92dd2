//! Targets of texts that organisers and buyers type: seat plans, codes, numbers, amounts and times.

use chrono_tz::Tz;

use super::{check, text};
use crate::{
    catalog::SeatPlan,
    reservation::{ReservationNumber, codes::model::CodeWord},
    text::{
        charset::{self, Charset},
        times::{parse_minutes, typed, typed_minutes},
    },
    wallet::statement::Month,
    web::form::{
        Field, Mistakes,
        local_time::{TypedTime, carried},
    },
};

#[test]
fn a_plan_is_written_as_it_was_read() {
    check(bolero::check!(), |bytes| {
        let (sent, charset) = charset::decode(bytes.to_vec());
        assert_eq!(charset == Charset::Utf8, std::str::from_utf8(bytes).is_ok());
        match SeatPlan::from_csv(&sent) {
            Ok(plan) => {
                let written = plan.to_csv();
                let again = SeatPlan::from_csv(&written)
                    .map_err(|mistake| format!("{mistake:?}\n{written}"));
                assert_eq!(again.unwrap(), plan);
                assert!(plan.seats().iter().all(|seat| seat.x.is_finite() && seat.y.is_finite()));
            }
            Err(mistake) => {
                let column = mistake.column.as_deref().unwrap_or_default();
                assert!(mistake.text.chars().count() <= 100, "{mistake:?}");
                assert!(column.chars().count() <= 100, "{mistake:?}");
                let lines = sent.split(['\r', '\n']).count();
                assert!(
                    mistake.line >= 1 && usize::try_from(mistake.line).unwrap() <= lines,
                    "{mistake:?}"
                );
            }
        }
    });
}

#[test]
fn a_grid_makes_no_more_seats_than_a_venue_may_have() {
    check(bolero::check!(), |bytes| {
        if let Ok(plan) = SeatPlan::from_grid(&text(bytes)) {
            assert!((1..=100_000).contains(&plan.seats().len()));
        }
    });
}

#[test]
fn a_typed_time_is_one_that_can_be_kept_and_shown() {
    let zones = [Tz::Asia__Seoul, Tz::America__New_York, Tz::Pacific__Kiritimati];
    check(bolero::check!(), |bytes| {
        let (field, empty) = (Field::of(text(bytes)), Field::default());
        let time =
            TypedTime { name: "at", text: &field, zone: &empty, shown: &field, offset: &field };
        for zone in zones {
            let Some(at) = time.parse(&mut Mistakes::default(), zone, None) else { continue };
            let year = at.format("%Y").to_string();
            assert!(year.parse::<i32>().is_ok_and(|year| (1_969..=9_999).contains(&year)), "{at}");
            // What a form carries on is read as the same instant.
            let (shown, kept) = (Field::of(typed(at, zone)), Field::of(carried(at)));
            let again =
                TypedTime { name: "at", text: &shown, zone: &empty, shown: &kept, offset: &empty };
            let again = again.parse(&mut Mistakes::default(), zone, None);
            assert_eq!(again.map(carried), Some(carried(at)));
        }
    });
}

#[test]
fn what_is_typed_short_is_read_as_it_is_shown() {
    check(bolero::check!(), |bytes| {
        let typed = text(bytes);
        if let Some(secs) = parse_minutes(&typed) {
            assert_eq!(parse_minutes(&typed_minutes(secs)), Some(secs));
        }
        if let Ok(word) = typed.parse::<CodeWord>() {
            assert_eq!(word.to_string().parse(), Ok(word));
        }
        if let Ok(number) = typed.parse::<ReservationNumber>() {
            assert_eq!(number.to_string().parse(), Ok(number));
            assert!(number.ids().start() <= number.ids().end());
        }
        let _ = Month::parse(&typed);
    });
}
