//! Builds the children of an SVG group. Every shape has a key, so that Yew never takes one element
//! for another: rings and figures are painted outside of Yew and must stay with their element.
//!
//! Shapes are made by calls instead of by `html!` in place because there are many of them: the
//! macro writes out each element's construction, which made the program three times as large.

use std::borrow::Cow;

use lockstep_core::ids::Ms;
use lockstep_core::view::Subject;
use yew::prelude::*;
use yew::virtual_dom::{AttributeOrProperty, Attributes, Key, VNode, VTag};

use super::stage::layout::Rect;
use super::stage::shows::Shows;
use super::stage::svg::{num, subject_id, translate, Path};
use crate::app::paint;

/// A class, or several.
type Class = Cow<'static, str>;

/// The children of a group.
#[derive(Default)]
pub struct Draw(Vec<VNode>);

/// A word, what is left of a time, a word.
#[derive(Clone, Default)]
pub struct Timed {
    /// Before the figure.
    pub before: Cow<'static, str>,
    /// Until when.
    pub until_ms: Ms,
    /// After the figure.
    pub after: Cow<'static, str>,
    /// Whole seconds.
    pub seconds: bool,
    /// In place of the figure when the time is over.
    pub past: Option<&'static str>,
}

impl Draw {
    /// An empty group.
    pub fn new() -> Self {
        Self::default()
    }

    /// A rectangle with round corners.
    pub fn rect(&mut self, key: &'static str, class: impl Into<Class>, rect: Rect, radius: f64) {
        self.add_rect(key, class.into(), rect, radius, None);
    }

    /// A rectangle with a style of its own.
    pub fn styled_rect(
        &mut self,
        key: &'static str,
        class: &'static str,
        rect: Rect,
        radius: f64,
        style: Option<&'static str>,
    ) {
        self.add_rect(key, class.into(), rect, radius, style);
    }

    fn add_rect(
        &mut self,
        key: &'static str,
        class: Class,
        rect: Rect,
        radius: f64,
        style: Option<&'static str>,
    ) {
        const KEYS: &[&str] = &["class", "x", "y", "width", "height", "rx", "style"];
        let numbers = [rect.x, rect.y, rect.w.max(0.0), rect.h.max(0.0), radius];
        let mut values = vec![Some(class)];
        values.extend(numbers.into_iter().map(|v| Some(num(v).into())));
        values.push(style.map(Cow::Borrowed));
        self.0.push(tag("rect", key.into(), KEYS, values, Vec::new()));
    }

    /// A path.
    pub fn path(
        &mut self,
        key: &'static str,
        class: impl Into<Class>,
        d: impl Into<Cow<'static, str>>,
    ) {
        self.add_path(key, class.into(), d.into());
    }

    fn add_path(&mut self, key: &'static str, class: Class, d: Cow<'static, str>) {
        self.0.push(tag(
            "path",
            key.into(),
            &["class", "d"],
            vec![Some(class), Some(d)],
            Vec::new(),
        ));
    }

    /// A circle.
    pub fn circle(&mut self, key: &'static str, class: impl Into<Class>, at: (f64, f64), r: f64) {
        self.add_circle(key, class.into(), at, r);
    }

    fn add_circle(&mut self, key: &'static str, class: Class, (x, y): (f64, f64), r: f64) {
        let values =
            vec![Some(class), Some(num(x).into()), Some(num(y).into()), Some(num(r).into())];
        self.0.push(tag("circle", key.into(), &["class", "cx", "cy", "r"], values, Vec::new()));
    }

    /// A ring that drains from the first to the second instant, clockwise from the top.
    pub fn ring(
        &mut self,
        key: &'static str,
        class: &'static str,
        (x, y): (f64, f64),
        r: f64,
        span: (Ms, Ms),
    ) {
        const KEYS: &[&str] = &["class", "r", "pathLength", "transform", paint::Timed::ATTRIBUTE];
        let values = vec![
            Some(class.into()),
            Some(num(r).into()),
            Some("100".into()),
            Some(format!("{} rotate(-90)", translate(x, y)).into()),
            Some(paint::Timed::Drains { from_ms: span.0, until_ms: span.1 }.value().into()),
        ];
        self.0.push(tag("circle", key.into(), KEYS, values, Vec::new()));
    }

