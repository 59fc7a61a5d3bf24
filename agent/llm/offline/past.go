package offline

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"chatvault/agent/llm/offline/grammar"
	"chatvault/agent/llm/offline/retrieval"
	"chatvault/internal/lazyregexp"
)

// The tools for conversations.
const (
	getConversation = "get_conversation"
	endConversation = "end_conversation"
)

// Bounds of what is told of earlier conversations.
const (
	maxPages      = 6  // calls for one answer
	listedAtOnce  = 50 // conversations that a call lists
	maxPastListed = 8
	maxPastTold   = 12 // requests of a conversation
	pastPassages  = 3  // passages of a conversation that holds a topic
)

// goodbye ends the conversation, as the user asked. It ends after the answer.
func (s *script) goodbye(c grammar.Command) error {
	farewell := "Goodbye!"
	if c.New != "" {
		farewell = "All right."
	}
	if s.sketch != nil || s.readOnly() {
		s.say(farewell)
		return nil
	}
	if !s.may(endConversation) {
		s.say(farewell + " I cannot end the conversation from here: in the chat `/new` does.")
		return nil
	}
	r, err := s.call(endConversation, args{"reason": "the user said: " + clip(oneLine(c.Text), 60)})
	switch {
	case err != nil:
		return err
	case r.failed:
		s.refused("I could not end the conversation", r)
		return nil
	}
	s.foundf("%s This conversation ends here; your next message begins a new one.", farewell)
	return nil
}

// may says whether a tool can be called that a command does without where it is not offered: as
// it was when the command was carried out before.
func (s *script) may(tool string) bool {
	if s.nextCall() {
		return s.again(tool)
	}
	return s.tools[tool]
}

// pastCall looks into earlier conversations.
func (s *script) pastCall(a args) (call, error) {
	if c, ok := s.repeated(planned{getConversation, a}); ok {
		return c, nil
	}
	if !s.may(getConversation) {
		return call{}, fmt.Errorf("%w: %s", errNoTool, getConversation)
	}
	return s.call(getConversation, a)
}

// pastTalk answers what was talked about in earlier conversations, and in this one.
func (s *script) pastTalk(c grammar.Command) error {
	here := s.saidHere(c)
	told, err := s.earlier(c)
	switch {
	case errors.Is(err, errNoTool) && len(here) == 0 && c.Topic == "":
		s.failf("I cannot look into earlier conversations here. `chatvault conversations list` shows them.")
		return nil
	case err != nil && !errors.Is(err, errNoTool):
		return err
	case len(here) > 0:
		s.foundf("In this conversation:\n\n%s", strings.Join(here, "\n"))
	case !told && c.Topic != "":
		s.sayf("No earlier conversation that I can look into is about “%s”. Your notes:", clip(oneLine(c.Topic), 120))
		return s.question(grammar.Command{Kind: grammar.Question, Text: c.Text, Topic: c.Topic, Sure: true})
	case !told && !c.When.IsZero():
		s.foundf("No earlier conversation that is kept ended %s.", timeWords(c.When.Words))
	case !told:
		s.foundf("There is no earlier conversation yet.")
	}
	return nil
}

// saidHere are the requests of this conversation that a question about what was said asks for.
// One about the last time, or about conversations, asks for earlier ones.
func (s *script) saidHere(c grammar.Command) []string {
	if c.Limit > 0 || c.Topic == "" && c.When.IsZero() && !hereRE().MatchString(c.Text) || !c.When.IsZero() && !c.When.Contains(s.now) {
		return nil
	}
	words := retrieval.ContentWords(c.Topic)
	var out []string
	for _, t := range s.past {
		text := strings.ToLower(t.text() + " " + t.answer)
		if t.summary || slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, searched(w)) }) {
			continue
		}
		out = append(out, exchange{asked: t.text(), replied: t.answer}.line())
	}
	return lastOf(out, maxPastTold)
}

var hereRE = lazyregexp.New(`(?i)^(?:what (?:did|have|had) |do you |remind |recap|what (?:we|i) )`)

// lastOf are the last n lines, with a note on those left out.
func lastOf(lines []string, n int) []string {
	if over := len(lines) - n; over > 0 {
		return append([]string{fmt.Sprintf("- (%d older ones are left out.)", over)}, lines[over:]...)
	}
	return lines
}

