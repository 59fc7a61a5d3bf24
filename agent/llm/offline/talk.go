package offline

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"chatvault/internal/base/lazyregexp"
	"chatvault/internal/base/text"
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
	{lazyregexp.New(`(?i)^(?:hello|hi|hey|hiya|howdy|good (?:morning|afternoon|evening|day)|moin|hallo|hola|bonjour|salut|ciao)(?: there| you| chatvault| everyone)?[ !.,]*(?:how are (?:you|things)(?: doing)?(?: today)?)?[ !.?]*$`), "Hello! I am the offline engine, not a language model, and I know my way around your notes. For instance:\n\n" + examples + "\n\nSay **help** for the rest.", false},
	{lazyregexp.New(`(?i)^(?:thanks?[, ]+(?:and )?)?(?:bye|goodbye|good ?bye|see you|cya|ciao|good night|quit|exit)(?: bye| later| for now| then)*[ !.]*$`), "Goodbye. `/new` starts another conversation.", false},
	{lazyregexp.New(`(?i)^(?:thanks?|thank you|thx|cheers|ta)\b[^?]{0,60}$|^(?:great|perfect|cool|nice|good job|well done|awesome|excellent)(?:[ ,!.]+(?:thanks?|thank you|work|job))*[ !.]*$`), "You are welcome.", false},
	{lazyregexp.New(`(?i)^(?:ok(?:ay)?[, ]+)?(?:never ?mind|cancel|forget it|stop|no|nope|no thanks|leave it)[ !.]*$|^(?:please )?(?:don['’]t|do not|never) (?:create|make|add|write|change|replace|edit|rename|move|delete|remove|tag|tick|set)\b`), "All right, nothing was changed.", false},
	{lazyregexp.New(`(?i)^(?:yes|y|ok|okay|sure|go on|continue|go ahead|carry on|do it|proceed)[ !.]*$`), "There is nothing to continue. What would you like to do?", true},
	{lazyregexp.New(`(?i)^(?:please )?(?:undo|undo (?:that|it|this|the last change)|take (?:that|it) back|revert(?: that| it)?)[ !.]*$`), "`/undo` takes the last change back; in a terminal, `chatvault undo`.", true},
	{lazyregexp.New(`(?i)\b(?:last|previous|earlier|past) (?:time|chats?|conversations?|sessions?)\b|\bwhat (?:did|have) we (?:talk|discuss|chat|spoke|speak)`), "Earlier conversations are kept: `/conversations` in the chat finds and shows them, `chatvault conversations search TEXT` in a terminal.", false},
	{lazyregexp.New(`(?i)^(?:who|what) are you\b|^are you (?:an? )?(?:ai|bot|robot|human|chat ?gpt|gpt|claude|model|llm|language model)\b|^what(?:'s| is) (?:your name|chatvault)\b|^(?:which|what) model\b`), aboutText, false},
	{lazyregexp.New(`(?i)^(?:please |can you )?(?:tell me a joke|write (?:me )?(?:a|an|some) (?:poem|story|song|essay|haiku|email|letter|code)|translate|how are you|how'?s it going|what'?s up|what(?:'s| is) the (?:weather|time)|do you (?:like|love|think|feel)|sing)\b`), "That is beyond the offline engine, which finds and quotes what is in your notes. " + modelHint, true},
}

var helpRE = lazyregexp.New(`(?i)^(?:help|help me|\?|commands|what can (?:you|i) (?:do|ask|say)(?: here| for me| with (?:you|my notes))?|how (?:does this|do you|do i use this|does it) ?(?:work)?|what do you do|how can you help(?: me)?)[ ?!.]*$`)

// howToRE matches a question about a command.
var howToRE = lazyregexp.New(`(?i)^how (?:do|can|would|should) (?:i|you|we|one) (?:to )?(create|make|add|write|change|replace|edit|rename|move|delete|remove|tag|tick|untick|set)\b[^"“”:]*\??$`)

// talk answers messages that are about no note.
func (s *session) talk(message string) (reply, bool) {
	message = strings.TrimRightFunc(message, func(r rune) bool { return r > 0x2190 && !unicode.IsLetter(r) || r == ' ' })
	if helpRE().MatchString(message) {
		return sayf("%s", help()), true
	}
	if m := howToRE().FindStringSubmatch(message); m != nil {
		var forms []string
		for _, c := range commands() {
			if verb := folded(m[1]); c.help != "" && (slices.Contains(strings.Fields(c.means), verb) || strings.HasPrefix(c.help, verb)) {
				forms = append(forms, "`"+c.help+"`")
			}
		}
		return sayf("Like this:\n\n%s", bullets(forms)), true
	}
	for _, t := range talks {
		if t.is().MatchString(message) {
			return reply{text: t.answer, unable: t.unable}, true
		}
	}
	return reply{}, false
}

// help returns the help text.
func help() string {
	return aboutText + "\n\n**Ask** in a few words or a sentence; the answer quotes your notes. For instance:\n\n" + examples + `

**List** tasks, notes, tags, folders and links by filters: *open tasks*, *tasks due this week*, *overdue tasks in Projects*, *notes with tag x*, *notes in Recipes*, *notes with rating over 4*, *notes without tag x*, *notes changed this week*, *how many …*, *what links to …*, *orphan notes*, *broken links*.

**Change** notes by these commands, each of which is shown before it is done:

` + bullets(text.Of(Forms(), func(f string) string { return "`" + f + "`" })) + `

Text to be written stands in quotation marks or after a colon. Any other sentence changes nothing.`
}

// examples are requests for help.
const examples = "- *which tasks are open?*\n- *notes changed this month*\n- *create a note Ideas with \"my first thought\"*"
