//! What is said of two runs: where they part, and which messages stand differently now.

use std::rc::Rc;

use lockstep_core::view::compare::{Difference, OrderRow, Side};
use lockstep_core::view::Subject;
use wasm_bindgen::JsCast;
use web_sys::Element;
use yew::prelude::*;

use super::sign;
use super::view::Props;
use crate::app::msg::{Msg, Tab};
use crate::i18n::clock;
use crate::i18n::compare::{CompareText, Contrast};
use crate::ui::icon::{sized, Icon};

/// What is said of two runs.
#[component]
pub fn Told(props: &Props) -> Html {
    let Props { frame, pair, .. } = props;
    let texts = CompareText(frame.locale);
    let table = use_whole_rows(props);
    if !pair.done {
        return html! { <div class="pair-told"><p class="small muted" role="status">{ texts.looking() }</p></div> };
    }
    html! {
        <div class="pair-told">
            { parting(props, texts) }
            { differences(props, texts, &table) }
        </div>
    }
}

/// The list of what differs, which is cut off between two of its rows and through none of them.
#[hook]
fn use_whole_rows(props: &Props) -> NodeRef {
    let list = use_node_ref();
    let Props { frame, pair, .. } = props;
    let drawn = (Rc::as_ptr(&pair.found) as usize, pair.done, frame.size, frame.locale);
    {
        let list = list.clone();
        use_effect_with(drawn, move |_| {
            if let Some(list) = list.cast::<Element>() {
                // A style of our own can always be written.
                let _ = show_whole_rows(&list);
            }
        });
    }
    list
}

/// Makes a list that scrolls as high as the rows that fit into it as a whole.
fn show_whole_rows(list: &Element) -> Result<(), wasm_bindgen::JsValue> {
    list.remove_attribute("style")?;
    let room_px = list.client_height();
    if list.scroll_height() <= room_px {
        return Ok(());
    }
    let rows = list.query_selector_all("tbody tr")?;
    let top = list.get_bounding_client_rect().top() - f64::from(list.scroll_top());
    let bottoms = (0..rows.length()).filter_map(|index| {
        let row: Element = rows.item(index)?.dyn_into().ok()?;
        Some(row.get_bounding_client_rect().bottom() - top)
    });
    let whole_px = bottoms.filter(|bottom| *bottom <= f64::from(room_px)).fold(0.0, f64::max);
    match whole_px > 0.0 {
        true => list.set_attribute("style", &format!("max-height: {whole_px}px")),
        false => Ok(()),
    }
}

/// Where they part.
fn parting(props: &Props, texts: CompareText) -> Html {
    let Props { frame, pair, on, on_second, .. } = props;
    let Some(first) = pair.first else {
        return html! { <section key="part" class="pair-card"><p class="read">{ texts.never_part() }</p></section> };
    };
    let compared = pair.compared.read();
    let contrast = Contrast { compared: &compared, locale: frame.locale };
    let go = {
        let on = on.clone();
        Callback::from(move |_: MouseEvent| on.emit(Msg::SeekTime(first.at_ms)))
    };
    let about = |side: Side| {
        let on = if side == Side::First { on } else { on_second };
        let on = on.clone();
        let subject = first.subject(side);
        Callback::from(move |over: bool| on.emit(Msg::Hover(subject.filter(|_| over))))
    };
    html! {
        <section key="part" class="pair-card pair-parting" aria-labelledby="pair-parting">
            <h2 key="at" id="pair-parting">{ sized(Icon::Branch, 16) }{ texts.at(&clock(first.at_ms)) }</h2>
            <dl key="sides">
                { for Side::BOTH.into_iter().map(|side| {
                    let (over, out) = (about(side), about(side));
                    html! {
                        <div key={side.index()} onpointerenter={Callback::from(move |_: PointerEvent| over.emit(true))}
                            onpointerleave={Callback::from(move |_: PointerEvent| out.emit(false))}>
                            <dt>{ sign(side) }<span class="visually-hidden">{ texts.name(side) }</span></dt>
                            <dd><p key="did">{ contrast.did(&first, side) }</p><p key="why" class="small muted">{ contrast.why(&first, side) }</p></dd>
                        </div>
                    }
                }) }
            </dl>
            <button key="go" class="button small" onclick={go} data-testid="to-divergence">{ texts.go_there() }</button>
        </section>
    }
}

/// What differs now.
fn differences(props: &Props, texts: CompareText, list: &NodeRef) -> Html {
    let Props { frame, pair, .. } = props;
    let compared = pair.compared.read();
    let contrast = Contrast { compared: &compared, locale: frame.locale };
    let found = &pair.found;
    let nothing = found.rows.is_empty() && found.orders.is_empty();
    let order = |(index, row): (usize, &OrderRow)| {
        let cell = |side: Side| html! { <td key={side.index()}>{ contrast.order(side, row) }</td> };
        html! { <tr key={format!("o{index}")}><th scope="row">{ texts.order() }</th>{ for Side::BOTH.into_iter().map(cell) }</tr> }
    };
    let row = |row: &Difference| {
        let cell = |side: Side| {
            let standing = contrast.standing(side, row);
            html! { <td key={side.index()}>{ standing }</td> }
        };
        let name = contrast.message(row);
        html! { <tr key={name.clone()}><th scope="row">{ message(props, row, name) }</th>{ for Side::BOTH.into_iter().map(cell) }</tr> }
    };
    html! {
        <section key="now" class="pair-card pair-now" aria-labelledby="pair-now">
            <h2 key="head" id="pair-now">{ texts.what_differs() }</h2>
            <p key="none" class="small muted" hidden={!nothing}>{ texts.nothing_differs() }</p>
            <div key="table" ref={list} class="pair-table" hidden={nothing} tabindex="0" role="group" aria-labelledby="pair-now">
                <table>
                    <thead><tr><th scope="col">{ texts.message() }</th>{ for Side::BOTH.into_iter().map(|side| html! {
                        <th key={side.index()} scope="col">{ sign(side) }<span class="visually-hidden">{ texts.name(side) }</span></th>
                    }) }</tr></thead>
                    <tbody>
                        { for found.orders.iter().enumerate().map(order) }
                        { for found.rows.iter().map(row) }
                    </tbody>
                </table>
            </div>
            <p key="same" class="small muted">
                { (found.more > 0).then(|| html! { <span>{ texts.more(found.more) }{ " · " }</span> }) }
                { texts.same(found.same) }
            </p>
        </section>
    }
}

/// The message of a row; choosing it selects it in both runs and says why it stands as it does.
fn message(props: &Props, row: &Difference, name: String) -> Html {
    let Props { on, on_second, .. } = props;
    let msgs: Vec<(Side, Subject)> = Side::BOTH
        .into_iter()
        .filter_map(|side| Some((side, Subject::Message(row.sides[side.index()].msg?))))
        .collect();
    let Some((side, subject)) = msgs.first().copied() else { return html! { { name } } };
    let on = Rc::new(if side == Side::First { on.clone() } else { on_second.clone() });
    let onclick = Callback::from(move |_: MouseEvent| {
        on.emit(Msg::Select(Some(subject)));
        on.emit(Msg::OpenTab(Tab::Why));
    });
    html! { <button class="link" {onclick}>{ name }</button> }
}
