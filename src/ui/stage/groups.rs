//! Several consumer groups on one topic: which of them colours the lanes, and who is in the others.

use lockstep_core::view::stage::{ConsumerState, GroupView, MemberView, StageView};
use lockstep_core::view::Subject;
use yew::prelude::*;

use super::layout::{Density, Layout, Rect};
use super::shows::Shows;
use super::svg::num;
use super::tokens::state;
use crate::app::msg::Msg;
use crate::i18n;
use crate::i18n::stage::StageText;
use crate::ui::draw::{classes, Draw};
use crate::ui::menu::{Choice, Select};
use crate::ui::token::{shape, size, Hue, Look};

/// The list in the heading of the consumers from which the group is chosen whose states the lanes
/// show; nothing while there is only one group.
pub fn choice(view: &StageView, layout: &Layout, text: StageText, on: &Callback<Msg>) -> Html {
    let Some(chosen) = view.group.as_ref().filter(|_| !view.other_groups.is_empty()) else {
        return Html::default();
    };
    let mut groups: Vec<&GroupView> = view.other_groups.iter().map(|other| &other.group).collect();
    groups.push(chosen);
    groups.sort_by_key(|group| group.index);
    // The list holds every group, in the order of their numbers.
    let onchoose = on.reform(Msg::ChooseGroup);
    let choice = |group: &GroupView| Choice {
        text: AttrValue::from(group.name.clone()),
        chosen: group.index == chosen.index,
    };
    let choices: Vec<Choice> = groups.into_iter().map(choice).collect();
    let style = match layout.density {
        // Beside the scale of the strips.
        Density::Strips => Some("right:400px".to_owned()),
        _ if layout.narrow => None,
        _ => {
            let x = layout.cards.x + text.consumers_w();
            let room = layout.cards.right() - x;
            Some(format!("left:{}px;right:auto;max-width:{}px", num(x), num(room)))
        }
    };
    html! {
        <div class="group-choice" key="groups" {style}>
            <Select class="group-select" label={text.choose_group()} {choices} {onchoose} />
            // Made anew with each other group, it shows that it is another one.
            <span key={chosen.index} class="group-new" aria-hidden="true"></span>
            <span key="told" class="visually-hidden" role="status">{ text.of_group(&chosen.name) }</span>
        </div>
    }
}

/// The other groups below the chosen one's consumers.
pub fn others(draw: &mut Draw, view: &StageView, layout: &Layout, text: StageText) {
    for (other, place) in view.other_groups.iter().zip(&layout.side.others) {
        let mut inner = Draw::new();
        let at = (layout.cards.x, place.name_y);
        let kind = text.group_kind(&other.group);
        let alone = other.members.is_empty();
        let note = if alone { text.joined(kind, text.nobody()) } else { kind.to_owned() };
        let note = ("heading-note", note);
        inner.text_with_note("name", "heading", at, &other.group.name, note);
        for (member, rect) in other.members.iter().zip(&place.members) {
            let mut card = Draw::new();
            member_card(&mut card, member, rect, text);
            let class = classes("card", &[(member.state == ConsumerState::Hanging, "is-hanging")]);
            let subject = Some(Subject::Client(member.id));
            inner.thing(format!("c{}", member.id.0), class, (rect.x, rect.y), subject, card);
        }
        let shows = Shows::Group(other.group.index);
        draw.choice(shows.id(), "other-group", (0.0, 0.0), shows, inner);
    }
}

/// A member in one line: its name, what it has in hand, how much more.
fn member_card(draw: &mut Draw, member: &MemberView, rect: &Rect, text: StageText) {
    draw.rect("frame", "card-frame", Rect { x: 0.0, y: 0.0, ..*rect }, 8.0);
    draw.text("name", "member-name", (12.0, 18.5), member.name.to_string());
    for (i, (name, token)) in member.names.iter().enumerate() {
        let look = Look {
            label: name.label.clone().into(),
            hue: Hue(name.hue),
            state: without_badge(state(*token)),
            size: size::LEGEND,
            again: false,
        };
        let mut inner = Draw::new();
        shape(&mut inner, &look);
        let x = 58.0 + 26.0 * i as f64;
        draw.thing(i, "", (x, 5.0), Some(Subject::Message(name.msg)), inner);
    }
    let at = (rect.w - 10.0, 18.0);
    if member.state == ConsumerState::Hanging {
        draw.text("note", "card-note", at, text.hanging());
    } else if member.cached > member.names.len() as u32 {
        let more = member.cached - member.names.len() as u32;
        draw.text("note", "card-note", at, format!("+{}", i18n::number(i64::from(more))));
    } else if member.names.is_empty() {
        draw.text("note", "card-note", at, text.idle_short());
    }
}

/// In one line there is no room for a badge.
fn without_badge(state: crate::ui::token::TokenState) -> crate::ui::token::TokenState {
    use crate::ui::token::TokenState::Retry;
    match state {
        Retry(_) => Retry(0),
        other => other,
    }
}
