//! Icons: 16 px, drawn with lines of 1.5 in the colour of the text around them.

use yew::prelude::*;

/// An icon.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Icon {
    Play,
    Pause,
    First,
    Back,
    Forward,
    NextDue,
    Check,
    Cross,
    Hourglass,
    Broken,
    Octagon,
    Warn,
    Share,
    Present,
    More,
    Sun,
    Moon,
    Help,
    Chevron,
    Left,
    Right,
    Plus,
    Minus,
    Bolt,
    Lock,
    Unlock,
    Branch,
    Eye,
    Clock,
    Menu,
    Search,
    Pencil,
    External,
    Flag,
    Pair,
    Send,
}

impl Icon {
    /// Lines, and filled shapes.
    fn paths(self) -> (&'static str, &'static str) {
        match self {
            Self::Play => ("", "M4.6 2.7v10.6a.7.7 0 0 0 1.07.6l8.3-5.3a.7.7 0 0 0 0-1.2l-8.3-5.3a.7.7 0 0 0-1.07.6z"),
            Self::Pause => ("M5.5 3.2v9.6M10.5 3.2v9.6", ""),
            Self::First => ("M2.8 3.4v9.2", "M8.6 3.6v8.8L3.9 8zM13.6 3.6v8.8L8.9 8z"),
            Self::Back => ("M4.4 3.4v9.2", "M12 3.3v9.4L5.9 8z"),
            Self::Forward => ("M11.6 3.4v9.2", "M4 3.3v9.4L10.1 8z"),
            Self::NextDue => ("M13.2 3.4v9.2", "M7.4 3.6v8.8L12.1 8zM2.4 3.6v8.8L7.1 8z"),
            Self::Check => ("M3 8.6l3.2 3.2L13 4.6", ""),
            Self::Cross => ("M3.8 3.8l8.4 8.4M12.2 3.8l-8.4 8.4", ""),
            Self::Hourglass => ("M4 2.2h8M4 13.8h8M5 2.4v2.4L8 8l3-3.2V2.4M5 13.6v-2.4L8 8l3 3.2v2.4", "M6.2 12.8h3.6L8 10.6z"),
            Self::Broken => ("M1.6 8.6h3l1.6-3.4 2.8 6 1.7-3.4h3.7", ""),
            Self::Octagon => ("M3.2 8.4h2l1.3-2.7 2.2 4.6 1.4-2.7h2.7", ""),
            Self::Warn => ("M8 2.4l6.2 11.2H1.8zM8 6.4v3.4M8 11.6v.4", ""),
            Self::Share => ("M8 10V2.4M4.8 5.2L8 2.2l3.2 3M2.8 9.4v4h10.4v-4", ""),
            Self::Present => ("M2 3h12v7.4H2zM8 10.4v3M5.2 13.6h5.6", ""),
            Self::More => ("", "M2.2 8a1.2 1.2 0 1 0 2.4 0a1.2 1.2 0 1 0-2.4 0M6.8 8a1.2 1.2 0 1 0 2.4 0a1.2 1.2 0 1 0-2.4 0M11.4 8a1.2 1.2 0 1 0 2.4 0a1.2 1.2 0 1 0-2.4 0"),
            Self::Sun => ("M8 4.9a3.1 3.1 0 1 0 0 6.2a3.1 3.1 0 1 0 0-6.2M8 1.2v1.4M8 13.4v1.4M1.2 8h1.4M13.4 8h1.4M3.2 3.2l1 1M11.8 11.8l1 1M3.2 12.8l1-1M11.8 4.2l1-1", ""),
            Self::Moon => ("M12.9 9.6A5.6 5.6 0 0 1 6.4 3.1a5.6 5.6 0 1 0 6.5 6.5z", ""),
            Self::Help => ("M5.6 5.9a2.4 2.4 0 1 1 3.6 2.1c-.8.5-1.2.9-1.2 1.8M8 12.2v.5", ""),
            Self::Chevron => ("M4.4 6.2L8 9.8l3.6-3.6", ""),
            Self::Left => ("M9.8 4L5.8 8l4 4", ""),
            Self::Right => ("M6.2 4l4 4-4 4", ""),
            Self::Plus => ("M8 3v10M3 8h10", ""),
            Self::Minus => ("M3 8h10", ""),
            Self::Bolt => ("M9 1.8L3.6 9.2h3.8L6.8 14.2l5.6-7.6H8.4z", ""),
            Self::Lock => ("M5.4 7V5.2a2.6 2.6 0 0 1 5.2 0V7", "M4.6 7h6.8a.9.9 0 0 1 .9.9v4.2a.9.9 0 0 1-.9.9H4.6a.9.9 0 0 1-.9-.9V7.9a.9.9 0 0 1 .9-.9z"),
            Self::Unlock => ("M5.4 7V4.6a2.6 2.6 0 0 1 5-1M4.6 7h6.8a.9.9 0 0 1 .9.9v4.2a.9.9 0 0 1-.9.9H4.6a.9.9 0 0 1-.9-.9V7.9a.9.9 0 0 1 .9-.9z", ""),
            Self::Branch => ("M4.6 2.6v10.8M4.6 10c0-4 6.8-2.6 6.8-7", ""),
            Self::Eye => ("M1.4 8S3.8 3.6 8 3.6 14.6 8 14.6 8 12.2 12.4 8 12.4 1.4 8 1.4 8zM8 6.2a1.8 1.8 0 1 0 0 3.6a1.8 1.8 0 1 0 0-3.6", ""),
            Self::Clock => ("M8 2.2a5.8 5.8 0 1 0 0 11.6a5.8 5.8 0 1 0 0-11.6M8 4.8V8l2.4 1.6", ""),
            Self::Menu => ("M2.4 4.2h11.2M2.4 8h11.2M2.4 11.8h11.2", ""),
            Self::Search => ("M7 2.6a4.4 4.4 0 1 0 0 8.8a4.4 4.4 0 1 0 0-8.8M10.2 10.2l3.4 3.4", ""),
            Self::Pencil => ("M3 13l.7-3L10.6 3.1l2.3 2.3L6 12.3zM9.2 4.5l2.3 2.3", ""),
            Self::Flag => ("M4 14V2.6h8.2L10 5.8l2.2 3.2H4", ""),
            Self::Pair => ("M2 3.2h5v9.6H2zM9 3.2h5v9.6H9z", ""),
            Self::Send => ("M2.2 7.4L13.8 2.2 10.2 13.8 7.4 9zM7.4 9l6.2-6.6", ""),
            Self::External => ("M7 3H3v10h10V9M9.4 2.8h3.8v3.8M13 3L7.6 8.4", ""),
        }
    }
}

