package grammar

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"chatvault/agent/llm/offline/retrieval"
)

// maxText bounds the text that is parsed; what is longer is written, not asked.
const maxText = 64 << 10

// firstBullet is the mark of a list item that a message begins with.
var firstBullet = pattern(`^(?:[-*]|\d+[.)])\s+`)

// maxClauses bounds the commands of one message.
const maxClauses = 24

// Parse splits a message into the commands it holds, in order; there is at least one.
// now is what "yesterday" is relative to.
func Parse(text string, now time.Time) []Command {
	text = strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n"))
	if out, ok := given(text, now); ok {
		return out
	}
	return parse(text, now)
}

func parse(text string, now time.Time) []Command {
	if len(text) > maxText {
		text = strings.ToValidUTF8(text[:maxText], "")
	}
	if text == "" {
		return []Command{{Kind: Help}}
	}
	text = spellOut(text)
	var out []Command
	text = strings.TrimSpace(firstBullet().ReplaceAllString(text, ""))
	for rest := text; rest != "" && len(out) < maxClauses; {
		c, next := first(rest, now)
		if parts := shared(c.Text, now); parts != nil {
			out = append(out, parts...)
		} else {
			out = append(out, c)
		}
		rest = next
	}
	return mergeTalk(out)
}

var (
	// "create a folder X and in it a note Y": what is made second has no verb of its own.
	thenInIt = pattern(`(?:,|,?\s+(?:and(?:\s+then)?|then|with))\s+(?:also\s+)?((?:in|inside|under|into)\s+(?:it|there|that folder|the folder|the new folder)),?\s+((?:an?|another|the)\s+(?:new\s+|empty\s+)*(?:<NOTE>|<FOLDER>)\b)`)
	// "create a folder X with a note Y in it"
	withInIt = pattern(`^(.*\b<FOLDER>\b[^,\n]*?),?\s+(?:with|and|containing|holding)\s+((?:an?|another)\s+(?:new\s+|empty\s+)*<NOTE>\b.*?)\s+(?:in(?:side)?|within)\s+(?:it|there)\b(.*)$`)
	// "create a note A with x and a note B with y"
	andAnother = pattern(`,?\s+and\s+((?:an?|another)\s+(?:new\s+)?(?:<NOTE>|<FOLDER>)\s+(?:called\s|named\s|titled\s|\x00))`)
	// "create a note A in X and then a note B in Y"; without the "then" only where A has no text yet
	thenAnother = pattern(`(?:,?\s+and\s+then|,\s+then|\s+then)\s+(?:also\s+)?((?:an?|another)\s+(?:new\s+)?(?:<NOTE>|<FOLDER>)\s+\S)`)
	plusAnother = pattern(`(?:,\s+|,?\s+and\s+)((?:an?|another)\s+(?:new\s+)?(?:<NOTE>|<FOLDER>)\s+\S)`)
	makes       = pattern(`^(?:\W*\w+\W+){0,5}?(?:create|make|add|set up|start|new)\b`)
)

// spellOut puts in the verb that a sentence leaves out the second time.
func spellOut(text string) string {
	if len(text) > maxCommandText || !makes().MatchString(text) {
		return text
	}
	if m := submatches(text, withInIt); m != nil {
		return m[1] + ", then in it create " + m[2] + m[3]
	}
	if at := thenInIt().FindStringSubmatchIndex(mask(text)); at != nil {
		return text[:at[0]] + ", then " + text[at[2]:at[3]] + " create " + text[at[4]:]
	}
	another := []expression{andAnother, thenAnother, plusAnother}
	for i, re := range another {
		plus := i == len(another)-1
		for range maxClauses {
			at := re().FindStringSubmatchIndex(mask(text))
			if at == nil || plus && bodyOrWith().MatchString(mask(text[:at[0]])) {
				break
			}
			text = text[:at[0]] + ", then create " + text[at[2]:]
		}
	}
	return text
}

var bodyOrWith = pattern(`\b(?:with|containing|saying|including|listing|says|reads|that)\b|:`)

// mergeTalk drops greetings and thanks that come with something to do.
func mergeTalk(in []Command) []Command {
	out := slices.DeleteFunc(slices.Clone(in), Command.courteous)
	if len(out) == 0 {
		return in[:1]
	}
	return out
}

