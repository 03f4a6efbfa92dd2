//! Overview of a large performance: sections drawn as parts of tiers around the stage.
//!
//! A plan states the positions of seats, but often only within their section. Sections that are
//! beside each other in the plan are drawn so; otherwise the sections fill tiers of even length in
//! the plan's order. The drawing is deterministic.

use super::arcs::{Arc, Arcs};
use crate::{
    catalog::even_tiers,
    points::Points,
    reservation::seat_map::listing::{SectionListing, class_of},
};

/// Maximum number of blocks in a tier that follows the plan.
const TIER_MAX: usize = 8;
/// Maximum number of tiers with one block each.
const SINGLES_MAX: usize = 4;
/// Maximum number of sections whose places in the plan are compared.
const COMPARED_MAX: usize = 200;
/// Maximum distance between the front rows of neighbours, in seat widths: an aisle.
const AISLE_MAX: f32 = 4.0;
/// Maximum slope of the front row of a section that is not turned towards the stage.
const SLOPE_MAX: f32 = 0.2;
/// Width of a name that fits into a block, in ASCII characters; other characters count twice.
const NAME_WIDTH_MAX: usize = 15;
const NAME_WIDTH_LARGE_MAX: usize = 10;

/// Drawing of all sections.
#[derive(Debug)]
pub struct Overview {
    pub arcs: Arcs,
    pub blocks: Vec<Block>,
    /// Prices that begin a class, most expensive first.
    scale: Vec<Points>,
}

/// Section in the overview.
#[derive(Debug)]
pub struct Block {
    pub section: SectionListing,
    pub arc: Arc,
    /// Price class of its most expensive seats, from 1.
    pub class: usize,
    /// Name of the section, cut to fit.
    pub sign: String,
    pub is_sign_long: bool,
}

impl Overview {
    /// Creates the overview of `sections`; `scale` has the prices that begin a class.
    pub(crate) fn of(sections: &[SectionListing], scale: Vec<Points>) -> Self {
        let tiers = tiers_of(sections);
        let sizes: Vec<usize> = tiers.iter().map(Vec::len).collect();
        let arcs = Arcs::of(&sizes);
        let places = sizes.iter().enumerate();
        let places = places.flat_map(|(tier, n)| (0..*n).map(move |idx| (tier, idx, *n)));
        let blocks = tiers.iter().flatten().zip(places);
        let blocks = blocks.map(|(section, place)| {
            let (sign, width) = fitted(&section.name);
            let is_sign_long = width > NAME_WIDTH_LARGE_MAX;
            let class = class_of(&scale, section.price_max);
            Block { section: (*section).clone(), arc: arcs.arc(place), class, sign, is_sign_long }
        });
        Self { blocks: blocks.collect(), arcs, scale }
    }

    /// Returns the prices that begin a class as the script reads them.
    pub(crate) fn scale(&self) -> String {
        let prices: Vec<String> = self.scale.iter().map(|each| each.get().to_string()).collect();
        prices.join(" ")
    }
}

impl Block {
    /// Returns the class names for the price class; a sold-out section has none.
    pub(crate) fn class_name(&self) -> String {
        match self.section.free {
            0 => "block--sold-out".to_owned(),
            _ => format!("seat--price-{}", self.class),
        }
    }
}

/// Returns the sections tier by tier, nearest to the stage first, each from left to right.
fn tiers_of(sections: &[SectionListing]) -> Vec<Vec<&SectionListing>> {
    let mut ordered: Vec<&SectionListing> = sections.iter().collect();
    ordered.sort_by(|left, right| {
        let by_depth = left.deep.0.total_cmp(&right.deep.0);
        let by_side = left.across.0.total_cmp(&right.across.0);
        by_depth.then(by_side).then_with(|| natural(&left.name).cmp(&natural(&right.name)))
    });
    if ordered.len() <= COMPARED_MAX {
        let planned = tiers_of_plan(&ordered);
        let fits = planned.iter().all(|tier| tier.len() <= TIER_MAX);
        if fits && (planned.len() <= SINGLES_MAX || planned.len() * 2 <= ordered.len()) {
            return planned;
        }
    }
    // The plan does not state where the sections are, so they fill tiers of even length.
    let tiers = even_tiers(ordered.len());
    tiers.map(|tier| ordered.get(tier).unwrap_or_default().to_vec()).collect()
}

