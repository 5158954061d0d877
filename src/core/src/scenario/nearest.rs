//! The word that is probably meant.

use strsim::damerau_levenshtein;

/// Longer words are not compared: they are no slips of the keyboard.
const WORD_MAX: usize = 64;

/// The candidate that is nearest to a word, if one is near enough: at most a third of the
/// characters differ (three at most), or the word is a part of it. Case does not count.
pub fn nearest<'c>(word: &str, candidates: impl Iterator<Item = &'c str>) -> Option<&'c str> {
    let length = word.chars().count();
    if length == 0 || length > WORD_MAX {
        return None;
    }
    let word = word.to_lowercase();
    let limit = (length / 3).clamp(1, 3);
    let distance = |candidate: &str| {
        let candidate = candidate.to_lowercase();
        if length >= 4 && candidate.contains(&word) {
            return 1;
        }
        damerau_levenshtein(&word, &candidate)
    };
    candidates
        .map(|candidate| (distance(candidate), candidate))
        .filter(|(distance, candidate)| {
            *distance <= limit && *distance < candidate.chars().count().max(2)
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn slips_are_mended_and_other_words_left_alone() {
        let words = [
            "max-reconsume-times",
            "suspend",
            "batch",
            "FIFO",
            "rocketmq.client.rebalance.lockInterval",
        ];
        let near = |word| nearest(word, words.into_iter());
        assert_eq!(near("max-reconsume-tries"), Some("max-reconsume-times"));
        assert_eq!(near("fifo"), Some("FIFO"));
        assert_eq!(near("susepnd"), Some("suspend"));
        assert_eq!(near("lockInterval"), Some("rocketmq.client.rebalance.lockInterval"));
        assert_eq!(near("elephant"), None);
        assert_eq!(near(""), None);
    }
}
