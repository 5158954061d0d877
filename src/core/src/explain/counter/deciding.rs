//! Changes by which a half message is decided about.

use super::Making;
use crate::command::{Command, TransactionScript};
use crate::explain::faults::{self, Fault};
use crate::explain::{transactions, Undone};
use crate::fact::{Decision, RequestKind};
use crate::ids::MsgId;
use crate::pop::PopCommand;

impl Making<'_, '_> {
    /// The decision about a half message counts: nothing is in its way, or the application commits, at once
    /// or when it is asked.
    pub(super) fn undecided(&mut self, msg: MsgId, undone: Option<Undone>) {
        let run = self.run;
        let way = faults::way_of(run, msg);
        match undone {
            Some(Undone::Full { broker }) => self.room(broker),
            Some(_) => {
                let fruitless = transactions::fruitless(run, msg);
                let at_ms = fruitless.and_then(|f| run.facts.get(f.fact as usize));
                let at_ms = at_ms.map_or(run.now_ms(), |record| record.at_ms);
                let lasts = |fault: &Fault| fault.until_ms.is_none_or(|ms| ms > run.now_ms());
                let all = faults::between(run, &way, RequestKind::Send, (at_ms, at_ms));
                for fault in all.iter().filter(|fault| lasts(fault)) {
                    let mends = fault.begin(run).and_then(mended);
                    mends.into_iter().for_each(|command| self.now(command));
                }
                self.leave_out(all);
            }
            None => {}
        }
        let commits = |script: &mut TransactionScript| script.decision = Decision::Commit;
        let at_once = |script: &mut TransactionScript| {
            (script.decision, script.after_ms) = (Decision::Commit, 0);
        };
        let asked = |script: &mut TransactionScript| script.checks = vec![Decision::Commit];
        let ways = [
            transactions::scripted(run, msg, asked),
            transactions::scripted(run, msg, commits),
            transactions::scripted(run, msg, at_once),
        ];
        ways.into_iter().flatten().for_each(|change| self.add(change));
    }
}

/// The command that ends what another one began, where there is one.
fn mended(begin: &Command) -> Option<Command> {
    Some(match begin {
        Command::Cut { a, b } => Command::Heal { a: a.clone(), b: b.clone() },
        Command::StopBroker { broker, .. } => Command::StartBroker { broker: broker.clone() },
        Command::Pop(PopCommand::RunProxy { proxy, .. }) => {
            Command::Pop(PopCommand::RunProxy { proxy: proxy.clone(), up: true })
        }
        Command::Pop(PopCommand::FailRequests { proxy, request, .. }) => {
            let (proxy, request) = (proxy.clone(), *request);
            Command::Pop(PopCommand::FailRequests { proxy, request, code: None })
        }
        _ => return None,
    })
}