// courteous says whether a command is a greeting, thanks or a farewell.
func (c Command) courteous() bool { return c.Kind == Greet || c.Kind == Thanks || c.Kind == Goodbye }

// boundary is where one command may end and the next begin: a connecting word or mark,
// before a verb.
var boundary = pattern(`(\s*\n+\s*(?:[-*]\s+|\d+[.)]\s+)?|\s*[,;.!?]\s+|\s+)` +
	`((?:(?:and|then|also|next|finally|afterwards|after that|after which|lastly|please|plus)[,:]?\s+)*)` +
	`((?:in|to|inside|into|under)\s+(?:it|there|that note|the same note|that folder|this folder|the folder|the new folder),?\s+)?([a-z]+)\b`)

var explicit = pattern(`then|after|finally|lastly|also|next|plus`)

// Where a message is looked at for a further command: at its beginning (what comes later is
// text that is being given), and at so many places at most.
const (
	maxCommandText = 4 << 10
	maxBoundaries  = 64
)

// cut is a place where a command may end and another begin.
type cut struct {
	left, right string
	strong      bool // a word such as "then" or a line end says so
	asked       bool // a question ends here
	line        bool // nothing but a line end says so
}

// cuts are the places of a message where another command may begin, in order.
func cuts(text string) []cut {
	var out []cut
	masked := mask(text)
	for at := 0; at < min(len(text), maxCommandText) && len(out) < maxBoundaries; {
		m := boundary().FindStringSubmatchIndex(masked[at:])
		if m == nil {
			break
		}
		start, rightAt := at+m[0], at+m[8]
		verb := strings.ToLower(text[at+m[8] : at+m[9]])
		if m[6] >= 0 {
			rightAt = at + m[6]
		}
		connector, glue := text[at+m[2]:at+m[3]], text[at+m[4]:at+m[5]]
		at = max(at+m[3], at+1) // look on after the mark, so that no verb is stepped over
		newLine := strings.Contains(connector, "\n")
		left := text[:start]
		if strings.Contains(connector, "?") {
			left += "?"
		}
		asked := strings.HasSuffix(left, "?")
		joined := strings.TrimSpace(connector) != "" || glue != "" || newLine
		then := explicit().MatchString(glue)
		begins := verbs()[verb] || asked && askWords()[verb] || then && orderVerbs()[verb]
		if start == 0 || !joined || !begins {
			continue
		}
		c := cut{left: left, right: text[rightAt:], asked: asked, line: newLine && glue == ""}
		c.strong = then || newLine && !strings.HasSuffix(strings.TrimSpace(c.left), ":")
		out = append(out, c)
	}
	return out
}

// first takes the first command off a message and returns what is left.
func first(text string, now time.Time) (Command, string) {
	for _, at := range cuts(text) {
		c := clause(at.left, now)
		if !stands(c, at.left) && !c.courteous() {
			continue
		}
		if at.asked {
			if asksOn(c, at.right, now) {
				return c, at.right
			}
			continue
		}
		if c.Body != "" && opensBody().MatchString(at.left) && !at.strong {
			continue // text after a colon runs on until a "then"
		}
		if r := clause(at.right, now); !stands(r, at.right) {
			if probe, _ := first(at.right, now); at.strong && !at.line && probe.Kind == Unclear {
				return c, at.right
			} else if probe.Kind == Question || !complete(probe) {
				continue
			}
		}
		if line, _, _ := strings.Cut(at.right, "\n"); c.Kind == Create && at.line && !goesOnFrom(c, line, now) {
			c.Body = strings.TrimSpace(c.Body + "\n" + strings.TrimSpace(strings.TrimPrefix(text, at.left)))
			return c, ""
		}
		return c, at.right
	}
	return clause(text, now), ""
}

// goesOnFrom says whether a line after the making of a note is a request of its own, and no text of
// that note: it makes something else, or does something with the note.
func goesOnFrom(made Command, line string, now time.Time) bool {
	c := clause(line, now)
	return c.Kind == Create || c.Kind == MakeFolder || c.Note == It || made.Title != "" && strings.Contains(strings.ToLower(line), strings.ToLower(made.Title))
}

