//! Charts of the sales of a program, day by day.

use chrono::{Days, NaiveDate};

use crate::{
    admin::{
        chart::{Chart, SlotValues},
        sales::store::SoldDay,
    },
    text::times,
    web::page::View,
};

/// Days that the charts show, the last of them today.
pub(crate) const DAYS: u32 = 30;
/// Days between two ticks of the axis of time.
const TICK_DAYS: u32 = 7;

/// Two charts of the same days.
pub(crate) struct SalesCharts {
    /// Days, oldest first, days without sales too.
    pub days: Vec<SoldDay>,
    pub bookings: Chart,
    pub bookings_total: i64,
    pub revenue: Chart,
    pub revenue_total: i64,
}

/// Returns the first of the days that the charts show.
pub(crate) fn first_day(today: NaiveDate) -> NaiveDate {
    today - Days::new(u64::from(DAYS - 1))
}

impl SalesCharts {
    /// Draws the days up to `today`; `sold` has the days with sales.
    pub(crate) fn of(v: &View, sold: &[SoldDay], today: NaiveDate) -> Self {
        let filled = (0..DAYS).map(|idx| {
            let day = first_day(today) + Days::new(u64::from(idx));
            let found = sold.iter().find(|sold| sold.day == day);
            found.copied().unwrap_or(SoldDay { day, bookings: 0, revenue: 0 })
        });
        let days: Vec<SoldDay> = filled.collect();
        let drawn =
            |name: &'static str, count: fn(&SoldDay) -> i64, shown: &dyn Fn(i64) -> String| {
                let slots = (1..).zip(&days).map(|(nth, day): (u32, _)| {
                    let when = times::short_day(day.day, v.locale);
                    let what = v.t("admin-chart-value").word("name", v.t(name));
                    let what = what.word("count", shown(count(day)));
                    let is_tick = (DAYS - nth).is_multiple_of(TICK_DAYS);
                    SlotValues {
                        bar: Some(count(day)),
                        line: None,
                        title: format!("{when}, {what}"),
                        tick: is_tick.then_some(when),
                    }
                });
                Chart::of(slots.collect(), shown)
            };
        Self {
            bookings: drawn("popularity-bookings", |day| day.bookings, &|n| v.number(n)),
            bookings_total: days.iter().map(|day| day.bookings).sum(),
            revenue: drawn("popularity-revenue", |day| day.revenue, &|points| v.price_sign(points)),
            revenue_total: days.iter().map(|day| day.revenue).sum(),
            days,
        }
    }
}
