//! Which consumer group the stage shows while a lesson is told: the one that its beat or its open
//! question is about. What people choose themselves stays until the next beat.

use lockstep_core::command::Command;
use lockstep_core::fact::Fact;
use lockstep_core::ids::{ClientId, GroupId, TopicId};
use lockstep_core::scenario::{Lang, Program};
use lockstep_core::session::Session;

/// Where a lesson stands: the run, its beat, its open question.
pub type Place = (u32, Option<usize>, Option<usize>);

/// Follows a lesson.
#[derive(Debug, Default)]
pub struct Follower {
    at: Place,
    /// Whether people chose a group since the last beat.
    own: bool,
}

impl Follower {
    /// People chose a group.
    pub fn chosen(&mut self) {
        self.own = true;
    }

    /// Whether the lesson has come to another beat.
    pub fn moves(&self, (run, beat, _): Place) -> bool {
        (self.at.0, self.at.1) != (run, beat)
    }

    /// The group to show when the lesson has come to another place; None = the one that is shown.
    pub fn group(
        &mut self,
        place: Place,
        program: &Program,
        session: &Session,
        shown: usize,
    ) -> Option<usize> {
        let is_new = self.moves(place);
        let last = std::mem::replace(&mut self.at, place);
        let (_, beat, ask) = place;
        self.own &= !is_new;
        if self.own {
            return None;
        }
        let scene = Scene { session, shown: GroupId(shown as u16) };
        let asked = ask.filter(|_| is_new || last.2 != ask).and_then(|ask| program.asks.get(ask));
        let told = beat.filter(|_| is_new).and_then(|beat| program.beats.get(beat));
        let question = asked.and_then(|ask| scene.about(ask.question.get(Lang::En)));
        let beat = || {
            let beat = told?;
            let heading = scene.about(beat.heading(Lang::En));
            heading.or_else(|| scene.about(beat.rest(Lang::En)))
        };
        question.or_else(beat).map(GroupId::index).filter(|group| *group != shown)
    }
}

/// A run, and the group that is shown of it.
struct Scene<'a> {
    session: &'a Session,
    shown: GroupId,
}

