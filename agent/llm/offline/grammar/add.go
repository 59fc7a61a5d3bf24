package grammar

import (
	"strings"
	"time"
)

var (
	addStart      = pattern(`^(?:add|append|insert|prepend|put|write|jot(?:\s+down)?|note(?:\s+down)?|log|record|include|stick|save|enter)\s+(.+)$`)
	addThereRE    = pattern(`^(?:add|append|write|put|insert|prepend|jot down|note)\s+(?:this\s+|the following\s+|something\s+|some text\s+)?(?:to|in|into|on|under|at the (?:end|bottom|top|start|beginning) of)\s+([^:\n]+?)\s*(?::|\n)\s*(.+)$`)
	addTargetRE   = pattern(`\s(?:to|into|onto|in|on)\s+\S`)
	addTo         = pattern(`\s+(at the (?:end|bottom|top|start|beginning) of|to the (?:end|bottom|top|start|beginning) of|to|into|onto|in|on|under|below|beneath)\s+`)
	underEnd      = pattern(`^(.+?),?\s+(?:under|below|beneath)\s+(?:the\s+)?(?:heading\s+|section\s+|header\s+)?(.+?)(?:\s+(?:heading|section|header))?$`)
	headingOfNote = pattern(`^(?:the\s+)?(?:heading\s+|section\s+|header\s+)?(.+?)(?:\s+(?:heading|section|header))?\s+(?:of|in|from)\s+(.+)$`)
	noteUnder     = pattern(`^(.+?),?\s+(?:under|below|beneath|in the section|in section)\s+(?:the\s+)?(?:heading\s+|section\s+|header\s+)?(.+?)(?:\s+(?:heading|section|header))?$`)
	sectionWord   = pattern(`\b(?:heading|section|header)\b`)
	formRE        = pattern(`^(?:(?:a|an|the|another|one more|some)\s+)?(?:new\s+|open\s+)*(task|to-?do(?: item)?|to do|action item|checkbox|reminder|bullet(?: point)?|list item|item|line|paragraph|sentence|entry|text|note|words?|heading|section|header|subheading)s?\b(?:\s+(?:saying|that says|that reads|called|named|titled|reading|to|for|about))?\s*:?\s+(.+)$`)
)

func headingName(s string) string {
	s = trimEnd(s)
	if q, ok := quoted(s); ok {
		return q
	}
	s = pattern(`^(?:the\s+)?(?:heading\s+|section\s+|header\s+)?`).ReplaceAllString(s, "")
	s = pattern(`\s+(?:heading|section|header)$`).ReplaceAllString(s, "")
	s, _ = quoted(s)
	return strings.TrimLeft(s, "# ")
}

// setBody reads the text to be written and the form it was asked for in: "a task to …".
func (c *Command) setBody(s string) {
	s = strings.TrimSpace(s)
	if _, ok := quoted(s); !ok {
		if m := submatches(formRE, s); m != nil {
			switch word := strings.ToLower(m[1]); {
			case strings.HasPrefix(word, "task"), strings.HasPrefix(word, "to"), word == "action item", word == "checkbox", word == "reminder":
				c.Form, s = Task, m[2]
			case strings.HasPrefix(word, "bullet"), word == "list item", word == "item":
				c.Form, s = Bullet, m[2]
			case strings.HasSuffix(word, "heading"), word == "section", word == "header":
				c.Form, s = Section, m[2]
			default:
				s = m[2]
			}
		}
	}
	c.Body = literal(strings.TrimRight(s, " \t,"))
}

// addOf reads "add BODY to NOTE (under HEADING)". Where several words could be the one
// before the note's name, the last reading comes first and the others stand in Others.
func addOf(s string, _ time.Time) (Command, bool) {
	if m := submatches(addThereRE, s); m != nil {
		c := Command{Kind: Add, Top: atTop(s[:len(s)-len(m[2])]) || isPrepend(s)}
		c.target(m[1])
		if c.Note != "" {
			c.setBody(m[2])
			return c, c.Body != ""
		}
	}
	m := submatches(addStart, s)
	if m == nil {
		return Command{}, false
	}
	rest := m[1]
	// "add to X: body" is taken above; "add X to Y: body" would be odd, so the text ends the clause.
	places := addTo.FindAllStringSubmatchIndex(mask(" "+rest), -1)
	var readings []Command
	for i := len(places) - 1; i >= 0 && len(readings) < 6; i-- {
		at := places[i]
		body, target := (" " + rest)[:at[0]], (" " + rest)[at[1]:]
		preposition := strings.ToLower(strings.TrimSpace((" " + rest)[at[2]:at[3]]))
		c := Command{Kind: Add, Top: isPrepend(s) || strings.Contains(preposition, "top") || strings.Contains(preposition, "start") || strings.Contains(preposition, "beginning")}
		if preposition == "under" || preposition == "below" || preposition == "beneath" {
			h := submatches(headingOfNote, target)
			if h == nil {
				// "add X under H", of the last note; or of the one before: "add X to N under H"
				c.Heading = headingName(target)
				c.Note = It
				if i > 0 {
					continue
				}
			} else {
				c.Heading, c.Note = headingName(h[1]), noteName(h[2])
			}
		} else {
			if strings.Contains(target, "\n") {
				continue
			}
			c.target(target)
		}
		c.setBody(body)
		if c.Body == "" || c.Note == "" {
			continue
		}
		readings = append(readings, c)
	}
	if len(readings) == 0 {
		return Command{}, false
	}
	c := readings[0]
	c.Others = readings[1:]
	return c, true
}

// target reads the place text goes to: "NOTE", "NOTE under HEADING", "the HEADING section of NOTE".
func (c *Command) target(s string) {
	s = strings.Trim(strings.TrimSpace(s), ",")
	if atTop(s) {
		c.Top = true
		s = pattern(`(?:,?\s*(?:at|to|on) the (?:top|start|beginning)(?: of)?\s*)|^(?:the )?(?:top|start|beginning) of\s+`).ReplaceAllString(s, "")
	}
	s = pattern(`(?:,?\s*(?:at|to) the (?:end|bottom)$)|^(?:the )?(?:end|bottom) of\s+`).ReplaceAllString(s, "")
	if m := submatches(noteUnder, s); m != nil {
		c.Note, c.Heading = noteName(m[1]), headingName(m[2])
		return
	}
	if sectionWord.MatchString(mask(s)) {
		if m := submatches(headingOfNote, s); m != nil {
			c.Heading, c.Note = headingName(m[1]), noteName(m[2])
			return
		}
		c.Heading, c.Note = headingName(s), It
		return
	}
	c.Note = noteName(s)
}

var topWords = pattern(`\b(?:at|to|on)\s+the\s+(?:top|start|beginning)\b|^(?:the )?(?:top|start|beginning) of\b`)

func atTop(s string) bool { return topWords.MatchString(mask(s)) }

func isPrepend(s string) bool { return len(s) > 7 && strings.EqualFold(s[:7], "prepend") }