// askWords begin questions, beside verbs.
var askWords = retrieval.WordSet(`what who whom whose when where why how which is are was were do does did has have can tell`)

// refersBack are the words by which a question leans on the one before it.
var refersBack = pattern(`\b(?:it|its|that|this|these|those|they|them|their|he|she|him|her|his|hers|there|then|same|ones?|both|else|so)\b`)

// asksOn says whether after a question c another one of its own follows, or a command.
func asksOn(c Command, right string, now time.Time) bool {
	switch c.Kind {
	case Question, Show, List, Count, Tags, Recent, Tasks, Summarise, Find, Links, Outline, Info:
	default:
		return false // the question mark stands in a text to be written
	}
	next, _, _ := strings.Cut(right, "?")
	r := clause(next, now)
	if r.Kind != Question {
		return stands(r, next)
	}
	word, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(next)), " ")
	return askWords()[word] && !refersBack().MatchString(next) && len(retrieval.ContentWords(next)) > 0
}

// stands says whether a clause is a command, or a question that says so, of its own.
func stands(c Command, text string) bool {
	if c.Kind == Question {
		return strings.Contains(text, "?")
	}
	return complete(c)
}

// opensBody says whether a clause gives its text after a colon or a line end.
var opensBody = pattern(`:\s|\n`)

// verbs begin commands.
var verbs = retrieval.WordSet(`create make start draft new add append put insert prepend write jot note log move shift rename retitle
	delete remove trash erase discard archive replace change swap substitute correct open show read display view
	list summarise summarize tick check mark complete find search tell give what which end`)

var (
	politeStart = pattern(`^(?:(?:please|pls|plz|hey|hi|hello|ok|okay|so|now|and|then|also|well|kindly|right|great|alright|just|thanks|thank you|yes|cool|perfect)\b[,!.]*\s+)+`)
	politeAsk   = pattern(`^(?:(?:can|could|would|will) (?:you|u)(?:\s+(?:please|kindly|just|maybe))*(?:\s+help me(?:\s+to)?)?\s+|i(?:'d|’d| would) (?:like|love) (?:you )?to\s+|i want (?:you )?to\s+|let(?:'|’)?s\s+|let us\s+|go ahead and\s+|help me (?:to )?|would you mind\s+|i(?:'d|’d| would) like (?:you to )?)`)
	politeEnd   = pattern(`[,.]?\s+(?:please|pls|thanks|thank you|thx|for me|if you can|would you)\s*[.!?]*$`)
	leadIn      = pattern(`^(in|inside|under|to|into|on|within|from)\s+(.+?),?\s+((?:please\s+)?(?:create|make|add|append|put|insert|write|replace|change|swap|substitute|correct|remove|delete|tick|check|mark|start|jot)\s+.+)$`)
)

// firstOfAll begins the first of several requests.
var firstOfAll = pattern(`^(?:first(?:ly)?(?: of all)?|to begin(?: with)?|to start with|step \d+)[,:]?\s+(?:please\s+)?([a-z]+)(\s.*)$`)

// Bare is a request without the words that only make it polite, and without the announcement of
// another topic; the text itself where nothing else would be left.
func Bare(text string) string {
	s := strings.TrimSpace(text)
	if m := firstOfAll().FindStringSubmatch(s); m != nil && verbs()[strings.ToLower(m[1])] {
		s = s[len(s)-len(m[1]+m[2]):]
	}
	for range 3 {
		t := politeEnd().ReplaceAllString(politeAsk().ReplaceAllString(politeStart().ReplaceAllString(newTopic().ReplaceAllString(s, ""), ""), ""), "")
		if t = strings.TrimSpace(t); t == "" || t == s {
			break
		}
		s = t
	}
	return s
}