// searched is a word as it is searched for: what its forms begin with.
func searched(w string) string {
	if stem := retrieval.Stem(w); len(stem) >= 3 && strings.HasPrefix(w, stem) {
		return stem
	}
	return w
}

// earlier tells of the conversations that ended before this one, and says whether there were any.
func (s *script) earlier(c grammar.Command) (told bool, err error) {
	var list []pastOne
	if c.Topic != "" {
		list, err = s.pastAbout(c)
	} else {
		list, err = s.pastIn(c)
	}
	switch {
	case err != nil || len(list) == 0:
		return false, err
	case len(list) == 1:
		return true, s.tellPast(list[0], c)
	}
	more := len(list) - maxPastListed
	var b strings.Builder
	for _, p := range list[:min(len(list), maxPastListed)] {
		fmt.Fprintf(&b, "- **%s** (%s)", p.name, s.momentWords(p.last))
		if p.summary != "" {
			b.WriteString(": " + clip(p.summary, 400))
		}
		for _, x := range p.passages[:min(len(p.passages), pastPassages)] {
			b.WriteString("\n  - " + clip(x, 240))
		}
		b.WriteByte('\n')
	}
	if more > 0 {
		fmt.Fprintf(&b, "\n… and %d more.", more)
	}
	s.foundf("%s, newest first:\n\n%s", upper(counted(len(list), "earlier conversation")), strings.TrimSpace(b.String()))
	return true, nil
}

// momentWords is a moment as the user reads it: "yesterday, 20:15".
func (s *script) momentWords(t time.Time) string {
	if t.IsZero() {
		return "at an unknown time"
	}
	return s.dayWords(day(t)) + ", " + t.Format("15:04")
}

// pastAbout are the conversations that hold a topic: all its words as they are, else what they
// begin with.
func (s *script) pastAbout(c grammar.Command) ([]pastOne, error) {
	words := retrieval.ContentWords(c.Topic)
	stems := make([]string, len(words))
	for i, w := range words {
		stems[i] = searched(w)
	}
	for _, query := range slices.Compact([]string{strings.Join(words, " "), strings.Join(stems, " ")}) {
		a := args{"query": query}
		if c.Limit > 0 {
			a["list_recent"] = c.Limit
		}
		r, err := s.pastCall(a)
		if err != nil {
			return nil, err
		}
		if r.failed {
			s.refused("I could not search the earlier conversations", r)
			return nil, nil
		}
		list := s.pastOnes(r.result)
		if !c.When.IsZero() {
			list = slices.DeleteFunc(list, func(p pastOne) bool { return !c.When.Contains(p.last) })
		}
		if len(list) > 0 {
			return list, nil
		}
	}
	return nil, nil
}

// pastIn are the conversations that ended in a time, or the last ones.
func (s *script) pastIn(c grammar.Command) ([]pastOne, error) {
	want := c.Limit
	if want == 0 {
		want = maxPastListed
	}
	if !c.When.IsZero() {
		want = listedAtOnce
	}
	var out []pastOne
	for offset, page := 0, 0; page < maxPages; page++ {
		a := args{"list_recent": want}
		if offset > 0 {
			a["offset"] = offset
		}
		r, err := s.pastCall(a)
		if err != nil {
			return nil, err
		}
		if r.failed {
			s.refused("I could not list the earlier conversations", r)
			return nil, nil
		}
		list := s.pastOnes(r.result)
		if c.When.IsZero() {
			return list, nil
		}
		for _, p := range list {
			if c.When.Contains(p.last) && (c.Limit == 0 || len(out) < c.Limit) {
				out = append(out, p)
			}
		}
		next := nextOffsetRE().FindStringSubmatch(r.result)
		if next == nil || len(list) == 0 || list[len(list)-1].last.Before(c.When.From) {
			break
		}
		offset = numberIn(next[1])
	}
	return out, nil
}

