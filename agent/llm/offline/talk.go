package offline

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"chatvault/agent/llm/offline/retrieval"
	"chatvault/internal/lazyregexp"
	"chatvault/internal/text"
)

const (
	aboutText = "I am chatvault's **offline engine**: I search, quote and list your notes and carry out a few exact commands, on this computer alone. " +
		"I am **not a language model**: I make nothing up and cannot chat freely. " + modelHint
	modelHint = "For a language model, choose one with `/model` (F2) or set a key; `chatvault doctor` shows what it finds."
)

// talks are the answers to messages that are about no note.
var talks = []struct {
	is     func() *regexp.Regexp
	answer string
	unable bool
}{
	{lazyregexp.New(`(?i)^(?:thanks?[, ]+(?:and )?)?(?:bye|goodbye|good ?bye|see you|cya|ciao|good night|quit|exit)(?: bye| later| for now| then)*[ !.]*$`), "Goodbye. `/new` starts another conversation.", false},
	{lazyregexp.New(`(?i)^(?:thanks?|thank you|thx|cheers|ta)\b[^?]{0,60}$|^(?:great|perfect|cool|nice|good job|well done|awesome|excellent)(?:[ ,!.]+(?:thanks?|thank you|work|job))*[ !.]*$`), "You are welcome.", false},
	{lazyregexp.New(`(?i)^(?:ok(?:ay)?[, ]+)?(?:never ?mind|cancel|forget it|stop|no|nope|no thanks|leave it)[ !.]*$`), "All right, nothing was changed.", false},
	{lazyregexp.New(`(?i)^(?:yes|y|ok|okay|sure|go on|continue|go ahead|carry on|do it|proceed)[ !.]*$`), "There is nothing to continue. What would you like to do?", true},
	{lazyregexp.New(`(?i)^(?:please )?(?:undo|undo (?:that|it|this|the last change)|take (?:that|it) back|revert(?: that| it)?)[ !.]*$`), "`/undo` takes the last change back; in a terminal, `chatvault undo`.", true},
	{lazyregexp.New(`(?i)\b(?:last|previous|earlier|past) (?:time|chats?|conversations?|sessions?)\b|\bwhat (?:did|have) we (?:talk|discuss|chat|spoke|speak)`), "Earlier conversations are kept: `/conversations` in the chat finds and shows them, `chatvault conversations search TEXT` in a terminal.", false},
	{lazyregexp.New(`(?i)^(?:who|what) are you\b|^are you (?:an? )?(?:ai|bot|robot|human|chat ?gpt|gpt|claude|model|llm|language model)\b|^what(?:'s| is) (?:your name|chatvault)\b|^(?:which|what) model\b`), aboutText, false},
	{lazyregexp.New(`(?i)^(?:please |can you )?(?:tell me a joke|write (?:me )?(?:a|an|some) (?:poem|story|song|essay|haiku|email|letter|code)|translate|how are you|how'?s it going|what'?s up|what(?:'s| is) the (?:weather|time)|do you (?:like|love|think|feel)|sing)\b`), "That is beyond the offline engine, which finds and quotes what is in your notes. " + modelHint, true},
}

var (
	helpRE  = lazyregexp.New(`(?i)^(?:help|help me|\?|commands|what can (?:you|i) (?:do|ask|say)(?: here| for me| with (?:you|my notes))?|how (?:does this|do you|do i use this|does it) ?(?:work)?|what do you do|how can you help(?: me)?)[ ?!.]*$`)
	greetRE = lazyregexp.New(`(?i)^(?:hello|hi|hey|hiya|howdy|good (?:morning|afternoon|evening|day)|moin|hallo|hola|bonjour|salut|ciao)(?: there| you| chatvault| everyone)?[ !.,]*(?:how are (?:you|things)(?: doing)?(?: today)?)?[ !.?]*$`)
	howToRE = lazyregexp.New(`(?i)^(?:how (?:do|can|would|should) (?:i|you|we|one)|can (?:you|i)) (?:to )?(create|make|add|write|change|replace|edit|rename|move|delete|remove|tag|tick|untick|set|undo)\b[^"“”:]*\??$`)
	firstRE = lazyregexp.New(`(?i)^what (?:was|were|did i (?:ask|say)) (?:my |the )?(first|last)?\b.*(?:questions?|messages?|ask|say|asked)\b`)
)

