package offline

import (
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"

	"chatvault/agent/llm/offline/grammar"
	"chatvault/agent/llm/offline/retrieval"
)

const aboutText = "I am chatvault's **offline engine**: a program that searches, reads and changes your notes by fixed rules, " +
	"on this computer alone. I am **no language model**: I quote what stands in your notes and follow plain requests, " +
	"but I make up nothing and hold no free conversation. For that, configure a model (`chatvault doctor` says how)."

// talk answers what is about the conversation itself.
func (s *script) talk(c grammar.Command) {
	switch c.Kind {
	case grammar.Unclear:
		s.unclear(c)
	case grammar.Help:
		s.say(s.help())
	case grammar.About:
		s.say(aboutText)
		s.say("Say **help** to see what I can do.")
	case grammar.Greet:
		s.sayf("Hello! I am the offline engine, no language model, and I know my way around your notes. Try:\n\n%s\n\nOr say **help**.", s.examples())
	case grammar.Goodbye:
		s.say("Goodbye.")
	case grammar.Thanks:
		s.say("You are welcome.")
	case grammar.Cancel:
		s.say("All right.")
	case grammar.Continue:
		s.say("There is nothing to go on with. What would you like to do?")
	case grammar.Undo:
		s.say("I cannot take changes back myself, but you can: `/undo` in the chat, or `chatvault undo` in a terminal, takes back what the last turn changed.")
	}
}

// unclear says that a request for a change was not understood, and that nothing was done.
func (s *script) unclear(c grammar.Command) {
	what := clip(oneLine(c.Text), 120)
	if len(c.Others) > 0 {
		s.sayf("“%s” does not say which text; nothing was changed. Put the text into the message, for instance: *add “my text” to Home*.", what)
		return
	}
	s.sayf("I did not understand “%s”, so nothing was changed. Requests I follow look like these:\n\n"+
		"- *add “my text” to Home under Ideas*\n- *create a note Plan in Projects with “my text”*\n- *replace “old” with “new” in Home*\n- *move Plan to Archive*, *rename Plan to Outline*, *delete Plan*\n\n"+
		"Say **help** for the rest, or put it as a question to search your notes.", what)
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
- **Order**: *rename … to …*, *move … to …*, *delete …*, *make a folder …*
- **Conversations**: *what did we talk about yesterday?*, *did we talk about …?*, *end this conversation*
- **Step by step**: ` + "`/plan …`" + ` shows the steps before anything is changed; *continue* goes on where a limit ended a request

Names may be misspelt, and several requests may stand in one message. When I am not sure which note you mean, I ask.`
}

// examples are three questions about the notes there are.
func (s *script) examples() string {
	var names []string
	entries := append([]retrieval.Entry(nil), s.all...)
	sort.SliceStable(entries, func(i, j int) bool { return entries[i].Modified.After(entries[j].Modified) })
	for _, e := range entries {
		n := retrieval.Name(e.Path)
		if !dayName().MatchString(n) && e.Words > 40 && len(n) < 40 && !strings.Contains(strings.ToLower(e.Path), "template") {
			names = append(names, n)
		}
		if len(names) == 2 {
			break
		}
	}
	first, second := "what do I know about bread?", "summarise my travel plans"
	if len(names) > 0 {
		first = fmt.Sprintf("what do I know about %s?", names[0])
	}
	if len(names) > 1 {
		second = fmt.Sprintf("summarise %s", names[1])
	}
	third := "what did I change this week?"
	for _, e := range entries {
		if e.OpenTasks > 0 {
			third = "which tasks are open?"
			break
		}
	}
	return fmt.Sprintf("- *%s*\n- *%s*\n- *%s*", first, second, third)
}
