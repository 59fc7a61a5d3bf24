package grammar

import (
	"strings"
	"time"
)

// A message may come with text it speaks of: "add these to Home", an empty line, and the text
// (a terminal appends what is piped in so). The text is taken as it is, whatever it says.

var (
	// deictic are the words that stand for the text a message comes with.
	deictic = pattern(`^(?:all\s+(?:of\s+)?)?(?:this|these|that|those|it|them|(?:the|this|these|that|those)\s+(?:following|piped|given|new)?\s*(text|lines?|output|content|contents|input|list|items?|notes?|tasks?|to-?dos?|commits?|log|entries|points?|data|results?|paragraphs?|message|file|stuff|things?|rest|bullets?|words?)|the following|following|below|what follows|everything below)$`)
	// openSlot is a request whose text is left out: "append to Home".
	openSlot = pattern(`^((?:please\s+)?(?:add|append|insert|prepend|write|put|log))\s+((?:to|into|in|under|at the (?:end|top|bottom|start|beginning) of)\s+.+)$`)
	// saveAs names a new note for the text: "save this as Commits".
	saveAs = pattern(`^(?:please\s+)?(?:save|store|keep|file|write|put|turn|make)\s+(.+?)\s+(?:as|into|in|to)\s+((?:(?:an?|the)\s+)?(?:new\s+)?<NOTE>(?:\s+(?:called|named|titled))?(?:\s+.+)?)$`)
	saveIs = pattern(`^(?:please\s+)?(?:save|store|keep|file)\s+(.+?)\s+as\s+(.+)$`)
	// savedName is the name in "a new note called …".
	savedName = pattern(`^(?:(?:an?|the)\s+)?(?:new\s+)?<NOTE>(?:\s+(?:called|named|titled))?(.*)$`)
	asks      = pattern(`^(?:what|who|when|where|why|how|which|is|are|do|does|did|can)\b|\?$`)
)

// isDeictic says whether words stand for a text given elsewhere.
func isDeictic(s string) bool { return deictic().MatchString(trimEnd(s)) }

// given understands a request that comes with the text it speaks of. It is false where the
// message is not of that kind.
func given(text string, now time.Time) ([]Command, bool) {
	head, tail, ok := strings.Cut(text, "\n\n")
	if h, t, cut := strings.Cut(text, ":\n"); cut && len(h) < len(head) {
		head, tail, ok = h, t, true
	}
	tail = strings.Trim(tail, "\n")
	if !ok || strings.Contains(head, "\n") || len(head) > maxCommandText || strings.TrimSpace(tail) == "" {
		return nil, false
	}
	head = strings.TrimRight(head, " :.")
	plain := politeEnd().ReplaceAllString(politeAsk().ReplaceAllString(politeStart().ReplaceAllString(head, ""), ""), "")
	if c, ok := savedAs(plain); ok {
		c.Text, c.Body, c.Form = head, tail, Plain
		return []Command{c}, true
	}
	if m := submatches(plain, openSlot); m != nil {
		plain = m[1] + " this " + m[2]
	}
	commands := parse(plain, now)
	for i := range commands {
		c := &commands[i]
		switch {
		case c.Kind == Unclear && c.Topic == noText && len(c.Others) == 1:
			*c = c.Others[0]
			c.fill(tail)
		case c.Kind == Create && (c.Body == "" || isDeictic(c.Body)):
			if c.Body != "" && isDeictic(c.Title) {
				c.Title = ""
			}
			c.fill(tail)
		case c.Kind == Summarise && (c.Note == It || isDeictic(c.Note)), c.Kind == Question && mentionsText().MatchString(plain):
			*c = Command{Kind: Summarise, Text: head, Body: tail}
		case c.Kind == Question && asks().MatchString(head) && len(commands) == 1:
			c.Text = head
		default:
			continue
		}
		return commands, true
	}
	return nil, false
}

// savedAs understands "save this as a note called …".
func savedAs(plain string) (Command, bool) {
	for _, re := range []expression{saveAs, saveIs} {
		m := submatches(plain, re)
		if m == nil || !isDeictic(m[1]) {
			continue
		}
		name := m[2]
		if n := submatches(name, savedName); n != nil {
			name = n[1]
		}
		return newNote(" "+strings.TrimSpace(name), "", true), true
	}
	return Command{}, false
}

// mentionsText recognises a question about the text itself: "what is this about?"
var mentionsText = pattern(`^(?:what(?:'s|’s| is| are| does)|explain|tell me about)\s+(?:this|these|that|it|the (?:following|text))\b`)

// fill gives a command its text, and its others too.
func (c *Command) fill(text string) {
	if c.Form == Plain {
		if m := deictic().FindStringSubmatch(trimEnd(c.Body)); m != nil {
			if form := formOf(m[1]); form != Items { // "this list" may be any text
				c.Form = form
			}
		}
	}
	c.Body, c.Whole = text, ""
	for i := range c.Others {
		c.Others[i].fill(text)
	}
}

// quotedBody recognises "add “it” to …", which gives its text.
var quotedBody = pattern(`^\w+(?:\s+down)?\s+\x00|\bwith\s+\x00`)

// noText is the Topic of an Unclear command that speaks of text it does not come with.
const noText = "text"

// withoutText is a command whose text is only pointed at, which only a message that comes with
// the text can mean; Others holds it.
func withoutText(c Command, s string) Command {
	if quotedBody().MatchString(mask(s)) {
		return c
	}
	if c.Kind == Add && isDeictic(c.Body) || c.Kind == Create && c.Title != "" && isDeictic(c.Body) {
		return Command{Kind: Unclear, Topic: noText, Text: c.Text, Others: []Command{c}}
	}
	return c
}