// talk answers what is about the conversation and not about notes.
func (s *session) talk(message string) (reply, bool) {
	message = strings.TrimRightFunc(strings.TrimSpace(message), func(r rune) bool { return r > 0x2190 && !isLetterOrDigit(r) || r == ' ' })
	switch {
	case helpRE().MatchString(message):
		return sayf("%s", s.help()), true
	case greetRE().MatchString(message):
		return sayf("Hello! I am the offline engine, not a language model, and I know my way around your notes. For instance:\n\n%s\n\nSay **help** for the rest.", s.examples()), true
	case strings.HasPrefix(folded(message), "how") && howToRE().MatchString(message) || strings.HasPrefix(folded(message), "can you") && howToRE().MatchString(message) && strings.HasSuffix(message, "?") && len(s.catalog.named(message)) == 0:
		verb := folded(howToRE().FindStringSubmatch(message)[1])
		forms := slices.DeleteFunc(commands(), func(c command) bool {
			return c.help == "" || !slices.Contains(c.means, verb) && !strings.HasPrefix(c.help, verb)
		})
		if verb == "undo" || len(forms) == 0 {
			return sayf("%s", "`/undo` takes the last change back; in a terminal, `chatvault undo`."), true
		}
		return sayf("Like this:\n\n%s", bullets(text.Of(forms, func(c command) string { return "`" + c.help + "`" }))), true
	case len(s.past) > 0 && firstRE().MatchString(message):
		t := s.past[len(s.past)-1]
		if folded(firstRE().FindStringSubmatch(message)[1]) == "first" {
			t = s.past[0]
		}
		return sayf("It was “%s”.", text.Excerpt(t.messages[0].text, 160)), true
	}
	for _, t := range talks {
		if t.is().MatchString(message) {
			return reply{text: t.answer, unable: t.unable}, true
		}
	}
	return reply{}, false
}

// help returns the help text, with examples from the vault.
func (s *session) help() string {
	return aboutText + "\n\n**Ask** in a few words or a sentence; the answer quotes your notes. For instance:\n\n" + s.examples() + `

**List** tasks, notes, tags, folders and links by filters: *open tasks*, *tasks due this week*, *overdue tasks in Projects*, *notes with tag x*, *notes in Recipes*, *notes with rating over 4*, *notes without tag x*, *notes changed this week*, *how many …*, *what links to …*, *orphan notes*, *broken links*.

**Change** notes by these commands, each of which is shown before it is done:

` + bullets(text.Of(Forms(), func(f string) string { return "`" + f + "`" })) + `

Text to be written stands in quotation marks or after a colon. Any other sentence changes nothing.`
}

// examples are three requests that work on the notes of the vault.
func (s *session) examples() string {
	out := []string{"notes changed this month", "list folders", `create a note Ideas with "my first thought"`}
	var telling []string
	for _, e := range s.catalog.entries {
		if name := retrieval.Name(e.Path); len(telling) < 2 && !nameDateRE().MatchString(name) && e.Words > 40 && len(name) < 40 && !e.Template && len(s.catalog.note(name)) == 1 {
			telling = append(telling, name)
		}
	}
	if len(telling) > 0 {
		out[1] = fmt.Sprintf("what do I know about %s?", telling[0])
	}
	if len(telling) > 1 {
		out[2] = "show " + telling[1]
	}
	if slices.ContainsFunc(s.catalog.entries, func(e retrieval.Entry) bool { return e.OpenTasks > 0 }) {
		out[0] = "which tasks are open?"
	}
	return "- *" + strings.Join(out, "*\n- *") + "*"
}