// clause understands one command.
func clause(text string, now time.Time) Command {
	raw := strings.TrimSpace(text)
	s := Bare(raw)
	c, phrase := phraseOf(raw, s)
	if !phrase && !slices.ContainsFunc(readers, func(read reader) (ok bool) { c, ok = read(s, now); return ok }) {
		if orders(s) {
			return Command{Kind: Unclear, Text: raw}
		}
		return question(raw, s, now)
	}
	c.Text = raw
	for i := range c.Others {
		c.Others[i].Text = raw
	}
	if c = withoutText(c, s); c.Kind == Unclear {
		return c
	}
	if doubtful(c, s) || !c.Changes() && c.Kind != Tasks && !phrase && looksAndChanges(s) {
		return Command{Kind: Unclear, Text: raw}
	}
	c.Unsure = c.Changes() && (unsure(c, s) || strings.HasSuffix(raw, "?") && c.Body == "" && !politeAsk().MatchString(politeStart().ReplaceAllString(raw, "")))
	return c
}

// leadInOf handles "in NOTE, add …" by saying it the other way round.
func leadInOf(s string, now time.Time) (Command, bool) {
	m := submatches(s, leadIn)
	if m == nil {
		return Command{}, false
	}
	place, rest := strings.TrimSpace(m[2]), strings.TrimSpace(m[3])
	sure := saysFolder().MatchString(place)
	for _, read := range []reader{makeFolderOf, createOf, replaceOf, removeOf, tickOf} {
		c, ok := read(rest, now)
		switch {
		case !ok:
			continue
		case c.Kind == Create && c.Folder == "":
			c.Folder, c.Sure, c.Whole = folderName(place), true, ""
		case c.Kind == MakeFolder:
			c.Folder = folderName(place) + "/" + c.Folder
		case c.Note == "" || c.Note == It:
			c.Note, c.Sure = NoteName(place), !sure
		}
		return c, true
	}
	m2 := submatches(rest, addStart)
	if m2 == nil {
		return Command{}, false
	}
	c := Command{Kind: Add}
	body := m2[1]
	if h := submatches(body, underEnd); h != nil {
		body, c.Heading = h[1], literal(h[2])
	}
	c.setBody(body)
	if h := submatches(place, headingOfNote); h != nil {
		c.Heading, place = headingName(h[1]), h[2]
	}
	c.Note = NoteName(place)
	return c, c.Body != "" && c.Note != ""
}

var questionStart = pattern(`^(?:(?:do|did) (?:i|we) (?:have|know|say|write|note)\s+(?:anything|something|any notes?|notes?)\s+(?:about|on|regarding)\s+|(?:what|anything) do (?:i|we|my notes|you) (?:know|have|say|think|note)(?: written)?\s+(?:about|on|regarding|of)\s+|(?:tell|remind) me (?:what (?:i|we) (?:know|wrote|said) )?(?:about|of|on)\s+|(?:search|look)\s+(?:my notes |in my notes |the vault |my vault )?for\s+|(?:find|show|get|give)\s+(?:me\s+)?(?:my\s+|all\s+|all my\s+|the\s+|everything |anything |something |some )?(?:<NOTE>\s+)?(?:about|on|regarding|related to|concerning)\s+|(?:what|which) (?:notes?|files?) (?:do i have |are |is |mentions? |talks? )?(?:about|on)\s+|notes? (?:about|on)\s+|everything (?:i know )?(?:about|on)\s+|info(?:rmation)? (?:about|on)\s+|what have i (?:written|noted|got) (?:about|on)\s+|i(?:'m| am) looking for\s+)`)

// question is what everything is that is no command.
func question(raw, s string, now time.Time) Command {
	c := Command{Kind: Question, Text: raw}
	topic := questionStart().ReplaceAllString(s, "")
	if topic != s {
		c.Sure = true // a topic was asked for in so many words: all about it
	}
	topic = cmp.Or(trimEnd(topic), trimEnd(raw))
	if c.When, c.Topic = FindTime(topic, now, true); c.When.IsZero() {
		c.Topic = topic
	} else if len(retrieval.ContentWords(c.Topic)) == 0 {
		c.Topic = "" // only a time: "what happened last week?"
	}
	return c
}

// One verb may serve several requests: "move A to B and C to D". Such a clause is read as what it
// says at length, where each part of it is a request of its own then.

