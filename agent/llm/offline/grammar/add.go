package grammar

import (
	"strings"
	"time"
)

// formWords are the words for a piece of text of some form: "a task", "two bullet points".
const formWords = `(?:(?:a|an|the|another|one more|some|two|three)\s+)?(?:new\s+|open\s+)*(?:tasks?|to-?dos?(?: items?)?|to do|action items?|checkbox(?:es)?|reminders?|bullets?(?: points?)?|list items?|items?|lines?|paragraphs?|sentences?|entry|entries|text|notes?|sections?|headings?)`

var (
	addStart      = pattern(`^(?:add|append|insert|prepend|put|write|jot(?:\s+down)?|note(?:\s+down)?|log|record|include|stick|save|enter)\s+(.+)$`)
	addThereRE    = pattern(`^(?:add|append|write|put|insert|prepend|jot(?: down)?|note(?: down)?|log|record)\s+(?:(this|the following|something|some text|` + formWords + `)\s+)?(to|in|into|on|under|below|at the (?:end|bottom|top|start|beginning) of)\s+([^:\n]+?)\s*(?::|\n)\s*(.+)$`)
	addFormToRE   = pattern(`^(?:add|append|insert|put|write)\s+(` + formWords + `)\s+(?:to|in|into|on)\s+(.+?),?\s+(?:to|saying|that says|that reads|which says|called|named|reading)\s+(.+)$`)
	addThatRE     = pattern(`^(?:write|put|jot(?: down)?|note(?: down)?|log|record|add)\s+(?:to|in|into|on)\s+(.+?)\s+that\s+(.+)$`)
	addHereRE     = pattern(`^(?:add|append|insert|put|write)\s+(.+?)\s+(?:there|here)[.!]*$`)
	toSection     = pattern(`^(.+?)\s+(?:to|into)\s+(?:(?:the|my|its)\s+)?([^,\n]+)$`)
	notWritten    = pattern(`^\s*(?:an?|the)\s+(?:new\s+)?(?:tags?|alias|property|image|picture|attachment)\b`)
	bareForm      = pattern(`^` + formWords + `$`)
	addTargetRE   = pattern(`\s(?:to|into|onto|in|on)\s+\S`)
	addTo         = pattern(`\s+(at the (?:end|bottom|top|start|beginning) of|to the (?:end|bottom|top|start|beginning) of|to|into|onto|in|on|under|below|beneath)\s+`)
	underEnd      = pattern(`^(.+?),?\s+(?:under|below|beneath)\s+(?:the\s+)?(?:heading\s+|section\s+|header\s+)?(.+?)(?:\s+(?:heading|section|header))?$`)
	headingOfNote = pattern(`^(?:the\s+)?(?:heading\s+|section\s+|header\s+)?(.+?)(?:\s+(?:heading|section|header))?\s+(?:of|in|from)\s+(.+)$`)
	noteUnder     = pattern(`^(.+?),?\s+(?:under|below|beneath|in the section|in section)\s+(?:the\s+)?(?:heading\s+|section\s+|header\s+)?(.+?)(?:\s+(?:heading|section|header))?$`)
	noteSection   = pattern(`^(.+?),?\s+in\s+(?:the\s+)?(.+?)\s+(?:heading|section|header)$`)
	sectionFirst  = pattern(`^(?:the\s+)?(?:heading|section|header)\s+(.+?)\s+(?:of|in|from)\s+(.+)$`)
	newHeading    = pattern(`\b(?:an?|the)\s+new\s+(?:heading|section|header)\b`)
	newTarget     = pattern(`^(?:(?:an?|the|my)\s+)?(?:brand[- ])?new\s+<NOTE>\b(?:\s+(?:called|named|titled|entitled))?(.*)$`)
	asFormEnd     = pattern(`^(.+?),?\s+as\s+(?:(?:an?|the)\s+)?(?:new\s+|open\s+)*(tasks?|to-?dos?(?: items?)?|action items?|checkbox(?:es)?|checklist|reminders?|bullets?(?: points?)?|list|list items?|items?)$`)
	toTasksEnd    = pattern(`^(.+?)\s+(?:to|in|on)\s+(?:the|my|its)\s+(?:tasks?|to-?dos?|task list|to-?do list|checklist)$`)
	quotedThen    = pattern(`^(?:` + formWords + `\s+)?\x00+[^\x00]*?\b(?:under|below|beneath|to|into|in|on|at|as|after|before|above|between)\b`)
	sectionWord   = pattern(`\b(?:heading|section|header)\b`)
	formRE        = pattern(`^(?:(?:a|an|the|another|one more|some)\s+)?(?:new\s+|open\s+)*(task|to-?do(?: item)?|to do|action item|checkbox|reminder|bullet(?: point)?|list item|item|line|paragraph|sentence|entry|text|note|words?|heading|section|header|subheading)s?\b(?:\s+(?:saying|that says|that reads|called|named|titled|reading|to|for|about))?\s*:?\s+(.+)$`)
	headingWords  = pattern(`^(?:(?:the|an?)\s+)?(?:new\s+)?(?:(?:heading|section|header)\s+)?(?:(?:called|named|titled)\s+)?`)
	headingEnd    = pattern(`\s+(?:heading|section|header)$`)
	topPart       = pattern(`(?:,?\s*(?:at|to|on) the (?:top|start|beginning)(?: of)?\s*)|^(?:the )?(?:top|start|beginning) of\s+`)
	endPart       = pattern(`(?:,?\s*(?:at|to) the (?:end|bottom)$)|^(?:the )?(?:end|bottom) of\s+`)
)

