package goal

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"chatvault/agent/event"
	"chatvault/conversation"
	"chatvault/internal/lazyregexp"
	"chatvault/internal/text"
	"chatvault/tools"
	"chatvault/tools/transcript"
)

// What a check of the goal is told is bounded: it is a look at what came of it, no transcript.
const (
	maxAccountTurns   = 3
	maxAccountTools   = 30 // of a turn
	maxAccountChanges = 60
	maxAccountAsked   = 500  // runes of what the person said
	maxAccountSaid    = 6000 // runes of what the agent said in the newest turn
	maxAccountBefore  = 1000 // in the turns before
)

// goalAccount is what was done toward a goal since it was set or resumed, as far as a check is
// told of it.
type account struct {
	turns   []TurnAccount // the newest
	changes []string      // of all turns, a line each
	left    int           // changes left out
}

// TurnAccount is what was said and done in a turn.
type TurnAccount struct {
	Asked   string   // by the person, or by the program to go on
	Tools   []string // a line each: name, target, what came of it
	Said    string   // by the agent
	Changes []string
}

// with is the account after another turn.
func (a account) with(t TurnAccount) account {
	a.turns = append(a.turns[:len(a.turns):len(a.turns)], t)
	a.turns = a.turns[max(0, len(a.turns)-maxAccountTurns):]
	a.changes = append(a.changes[:len(a.changes):len(a.changes)], t.Changes...)
	if n := len(a.changes) - maxAccountChanges; n > 0 {
		a.changes, a.left = a.changes[n:], a.left+n
	}
	return a
}

// text is the account as a check is told it. What notes, tools and the agent said is quoted, line
// by line.
func (a account) text(g event.Goal) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Goal:\n%s\n\n", text.Quoted(g.Text))
	fmt.Fprintf(&b, "Turns that worked toward it so far: %d. The newest come last.\n", g.Turns)
	for i, t := range a.turns {
		said := maxAccountBefore
		if i == len(a.turns)-1 {
			said = maxAccountSaid
		}
		fmt.Fprintf(&b, "\nTurn %d\nAsked:\n%s\n", g.Turns-len(a.turns)+i+1, text.Quoted(text.Excerpt(t.Asked, maxAccountAsked)))
		if len(t.Tools) == 0 {
			b.WriteString("Tools: none.\n")
		} else {
			b.WriteString("Tools:\n")
			list(&b, t.Tools, 0)
		}
		if text.Blank(t.Said) {
			b.WriteString("The agent said nothing.\n")
		} else {
			fmt.Fprintf(&b, "The agent said:\n%s\n", text.Quoted(text.MiddleOut(t.Said, said)))
		}
	}
	if len(a.changes) == 0 {
		b.WriteString("\nNothing was changed.\n")
	} else {
		b.WriteString("\nChanged since the goal was set or resumed:\n")
		list(&b, a.changes, a.left)
	}
	return strings.TrimSpace(b.String())
}

func list(b *strings.Builder, lines []string, left int) {
	if left > 0 {
		fmt.Fprintf(b, "- (%d more before these)\n", left)
	}
	for _, l := range lines {
		fmt.Fprintf(b, "- %s\n", l)
	}
}

// AccountOf is what was said and done in a turn.
func AccountOf(asked string, record []conversation.Message, changes []string) TurnAccount {
	a := TurnAccount{Asked: asked, Changes: changes}
	targets := map[string]string{}
	var said []string
	for _, m := range record {
		switch m.Role {
		case conversation.RoleAssistant, conversation.RoleAgent:
			for _, c := range m.ToolCalls {
				targets[c.ID] = c.Target
			}
			if words := strings.TrimSpace(m.Content); words != "" {
				said = append(said, words)
			}
		case conversation.RoleTool:
			if !tools.TraitsOf(m.ToolName).Speaks {
				a.Tools = append(a.Tools, transcript.ToolLine(m.ToolName, text.Excerpt(targets[m.ToolCallID], 100), text.Excerpt(m.Summary, 100), m.IsError))
			}
		}
	}
	if n := len(a.Tools) - maxAccountTools; n > 0 {
		a.Tools = append([]string{fmt.Sprintf("(%d more before these)", n)}, a.Tools[n:]...)
	}
	a.Said = strings.Join(said, "\n\n")
	return a
}

