//! The lines that a change of some commands of a run replaces, and those that it puts in their place.

use std::collections::BTreeMap;

use lockstep_core::command::{Command, GroupSetting};
use lockstep_core::ids::Ms;
use lockstep_core::pop::{PopCommand, PopSetting};
use lockstep_core::scenario::{self, Quote};

/// Gives the line of a command in the text that tells the run.
pub type Quoted<'a> = &'a dyn Fn(u32) -> Option<Quote>;

/// A command at its instant, with its number in the journal.
type Placed = (u32, Ms, Command);

/// What becomes of lines.
#[derive(Default)]
pub(super) struct Lines {
    /// Lines that others come in place of.
    pub(super) before: Vec<String>,
    /// Those others.
    pub(super) after: Vec<String>,
    /// Lines that are left out.
    pub(super) gone: Vec<String>,
}

impl Lines {
    /// Lines of a run in which some commands become others; None = they are left out.
    pub(super) fn of(
        journal: &[(Ms, Command)],
        changed: &BTreeMap<u32, Option<(Ms, Command)>>,
        quoted: Quoted<'_>,
    ) -> Self {
        let mut lines = Self::default();
        let mut told: Vec<u32> = Vec::new();
        for (index, new) in changed {
            if told.contains(index) {
                continue;
            }
            let Some((at_ms, old)) = journal.get(*index as usize) else { continue };
            match quoted(*index) {
                Some(quote) => {
                    told.extend(&quote.commands);
                    lines.line(journal, changed, quote);
                }
                None => {
                    let was = unquoted(journal, *index, *at_ms, old);
                    match new {
                        None => lines.gone.extend(was),
                        Some((at_ms, command)) => {
                            lines.before.extend(was);
                            lines.after.extend(unquoted(journal, *index, *at_ms, command));
                        }
                    }
                }
            }
        }
        lines
    }

    /// A line of the text, of which some commands change.
    fn line(
        &mut self,
        journal: &[(Ms, Command)],
        changed: &BTreeMap<u32, Option<(Ms, Command)>>,
        quote: Quote,
    ) {
        let now = |index: &u32| -> Option<Placed> {
            let (at_ms, command) = match changed.get(index) {
                Some(new) => new.clone()?,
                None => journal.get(*index as usize)?.clone(),
            };
            Some((*index, at_ms, command))
        };
        let left: Vec<Placed> = quote.commands.iter().filter_map(now).collect();
        let is_gone = |index: &u32| matches!(changed.get(index), Some(None));
        let gone = quote.commands.iter().filter(|index| is_gone(index));
        let gone: Vec<&Command> = gone.map(|index| &journal[*index as usize].1).collect();
        // Nothing stays of what is left out with what it belongs to.
        let stays = |(_, _, command): &&Placed| !gone.iter().any(|made| belongs(command, made));
        if !left.iter().any(|one| stays(&one)) {
            self.gone.push(quote.text);
            return;
        }
        self.before.push(quote.text);
        for (place, one) in left.iter().enumerate() {
            let told = left.iter().enumerate();
            let mut others = told.filter(|(other, _)| *other != place).map(|(_, one)| one);
            if others.any(|(_, at_ms, made)| *at_ms == one.1 && belongs(&one.2, made)) {
                continue;
            }
            let own = left.iter().filter(|(_, at_ms, c)| *at_ms == one.1 && belongs(c, &one.2));
            let before = &journal[..(one.0 as usize).min(journal.len())];
            self.after.extend(said(before, one, own.map(|(_, _, command)| command)));
        }
    }
}

/// A command that no text has, as lines; the settings of a group or a producer stand in its line.
fn unquoted(journal: &[(Ms, Command)], index: u32, at_ms: Ms, command: &Command) -> Vec<String> {
    let behind = journal.get(index as usize + 1..).unwrap_or_default();
    let same = behind.iter().take_while(|(ms, _)| *ms == at_ms).map(|(_, c)| c);
    let before = &journal[..(index as usize).min(journal.len())];
    let own = same.filter(|c| is_setting_of(c, command));
    said(before, &(index, at_ms, command.clone()), own)
}

/// A command behind a journal as lines of a scenario, with what belongs to it; what stands at the head of one
/// has no instant there.
fn said<'a>(
    before: &[(Ms, Command)],
    (_, at_ms, command): &Placed,
    own: impl Iterator<Item = &'a Command>,
) -> Vec<String> {
    let said = scenario::say_behind(before, *at_ms, command);
    let mut said: Vec<String> = said.lines().map(str::to_owned).collect();
    for line in &mut said {
        if let Some(head) = line.strip_prefix("at 0 ").filter(|_| is_head(command)) {
            *line = head.to_owned();
        }
    }
    for one in own {
        let [line] = said.as_mut_slice() else { return said };
        let ordered = GroupSetting::Pop(PopSetting::Orderly(true));
        let is_ordered = matches!(one, Command::SetGroup { setting, .. } if *setting == ordered);
        // The word `fifo` is an orderly listener and a setting of the group.
        match line.strip_suffix(" orderly").filter(|_| is_ordered) {
            Some(reads) => *line = format!("{reads} fifo"),
            None => line.extend(words_of(one, *at_ms)),
        }
    }
    said
}

/// The words of what belongs to a command, behind those of that command.
fn words_of(own: &Command, at_ms: Ms) -> Option<String> {
    if let Command::Subscribe { .. } | Command::OwnKey { .. } = own {
        let said = scenario::say(at_ms, own);
        let verb = [" reads ", " handles only "].into_iter().find_map(|verb| said.find(verb))?;
        return Some(said[verb..].to_owned());
    }
    scenario::say_setting(own).map(|words| format!(", {words}"))
}

/// Whether a command may stand in the line of another one that it belongs to.
fn belongs(own: &Command, made: &Command) -> bool {
    let started = match made {
        Command::StartConsumer { name, .. } | Command::Pop(PopCommand::Start { name, .. }) => {
            Some(name)
        }
        _ => None,
    };
    match own {
        Command::Subscribe { consumer, .. } | Command::OwnKey { consumer, .. } => {
            started == Some(consumer)
        }
        _ => is_setting_of(own, made),
    }
}

/// Whether a command sets something of the group or the producer that another one makes.
fn is_setting_of(setting: &Command, made: &Command) -> bool {
    match (setting, made) {
        (Command::SetGroup { group, .. }, Command::CreateGroup { name, .. }) => group == name,
        (
            Command::Pop(PopCommand::SetProducer { producer, .. }),
            Command::CreateProducer { name, .. },
        ) => producer == name,
        _ => false,
    }
}

fn is_head(command: &Command) -> bool {
    matches!(
        command,
        Command::CreateTopic { .. }
            | Command::CreateGroup { .. }
            | Command::CreateProducer { .. }
            | Command::NameMessageGroup { .. }
            | Command::StartConsumer { .. }
            | Command::Pop(PopCommand::Start { .. } | PopCommand::AddProxy { .. })
            | Command::AddBroker { .. }
    )
}
