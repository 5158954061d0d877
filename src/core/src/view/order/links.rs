//! Links between neighbouring strips, and what crosses.

use std::collections::BTreeSet;

use super::{Cell, Link, Overtaken, Strip};
use crate::ids::MsgId;

/// Links each cell of the lower strip with its message in the upper one: the n-th time with the n-th
/// time, or with the last one before.
pub(super) fn linked(upper: &[Cell], lower: &[Cell]) -> Vec<Link> {
    let from = |cell: &Cell| {
        let same = upper.iter().enumerate().filter(|(_, u)| u.name.msg == cell.name.msg);
        same.take_while(|(_, u)| u.nth <= cell.nth).last().map(|(place, _)| place)
    };
    let link = |(to, cell): (usize, &Cell)| {
        let from = from(cell)?;
        let failures = if upper[from].nth == cell.nth { cell.failures } else { 0 };
        Some(Link { from, to, again: cell.nth > 0, broken: false, failures })
    };
    lower.iter().enumerate().filter_map(link).collect()
}

/// Finds the links that cross, and marks those where a guarantee was broken.
pub(super) fn cross(
    strips: &mut [Vec<Cell>; 5],
    links: &mut [Link],
    strip: Strip,
    late: &BTreeSet<MsgId>,
    overtaken: &mut Vec<Overtaken>,
) {
    let at = strip as usize;
    // Consumers keep the stored order; an acknowledgement follows a result that counted already.
    let judged = matches!(strip, Strip::Delivered | Strip::Handled);
    for i in 0..links.len() {
        let (a, first) = (links[i], &strips[at][links[i].to]);
        let msg = first.name.msg;
        let over = links.iter().filter(|b| !b.again && !a.again && b.from > a.from && b.to < a.to);
        let broken = judged && late.contains(&msg);
        let rows = over.map(|b| Overtaken {
            earlier: first.clone(),
            later: strips[at][b.to].clone(),
            strip,
            broken,
            crosses: true,
        });
        let before = overtaken.len();
        overtaken.extend(rows);
        let crossed = overtaken.len() > before && broken;
        links[i].broken = crossed;
        if crossed {
            for cell in strips[at..].iter_mut().flatten().filter(|cell| cell.name.msg == msg) {
                cell.late = true;
            }
        }
    }
}

/// Broken pairs whose links do not cross: the later message began before the earlier one was
/// finished.
pub(super) fn begun_too_early(
    strips: &[Vec<Cell>; 5],
    pairs: &BTreeSet<(MsgId, MsgId)>,
    overtaken: &mut Vec<Overtaken>,
) {
    let delivered = &strips[Strip::Delivered as usize];
    let find = |msg: MsgId| delivered.iter().find(|cell| cell.name.msg == msg).cloned();
    for (earlier, later) in pairs {
        let known = |row: &Overtaken| {
            row.broken && row.earlier.name.msg == *earlier && row.later.name.msg == *later
        };
        if overtaken.iter().any(known) {
            continue;
        }
        if let (Some(earlier), Some(later)) = (find(*earlier), find(*later)) {
            let strip = Strip::Delivered;
            overtaken.push(Overtaken { earlier, later, strip, broken: true, crosses: false });
        }
    }
}