// ParseVerdict reads what a check answered: MET, NOT MET or UNKNOWN and why, on a line of its own, which may stand
// in a code fence or among other words. An answer that says more than one of them, or none, is not clear.
func ParseVerdict(s string) Verdict {
	lines := strings.Split(unthought(s), "\n")
	var found Verdict
	for i, line := range lines {
		v := lineVerdict(line)
		switch {
		case !v.Clear:
		case !found.Clear:
			found = v
			found.Why = cmp.Or(v.Why, text.Unmarked(nextLine(lines[i+1:])))
		case v.Met != found.Met || v.Unknown != found.Unknown:
			return Verdict{}
		}
	}
	found.Why = text.Excerpt(found.Why, maxWhy)
	return found
}

// verdictHeads begin a line with a verdict, the longer before the shorter.
var verdictHeads = []struct {
	text         string
	met, unknown bool
}{
	{text: "not yet met"},
	{text: "not met"},
	{text: "not_met"},
	{text: "unmet"},
	{text: "met", met: true},
	{text: "unknown", unknown: true},
	{text: "cannot judge", unknown: true},
}

// lineVerdict reads a line that begins with the verdict. Where that is not in capitals it must be
// the whole line or end with a mark, so that no sentence is mistaken for one.
func lineVerdict(line string) Verdict {
	line, sentence := unlabelled(text.Unmarked(line))
	for _, head := range verdictHeads {
		rest, ok := text.CutFold(line, head.text)
		if !ok {
			continue
		}
		shouted := line[:len(head.text)] == strings.ToUpper(head.text)
		why := strings.TrimLeft(rest, " \t:.,;!–—-")
		marked := strings.ContainsAny(rest[:len(rest)-len(why)], ":.,;!–—-")
		if head.met && partly(rest) {
			return Verdict{Clear: true, Why: line}
		}
		if rest == "" || marked || shouted && !sentence && strings.HasPrefix(rest, " ") {
			return Verdict{Clear: true, Met: head.met, Unknown: head.unknown, Why: why}
		}
		return Verdict{}
	}
	return Verdict{}
}

var (
	// verdictLabel may stand before a verdict: "Goal status:", "The goal is".
	verdictLabel = lazyregexp.New(`(?i)^(?:the )?(?:final )?(?:goal )?(?:verdict|answer|result|status|goal)(?::| is:?| has been) *`)
	// countOf counts how much of the goal is met: "Met: 3 of 5 recipes".
	countOf = lazyregexp.New(`^[ \t:.,;!–—-]*(\d+) *(?:/|of|out of) *(\d+)\b`)
	// thought is what a model thinks aloud before it answers.
	thought = lazyregexp.New(`(?is)<(think|thinking)>.*?</(?:think|thinking)>`)
)

// partly says whether what follows "met" counts less than the whole.
func partly(rest string) bool {
	m := countOf().FindStringSubmatch(rest)
	if m == nil {
		return false
	}
	some, err := strconv.Atoi(m[1])
	all, err2 := strconv.Atoi(m[2])
	return err == nil && err2 == nil && some < all
}

// unthought is an answer without what was thought aloud, also where only the end of that is there.
func unthought(text string) string {
	text = thought().ReplaceAllString(text, "\n")
	for _, end := range []string{"</think>", "</thinking>"} {
		if i := strings.LastIndex(text, end); i >= 0 {
			text = text[i+len(end):]
		}
	}
	return text
}

// unlabelled is a line without what names it a verdict; sentence says that it went on from there as
// one, so that "The goal is MET if …" is none.
func unlabelled(line string) (rest string, sentence bool) {
	at := verdictLabel().FindStringIndex(line)
	if at == nil {
		return line, false
	}
	return text.Unmarked(line[at[1]:]), !strings.Contains(line[:at[1]], ":")
}

// nextLine is the first of the lines that says something.
func nextLine(lines []string) string {
	for _, l := range lines {
		if t := strings.TrimSpace(l); t != "" && !strings.HasPrefix(t, "```") {
			return l
		}
	}
	return ""
}
