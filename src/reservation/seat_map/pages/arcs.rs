//! Arcs of the overview: a block for each section, in tiers around the stage.
//!
//! Blocks are about as wide as their texts, so that a drawing of many sections stays readable. It
//! keeps which sections of the plan are beside and behind each other, but not their sizes. All
//! tiers have one centre.

/// Width and depth of a block and the gap between blocks, in units of the drawing.
const WIDTH: f32 = 120.0;
const DEPTH: f32 = 88.0;
const GAP: f32 = 10.0;
/// Margin around the blocks, and the least width between the margins.
const MARGIN: f32 = 14.0;
const WIDTH_MIN: f32 = 360.0;
/// Depth of the stage, and its distance from the first tier.
const STAGE: f32 = 52.0;
const STAGE_GAP: f32 = 18.0;
/// Angle of the widest tier, in radians.
const SPAN: f32 = 1.05;
/// Greatest width of a block in a tier with few blocks, as a multiple of the usual width.
const STRETCH_MAX: f32 = 1.8;

/// Measures of the drawing.
#[derive(Clone, Debug)]
pub struct Arcs {
    pub width: f32,
    pub height: f32,
    /// Number of blocks in the widest tier.
    longest: f32,
    /// Radius of the middle of the first tier.
    radius: f32,
    /// Distance of the centre from the upper edge; negative if the centre is above it.
    top: f32,
}

/// Block of one section.
#[derive(Debug)]
pub struct Arc {
    /// SVG path of the outline.
    pub path: String,
    /// Middle of the block.
    pub x: f32,
    pub y: f32,
}

impl Arcs {
    /// Creates the drawing of tiers with these numbers of blocks.
    pub(crate) fn of(sizes: &[usize]) -> Self {
        let longest = sizes.iter().copied().max().unwrap_or_default().max(1);
        let longest = count(longest);
        let radius = (longest * (WIDTH + GAP)).max(WIDTH_MIN) / SPAN;
        let mut arcs = Self { width: 0.0, height: 0.0, longest, radius, top: 0.0 };
        let (mut half_width, mut upper) = (WIDTH_MIN / 2.0, f32::INFINITY);
        for (tier, n) in sizes.iter().enumerate() {
            let (middle, span) = (arcs.radius_of(tier), arcs.span(tier, *n));
            half_width = half_width.max((middle + DEPTH / 2.0) * (span / 2.0).sin());
            upper = upper.min((middle - DEPTH / 2.0) * (span / 2.0).cos());
        }
        arcs.width = (2.0 * (half_width + MARGIN)).round();
        // The stage lies in the bend of the first tier, as deep as its width allows.
        let aside = arcs.stage_half() / radius;
        let stage_foot = (radius - DEPTH / 2.0) * aside.cos() - STAGE_GAP;
        let upper = upper.min(stage_foot - STAGE);
        arcs.top = (MARGIN - upper).round();
        let lower = arcs.radius_of(sizes.len().saturating_sub(1)) + DEPTH / 2.0;
        arcs.height = (arcs.top + lower + MARGIN).round();
        arcs
    }

    /// Returns the block `idx` of the `n` in a tier.
    pub(crate) fn arc(&self, (tier, idx, n): (usize, usize, usize)) -> Arc {
        let (middle, span) = (self.radius_of(tier), self.span(tier, n));
        let pitch = span / count(n.max(1));
        let gap = GAP / 2.0 / middle;
        let from = count(idx) * pitch - span / 2.0 + gap;
        let to = from + pitch - 2.0 * gap;
        let at = |radius: f32, angle: f32| {
            let x = self.width / 2.0 + radius * angle.sin();
            (x.round(), (self.top + radius * angle.cos()).round())
        };
        let (inner, outer) = ((middle - DEPTH / 2.0).round(), (middle + DEPTH / 2.0).round());
        let [(x0, y0), (x1, y1)] = [at(inner, from), at(inner, to)];
        let [(x2, y2), (x3, y3)] = [at(outer, to), at(outer, from)];
        let path = format!(
            "M{x0} {y0}A{inner} {inner} 0 0 0 {x1} {y1}L{x2} {y2}A{outer} {outer} 0 0 1 {x3} {y3}z"
        );
        let (x, y) = at(middle, from.midpoint(to));
        Arc { path, x, y }
    }

