//! Price categories of a plan: the column `category` of a CSV, and the last field of a grid.

use std::collections::HashMap;

use super::{
    header::OF_CATEGORY,
    mistake::{PlanMistake, PlanProblem},
    seat::{PlannedSeat, is_name},
};

/// Parses the name of a category; an empty one is none.
pub(super) fn parse(line: u64, name: &str) -> Result<Option<String>, PlanMistake> {
    match name {
        "" => Ok(None),
        name if is_name(name) => Ok(Some(name.to_owned())),
        name => Err(PlanMistake::new(line, PlanProblem::Category, name).in_column(OF_CATEGORY)),
    }
}

/// Returns the number of seats of each category, the frontmost category first, by the middle of its
/// seats.
pub(super) fn count(seats: &[PlannedSeat]) -> Vec<(&str, u32)> {
    // Of each category the number of its seats, and the sum of their distances from the front.
    let mut counted: HashMap<&str, (u32, f64)> = HashMap::new();
    for seat in seats {
        let Some(category) = &seat.category else { continue };
        let (count, distances) = counted.entry(category).or_default();
        *count += 1;
        *distances += f64::from(seat.y);
    }
    let middle = |(count, distances): (u32, f64)| distances / f64::from(count);
    let mut categories: Vec<_> = counted.into_iter().collect();
    categories.sort_by(|(name, counted), (other, counted_other)| {
        middle(*counted).total_cmp(&middle(*counted_other)).then(name.cmp(other))
    });
    categories.into_iter().map(|(name, (count, _))| (name, count)).collect()
}

#[cfg(test)]
mod tests {
    use super::{super::seat::NAME_CHARS_MAX, *};
    use crate::catalog::venues::plan::SeatPlan;

    #[test]
    fn categories_are_read_in_any_order_of_columns_and_written_last() {
        let text = "category,section,kind,number,row,companion_of\n\
                    R,Stalls,,1,A,\n S ,Stalls,WHEELCHAIR,1,B,\n,Stalls,COMPANION,2,B,1\nA,Box,,1,A,\n";
        let plan = SeatPlan::from_csv(text).unwrap();
        assert_eq!(plan.categories(), [("R", 1), ("S", 1), ("A", 1)]);
        let written = plan.to_csv();
        assert_eq!(
            written,
            "section,row,number,x,y,kind,companion_of,category\n\
             Stalls,A,1,0.5,0,,,R\nStalls,B,1,0,1.14,WHEELCHAIR,,S\n\
             Stalls,B,2,1,1.14,COMPANION,1,\nBox,A,1,0.5,4.8,,,A\n"
        );
        assert_eq!(SeatPlan::from_csv(&written).unwrap(), plan);
    }

    #[test]
    fn a_plan_without_categories_is_written_without_their_column() {
        let plan = SeatPlan::from_csv("section,row,number,category\nA,1,1,\n").unwrap();
        assert_eq!(plan.to_csv(), "section,row,number,x,y\nA,1,1,0,0\n");
        assert_eq!(plan.categories(), []);
    }

    #[test]
    fn a_category_is_a_name() {
        let longest = "é".repeat(NAME_CHARS_MAX);
        let problem = |name: &str| {
            let text = format!("section,row,number,category\nA,1,1,R\nA,1,2,{name}\n");
            let mistake = SeatPlan::from_csv(&text).err()?;
            Some((mistake.line, mistake.problem, mistake.text))
        };
        assert_eq!(problem(&longest), None);
        for name in [format!("{longest}é"), "a\tb".to_owned(), "a\u{fffd}".to_owned()] {
            assert_eq!(problem(&name), Some((3, PlanProblem::Category, name)));
        }
    }

    #[test]
    fn a_grid_says_the_category_of_each_section_after_its_seats() {
        let text = "Floor, 1, 3, R\nLeft, 1, 2, S | Right, 1, 2, S\nBalcony, 1, 4\nGallery, 1, 1,";
        let plan = SeatPlan::from_grid(text).unwrap();
        assert_eq!(plan.categories(), [("R", 3), ("S", 4)]);
        let mut others = plan.seats().iter().filter(|seat| seat.category.is_none());
        assert!(others.all(|seat| ["Balcony", "Gallery"].contains(&seat.section.as_str())));
        let mistake = SeatPlan::from_grid("Left, 1, 2, S, R").unwrap_err();
        assert_eq!((mistake.line, mistake.problem), (1, PlanProblem::Shape));
        let mistake = SeatPlan::from_grid(&format!("A, 1, 1\nB, 1, 1, {}", "R".repeat(41)));
        assert_eq!(mistake.unwrap_err().problem, PlanProblem::Category);
    }
}
