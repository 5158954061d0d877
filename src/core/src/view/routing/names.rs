//! Reading the list of message groups that people type or paste.

/// Most groups of a list.
pub const MAX_NAMES: usize = 10_000;

/// A list as it was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    /// The groups, each once, in the order in which they came.
    pub list: Vec<String>,
    /// What could not be taken, the first one.
    pub problem: Option<NamesProblem>,
}

/// What was wrong with a list, and in which line (from 1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NamesProblem {
    /// The list is longer than [`MAX_NAMES`]; what follows was left out.
    TooMany {
        /// The line.
        line: u32,
    },
    /// The end of a range lies before its beginning, or is too long a number.
    Range {
        /// The line.
        line: u32,
        /// The word.
        word: String,
    },
}

/// Reads groups that are parted by commas, semicolons, blanks or line ends. `order-0..9999` stands for
/// `order-0` to `order-9999`.
pub fn names(text: &str) -> Names {
    let mut names = Names::default();
    let mut seen = std::collections::BTreeSet::new();
    for (line, words) in (1..).zip(text.lines()) {
        let is_gap = |c: char| c.is_whitespace() || matches!(c, ',' | ';' | '，' | '；' | '、');
        for word in words.split(is_gap).filter(|word| !word.is_empty()) {
            let Some((first, last, stem)) = range(word) else {
                names.add(&mut seen, word.to_owned(), line);
                continue;
            };
            match (first, last) {
                (Ok(first), Ok(last)) if first <= last => {
                    for number in first..=last {
                        if !names.add(&mut seen, format!("{stem}{number}"), line) {
                            break;
                        }
                    }
                }
                _ => names.wrong(NamesProblem::Range { line, word: word.to_owned() }),
            }
        }
    }
    names
}

type Bound = Result<u64, std::num::ParseIntError>;

/// The ends of a range, and what stands before each number.
fn range(word: &str) -> Option<(Bound, Bound, &str)> {
    let (before, last) = word.split_once("..")?;
    let digits = before.len() - before.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let (stem, first) = before.split_at(before.len() - digits);
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    (is_number(first) && is_number(last)).then(|| (first.parse(), last.parse(), stem))
}

impl Names {
    /// False when the list is full.
    fn add(
        &mut self,
        seen: &mut std::collections::BTreeSet<String>,
        name: String,
        line: u32,
    ) -> bool {
        if self.list.len() == MAX_NAMES {
            self.wrong(NamesProblem::TooMany { line });
            return false;
        }
        if seen.insert(name.clone()) {
            self.list.push(name);
        }
        true
    }

    fn wrong(&mut self, problem: NamesProblem) {
        self.problem.get_or_insert(problem);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_taken_once_and_ranges_are_written_out() {
        let read = names("order-1, order-2\norder-1 u7..9；订单-1001");
        assert_eq!(read.list, ["order-1", "order-2", "u7", "u8", "u9", "订单-1001"]);
        assert_eq!(read.problem, None);
    }

    #[test]
    fn a_full_list_says_where_it_was_cut() {
        let read = names("a\norder-0..20000\nb");
        assert_eq!(read.list.len(), MAX_NAMES);
        assert_eq!(read.problem, Some(NamesProblem::TooMany { line: 2 }));
    }

    #[test]
    fn a_range_that_runs_backwards_is_told_with_its_line() {
        let read = names("a\nb9..3\nc..d\nx1..99999999999999999999");
        assert_eq!(read.list, ["a", "c..d"]);
        let word = "b9..3".to_owned();
        assert_eq!(read.problem, Some(NamesProblem::Range { line: 2, word }));
    }
}