    /// Returns the middle of the stage.
    pub(crate) fn center(&self) -> f32 {
        (self.width / 2.0).round()
    }

    /// Returns the base line of the stage's name.
    pub(crate) fn stage_name_y(&self) -> f32 {
        self.stage_foot() - STAGE / 2.0 + 4.0
    }

    /// Returns the SVG path of the stage, whose front edge is bent as the first tier.
    pub(crate) fn stage(&self) -> String {
        let (half, foot) = (self.stage_half(), self.stage_foot());
        let (left, right) = (self.center() - half, self.center() + half);
        let radius = (self.radius - DEPTH / 2.0 - STAGE_GAP).round();
        format!(
            "M{} {}H{}L{right} {foot}A{radius} {radius} 0 0 1 {left} {foot}z",
            left + 20.0,
            foot - STAGE,
            right - 20.0
        )
    }

    /// Returns the lower edge of the stage at its sides.
    fn stage_foot(&self) -> f32 {
        let aside = self.stage_half() / self.radius;
        let inner = (self.radius - DEPTH / 2.0) * aside.cos();
        (self.top + inner - STAGE_GAP).round()
    }

    fn stage_half(&self) -> f32 {
        (self.longest * WIDTH / 4.0).clamp(WIDTH_MIN / 4.0, WIDTH_MIN / 2.0).round()
    }

    fn radius_of(&self, tier: usize) -> f32 {
        self.radius + count(tier) * (DEPTH + GAP)
    }

    /// Returns the angle over which a tier of `n` blocks extends.
    fn span(&self, tier: usize, n: usize) -> f32 {
        let blocks = (count(n) * STRETCH_MAX).min(self.longest);
        let blocks = blocks.max(WIDTH_MIN / (WIDTH + GAP) * 0.6);
        blocks * (WIDTH + GAP) / self.radius_of(tier)
    }
}

fn count(n: usize) -> f32 {
    u16::try_from(n).map_or(f32::from(u16::MAX), f32::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_every_house_are_inside_the_drawing_and_apart_below_the_stage() {
        for sizes in [vec![1], vec![2, 3], vec![1, 1, 1, 1], vec![5; 8], vec![8, 1, 4]] {
            let arcs = Arcs::of(&sizes);
            let places = sizes.iter().enumerate();
            let places = places.flat_map(|(tier, n)| (0..*n).map(move |idx| (tier, idx, *n)));
            let blocks: Vec<Arc> = places.map(|place| arcs.arc(place)).collect();
            for (idx, block) in blocks.iter().enumerate() {
                let numbers: Vec<f32> = block
                    .path
                    .split(|c: char| !matches!(c, '0'..='9' | '.' | '-'))
                    .filter_map(|number| number.parse().ok())
                    .collect();
                for (x, y) in [(0, 1), (7, 8), (9, 10), (16, 17)] {
                    assert!((0.0..=arcs.width).contains(&numbers[x]), "{sizes:?} {}", block.path);
                    assert!((0.0..=arcs.height).contains(&numbers[y]), "{sizes:?} {}", block.path);
                }
                assert!(block.y + DEPTH / 2.0 < arcs.height, "{sizes:?}");
                let apart = |other: &Arc| (block.x - other.x).hypot(block.y - other.y);
                assert!(blocks.iter().skip(idx + 1).all(|other| apart(other) > DEPTH), "{sizes:?}");
            }
            assert!(blocks.iter().any(|block| block.y - DEPTH / 2.0 > arcs.stage_foot()));
            assert_eq!(arcs.stage(), Arcs::of(&sizes).stage(), "the same house twice");
        }
    }
}