    /// A band along a path that fills from the first to the second instant, or drains; a part of it
    /// without.
    pub fn band(
        &mut self,
        key: &'static str,
        class: &'static str,
        d: String,
        width: f64,
        (span, drains): (Option<(Ms, Ms)>, bool),
    ) {
        const KEYS: &[&str] =
            &["class", "d", "style", "pathLength", "stroke-dasharray", paint::Timed::ATTRIBUTE];
        let timed = span.map(|(from_ms, until_ms)| match drains {
            true => paint::Timed::Drains { from_ms, until_ms },
            false => paint::Timed::Fills { from_ms, until_ms },
        });
        let values = vec![
            Some(class.into()),
            Some(d.into()),
            Some(format!("stroke-width:{}", num(width)).into()),
            Some("100".into()),
            span.is_none().then_some("60 200".into()),
            timed.map(|timed| timed.value().into()),
        ];
        self.0.push(tag("path", key.into(), KEYS, values, Vec::new()));
    }

    /// A text. Anything may stand in it: it becomes a text node.
    pub fn text(
        &mut self,
        key: &'static str,
        class: impl Into<Class>,
        at: (f64, f64),
        text: impl Into<Cow<'static, str>>,
    ) {
        let content = VNode::from(AttrValue::from(text.into().into_owned()));
        self.add_text(key, class.into(), at, vec![content]);
    }

    /// A text with a second part in a class of its own.
    pub fn text_with_note(
        &mut self,
        key: &'static str,
        class: &'static str,
        at: (f64, f64),
        text: &str,
        note: (&'static str, String),
    ) {
        let first = tspan("first", "", text.to_owned(), None);
        let second = tspan("note", note.0, note.1, Some("8"));
        self.add_text(key, class.into(), at, vec![first, second]);
    }

    /// A text with what is left of a time.
    pub fn timed(
        &mut self,
        key: &'static str,
        class: impl Into<Class>,
        at: (f64, f64),
        timed: Timed,
    ) {
        let Timed { until_ms, seconds, past, .. } = timed;
        let left = paint::Timed::Left { until_ms, seconds, past }.value();
        let left = tag(
            "tspan",
            "left".into(),
            &[paint::Timed::ATTRIBUTE],
            vec![Some(left.into())],
            Vec::new(),
        );
        let parts = vec![
            tspan("before", "", timed.before.into_owned(), None),
            left,
            tspan("after", "", timed.after.into_owned(), None),
        ];
        self.add_text(key, class.into(), at, parts);
    }

    fn add_text(
        &mut self,
        key: &'static str,
        class: Class,
        (x, y): (f64, f64),
        children: Vec<VNode>,
    ) {
        let values = vec![Some(class), Some(num(x).into()), Some(num(y).into())];
        self.0.push(tag("text", key.into(), &["class", "x", "y"], values, children));
    }

    /// A text that is squeezed into a width.
    pub fn label(
        &mut self,
        key: &'static str,
        class: &'static str,
        at: (f64, f64),
        text: &str,
        px: Option<f64>,
        width: Option<f64>,
    ) {
        const KEYS: &[&str] = &["class", "x", "y", "dy", "style", "textLength", "lengthAdjust"];
        let values = vec![
            Some(class.into()),
            Some(num(at.0).into()),
            Some(num(at.1).into()),
            Some("0.36em".into()),
            px.map(|px| format!("font-size:{}px", num(px)).into()),
            width.map(|w| num(w).into()),
            width.map(|_| "spacingAndGlyphs".into()),
        ];
        let content = VNode::from(AttrValue::from(text.to_owned()));
        self.0.push(tag("text", key.into(), KEYS, values, vec![content]));
    }

    /// A group at a place.
    pub fn group(
        &mut self,
        key: impl Into<Key>,
        class: impl Into<Class>,
        at: (f64, f64),
        inner: Draw,
    ) {
        self.add_group(key.into(), class.into(), at, [None, None, None], inner);
    }

    /// A group at a place that stands for something that can be selected.
    pub fn thing(
        &mut self,
        key: impl Into<Key>,
        class: impl Into<Class>,
        at: (f64, f64),
        subject: Option<Subject>,
        inner: Draw,
    ) {
        let subject = subject.map(|subject| subject_id(subject).into());
        self.add_group(key.into(), class.into(), at, [subject, None, None], inner);
    }

    /// A group at a place that belongs to another thing: it is lit up with it.
    pub fn part(
        &mut self,
        key: impl Into<Key>,
        class: impl Into<Class>,
        at: (f64, f64),
        of: Subject,
        inner: Draw,
    ) {
        let values = vec![
            Some(class.into()),
            (at != (0.0, 0.0)).then(|| translate(at.0, at.1).into()),
            Some(subject_id(of).into()),
        ];
        self.0.push(tag("g", key.into(), &["class", "transform", "data-of"], values, inner.0));
    }

    /// A group at a place that stands for something at one of its events.
    pub fn moment(
        &mut self,
        key: impl Into<Key>,
        class: impl Into<Class>,
        at: (f64, f64),
        (subject, event): (Subject, u32),
        inner: Draw,
    ) {
        let names = [Some(subject_id(subject).into()), None, Some(event.to_string().into())];
        self.add_group(key.into(), class.into(), at, names, inner);
    }

    /// A group that stands for a broker (`b`) or a proxy (`p`), by its number.
    pub fn machine(
        &mut self,
        key: impl Into<Key>,
        class: &'static str,
        (kind, id): (char, usize),
        inner: Draw,
    ) {
        let values = vec![Some(class.into()), Some(format!("{kind}{id}").into())];
        self.0.push(tag("g", key.into(), &["class", "data-machine"], values, inner.0));
    }

    /// A group at a place that stands for something that the stage can show instead.
    pub fn choice(
        &mut self,
        key: impl Into<Key>,
        class: &'static str,
        at: (f64, f64),
        shows: Shows,
        inner: Draw,
    ) {
        let shows = Some(shows.id().into());
        self.add_group(key.into(), class.into(), at, [None, shows, None], inner);
    }

    fn add_group(
        &mut self,
        key: Key,
        class: Class,
        at: (f64, f64),
        [subject, shows, event]: [Option<Class>; 3],
        inner: Draw,
    ) {
        const KEYS: &[&str] = &["class", "transform", "data-subject", "data-shows", "data-event"];
        let values = vec![
            Some(class).filter(|class| !class.is_empty()),
            (at != (0.0, 0.0)).then(|| translate(at.0, at.1).into()),
            subject,
            shows,
            event,
        ];
        self.0.push(tag("g", key, KEYS, values, inner.0));
    }

    /// Anything else; it must have a key.
    pub fn node(&mut self, node: Html) {
        self.0.push(node);
    }

    /// The group's children.
    pub fn finish(self) -> Html {
        Html::from_iter(self.0)
    }
}

fn tspan(key: &'static str, class: &'static str, text: String, dx: Option<&'static str>) -> VNode {
    let values = vec![Some(class.into()).filter(|c: &Class| !c.is_empty()), dx.map(Cow::Borrowed)];
    let content = VNode::from(AttrValue::from(text));
    tag("tspan", key.into(), &["class", "dx"], values, vec![content])
}

fn tag(
    name: &'static str,
    key: Key,
    keys: &'static [&'static str],
    values: Vec<Option<Class>>,
    children: Vec<VNode>,
) -> VNode {
    let attribute = |value: Class| match value {
        Cow::Borrowed(value) => AttributeOrProperty::Static(value),
        Cow::Owned(value) => AttributeOrProperty::Attribute(value.into()),
    };
    let values = values.into_iter().map(|value| value.map(attribute)).collect();
    let mut tag = VTag::new(name);
    tag.key = Some(key);
    tag.set_attributes(Attributes::Dynamic { keys, values });
    tag.add_children(children);
    tag.into()
}