var (
	listMark   = pattern(`\s*,\s*(?:and\s+(?:then\s+)?)?|\s*;\s*|\s+and\s+(?:then\s+)?`)
	movesVerb  = pattern(`^(move|shift|relocate|transfer|drag|rename|retitle)\s+(.+)$`)
	movesTo    = pattern(`\s(?:to|into|under|inside|->|→)\s`)
	swaps      = pattern(`^(replace|substitute|swap|change)\s+(\x00+\s+(?:with|by|for|to)\s+\x00+(?:\s*(?:,|,?\s+and)\s+(?:also\s+)?\x00+\s+(?:with|by|for|to)\s+\x00+)+)(\s+(?:everywhere|(?:in|inside|within|of|throughout)\s.+))?$`)
	addsAgain  = pattern(`\s*(?:,|,?\s+and)\s+(?:also\s+)?(\x00+\s+(?:to|into|in|on|under|below)\s)`)
	addsVerb   = pattern(`^(add|append|insert|put|write|prepend)\s`)
	takesAgain = pattern(`^(remove|delete|erase|strike)\s+(\x00+(?:\s*(?:,|,?\s+and)\s+\x00+)+)(\s+(?:from|out of)\s.+)$`)
	makesList  = pattern(`^(?:create|make|add|start|new|set up)\s+(?:me\s+)?(?:(?:the|some|two|three|four|five|six|several|\d+)\s+)?(?:new\s+|empty\s+)*(notes|files|pages|folders|directories)\s*(?::|called|named|titled)?\s+(.+?)(\s+(?:in|inside|under|within)\s+[^,]+)?$`)
	ofTopic    = pattern(`^(?:about|on|for|from|of|with|to|that|in)\b|\b(?:with|containing|saying)\b|:`)
)

// shared are the clauses that a clause with one verb for several requests stands for, as commands;
// nil where it is not of that kind.
func shared(raw string, now time.Time) []Command {
	s := Bare(raw)
	if len(s) > maxCommandText || strings.Contains(s, "\n") {
		return nil
	}
	place := ""
	if m := submatches(s, leadIn); m != nil {
		place, s = s[:len(s)-len(m[3])], m[3]
	}
	parts := sharedParts(trimEnd(s))
	if len(parts) < 2 || len(parts) > maxClauses {
		return nil
	}
	var out []Command
	for _, p := range parts {
		c := clause(place+p, now)
		if !c.Changes() || !complete(c) {
			return nil
		}
		out = append(out, c)
	}
	return out
}

// sharedParts spells out the parts of a clause, each with the verb.
func sharedParts(s string) []string {
	var out []string
	if m := submatches(s, movesVerb); m != nil {
		names := ""
		for _, p := range listed(m[2]) {
			if names += p; !movesTo().MatchString(mask(p)) {
				names += " and " // several that go to the same place
				continue
			}
			out = append(out, m[1]+" "+names)
			names = ""
		}
		if names != "" {
			return nil
		}
		return out
	}
	if m := submatches(s, swaps, takesAgain); m != nil {
		for _, p := range listed(m[2]) {
			out = append(out, m[1]+" "+strings.TrimPrefix(p, "also ")+m[3])
		}
		return out
	}
	if m := submatches(s, makesList); m != nil && !ofTopic().MatchString(mask(m[2])) {
		what := " a note called "
		if strings.HasPrefix(strings.ToLower(m[1]), "folder") || strings.HasPrefix(strings.ToLower(m[1]), "dir") {
			what = " a folder called "
		}
		for _, p := range listed(m[2]) {
			out = append(out, "create"+what+p+m[3])
		}
		return out
	}
	verb := addsVerb().FindStringSubmatch(s)
	if verb == nil {
		return nil
	}
	from := 0
	for _, at := range addsAgain().FindAllStringSubmatchIndex(mask(s), maxClauses) {
		out = append(out, s[from:at[0]])
		from = at[2]
	}
	out = append(out, s[from:])
	for i := range out[1:] {
		out[i+1] = verb[1] + " " + out[i+1]
	}
	return out
}

// listed cuts an enumeration at its commas and its "and".
func listed(s string) []string {
	var out []string
	from := 0
	for _, at := range listMark().FindAllStringSubmatchIndex(mask(s), -1) {
		out = append(out, s[from:at[0]])
		from = at[1]
	}
	return append(out, s[from:])
}