func headingName(s string) string {
	s = trimEnd(s)
	if q, ok := quoted(s); ok {
		return q
	}
	s = headingWords().ReplaceAllString(s, "")
	s = headingEnd().ReplaceAllString(s, "")
	s, _ = quoted(s)
	return strings.TrimLeft(s, "# ")
}

// formOf is the form that a word for a piece of text asks for.
func formOf(word string) BodyKind {
	switch word = strings.ToLower(word); {
	case strings.HasPrefix(word, "task"), strings.HasPrefix(word, "to"), strings.HasPrefix(word, "action"), strings.HasPrefix(word, "check"), strings.HasPrefix(word, "reminder"):
		return Task
	case strings.HasPrefix(word, "bullet"), strings.HasPrefix(word, "list item"), strings.HasPrefix(word, "item"):
		return Bullet
	case word == "list":
		return Items
	case strings.HasSuffix(word, "heading"), word == "section", word == "header":
		return Section
	}
	return Plain
}

// setBody reads the text to be written and the form it was asked for in: "a task to …".
func (c *Command) setBody(s string) {
	s = strings.TrimSpace(s)
	if m := submatches(s, asFormEnd); m != nil {
		c.Form, s = formOf(m[2]), m[1]
	} else if m := submatches(s, toTasksEnd); m != nil {
		c.Form, s = Task, m[1]
	}
	if _, ok := quoted(s); !ok {
		if m := submatches(s, formRE); m != nil {
			if s = m[2]; formOf(m[1]) != Plain {
				c.Form = formOf(m[1])
			}
		}
	}
	c.write(strings.TrimRight(s, " \t,"))
}

// write takes s for the text to be written: as it is where it was quoted.
func (c *Command) write(s string) {
	c.Body = literal(s)
	c.Verbatim = c.Body != strings.TrimSpace(s)
}

// addOf reads "add BODY to NOTE (under HEADING)". Where several words could be the one
// before the note's name, the last reading comes first and the others stand in Others.
func addOf(s string, _ time.Time) (Command, bool) {
	form := Plain
	if m := submatches(trimEnd(s), asFormEnd); m != nil {
		form, s = formOf(m[2]), m[1]
	}
	readings := addReadings(s)
	if len(readings) == 0 || readings[0].Body == "" || readings[0].Kind == Add && readings[0].Note == "" {
		return Command{}, false
	}
	fresh := newHeading().MatchString(mask(s))
	for i := range readings {
		r := &readings[i]
		r.Fresh = fresh && r.Heading != ""
		if form != Plain && r.Form == Plain {
			r.Form = form
		}
	}
	c := readings[0]
	c.Others = readings[1:]
	return c, true
}

