//! What fits into the header's line. A chip that does not is taken out of it whole: a part of a word
//! tells nothing, and what cannot be seen must not take the focus. The list has all of it.

use wasm_bindgen::closure::Closure;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, ResizeObserver};
use yew::prelude::*;

/// The attribute of a chip that does not fit.
const CUT: &str = "data-cut";

/// Takes out of a row of chips what does not fit into its first line, whenever the room around it
/// or the size of what stands beside it changes, or what stands in it: its `words`.
#[hook]
pub fn use_fit(row: &NodeRef, words: String) {
    let (itself, on_size, on_words) = (row.clone(), row.clone(), row.clone());
    use_effect_with(words, move |_| fit(&on_words));
    use_effect_with((), move |()| {
        let room = on_size.cast::<Element>().and_then(|row| row.parent_element());
        let changed = Closure::<dyn FnMut()>::new(move || fit(&on_size));
        let observer = ResizeObserver::new(changed.as_ref().unchecked_ref()).ok();
        if let Some((observer, room)) = observer.as_ref().zip(room) {
            observer.observe(&room);
            // Not the row itself, whose size follows from this.
            let mut beside = room.first_element_child();
            while let Some(element) = beside {
                beside = element.next_element_sibling();
                if itself.cast::<Element>().as_ref() != Some(&element) {
                    observer.observe(&element);
                }
            }
        }
        move || {
            if let Some(observer) = observer {
                observer.disconnect();
            }
            drop(changed);
        }
    });
}

/// What wraps into a second line is cut. What was cut is back while it is measured.
fn fit(row: &NodeRef) {
    let Some(chips) = row.cast::<Element>().map(|row| row.children()) else { return };
    let chips = (0..chips.length()).filter_map(|index| chips.item(index)?.dyn_into().ok());
    let chips: Vec<HtmlElement> = chips.collect();
    // Failures could only mean that a name is not a name.
    for chip in &chips {
        let _ = chip.remove_attribute(CUT);
    }
    let Some(line) = chips.first().map(HtmlElement::offset_top) else { return };
    // The row is narrower without the widest of them, so that what is left may wrap again.
    for chip in chips.iter().rev() {
        if chips.iter().all(|chip| chip.offset_top() <= line) {
            break;
        }
        let _ = chip.set_attribute(CUT, "");
    }
}
