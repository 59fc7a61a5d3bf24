package offline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"chatvault/agent/llm/offline/grammar"
	"chatvault/agent/llm/offline/naming"
	"chatvault/agent/llm/offline/retrieval"
	"chatvault/internal/lazyregexp"
	"chatvault/internal/text"
)

const aboutText = "I am chatvault's **offline engine**: a program that searches, reads and changes your notes by fixed rules, " +
	"on this computer alone. I am **not a language model**: I quote what is in your notes and follow plain requests, " +
	"but I make nothing up and cannot chat freely. " + modelHint

const beyondText = "That is beyond the offline engine, which finds and quotes what is in your notes and writes nothing of its own; nothing was changed. " + modelHint

// talk answers what is about the conversation itself.
func (s *script) talk(c grammar.Command) {
	switch c.Kind {
	case grammar.Unclear:
		s.failf("“%s” does not say which text; nothing was changed. Put the text into the message, for instance: *add “my text” to Home*.", clip(oneLine(c.Text), 120))
	case grammar.Help:
		s.say(s.help())
	case grammar.About:
		s.say(aboutText)
		s.say("Say **help** to see what I can do.")
	case grammar.Greet:
		s.sayf("Hello! I am the offline engine, not a language model, and I know my way around your notes. Try:\n\n%s\n\nOr say **help**.", s.examples())
	case grammar.Asked:
		s.asked(c)
	case grammar.Beyond:
		s.failf("%s", beyondText)
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
}

// modelHint says how one comes to a language model.
const modelHint = "For a language model, choose one with `/model` (F2) or set a key; `chatvault doctor` says what it finds."

// notUnderstood says that a sentence is neither a request that can be carried out nor found in the
// notes, and what is.
func (s *script) notUnderstood(text string) {
	s.failf("I did not understand “%s”, and nothing was changed. These work here:\n\n%s\n\nSay **help** for the rest.", clip(oneLine(text), 120), s.examples())
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

// lastQuestion is the question that the conversation was on last, and the notes that answers to it
// have cited since.
func lastQuestion(past []turn) (c grammar.Command, cited []string, ok bool) {
	for i, t := range slices.Backward(past) {
		cited = append(cited, listed(past[i:i+1])...)
		parsed := grammar.Parse(t.messages[0].text, t.time())
		switch c = parsed[len(parsed)-1]; c.Kind {
		case grammar.More, grammar.Follow, grammar.Thanks, grammar.Greet:
			continue
		case grammar.Unclear:
			return grammar.Command{Kind: grammar.Question, Text: c.Text, Topic: c.Text}, cited, true
		case grammar.Show, grammar.Summarise:
			return grammar.Command{Kind: grammar.Question, Text: c.Text, Topic: c.Note, Sure: true}, cited, c.Note != grammar.It
		}
		return inContext(c, past[:i]), cited, c.Kind == grammar.Question
	}
	return c, cited, false
}

// leansRE recognises a question that leans on the one before it: "and at what temperature?"
var leansRE = lazyregexp.New(`(?i)^(?:and|but|also)\s|\b(?:he|she|him|her|his|hers|they|them|their|it|its|there|else)\b`)

// inContext is a question with the words of the one before it, where it leans on that and has few of
// its own.
func inContext(c grammar.Command, past []turn) grammar.Command {
	if c.Kind != grammar.Question || c.Sure || !leansRE().MatchString(c.Text) || len(retrieval.KeyWords(c.Topic)) > 2 {
		return c
	}
	if last, _, ok := lastQuestion(past); ok && last.Topic != "" {
		c.Topic = last.Topic + " " + c.Topic
	}
	return c
}

// more answers the last question from the notes that the answers so far left out.
func (s *script) more(grammar.Command) {
	c, cited, ok := lastQuestion(s.past)
	if !ok {
		s.say("There is no earlier question I could say more about. What would you like to know?")
		return
	}
	hits := slices.DeleteFunc(s.search(c.Topic, c.When), func(h retrieval.Hit) bool { return slices.Contains(cited, h.Path) || h.Coverage < coverPoor })
	if len(hits) == 0 {
		s.sayf("I found nothing more in your notes about “%s”.", clip(oneLine(c.Text), 120))
		return
	}
	s.answerFrom(c, hits[:min(len(hits), notesForTopic)], "", fmt.Sprintf("More on “%s”", clip(oneLine(c.Text), 120)))
}

// follow answers a bare question word after an answer.
func (s *script) follow(c grammar.Command) {
	last, cited, ok := lastQuestion(s.past)
	switch word := strings.ToLower(c.Topic); {
	case len(s.past) == 0 || len(cited) == 0:
		s.sayf("%s what? Ask with a few more words, and I will look it up in your notes.", upper(word))
	case !ok || word == "where" || strings.HasPrefix(word, "w") && strings.HasSuffix(word, "note") || word == "which one" || word == "source" || word == "says who":
		list := text.Of(cited[:min(len(cited), maxListed)], func(p string) string { return "- " + cite(p, 0) })
		s.sayf("The last answers were about:\n\n%s", strings.Join(list, "\n"))
	default:
		hits := slices.DeleteFunc(s.search(word+" "+last.Topic, grammar.Range{}), func(h retrieval.Hit) bool { return !slices.Contains(cited, h.Path) })
		if len(hits) == 0 {
			s.sayf("I found nothing in your notes that says %s.", word)
			return
		}
		last.Topic = word + " " + last.Topic
		s.answerFrom(last, hits[:1], "", fmt.Sprintf("I quote notes and draw no conclusions. What they say about “%s”", clip(oneLine(last.Text), 120)))
	}
}

// asked tells which request of this conversation was the first or the last, or all of them.
func (s *script) asked(c grammar.Command) {
	var all []string
	for _, t := range s.past {
		if !t.summary && !t.towardGoal() {
			all = append(all, "“"+clip(oneLine(t.text()), maxAsked)+"”")
		}
	}
	at := len(all)
	if n, ok := ordinal(naming.Normal(c.Topic), 99); ok && c.Topic != "last" {
		at = n + 1
	} else if strings.Contains(c.Topic, "first") || c.Topic == "earlier" {
		at = 1
	}
	switch {
	case len(all) == 0:
		s.say("You asked nothing before this in this conversation. `/conversations` shows earlier ones.")
	case strings.TrimSpace(c.Topic) == "":
		s.sayf("You asked, oldest first:\n\n- %s", strings.Join(all[max(0, len(all)-maxListed):], "\n- "))
	case at > len(all):
		s.sayf("You asked %s so far in this conversation.", counted(len(all), "thing"))
	default:
		s.sayf("It was %s.", all[at-1])
	}
}

// The languages that are told by their small words, beside English.
var languages = []struct{ name, words string }{
	{"German", " der die das und ist wo wie was wer wann warum ich nicht ein eine meine mein im den dem von mit für auf über habe hat sind zu "},
	{"French", " le la les des est où que qui quand pourquoi comment je ne pas une mon ma mes dans du avec pour sur quel quelle sont au "},
	{"Spanish", " el los las es dónde donde qué que quién cuándo cómo por yo mi mis una en con para sobre cuál son está del "},
	{"Italian", " il lo gli è dove che chi quando perché come io mio mia miei una di con per sono del della nel cosa "},
	{"Dutch", " de het een is waar wat wie wanneer waarom hoe ik niet mijn van met voor op over zijn naar en "},
	{"Portuguese", " o os as é onde que quem quando como eu meu minha uma em com para sobre são do da não "},
	{"Polish", " gdzie co kto kiedy dlaczego jak jest nie moje mój moja w z na do się są "},
}

// foreign is the language of a text that is not English; empty where it may be. Small words tell,
// and a script other than the Latin one.
func foreign(text string) string {
	words := strings.Fields(strings.ToLower(strings.Trim(text, " ?!.¿¡")))
	for _, r := range text {
		if r >= 0x0370 && r < 0x1E00 || r >= 0x2E80 && r < 0xFB00 {
			return "another language"
		}
	}
	best, most, english := "", 1, 0
	for _, w := range words {
		if retrieval.IsStopWord(w) {
			english++
		}
	}
	for _, l := range languages {
		n := 0
		for _, w := range words {
			if strings.Contains(l.words, " "+w+" ") {
				n++
			}
		}
		if n > most && n > english {
			best, most = l.name, n
		}
	}
	return best
}

// example is a request of a kind that names a note of this vault.
func (s *script) example(kind grammar.Kind) string {
	note := "Name of the note"
	for _, n := range s.telling(1) {
		note = n
	}
	format := map[grammar.Kind]string{
		grammar.Move: "move “%s” to Archive", grammar.Rename: "rename “%s” to Other name", grammar.Add: "add “…” to %s",
		grammar.Replace: "replace “…” with “…” in %s", grammar.Remove: "remove “…” from %s", grammar.Tick: "mark “…” as done in %s", grammar.Delete: "delete “%s”",
	}[kind]
	return fmt.Sprintf(cmp.Or(format, "show “%s”"), note)
}