impl Scene<'_> {
    /// The group that a text is about. A group that it names counts more than a consumer, that more
    /// than a topic, and that more than a message; of several the first.
    fn about(&self, text: &str) -> Option<GroupId> {
        let names = &self.session.world().shared.names;
        let words = || text.split(|c: char| !(c.is_alphanumeric() || c == '-' || c == '_'));
        let group = || words().find_map(|word| names.group(word));
        let member = || words().find_map(|word| self.group_of(word));
        let topic = || words().find_map(|word| self.reader(names.topic(word)?));
        let message = || words().find_map(|word| self.handles(word));
        group().or_else(member).or_else(topic).or_else(message)
    }

    /// The group of a consumer, one that starts later included.
    fn group_of(&self, consumer: &str) -> Option<GroupId> {
        let journal = self.session.journal();
        let group = journal.iter().find_map(|(_, command)| match command {
            Command::StartConsumer { name, group, .. } if name == consumer => Some(group),
            _ => None,
        });
        let world = self.session.world();
        let living = || {
            let id = world.shared.names.client(consumer)?;
            world.clients.get(id.index()).map(|process| process.group())
        };
        group.and_then(|group| world.shared.names.group(group)).or_else(living)
    }

    /// The group that reads a topic: the one that is shown, else the first.
    fn reader(&self, topic: TopicId) -> Option<GroupId> {
        self.reads(self.shown, topic)
            .then_some(self.shown)
            .or_else(|| self.groups().find(|group| self.reads(*group, topic)))
    }

    fn groups(&self) -> impl Iterator<Item = GroupId> {
        (0..self.session.world().shared.names.groups.len()).map(|index| GroupId(index as u16))
    }

    fn reads(&self, group: GroupId, topic: TopicId) -> bool {
        let groups = &self.session.world().shared.names.groups;
        let group = groups.get(group.index());
        group.is_some_and(|group| group.subscriptions.iter().any(|s| s.topic == topic))
    }

    /// The group that has a message still to do: the one that is shown if it has, else the first
    /// that has. Where none has, the one that is shown if it reads its topic, else the first.
    fn handles(&self, label: &str) -> Option<GroupId> {
        let world = self.session.world();
        let stored = self.session.facts().iter().find_map(|record| match record.fact {
            Fact::MessageStored { msg, queue, offset, .. }
                if world.shared.label(msg).to_string() == label =>
            {
                Some((msg, queue, i64::from(offset)))
            }
            _ => None,
        });
        let Some((message, queue, offset)) = stored else {
            return self.reader(self.topic_of(label)?);
        };
        let broker = world.brokers.get(queue.broker.index())?;
        let group_of = |client: ClientId| world.clients.get(client.index()).map(|c| c.group());
        // The broker hears of what is done some seconds later.
        let acknowledged = |group: GroupId| {
            self.session.facts().iter().any(|record| match record.fact {
                Fact::MessageAcknowledged { client, msg, .. } => {
                    msg == message && group_of(client) == Some(group)
                }
                _ => false,
            })
        };
        let done = |group: GroupId| {
            let next = broker.offsets.get(&(group, queue));
            next.is_some_and(|next| *next > offset) || acknowledged(group)
        };
        let open = |group: &GroupId| self.reads(*group, queue.topic) && !done(*group);
        let shown = Some(self.shown).filter(open);
        shown.or_else(|| self.groups().find(open)).or_else(|| self.reader(queue.topic))
    }

    /// The topic that a message is sent to.
    fn topic_of(&self, label: &str) -> Option<TopicId> {
        let journal = self.session.journal();
        let sent = journal.iter().find_map(|(_, command)| match command {
            Command::Send { producer, topic, messages, .. } => {
                let is_sent = messages.iter().any(|m| m.label.to_string() == label);
                is_sent.then_some((producer, topic))
            }
            _ => None,
        });
        let (producer, topic) = sent?;
        let own = || {
            journal.iter().find_map(|(_, command)| match command {
                Command::CreateProducer { name, topic, .. } if name == producer => topic.as_ref(),
                _ => None,
            })
        };
        self.session.world().shared.names.topic(topic.as_ref().or_else(own)?)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

    use super::*;
    use lockstep_core::scenario;

    /// The groups that are shown at each beat and question of a lesson, in their order.
    fn followed(id: &str) -> Vec<(i64, String)> {
        let text = std::fs::read_to_string(format!("www/lessons/{id}.scn")).unwrap();
        let program = scenario::load(&text).unwrap();
        let mut session = Session::new(program.seed, program.model.clone(), program.journal());
        let mut instants: Vec<i64> = program.beats.iter().map(|beat| beat.at_ms).collect();
        instants.extend(program.asks.iter().map(|ask| ask.at_ms));
        instants.sort_unstable();
        let (mut follower, mut shown) = (Follower::default(), 0);
        let step = |at_ms: i64| {
            session.seek_time(at_ms);
            let beat = program.beats.iter().take_while(|beat| beat.at_ms <= at_ms).count();
            let ask = program.asks.iter().position(|ask| ask.at_ms == at_ms);
            let place = (1, beat.checked_sub(1), ask);
            shown = follower.group(place, &program, &session, shown).unwrap_or(shown);
            (at_ms, session.world().shared.names.groups[shown].name.clone())
        };
        instants.into_iter().map(step).collect()
    }

    fn names(id: &str) -> Vec<String> {
        followed(id).into_iter().map(|(_, name)| name).collect()
    }

    #[test]
    fn the_group_that_a_beat_or_question_names_is_shown() {
        let shown = followed("05-2-max-reconsume");
        assert!(shown.contains(&(5_500, "shipping".to_owned())), "{shown:?}");
        assert!(shown.contains(&(60_000, "billing".to_owned())), "{shown:?}");
        assert_eq!(
            names("03-4-four-combinations"),
            ["strict", "strict", "strict", "free", "queued", "strict"]
        );
        // Consumers stand for their groups, and topics for whoever reads them.
        assert_eq!(names("05-8-wrong-answer").last().unwrap(), "forgets");
        assert_eq!(names("10-6-died-with-a-batch").last().unwrap(), "late");
        assert_eq!(names("09-4-global-order"), ["one", "one", "many", "many", "one"]);
    }

    #[test]
    fn a_message_is_told_of_where_it_is_still_to_do() {
        let shown = followed("01-2-life-of-a-message");
        // The beat before told of audit, which has done A2 long since.
        assert!(shown.contains(&(4_000, "audit".to_owned())), "{shown:?}");
        assert!(shown.contains(&(7_200, "billing".to_owned())), "{shown:?}");
        // T1 lies on the delay shelf yet; it was sent to the topic that cancel reads.
        assert_eq!(
            names("07-1-unpaid-order-30m"),
            ["cancel", "shop", "cancel", "cancel", "cancel"]
        );
    }

    #[test]
    fn what_people_choose_stays_until_the_next_beat() {
        let text = std::fs::read_to_string("www/lessons/05-2-max-reconsume.scn").unwrap();
        let program = scenario::load(&text).unwrap();
        let mut session = Session::new(program.seed, program.model.clone(), program.journal());
        session.seek_time(5_500);
        let mut follower = Follower::default();
        // The second beat names no group, and the question names the other one than is shown.
        assert_eq!(follower.group((1, Some(1), None), &program, &session, 0), None);
        follower.chosen();
        assert_eq!(follower.group((1, Some(1), Some(0)), &program, &session, 0), None);
        assert_eq!(follower.group((1, Some(2), None), &program, &session, 0), Some(1));
        // Another run begins anew.
        follower.chosen();
        assert_eq!(follower.group((2, Some(2), None), &program, &session, 0), Some(1));
    }
}