/// Groups sections that are beside each other in the plan into tiers.
fn tiers_of_plan<'a>(ordered: &[&'a SectionListing]) -> Vec<Vec<&'a SectionListing>> {
    let mut tiers: Vec<Vec<&SectionListing>> = Vec::new();
    for section in ordered {
        let is_neighbour =
            |tier: &Vec<&SectionListing>| tier.iter().any(|each| is_beside(each, section));
        let (mut beside, others): (Vec<_>, Vec<_>) = tiers.into_iter().partition(is_neighbour);
        beside.push(vec![section]);
        tiers = others;
        tiers.push(beside.concat());
    }
    for tier in &mut tiers {
        tier.sort_by(|left, right| left.across.0.total_cmp(&right.across.0));
    }
    // The ends of a tier may be nearer to the stage than the middle of the one before.
    let depth = |tier: &Vec<&SectionListing>| {
        tier.iter().map(|section| section.deep.0).fold(f32::NEG_INFINITY, f32::max)
    };
    tiers.sort_by(|left, right| depth(left).total_cmp(&depth(right)));
    tiers
}

fn is_beside(one: &SectionListing, other: &SectionListing) -> bool {
    let overlap = |a: (f32, f32), b: (f32, f32)| a.1.min(b.1) - a.0.max(b.0);
    let depth = |section: &SectionListing| section.deep.1 - section.deep.0;
    let is_apart = overlap(one.across, other.across) < 0.0;
    let is_level = overlap(one.deep, other.deep) * 2.0 >= depth(one).min(depth(other));
    // A turned section reaches forward, beside the sections of the tier before its own.
    (is_apart && is_level && !is_turned(one) && !is_turned(other))
        || is_across_an_aisle(one, other)
        || is_across_an_aisle(other, one)
}

fn is_turned(section: &SectionListing) -> bool {
    let [left, _, right] = section.front;
    (right.1 - left.1).abs() > (right.0 - left.0).abs() * SLOPE_MAX
}

/// Whether the front row of `right` begins where the front row of `left` ends, as in a bent tier.
fn is_across_an_aisle(left: &SectionListing, right: &SectionListing) -> bool {
    let ([.., end], [begin, ..]) = (left.front, right.front);
    begin.0 > end.0 && (begin.0 - end.0).hypot(begin.1 - end.1) <= AISLE_MAX
}

/// Returns a sort key in natural order: section 2 before section 10.
fn natural(name: &str) -> String {
    const DIGITS: usize = 12;
    let mut key = String::new();
    let mut digits = String::new();
    for c in name.chars().chain(['\0']) {
        if c.is_ascii_digit() {
            digits.push(c);
            continue;
        }
        if !digits.is_empty() {
            key.extend(std::iter::repeat_n('0', DIGITS.saturating_sub(digits.len())));
            key.push_str(&digits);
            digits.clear();
        }
        key.push(c);
    }
    key
}