// addReadings are the ways to read "add BODY to NOTE", the likeliest first.
func addReadings(s string) (readings []Command) {
	if m := submatches(s, addThereRE); m != nil {
		c := Command{Kind: Add, Top: atTop(s[:len(s)-len(m[4])]) || isPrepend(s)}
		if p := strings.ToLower(m[2]); p == "under" || p == "below" {
			c, _ = reading("-", p, m[3], false)
		} else {
			c.target(m[3])
		}
		if c.Note != "" {
			body := m[4]
			if m[1] != "" && !strings.HasPrefix(strings.ToLower(m[1]), "this") {
				body = m[1] + ": " + body
			}
			c.setBody(body)
			return []Command{c}
		}
	}
	if m := submatches(s, addThatRE); m != nil {
		c := Command{Kind: Add}
		c.write(m[2])
		c.target(m[1])
		return []Command{c}
	}
	if m := submatches(s, addHereRE); m != nil {
		c := Command{Kind: Add, Note: It}
		c.setBody(m[1])
		return []Command{c}
	}
	m := submatches(s, addStart)
	if m == nil {
		return nil
	}
	rest := " " + m[1]
	places := addTo().FindAllStringSubmatchIndex(mask(rest), -1)
	for i := len(places) - 1; i >= 0 && len(readings) < 6; i-- {
		at := places[i]
		body, target := rest[:at[0]], rest[at[1]:]
		if n := submatches(target, newTarget); n != nil {
			c := newNote(n[1], "", true)
			c.setBody(body)
			return []Command{c}
		}
		preposition := strings.ToLower(strings.TrimSpace(rest[at[2]:at[3]]))
		if c, ok := reading(body, preposition, target, i > 0); ok {
			c.Top = c.Top || isPrepend(s) || atTop(preposition)
			readings = append(readings, c)
		}
	}
	if m := submatches(s, addFormToRE); m != nil { // "add a task to NOTE to BODY"
		c := Command{Kind: Add}
		c.target(m[2])
		c.setBody(m[1] + ": " + m[3])
		readings = append(readings, c)
	}
	return readings
}

// reading is what "add BODY preposition TARGET" means when the place is named by this
// preposition. inner says that another one stands before it.
func reading(body, preposition, target string, inner bool) (Command, bool) {
	c := Command{Kind: Add}
	switch preposition {
	case "under", "below", "beneath":
		switch h := submatches(target, sectionFirst, headingOfNote); {
		case h != nil:
			c.Heading, c.Note = headingName(h[1]), NoteName(h[2])
		case inner: // "add X to N under H" is read by the other preposition
			return c, false
		default:
			c.Heading, c.Note = headingName(target), It
		}
	default:
		if strings.Contains(target, "\n") {
			return c, false
		}
		c.target(target)
		plain := strings.TrimSpace(body)
		h := submatches(plain, underEnd) // "add X under H in N"
		if to := submatches(plain, toSection); h == nil && to != nil && !bareForm().MatchString(to[1]) && submatches(plain, toTasksEnd) == nil {
			h, c.Loose = to, c.Heading == "" // "add X to the H in N"
		}
		if h != nil && c.Heading == "" {
			if _, isQuoted := quoted(h[1]); !isQuoted {
				c.Whole = plain
			}
			body, c.Heading = h[1], headingName(h[2])
		}
	}
	if bareForm().MatchString(strings.TrimSpace(body)) || notWritten().MatchString(body) {
		return c, false // "a task" is what was asked for, not the text of it
	}
	if strayAfterQuote(body) {
		return c, false
	}
	c.setBody(body)
	return c, c.Body != "" && c.Note != ""
}

// strayAfterQuote says whether words that name a place follow quoted text: they are a part
// of the request that was not understood, and no text.
func strayAfterQuote(body string) bool {
	body = strings.TrimSpace(body)
	if _, ok := quoted(body); ok || strings.HasPrefix(body, "[[") || submatches(body, asFormEnd) != nil || submatches(body, toTasksEnd) != nil {
		return false
	}
	return quotedThen().MatchString(mask(body))
}

// target reads the place text goes to: "NOTE", "NOTE under HEADING", "the HEADING section of NOTE".
func (c *Command) target(s string) {
	s = strings.Trim(strings.TrimSpace(s), ",")
	if atTop(s) {
		c.Top = true
		s = topPart().ReplaceAllString(s, "")
	}
	s = endPart().ReplaceAllString(s, "")
	if m := submatches(s, noteUnder, noteSection); m != nil {
		c.Note, c.Heading = NoteName(m[1]), headingName(m[2])
		return
	}
	if sectionWord().MatchString(mask(s)) {
		c.Heading, c.Note = headingName(s), It
		if m := submatches(s, sectionFirst, headingOfNote); m != nil {
			c.Heading, c.Note = headingName(m[1]), NoteName(m[2])
		}
		return
	}
	c.Note = NoteName(s)
}

var topWords = pattern(`\b(?:at|to|on)\s+the\s+(?:top|start|beginning)\b|^(?:the )?(?:top|start|beginning) of\b`)

func atTop(s string) bool { return topWords().MatchString(mask(s)) }

func isPrepend(s string) bool { return len(s) > 7 && strings.EqualFold(s[:7], "prepend") }
