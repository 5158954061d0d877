//! A change carried out as a person would: on the journal and the model of a run that begins anew.

use lockstep_core::command::Command;
use lockstep_core::explain::Change;
use lockstep_core::ids::Ms;
use lockstep_core::model::Model;
use lockstep_core::scenario::Program;
use lockstep_core::session::Session;

/// The journal and the model with a change. A change that is given now has no place in them.
pub fn applied(change: &Change, program: &Program) -> (Vec<(Ms, Command)>, Model) {
    let (mut journal, mut model) = (program.journal(), program.model.clone());
    match change {
        Change::Now(_) => {}
        Change::From { at_ms, commands } => {
            journal.extend(commands.iter().map(|c| (*at_ms, c.clone())));
        }
        Change::Instead(others) => {
            for (index, command) in others {
                journal[*index as usize].1 = command.clone();
            }
        }
        Change::Without(gone) => {
            let mut index = 0;
            journal.retain(|_| {
                index += 1;
                !gone.contains(&(index - 1))
            });
        }
        Change::Moved(others) => {
            for (index, at_ms) in others {
                journal[*index as usize].0 = *at_ms;
            }
        }
        Change::Blocking(blocking) => model.blocking = *blocking,
        Change::Release(version) => model = model.at_release(*version),
    }
    (journal, model)
}

/// The same run with a change, played as far; with a change that is given at its end, ten minutes more.
pub fn changed(program: &Program, change: &Change) -> Session {
    let (journal, model) = applied(change, program);
    let mut session = Session::new(program.seed, model, journal);
    session.run_until(program.until_ms);
    if let Change::Now(commands) = change {
        commands.iter().for_each(|command| session.inject(command.clone()));
        session.run_until(program.until_ms + 600_000);
    }
    session
}