// tellPast tells of one conversation what was asked in it and what was answered.
func (s *script) tellPast(p pastOne, c grammar.Command) error {
	var text strings.Builder
	var cut bool
	for offset, page := 0, 0; ; page++ {
		a := args{"conversation_id": p.id}
		if offset > 0 {
			a["offset"] = offset
		}
		r, err := s.pastCall(a)
		if err != nil {
			return err
		}
		if r.failed {
			s.refused("I could not look into the conversation “"+p.name+"”", r)
			return nil
		}
		text.WriteString(r.result + "\n")
		next := nextOffsetRE().FindStringSubmatch(r.result)
		if cut = next != nil && page+1 == maxPages; next == nil || cut {
			break
		}
		offset = numberIn(next[1])
	}
	var lines []string
	for _, x := range pastExchanges(text.String()) {
		lines = append(lines, x.line())
	}
	head := fmt.Sprintf("**%s** (%s)", p.name, s.momentWords(p.last))
	switch {
	case c.Limit == 1:
		head = "Last time: " + head
	case c.Topic != "":
		head = "We talked about that in " + head
	}
	if p.summary != "" {
		head += "\n\n" + p.summary
	}
	if cut {
		lines = append(lines, "- (It goes on; what follows is left out.)")
	}
	s.foundf("%s\n\n%s", head, strings.Join(lastOf(lines, maxPastTold), "\n"))
	return nil
}

// pastOne is a conversation as get_conversation lists it.
type pastOne struct {
	id, name, summary string
	last              time.Time
	passages          []string // that hold what was searched for
}

var (
	pastHeadRE   = lazyregexp.New(`^\[([^\]\s]+)\] (.*) \((\w{3} \d{1,2}, \d{4} \d{1,2}:\d\d [AP]M|unknown), \d+ turns?\)$`)
	passageRE    = lazyregexp.New(`^(?:User|Agent|Tool): `)
	nextOffsetRE = lazyregexp.New(`continue with offset=(\d+)\]\s*$`)
)

// pastOnes reads a list of conversations.
func (s *script) pastOnes(result string) []pastOne {
	var out []pastOne
	for line := range strings.SplitSeq(result, "\n") {
		if m := pastHeadRE().FindStringSubmatch(line); m != nil {
			last, _ := time.ParseInLocation("Jan 2, 2006 3:04 PM", m[3], s.now.Location())
			out = append(out, pastOne{id: m[1], name: plainWords(m[2]), last: last})
			continue
		}
		text, ok := strings.CutPrefix(line, "  ")
		switch {
		case !ok || len(out) == 0:
		case passageRE().MatchString(text):
			p := &out[len(out)-1]
			p.passages = append(p.passages, plainWords(text))
		default:
			out[len(out)-1].summary = plainWords(text)
		}
	}
	return out
}

var pastEntryRE = lazyregexp.New(`^(User) \([^()]*\): ?(.*)$|^(Agent asked|Agent): ?(.*)$|^(Tool) (.*)$|^(\[This request failed: .*\])$`)

// pastExchanges reads a conversation as get_conversation shows it. What is said in it is
// indented from the second line on, so that none of it passes for another entry.
func pastExchanges(text string) []exchange {
	var out []exchange
	var into *string
	at := func() *exchange {
		if len(out) == 0 {
			out = append(out, exchange{})
		}
		return &out[len(out)-1]
	}
	for line := range strings.SplitSeq(text, "\n") {
		if rest, ok := strings.CutPrefix(line, "  "); ok {
			if into != nil {
				*into += "\n" + rest
			}
			continue
		}
		m := pastEntryRE().FindStringSubmatch(line)
		if m == nil {
			if line != "" {
				into = nil
			}
			continue
		}
		into = nil
		switch {
		case m[1] != "":
			out = append(out, exchange{asked: m[2]})
			into = &at().asked
		case m[3] != "":
			x := at()
			x.replied, x.question = m[4], m[3] == "Agent asked"
			into = &x.replied
		case m[5] != "":
			x := at()
			tool, _, _ := strings.Cut(m[6], " ")
			tool = strings.TrimSuffix(tool, ":")
			if strings.Contains(m[6], ": failed") {
				x.failures = append(x.failures, failure{tool: tool})
			} else if changesVault(tool) && !dailyLookedRE().MatchString(m[6]) {
				x.done = append(x.done, m[6])
			}
		default:
			at().replied = m[7]
		}
	}
	return out
}

// numberIn is a number in digits; what is none is 0.
func numberIn(digits string) int {
	n, _ := strconv.Atoi(digits)
	return n
}