/// Returns `name` cut to fit into a block, and its width.
fn fitted(name: &str) -> (String, usize) {
    let wide = |c: char| if c.is_ascii() { 1 } else { 2 };
    let whole: usize = name.chars().map(wide).sum();
    if whole <= NAME_WIDTH_MAX {
        return (name.to_owned(), whole);
    }
    let mut width = 1;
    let head = name.chars().take_while(|c| {
        width += wide(*c);
        width <= NAME_WIDTH_MAX
    });
    let cut: String = head.collect();
    (format!("{}…", cut.trim_end()), NAME_WIDTH_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{points::Points, reservation::seat_map::listing::price_scale};

    fn section(name: &str, across: (f32, f32), deep: (f32, f32)) -> SectionListing {
        let (price_min, price_max) = (Points::ZERO, Points::ZERO);
        let (name, prices) = (name.to_owned(), vec![Points::ZERO]);
        let front = [across.0, across.0.midpoint(across.1), across.1].map(|x| (x, deep.0));
        let (free, categories) = (50, String::new());
        SectionListing { name, free, price_min, price_max, prices, categories, across, deep, front }
    }

    fn names(sections: &[SectionListing]) -> Vec<Vec<String>> {
        let tiers = tiers_of(sections).into_iter();
        tiers.map(|tier| tier.into_iter().map(|each| each.name.clone()).collect()).collect()
    }

    #[test]
    fn sections_beside_each_other_in_the_plan_stay_beside_each_other() {
        let sections = [
            section("Right", (40.0, 59.0), (0.5, 19.0)),
            section("Balcony left", (0.0, 29.0), (25.0, 35.0)),
            section("Left", (0.0, 18.0), (0.5, 19.0)),
            section("Middle", (20.0, 38.0), (0.0, 20.0)),
            section("Balcony right", (31.0, 59.0), (25.0, 35.0)),
        ];
        let rows = names(&sections);
        assert_eq!(rows, [vec!["Left", "Middle", "Right"], vec!["Balcony left", "Balcony right"]]);
    }

    #[test]
    fn a_plan_that_says_nothing_of_sections_gives_even_rows_in_natural_order() {
        let sections: Vec<SectionListing> = (1..=40)
            .map(|number| section(&format!("Section {number}"), (0.0, 24.0), (0.0, 49.0)))
            .collect();
        let rows = names(&sections);
        assert_eq!(rows.iter().map(Vec::len).collect::<Vec<_>>(), [5; 8]);
        assert_eq!(rows[0][..2], ["Section 1", "Section 2"]);
        assert_eq!(rows[7][4], "Section 40");
        assert_eq!(Overview::of(&sections, Vec::new()).blocks.len(), 40);
    }

    #[test]
    fn sections_one_behind_another_fill_the_rows_from_the_stage_on() {
        let front = |place: u8| (f32::from(place) * 20.0, f32::from(place) * 20.0 + 18.0);
        let sections: Vec<SectionListing> = (0..7)
            .map(|place| section(&format!("{}", 9 - place), (0.0, 9.0), front(place)))
            .collect();
        assert_eq!(names(&sections), [vec!["9", "8", "7"], vec!["6", "5", "4", "3"]]);
    }

    #[test]
    fn a_tier_that_is_bent_is_one_tier_and_its_ends_may_be_nearer_than_the_front() {
        let at = |name: &str, from: (f32, f32), to: (f32, f32)| SectionListing {
            front: [from, (from.0.midpoint(to.0), from.1.midpoint(to.1)), to],
            ..section(name, (from.0.min(to.0), from.0.max(to.0)), (from.1.min(to.1), 40.0))
        };
        let sections = [
            at("Floor", (30.0, 12.0), (50.0, 12.0)),
            at("Circle right", (52.0, 28.0), (75.0, 8.0)),
            at("Circle", (29.0, 29.0), (51.0, 29.0)),
            at("Circle left", (5.0, 8.0), (28.0, 28.0)),
        ];
        assert_eq!(
            names(&sections),
            [vec!["Floor"], vec!["Circle left", "Circle", "Circle right"]]
        );
    }

    #[test]
    fn a_block_has_the_class_of_its_price_unless_it_is_sold_out() {
        let price = |points| Points::new(points).unwrap();
        let priced = |name: &str, free, points| SectionListing {
            free,
            price_max: price(points),
            prices: vec![price(points)],
            ..section(name, (0.0, 1.0), (0.0, 1.0))
        };
        let sections = [priced("A", 5, 90_000), priced("B", 5, 70_000), priced("C", 0, 90_000)];
        let overview = Overview::of(&sections, price_scale(&sections));
        let classes: Vec<String> = overview.blocks.iter().map(Block::class_name).collect();
        assert_eq!(classes, ["seat--price-1", "seat--price-2", "block--sold-out"]);
        assert_eq!(overview.scale(), "90000 70000");
    }

    #[test]
    fn a_name_is_cut_where_the_block_ends() {
        assert_eq!(fitted("Stalls").0, "Stalls");
        assert_eq!(fitted("Second balcony, left").0, "Second balcony…");
        assert_eq!(fitted("이층 발코니 왼쪽 구역").0, "이층 발코니 왼…");
    }
}
