//! Compositions of posters: each draws its shapes into 400 x 300 units.
//!
//! A shape's class names its **tone**: `a` the ground's lighter sister, `b` the bright one, `c` the
//! second bright one, `d` the ground's darker sister. Each composition has one shape in a bright
//! tone at least and at most some forty shapes.

use std::fmt::Write;

use super::seed::PosterSeed;

/// Number of compositions.
pub(super) const COMPOSITIONS: u32 = 10;

/// Draws the shapes of the composition that is the turn of `number`.
pub(super) fn draw(number: u32, seed: &mut PosterSeed) -> String {
    match number % COMPOSITIONS {
        0 => rings(seed),
        1 => waves(seed),
        2 => curtain(seed),
        3 => seats(seed),
        4 => spotlights(seed),
        5 => tiles(seed),
        6 => bars(seed),
        7 => discs(seed),
        8 => steps(seed),
        _ => strings(seed),
    }
}

const WIDTH: i32 = 400;
const HEIGHT: i32 = 300;

/// Circles within each other, as sound spreads.
fn rings(seed: &mut PosterSeed) -> String {
    const TONES: [&str; 6] = ["d", "a", "d", "c", "a", "b"];
    let (x, y) = (seed.between(60, 300), seed.between(30, 230));
    let step = seed.between(34, 52);
    let mut shapes = String::new();
    for (nth, tone) in (0..).zip(TONES) {
        circle(&mut shapes, tone, x, y, step * 6 - step * nth - step / 3);
    }
    shapes
}

/// A disc above three waves.
fn waves(seed: &mut PosterSeed) -> String {
    let mut shapes = String::new();
    circle(&mut shapes, "b", seed.between(90, 310), seed.between(70, 140), seed.between(44, 84));
    let mut top = seed.between(120, 170);
    for tone in ["c", "a", "d"] {
        let (shift, height) = (seed.between(-150, 0), seed.between(24, 60));
        let half = seed.between(60, 110);
        let path = format!("M{shift} {top}q{half} {} {} 0", -height, 2 * half);
        let repeats = format!("t{} 0", 2 * half).repeat(9);
        piece(&mut shapes, tone, &format!("{path}{repeats}V{HEIGHT}H{shift}z"));
        top += seed.between(38, 62);
    }
    shapes
}

/// A curtain that is open in the middle, with light behind it.
fn curtain(seed: &mut PosterSeed) -> String {
    let mut shapes = String::new();
    let middle = seed.between(150, 250);
    circle(&mut shapes, "b", middle, seed.between(130, 210), seed.between(70, 110));
    let width = seed.between(30, 48);
    let (mut left, mut nth) = (-10, 0);
    while left < WIDTH {
        // The further from the middle, the longer the fold hangs.
        let away = (left + width / 2 - middle).abs();
        let length = 40 + away * 3 / 2;
        let tone = if nth % 2 == 0 { "a" } else { "d" };
        let fold = format!("M{left} 0h{width}v{length}q{} 30 {} 0z", -width / 2, -width);
        piece(&mut shapes, tone, &fold);
        left += width;
        nth += 1;
    }
    shapes
}

/// Rows of seats, some of them taken.
fn seats(seed: &mut PosterSeed) -> String {
    let (mut free, mut taken, mut own) = (String::new(), String::new(), String::new());
    let (columns, gap) = (seed.between(5, 8), seed.between(10, 20));
    let side = (WIDTH - gap) / columns - gap;
    let own_row = seed.between(0, 3);
    let own_from = seed.between(0, columns - 1);
    for row in 0..=HEIGHT / (side + gap) {
        for column in 0..columns {
            let (x, y) = (gap + column * (side + gap), gap + row * (side + gap));
            let is_own = row == own_row && (own_from..own_from + 2).contains(&column);
            let path = match seed.below(4) {
                _ if is_own => &mut own,
                0 => &mut taken,
                _ => &mut free,
            };
            let round = side / 3;
            let _ = write!(
                path,
                "M{x} {}v{}q0 {} {round} {}h{}q{round} 0 {round} {round}v{}z",
                y + side,
                round - side,
                -round,
                -round,
                side - 2 * round,
                side - round
            );
        }
    }
    let mut shapes = String::new();
    piece(&mut shapes, "a", &free);
    piece(&mut shapes, "d", &taken);
    piece(&mut shapes, "b", &own);
    shapes
}

/// Lamps above a stage.
fn spotlights(seed: &mut PosterSeed) -> String {
    let mut shapes = String::new();
    let floor = seed.between(220, 260);
    piece(&mut shapes, "d", &format!("M0 {floor}h{WIDTH}V{HEIGHT}H0z"));
    for (nth, tone) in (0..).zip(["a", "c", "b"]) {
        let lamp = 40 + nth * 130 + seed.between(0, 60);
        let (spot, half) = (seed.between(70, 320), seed.between(46, 84));
        let cone = format!("M{lamp} -10L{} {floor}h{}z", spot - half, 2 * half);
        piece(&mut shapes, &format!("{tone} veil"), &cone);
        let _ = write!(
            shapes,
            "<ellipse class=\"{tone}\" cx=\"{spot}\" cy=\"{floor}\" rx=\"{half}\" ry=\"{}\"/>",
            half / 4
        );
    }
    shapes
}