/// The icon, hidden from readers: whatever carries it has a name.
pub fn icon(icon: Icon) -> Html {
    sized(icon, 16)
}

/// The icon at another size.
pub fn sized(icon: Icon, px: u32) -> Html {
    let (lines, shapes) = icon.paths();
    html! {
        <svg class="icon" width={px.to_string()} height={px.to_string()} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
            <path class="icon-line" d={lines} />
            <path class="icon-shape" d={shapes} />
        </svg>
    }
}

/// The red octagon with the broken line: the mark of a broken guarantee.
pub fn broken_mark(px: u32) -> Html {
    html! {
        <svg class="broken-mark" width={px.to_string()} height={px.to_string()} viewBox="0 0 26 26" aria-hidden="true" focusable="false">
            <path class="octagon" d="M8 1h10l7 7v10l-7 7H8l-7-7V8z" />
            <path class="octagon-line" d="M4.5 14h4l2.4-5 4 9 2.6-5.4 1 1.4h3" />
        </svg>
    }
}

/// The mark of Lockstep: three bars, the last one still open.
pub fn logo() -> Html {
    html! {
        <svg class="logo" width="28" height="20" viewBox="0 0 28 20" aria-hidden="true" focusable="false">
            <rect x="0" y="1" width="7" height="18" rx="2" />
            <rect x="10" y="1" width="7" height="18" rx="2" />
            <rect class="logo-open" x="20.9" y="1.9" width="5.2" height="16.2" rx="1.6" />
        </svg>
    }
}