/// A class with others that apply.
pub fn classes(base: &'static str, more: &[(bool, &'static str)]) -> Cow<'static, str> {
    let mut classes = Cow::Borrowed(base);
    for (_, class) in more.iter().filter(|(applies, _)| *applies) {
        let classes = classes.to_mut();
        classes.push(' ');
        classes.push_str(class);
    }
    classes
}

/// The lock glyph around a point: its lines, and its body where it is closed.
pub fn lock(draw: &mut Draw, at: (f64, f64), open: bool, class: &'static str) {
    const BODY: &str = "M-3.4 -.9h6.8a.9 .9 0 0 1 .9 .9v4.1a.9 .9 0 0 1-.9 .9h-6.8a.9 .9 0 0 1-.9-.9v-4.1a.9 .9 0 0 1 .9-.9z";
    let mut glyph = Draw::new();
    if open {
        glyph.path("shackle", "lock-line", "M-2.5 -1v-2.4a2.5 2.5 0 0 1 4.9 -.8");
        glyph.path("body", "lock-line", BODY);
    } else {
        glyph.path("shackle", "lock-line", "M-2.5 -1v-1.8a2.5 2.5 0 0 1 5 0v1.8");
        glyph.path("body", "lock-body", BODY);
    }
    draw.group("lock", class, at, glyph);
}

/// A triangle that points up, with its tip at a point.
pub fn triangle((x, y): (f64, f64), half: f64, height: f64) -> String {
    Path::at(x, y).l(half, height).dh(-2.0 * half).z()
}
