package offline

import (
	"strconv"
	"strings"

	"chatvault/agent/llm/offline/grammar"
	"chatvault/agent/llm/offline/naming"
	"chatvault/agent/llm/offline/retrieval"
	"chatvault/internal/lazyregexp"
)

// spot is where text goes.
type spot struct {
	line       int // after this line
	text       string
	heading    string // the heading it stands under
	newHeading bool
}

// place works out where text is inserted in a note, and in which form.
func place(lines []numbered, total int, rest bool, c grammar.Command) spot {
	text := []byte(joinLines(lines))
	body := strings.TrimRight(c.Body, "\n")
	kinds := retrieval.Lines(text)
	if c.Heading != "" {
		if h, ok := findHeading(kinds, c.Heading); ok {
			sp := sectionSpot(kinds, h, body, c)
			sp.heading = retrieval.PlainText(string(kinds[h].Text))
			return sp
		}
		sp := spot{line: total, text: "\n## " + c.Heading + "\n\n" + formatted(body, c.Form, c.Verbatim), newHeading: true}
		if !rest {
			sp.line = lastFilled(kinds, 0, len(kinds))
		}
		return sp
	}
	if c.Top {
		return topSpot(kinds, formatted(body, c.Form, c.Verbatim))
	}
	if rest {
		return spot{line: total, text: formatted(body, c.Form, c.Verbatim)}
	}
	return sectionSpot(kinds, -1, body, c)
}

// findHeading finds a heading by its name, typing errors forgiven.
func findHeading(kinds []retrieval.Line, name string) (int, bool) {
	q := naming.NewName(name)
	best, at := 0.0, -1
	for i, l := range kinds {
		if l.Kind == retrieval.LineHeading {
			if sc := q.Score(retrieval.PlainText(string(l.Text))); sc > best {
				best, at = sc, i
			}
		}
	}
	return at, best >= 0.7
}

// lastFilled is the number of the last line that is not blank, among those from i to j.
func lastFilled(kinds []retrieval.Line, i, j int) int {
	for k := j - 1; k >= i; k-- {
		if len(strings.TrimSpace(string(kinds[k].Raw))) > 0 {
			return kinds[k].Number
		}
	}
	return i
}

// sectionSpot is the end (or the top) of the section under heading h, -1 for the whole note.
func sectionSpot(kinds []retrieval.Line, h int, body string, c grammar.Command) spot {
	from, to := h+1, len(kinds)
	if h >= 0 {
		for k := from; k < len(kinds); k++ {
			if kinds[k].Kind == retrieval.LineHeading {
				to = k
				break
			}
		}
	}
	at := lastFilled(kinds, from, to)
	if len(kinds) == 0 {
		return spot{line: 0, text: formatted(body, c.Form, c.Verbatim)}
	}
	empty := at <= from && (h >= 0 && at == from && (at == 0 || kinds[at-1].Number == kinds[h].Number)) || h >= 0 && at == h+1
	if h >= 0 && (empty || c.Top) {
		sp := spot{line: kinds[h].Number, text: "\n" + formatted(body, c.Form, c.Verbatim)}
		if from < to && kinds[from].Kind == retrieval.LineBlank {
			sp.line, sp.text = kinds[from].Number, formatted(body, c.Form, c.Verbatim)
		}
		if next := sp.line; next < len(kinds) && kinds[next].Kind != retrieval.LineBlank && kinds[next].Kind != retrieval.LineItem {
			sp.text += "\n\n" // a blank line before what follows
			sp.text = strings.TrimSuffix(sp.text, "\n")
		}
		return sp
	}
	last := kinds[at-1]
	text := inStyleOf(last, body, c)
	isItem := listItem().MatchString(text)
	if !isItem || last.Kind != retrieval.LineItem {
		text = "\n" + text // a paragraph of its own
	}
	if last.Kind == retrieval.LineTable && strings.HasPrefix(strings.TrimSpace(body), "|") {
		text = body
	}
	return spot{line: last.Number, text: text}
}

// inStyleOf writes plain text as the list it is added to is written.
func inStyleOf(last retrieval.Line, body string, c grammar.Command) string {
	if c.Form != grammar.Plain || last.Kind != retrieval.LineItem || strings.Contains(body, "\n") || stripMark(body) != strings.TrimSpace(body) {
		return formatted(body, c.Form, c.Verbatim)
	}
	items := []string{body}
	if list := splitItems(body); !c.Verbatim && len(list) > 1 && shortItems(list) {
		items = list
	}
	raw := string(last.Raw)
	indent := raw[:len(raw)-len(strings.TrimLeft(raw, " \t"))]
	mark := "- "
	if trimmed := strings.TrimLeft(raw, " \t"); strings.HasPrefix(trimmed, "* ") || strings.HasPrefix(trimmed, "+ ") {
		mark = trimmed[:2]
	}
	number, after := 0, ""
	if m := numberedItem().FindStringSubmatch(raw); m != nil {
		number, _ = strconv.Atoi(m[1])
		after = m[2] + " "
	}
	if last.Task != 0 {
		mark, after = mark+"[ ] ", after+"[ ] "
	}
	for i, it := range items {
		if number > 0 {
			mark = strconv.Itoa(number+i+1) + after
		}
		items[i] = indent + mark + it
	}
	return strings.Join(items, "\n")
}

var listItem = lazyregexp.New(`^\s*(?:[-*+]|\d{1,6}[.)]) `)

var numberedItem = lazyregexp.New(`^\s*(\d{1,6})([.)]) `)

func shortItems(items []string) bool {
	for _, i := range items {
		if len(strings.Fields(i)) > 3 {
			return false
		}
	}
	return true
}

// topSpot is below the front matter and the title.
func topSpot(kinds []retrieval.Line, text string) spot {
	at := 0
	for at < len(kinds) && kinds[at].Kind == retrieval.LineProperty {
		at++
	}
	k := at
	for k < len(kinds) && kinds[k].Kind == retrieval.LineBlank {
		k++
	}
	if k < len(kinds) && kinds[k].Kind == retrieval.LineHeading && kinds[k].Level == 1 {
		return spot{line: kinds[k].Number, text: "\n" + text}
	}
	if at == 0 {
		return spot{line: 0, text: text + "\n"}
	}
	return spot{line: kinds[at-1].Number, text: "\n" + text}
}
