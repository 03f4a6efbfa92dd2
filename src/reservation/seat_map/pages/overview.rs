//! Overview of a large performance: sections drawn as blocks in rows before the stage.
//!
//! A plan states the positions of seats, but often only within their section. Sections that stand
//! beside each other in the plan are drawn so; otherwise the sections fill rows of even length in
//! the plan's order. The drawing is deterministic.

use crate::reservation::seat_map::listing::SectionListing;

/// Width and height of a block and the gap between blocks, in units of the drawing.
const BLOCK: (usize, usize) = (120, 84);
const GAP: usize = 12;
/// Margin around the blocks.
const MARGIN: usize = 16;
/// Depth of the stage above the blocks.
const STAGE: usize = 72;
/// Additional distance from the stage of each block towards the middle of its row.
const BEND: usize = 5;
/// Maximum number of blocks in a row that follows the plan.
const ROW_MAX: usize = 8;
/// Width of a name that fits into a block, in ASCII characters; other characters count twice.
const NAME_WIDTH_MAX: usize = 15;
const NAME_WIDTH_LARGE_MAX: usize = 10;

/// Drawing of all sections.
#[derive(Debug)]
pub(crate) struct Overview {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) blocks: Vec<Block>,
}

/// Section in the overview.
#[derive(Debug)]
pub(crate) struct Block {
    pub(crate) section: SectionListing,
    pub(crate) x: usize,
    pub(crate) y: usize,
    /// Name of the section, cut to fit.
    pub(crate) sign: String,
    pub(crate) is_sign_long: bool,
}

impl Overview {
    pub(crate) fn of(sections: &[SectionListing]) -> Self {
        let rows = rows_of(sections);
        let longest = rows.iter().map(Vec::len).max().unwrap_or_default();
        let (pitch_x, pitch_y) = (BLOCK.0 + GAP, BLOCK.1 + GAP);
        let mut blocks = Vec::with_capacity(sections.len());
        for (row_idx, row) in rows.iter().enumerate() {
            let inset = (longest - row.len()) * pitch_x / 2;
            for (idx, section) in row.iter().enumerate() {
                let x = MARGIN + inset + idx * pitch_x;
                let y = MARGIN + STAGE + row_idx * pitch_y + bend(idx, row.len());
                blocks.push(Block::new(section, x, y));
            }
        }
        let bottom = blocks.iter().map(|block| block.y + BLOCK.1).max().unwrap_or(STAGE);
        Self { width: longest * pitch_x - GAP + 2 * MARGIN, height: bottom + MARGIN, blocks }
    }

    /// Returns the middle of the stage.
    pub(crate) fn center(&self) -> usize {
        self.width / 2
    }

    /// Returns the SVG path of the stage.
    pub(crate) fn stage(&self) -> String {
        let (left, right) = (self.width / 4, self.width - self.width / 4);
        let middle = self.center();
        format!("M{left} {MARGIN}H{right}L{} 56Q{middle} 72 {} 56Z", right - 20, left + 20)
    }
}

impl Block {
    fn new(section: &SectionListing, x: usize, y: usize) -> Self {
        let (sign, width) = fitted(&section.name);
        let is_sign_long = width > NAME_WIDTH_LARGE_MAX;
        Self { section: section.clone(), x, y, sign, is_sign_long }
    }

    pub(crate) fn width(&self) -> usize {
        let _ = self;
        BLOCK.0
    }

    pub(crate) fn height(&self) -> usize {
        let _ = self;
        BLOCK.1
    }

    /// Returns the horizontal centre of the block's texts.
    pub(crate) fn middle(&self) -> usize {
        self.x + BLOCK.0 / 2
    }

    /// Returns the free share, from 0 (none) to 4 (nearly all).
    pub(crate) fn shade(&self) -> usize {
        match self.section.n_seats {
            0 => 0,
            all => (self.section.free * 4).div_ceil(all).min(4),
        }
    }
}

