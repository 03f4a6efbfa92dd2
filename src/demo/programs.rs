//! Programs of the demo, with their performances and prices.

use super::store;
use crate::{
    catalog::ProgramDetails,
    demo::announcement::{Announcement, Discount},
    infra::postgres::Connection,
};

/// Returns the details of a program with usual rules.
fn named(slug: &str, title: &str, description: &str) -> ProgramDetails {
    ProgramDetails {
        slug: slug.to_owned(),
        title: title.to_owned(),
        description: description.to_owned(),
        ..ProgramDetails::default()
    }
}

/// Values that most programs share.
const USUAL: Announcement = Announcement {
    details: ProgramDetails::default,
    hall: "Haneul Concert Hall",
    opens_in_mins: -120,
    days: &[],
    price_from_front: 121_000,
    zones: &[],
    price_types: &[],
    is_sold_out: false,
};

pub(crate) const PROGRAMS: &[Announcement] = &[
    Announcement {
        details: || ProgramDetails {
            running_mins: Some(130),
            doors_before_mins: Some(60),
            age_min: Some(8),
            queue_capacity: Some(50),
            queue_rate_per_second: Some(10),
            ..named(
                "night-on-the-han",
                "Night on the Han",
                "A symphony orchestra, a river of lights and **one long finale**. Two evenings, \
                      with an interval.\n\n\
                      ### The evening\n\n\
                      - Overture on the water\n\
                      - Three songs for a slow current\n\
                      - *Finale*, with everybody who stayed",
            )
        },
        days: &[21, 22],
        ..USUAL
    },
    Announcement {
        details: || ProgramDetails {
            running_mins: Some(90),
            age_min: Some(12),
            ..named(
                "quiet-machines",
                "조용한 기계들",
                "말을 배우는 기계와 말을 잃은 사람의 하룻밤. 중간 휴식 없이 90분.",
            )
        },
        hall: "골목극장",
        days: &[9, 10, 11],
        price_from_front: 45_000,
        price_types: &[
            Discount {
                name: "어린이(만 12세까지)",
                note: "",
                percent: 50,
                beside: Some("ORDINARY"),
                per_beside_max: Some(3),
                per_order_max: None,
            },
            Discount {
                name: "학생",
                note: "학생증을 가져오세요",
                percent: 70,
                beside: None,
                per_beside_max: None,
                per_order_max: Some(2),
            },
        ],
        ..USUAL
    },
    Announcement {
        details: || ProgramDetails {
            queue_capacity: Some(200),
            queue_rate_per_second: Some(20),
            ..named(
                "lantern-field",
                "Lantern Field",
                "Open-air, three stages, bring a blanket. Standing places only.",
            )
        },
        hall: "Riverside Park",
        days: &[30],
        zones: &[
            ("Front field", 88_000, 400),
            ("River bank", 66_000, 1_500),
            ("Hill", 44_000, 3_000),
        ],
        ..USUAL
    },
    Announcement {
        details: || ProgramDetails {
            queue_capacity: Some(100),
            queue_rate_per_second: Some(10),
            ..named(
                "spring-voices",
                "봄의 목소리",
                "네 명의 목소리와 현악 사중주. 예매는 곧 열립니다.",
            )
        },
        opens_in_mins: 120,
        days: &[45],
        price_from_front: 99_000,
        ..USUAL
    },
    Announcement {
        details: || ProgramDetails {
            running_mins: Some(80),
            ..named(
                "the-last-rehearsal",
                "The Last Rehearsal",
                "Sixty seats, one evening, and the play that goes wrong on purpose.",
            )
        },
        hall: "골목극장",
        days: &[5],
        price_from_front: 38_000,
        is_sold_out: true,
        ..USUAL
    },
    Announcement {
        details: || ProgramDetails {
            running_mins: Some(105),
            ..named(
                "late-jazz",
                "Late Jazz at Haneul",
                "A quintet after dark, with room to stand at the bar.",
            )
        },
        days: &[14],
        price_from_front: 77_000,
        zones: &[("Bar", 33_000, 80)],
        price_types: &[
            Discount {
                name: "Child up to 12",
                note: "",
                percent: 50,
                beside: Some("ORDINARY"),
                per_beside_max: Some(3),
                per_order_max: None,
            },
            Discount {
                name: "Student",
                note: "Bring your student card",
                percent: 70,
                beside: None,
                per_beside_max: None,
                per_order_max: Some(2),
            },
            Discount {
                name: "Companion",
                note: "For whoever comes with a wheelchair user",
                percent: 0,
                beside: Some("WHEELCHAIR"),
                per_beside_max: Some(1),
                per_order_max: None,
            },
        ],
        ..USUAL
    },
];

/// Inserts a program with its performances, and sells all seats if it is sold out.
pub(crate) async fn announce(
    tx: &mut Connection,
    program: &Announcement,
) -> Result<(), sqlx::Error> {
    let program_id = store::insert_program(tx, program).await?;
    for day in program.days {
        let schedule_id = store::insert_schedule(tx, program_id, program.hall, *day).await?;
        store::insert_schedule_seats(tx, schedule_id, program.price_from_front).await?;
        for (name, price, capacity) in program.zones {
            store::insert_zone(tx, schedule_id, name, *price, *capacity).await?;
        }
        for discount in program.price_types {
            store::insert_price_type(tx, schedule_id, discount).await?;
        }
        if program.is_sold_out {
            store::sell_every_seat(tx, schedule_id).await?;
        }
    }
    Ok(())
}