/// Tiles of a mosaic.
fn tiles(seed: &mut PosterSeed) -> String {
    const SIDE: i32 = 100;
    const TONES: [&str; 8] = ["a", "b", "d", "a", "c", "d", "a", "d"];
    let mut shapes = String::new();
    let offset = seed.below(8);
    for cell in 0..12_u16 {
        let (x, y) = (i32::from(cell % 4) * SIDE, i32::from(cell / 4) * SIDE);
        let tone = TONES.get(usize::from((cell * 3 + offset + seed.below(2)) % 8)).unwrap_or(&"a");
        let path = match seed.below(8) {
            0 => format!("M{x} {y}h100a100 100 0 0 1-100 100z"),
            1 => format!("M{x} {y}h100v100a100 100 0 0 1-100-100z"),
            2 => format!("M{x} {}h100a100 100 0 0 0-100-100z", y + SIDE),
            3 => format!("M{} {y}v100h-100a100 100 0 0 1 100-100z", x + SIDE),
            4 => format!("M{x} {}a50 50 0 0 1 100 0a50 50 0 0 1-100 0z", y + SIDE / 2),
            5 => format!("M{x} {y}h100l-100 100z"),
            6 => format!("M{x} {}a50 50 0 0 1 100 0zm0 50a50 50 0 0 1 100 0z", y + SIDE / 2),
            _ => format!("M{x} {y}h100v100h-100z"),
        };
        piece(&mut shapes, tone, &path);
    }
    shapes
}

/// Bars of a sound that is loudest in its middle.
fn bars(seed: &mut PosterSeed) -> String {
    let mut shapes = String::new();
    let (width, gap) = (seed.between(14, 30), seed.between(8, 14));
    let middle = seed.between(120, 180);
    let loudest = seed.between(2, 7);
    let mut left = gap / 2;
    let mut nth = 0;
    while left < WIDTH {
        let half = seed.between(16, 60) + 70 / (1 + (nth - loudest).abs());
        let tone = match (nth - loudest).abs() {
            0 => "b",
            1 => "c",
            _ => "a",
        };
        let round = width / 2;
        let bar = format!(
            "M{left} {}v{}a{round} {round} 0 0 0 {} 0v{}a{round} {round} 0 0 0 {} 0z",
            middle - half,
            2 * half,
            2 * round,
            -2 * half,
            -2 * round
        );
        piece(&mut shapes, tone, &bar);
        left += width + gap;
        nth += 1;
    }
    shapes
}

/// Large discs that lie over one another.
fn discs(seed: &mut PosterSeed) -> String {
    let mut shapes = String::new();
    circle(&mut shapes, "d", seed.between(40, 290), seed.between(60, 240), seed.between(120, 170));
    for (nth, tone) in (0..).zip(["a veil", "c veil", "b veil"]) {
        let x = 70 + nth * 110 + seed.between(0, 70);
        circle(&mut shapes, tone, x, seed.between(70, 230), seed.between(50, 108));
    }
    shapes
}

/// Flights of steps.
fn steps(seed: &mut PosterSeed) -> String {
    let mut shapes = String::new();
    circle(&mut shapes, "b", seed.between(230, 350), seed.between(40, 110), seed.between(30, 64));
    for (nth, tone) in (0..).zip(["c", "a", "d"]) {
        let (tread, rise) = (seed.between(34, 62), seed.between(18, 34));
        let top = nth * 70 + seed.between(10, 50);
        let flight = format!("h{tread}v{rise}").repeat(12);
        piece(&mut shapes, tone, &format!("M-10 {top}{flight}V400H-10z"));
    }
    shapes
}

/// Strings that swing.
fn strings(seed: &mut PosterSeed) -> String {
    const STRINGS: i32 = 13;
    let mut shapes = String::new();
    let (from, to) = (seed.between(-40, 200), seed.between(60, 300));
    let (left, right) = (seed.between(-80, 170), seed.between(60, 316));
    let bright = seed.between(2, 11);
    for nth in 0..STRINGS {
        let tone = match (nth - bright).abs() {
            0 => "line b",
            1 => "line c",
            _ => "line a",
        };
        let spread = (nth - STRINGS / 2) * 17;
        let curve = format!(
            "M-10 {}C130 {} 270 {} 410 {}",
            from + spread,
            left + spread / 3,
            right - spread / 3,
            to + spread / 2
        );
        piece(&mut shapes, tone, &curve);
    }
    shapes
}

fn circle(shapes: &mut String, class: &str, x: i32, y: i32, radius: i32) {
    let _ = write!(shapes, "<circle class=\"{class}\" cx=\"{x}\" cy=\"{y}\" r=\"{radius}\"/>");
}

fn piece(shapes: &mut String, class: &str, path: &str) {
    let _ = write!(shapes, "<path class=\"{class}\" d=\"{path}\"/>");
}