/// Returns the offset of a block away from the stage; the middle of a row has the largest.
fn bend(idx: usize, row_len: usize) -> usize {
    let last = row_len.saturating_sub(1);
    BEND * idx.min(last.saturating_sub(idx))
}

/// Returns the sections row by row, nearest to the stage first, each row from left to right.
fn rows_of(sections: &[SectionListing]) -> Vec<Vec<&SectionListing>> {
    let mut ordered: Vec<&SectionListing> = sections.iter().collect();
    ordered.sort_by(|left, right| {
        let by_depth = left.deep.0.total_cmp(&right.deep.0);
        let by_side = left.across.0.total_cmp(&right.across.0);
        by_depth.then(by_side).then_with(|| natural(&left.name).cmp(&natural(&right.name)))
    });
    let planned = rows_of_plan(&ordered);
    let fits = planned.iter().all(|row| row.len() <= ROW_MAX);
    if fits && planned.len() * 2 <= ordered.len() {
        return planned;
    }
    let columns = match ordered.len() {
        0..=6 => 3,
        7..=16 => 4,
        _ => 5,
    };
    let n_rows = ordered.len().div_ceil(columns).max(1);
    let cut = |row_idx: usize| ordered.len() * row_idx / n_rows;
    let row = |row_idx| ordered.get(cut(row_idx)..cut(row_idx + 1)).unwrap_or_default().to_vec();
    (0..n_rows).map(row).collect()
}

/// Groups sections that stand beside each other in the plan into rows.
fn rows_of_plan<'a>(ordered: &[&'a SectionListing]) -> Vec<Vec<&'a SectionListing>> {
    let mut rows: Vec<Vec<&SectionListing>> = Vec::new();
    for section in ordered {
        let row = rows.last_mut().filter(|row| row.iter().all(|each| is_beside(each, section)));
        match row {
            Some(row) => row.push(section),
            None => rows.push(vec![section]),
        }
    }
    for row in &mut rows {
        row.sort_by(|left, right| left.across.0.total_cmp(&right.across.0));
    }
    rows
}

fn is_beside(left: &SectionListing, right: &SectionListing) -> bool {
    let overlap = |a: (f32, f32), b: (f32, f32)| a.1.min(b.1) - a.0.max(b.0);
    let depth = |section: &SectionListing| section.deep.1 - section.deep.0;
    overlap(left.deep, right.deep) * 2.0 >= depth(left).min(depth(right))
        && overlap(left.across, right.across) < 0.0
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
    use crate::points::Points;

    fn section(name: &str, across: (f32, f32), deep: (f32, f32)) -> SectionListing {
        let (price_min, price_max) = (Points::ZERO, Points::ZERO);
        let name = name.to_owned();
        SectionListing { name, n_seats: 100, free: 50, price_min, price_max, across, deep }
    }

    fn names(sections: &[SectionListing]) -> Vec<Vec<String>> {
        let rows = rows_of(sections).into_iter();
        rows.map(|row| row.into_iter().map(|each| each.name.clone()).collect()).collect()
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
        let overview = Overview::of(&sections);
        let inside = |block: &Block| block.x + BLOCK.0 < overview.width && block.y > STAGE;
        assert!(overview.blocks.iter().all(inside));
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
    fn the_shade_tells_an_empty_section_from_a_nearly_empty_one() {
        let shade = |free| {
            Block::new(&SectionListing { free, ..section("A", (0.0, 1.0), (0.0, 1.0)) }, 0, 0)
                .shade()
        };
        assert_eq!([0, 1, 25, 26, 75, 76, 100].map(shade), [0, 1, 1, 2, 3, 4, 4]);
    }

    #[test]
    fn a_name_is_cut_where_the_block_ends() {
        assert_eq!(fitted("Stalls").0, "Stalls");
        assert_eq!(fitted("Second balcony, left").0, "Second balcony…");
        assert_eq!(fitted("이층 발코니 왼쪽 구역").0, "이층 발코니 왼…");
    }
}
