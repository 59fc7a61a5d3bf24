package offline

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"chatvault/agent/llm/offline/grammar"
	"chatvault/agent/llm/offline/naming"
	"chatvault/agent/llm/offline/retrieval"
)

const aboutText = "I am chatvault's **offline engine**: a program that searches, reads and changes your notes by fixed rules, " +
	"on this computer alone. I am **not a language model**: I quote what is in your notes and follow plain requests, " +
	"but I make nothing up and cannot chat freely. " + modelHint

// talk answers what is about the conversation itself.
func (s *script) talk(c grammar.Command) {
	switch c.Kind {
	case grammar.Unclear:
		s.sayf("“%s” does not say which text; nothing was changed. Put the text into the message, for instance: *add “my text” to Home*.", clip(oneLine(c.Text), 120))
	case grammar.Help:
		s.say(s.help())
	case grammar.About:
		s.say(aboutText)
		s.say("Say **help** to see what I can do.")
	case grammar.Greet:
		s.sayf("Hello! I am the offline engine, not a language model, and I know my way around your notes. Try:\n\n%s\n\nOr say **help**.", s.examples())
	case grammar.Asked:
		s.asked(c)
	default:
		s.say(smallTalk[c.Kind])
	}
}

// smallTalk is what is said to what needs no look at the notes.
var smallTalk = map[grammar.Kind]string{
	grammar.Goodbye:  "Goodbye. `/new` starts another conversation.",
	grammar.Thanks:   "You are welcome.",
	grammar.Cancel:   "All right.",
	grammar.Continue: "There is nothing to continue. What would you like to do?",
	grammar.Earlier:  "Earlier conversations are kept: `/conversations` in the chat finds and shows them, `chatvault conversations search TEXT` in a terminal.",
	grammar.Beyond:   "That is beyond the offline engine, which finds and quotes what is in your notes and writes nothing of its own; nothing was changed. " + modelHint,
}

// modelHint says how one comes to a language model.
const modelHint = "For a language model, choose one with `/model` (F2) or set a key; `chatvault doctor` says what it finds."

// notUnderstood says that a sentence is neither a request that can be carried out nor found in the
// notes, and what is.
func (s *script) notUnderstood(text string) {
	s.sayf("I did not understand “%s”, and nothing was changed. These work here:\n\n%s\n\nSay **help** for the rest.", clip(oneLine(text), 120), s.examples())
}

// isBinary says whether a message holds what no text does: bytes that are no UTF-8, or NUL and
// other control characters.
func isBinary(text string) bool {
	if !utf8.ValidString(text) {
		return true
	}
	control, broken := 0, 0
	for _, r := range text {
		switch {
		case r == 0:
			return true
		case r < ' ' && r != '\n' && r != '\r' && r != '\t' && r != '\x1b' && r != '\f':
			control++
		case r == utf8.RuneError:
			broken++
		}
	}
	return control > 3 || broken > 3+len(text)/100
}

// help says what can be asked, with examples from this vault.
func (s *script) help() string {
	return aboutText + "\n\nFor instance:\n\n" + s.examples() + `

What I understand:

- **Questions**: *what do I know about …?*, *when did I …?*, or just a few words
- **Reading**: *show …*, *outline of …*, *summarise …*, *list notes in …*
- **Links**: *what links to …?*, *broken links*, *orphan notes*
- **Recent**: *what did I change this week?*, *notes from yesterday*
- **Tasks**: *open tasks*, *tasks in …*, *overdue tasks*, *mark “…” as done*
- **Writing**: *create a note … in … with “…”*, *add “…” to … under …*, *replace “…” with “…” in …*
- **Organizing**: *rename … to …*, *move … to …*, *delete …*, *make a folder …*
- **Continuing**: *what else?*, *the second one*, *open it*, *undo that*, *what was my first question?*
- **Step by step**: ` + "`/plan …`" + ` shows the steps before anything is changed; *continue* goes on where a limit ended a request

One message can have several requests. I change a note only if you name it exactly; otherwise I ask.`
}

// telling are the names of the newest notes with something to say, at most n.
func (s *script) telling(n int) []string {
	var names []string
	for _, e := range s.notesIn("", "") {
		name := retrieval.Name(e.Path)
		if len(names) < n && !naming.DayName().MatchString(name) && e.Words > 40 && len(name) < 40 && !inTemplates(e.Path) && len(s.exact(name)) == 1 {
			names = append(names, name)
		}
	}
	return names
}

// examples are three requests that work on the notes there are.
func (s *script) examples() string {
	names := s.telling(2)
	out := []string{"what did I change this week?", "list notes", "create a note called Ideas with “my first thought”"}
	if len(names) > 0 {
		out[1] = fmt.Sprintf("what do I know about %s?", names[0])
	}
	if len(names) > 1 {
		out[2] = fmt.Sprintf("summarise %s", names[1])
	}
	if slices.ContainsFunc(s.all, func(e retrieval.Entry) bool { return e.OpenTasks > 0 }) {
		out[0] = "which tasks are open?"
	}
	return "- *" + strings.Join(out, "*\n- *") + "*"
}
