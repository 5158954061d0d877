//! What fits into the header's line. A chip that does not is taken out of it whole: a part of a word
//! tells nothing, and what cannot be seen must not take the focus. The list has all of it.

use wasm_bindgen::closure::Closure;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, ResizeObserver};
use yew::prelude::*;

/// The attribute of a chip that does not fit.
const CUT: &str = "data-cut";

/// Takes out of a row of chips what does not fit into its first line, whenever the row's width
/// changes or what stands in it: its `words`.
#[hook]
pub fn use_fit(row: &NodeRef, words: String) {
    let (on_size, on_words) = (row.clone(), row.clone());
    use_effect_with(words, move |_| fit(&on_words));
    use_effect_with((), move |()| {
        let element = on_size.cast::<Element>();
        let changed = Closure::<dyn FnMut()>::new(move || fit(&on_size));
        let observer = ResizeObserver::new(changed.as_ref().unchecked_ref()).ok();
        if let Some((observer, element)) = observer.as_ref().zip(element) {
            observer.observe(&element);
        }
        move || {
            if let Some(observer) = observer {
                observer.disconnect();
            }
            drop(changed);
        }
    });
}

/// What wraps into a second line is cut.
fn fit(row: &NodeRef) {
    let Some(chips) = row.cast::<Element>().map(|row| row.children()) else { return };
    let chips = (0..chips.length()).filter_map(|index| chips.item(index)?.dyn_into().ok());
    let chips: Vec<HtmlElement> = chips.collect();
    let Some(line) = chips.first().map(HtmlElement::offset_top) else { return };
    for chip in &chips {
        // Failures could only mean that a name is not a name.
        let _ = match chip.offset_top() > line {
            true => chip.set_attribute(CUT, ""),
            false => chip.remove_attribute(CUT),
        };
    }
}
