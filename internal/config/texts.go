package config

// DefaultArchitecture tells the agent how to file notes in a vault whose owner has
// written down no rules.
const DefaultArchitecture = `Follow the order that is already there; the vault's own habits win over these.

- Look before creating: a note on the subject may exist under another name. Extend it rather than start a second one.
- One note, one subject. Its file name is its title, in plain words, without a date unless the note belongs to a day or a meeting.
- Put a new note beside its nearest relatives. Make a new folder only when three notes would move into it.
- Link the notes, people and projects that a text names with [[wikilinks]], once each, where such notes exist.
- Use tags and front matter keys that the vault uses already; invent none in passing.
- A task is a line "- [ ] …" in the note of the work it belongs to. Tick it when it is done; do not remove it.
- What happened on a day goes into that day's daily note, where the vault keeps daily notes.
- Keep the owner's words. Add and correct; do not rewrite what was not asked about.`

// DefaultRetrospectionPrompt asks for a look back at a conversation that has ended.
const DefaultRetrospectionPrompt = `The conversation above between a person and the agent that tends their notes is over. Look back at it, for the person, in at most 200 words of Markdown:

1. What did they want, and did they get it? Name what is unfinished.
2. Where did the agent hesitate, guess, search twice or need correcting, and what would have spared that?
3. Which one rule about where things belong in this vault, if it had been written down, would have helped? Quote the rule as it should stand; leave this out when there is none.

Be concrete, name notes as [[Note]], praise nobody.`
