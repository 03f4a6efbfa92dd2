//! The order of steps, the presets, and the document that is kept.

use proptest::prelude::*;
use serde_json::json;

use super::*;

fn step(until: Deadline, percent: i32, fee: i64) -> TermStep {
    TermStep { until, percent, fee: Points::new(fee).unwrap() }
}

fn hours(hours: i32) -> Deadline {
    Deadline::Hours { hours }
}

fn days(days: i32) -> Deadline {
    Deadline::Days { days }
}

fn at(days: i32, at: &str) -> Deadline {
    Deadline::At { days, at: at.parse().unwrap() }
}

fn mistake(steps: &[TermStep]) -> Option<TermsMistake> {
    RefundTerms::new(steps.to_vec(), None).err()
}

#[test]
fn a_time_of_day_is_read_as_it_is_written() {
    for text in ["00:00", "09:05", "18:00", "23:59", "24:00"] {
        assert_eq!(text.parse::<TimeOfDay>().unwrap().to_string(), text);
    }
    assert_eq!("9:05".parse::<TimeOfDay>().unwrap().to_string(), "09:05");
    for text in
        ["", "18", "24:01", "18:60", "-1:00", "+1:00", "18:5", "018:00", "18:00:00", "١٨:٠٠"]
    {
        assert!(text.parse::<TimeOfDay>().is_err(), "{text}");
    }
}

#[test]
fn deadlines_come_one_after_the_other() {
    let in_order = [days(10), at(7, "24:00"), days(3), at(1, "18:00"), hours(12), hours(0)];
    let steps: Vec<_> = in_order.iter().map(|until| step(*until, 50, 0)).collect();
    assert_eq!(mistake(&steps), None);
    let swapped = [
        (days(1), days(1)),
        (days(1), hours(24)),
        (hours(23), days(1)),
        (at(1, "18:00"), at(1, "17:59")),
        (at(1, "24:00"), at(0, "00:00")),
        (hours(0), days(0)),
        (at(1, "24:00"), days(2)),
        (days(1), at(2, "23:00")),
    ];
    for (earlier, later) in swapped {
        let steps = [step(earlier, 90, 0), step(later, 80, 0)];
        assert_eq!(mistake(&steps), Some(TermsMistake::OutOfOrder(1)), "{earlier:?} {later:?}");
    }
}

#[test]
fn no_later_step_gives_more() {
    let steps = [step(days(3), 80, 0), step(days(2), 80, 500), step(days(1), 81, 500)];
    assert_eq!(mistake(&steps), Some(TermsMistake::PercentRises(2)));
    let steps = [step(days(3), 80, 500), step(days(1), 10, 499)];
    assert_eq!(mistake(&steps), Some(TermsMistake::FeeFalls(1)));
}

#[test]
fn the_presets_are_terms_in_order() {
    for preset in [Preset::Korean, Preset::DayBefore, Preset::None] {
        let terms = preset.terms();
        let steps = terms.steps().unwrap().to_vec();
        assert!(steps.len() <= STEPS_MAX);
        assert_eq!(RefundTerms::new(steps, None), Ok(terms));
        assert_eq!(preset.as_ref().parse(), Ok(preset));
    }
}

#[test]
fn one_step_of_hours_is_the_line_and_of_others_the_line_is_never_more() {
    let line = |steps: &[TermStep]| RefundTerms::new(steps.to_vec(), None).unwrap().with_line();
    assert_eq!(line(&[step(hours(24), 70, 0)]), (RefundTerms::default(), 24, 70));
    let kept = |steps: &[TermStep]| {
        let (terms, hours, percent) = line(steps);
        assert_eq!(terms.steps(), Some(steps));
        (hours, percent)
    };
    assert_eq!(kept(&[step(days(2), 70, 0)]), (48, 70));
    // A performance at 23:59 on the second day after 18:00.
    assert_eq!(kept(&[step(at(2, "18:00"), 70, 0), step(hours(0), 10, 0)]), (54, 70));
    assert_eq!(kept(&[step(days(2), 70, 1)]), (8_760, 0));
    assert_eq!(kept(&[]), (8_760, 0));
    assert_eq!(kept(&[step(days(365), 100, 0), step(days(1), 100, 0)]), (8_760, 100));
}

#[test]
fn terms_are_kept_as_the_document_that_programs_read() {
    let free = Some(FreePeriod { within_hours: 24, until_days: 10 });
    let steps = vec![step(at(7, "24:00"), 100, 0), step(days(1), 90, 0), step(hours(2), 70, 500)];
    let terms = RefundTerms::new(steps, free).unwrap();
    let document = json!({
        "steps": [
            { "days": 7, "at": "24:00", "percent": 100, "fee": 0 },
            { "days": 1, "percent": 90, "fee": 0 },
            { "hours": 2, "percent": 70, "fee": 500 },
        ],
        "free_within_hours": 24, "free_until_days": 10,
    });
    assert_eq!(json!(terms), document);
    assert_eq!(RefundTerms::from(Some(document)), terms);
    assert_eq!(RefundTerms::from(None), RefundTerms::default());
    let none = Preset::None.terms();
    assert_eq!(
        (json!(none), RefundTerms::from(Some(json!({ "steps": [] })))),
        (json!({ "steps": [] }), none)
    );
}

fn deadlines() -> impl Strategy<Value = Deadline> {
    prop_oneof![
        HOURS.prop_map(hours),
        DAYS.prop_map(days),
        (DAYS, 0..=DAY_MINS).prop_map(|(days, mins)| Deadline::At { days, at: TimeOfDay { mins } }),
    ]
}

/// Minutes before a beginning at the minute `start` of its day.
fn mins_before(until: Deadline, start: i32) -> i32 {
    match until {
        Deadline::Hours { hours } => hours * HOUR_MINS,
        Deadline::Days { days } => days * DAY_MINS,
        Deadline::At { days, at } => days * DAY_MINS + start - at.mins,
    }
}

proptest! {
    #[test]
    fn a_deadline_may_follow_another_if_it_does_for_some_beginning(
        earlier in deadlines(), later in deadlines(),
    ) {
        let follows = (0..DAY_MINS).any(|start| mins_before(later, start) < mins_before(earlier, start));
        prop_assert_eq!(later.may_follow(earlier), follows);
    }

    #[test]
    fn the_hours_of_the_line_are_never_later_than_the_deadline(until in deadlines(), start in 0..DAY_MINS) {
        let hours = until.hours_at_least();
        prop_assert!(hours == *HOURS.end() || hours * HOUR_MINS >= mins_before(until, start));
    }
}
