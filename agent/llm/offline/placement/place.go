// Package placement says where in a note a text goes that a person asks to add, and in which form.
package placement

import (
	"slices"
	"strconv"
	"strings"

	"chatvault/agent/llm/offline/grammar"
	"chatvault/agent/llm/offline/naming"
	"chatvault/agent/llm/offline/retrieval"
	"chatvault/agent/llm/offline/toolresult"
	"chatvault/internal/lazyregexp"
)

// Spot is where text goes.
type Spot struct {
	Line       int // after this line
	Text       string
	Heading    string // the heading it stands under
	NewHeading bool
}

// At works out where text is inserted in a note, and in which form.
func At(lines []toolresult.Numbered, total int, rest bool, c grammar.Command) Spot {
	kinds := retrieval.Lines([]byte(toolresult.JoinLines(lines)))
	c.Body = strings.TrimRight(c.Body, "\n")
	if c.Heading != "" {
		if h, ok := FindHeading(kinds, c.Heading); ok {
			sp := sectionSpot(kinds, h, c)
			sp.Heading = retrieval.PlainText(string(kinds[h].Text))
			return sp
		}
		sp := Spot{Line: total, Text: "\n## " + c.Heading + "\n\n" + Formatted(c), NewHeading: true}
		if !rest {
			sp.Line = lastFilled(kinds, 0, len(kinds))
		}
		return sp
	}
	if c.Top {
		return topSpot(kinds, Formatted(c))
	}
	if rest {
		return Spot{Line: total, Text: Formatted(c)}
	}
	return sectionSpot(kinds, -1, c)
}

// FindHeading finds a heading by its name, typing errors forgiven.
func FindHeading(kinds []retrieval.Line, name string) (int, bool) {
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
func sectionSpot(kinds []retrieval.Line, h int, c grammar.Command) Spot {
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
		return Spot{Line: 0, Text: Formatted(c)}
	}
	empty := at <= from && (h >= 0 && at == from && (at == 0 || kinds[at-1].Number == kinds[h].Number)) || h >= 0 && at == h+1
	if h >= 0 && (empty || c.Top) {
		sp := Spot{Line: kinds[h].Number, Text: "\n" + Formatted(c)}
		if from < to && kinds[from].Kind == retrieval.LineBlank {
			sp.Line, sp.Text = kinds[from].Number, Formatted(c)
		}
		if next := sp.Line; next < len(kinds) && kinds[next].Kind != retrieval.LineBlank && kinds[next].Kind != retrieval.LineItem {
			sp.Text += "\n" // a blank line before what follows
		}
		return sp
	}
	last := kinds[at-1]
	text := inStyleOf(last, c)
	isItem := ListItem().MatchString(text)
	if !isItem || last.Kind != retrieval.LineItem {
		text = "\n" + text // a paragraph of its own
	}
	if last.Kind == retrieval.LineTable && strings.HasPrefix(strings.TrimSpace(c.Body), "|") {
		text = c.Body
	}
	return Spot{Line: last.Number, Text: text}
}

// inStyleOf writes plain text as the list it is added to is written.
func inStyleOf(last retrieval.Line, c grammar.Command) string {
	if c.Form != grammar.Plain || last.Kind != retrieval.LineItem || strings.Contains(c.Body, "\n") || stripMark(c.Body) != strings.TrimSpace(c.Body) {
		return Formatted(c)
	}
	items := []string{c.Body}
	long := func(item string) bool { return len(strings.Fields(item)) > 3 }
	if list := splitItems(c.Body); !c.Verbatim && len(list) > 1 && !slices.ContainsFunc(list, long) {
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

// ListItem matches the beginning of a list item.
var ListItem = lazyregexp.New(`^\s*(?:[-*+]|\d{1,6}[.)]) `)

var numberedItem = lazyregexp.New(`^\s*(\d{1,6})([.)]) `)

// topSpot is below the front matter and the title.
func topSpot(kinds []retrieval.Line, text string) Spot {
	at := 0
	for at < len(kinds) && kinds[at].Kind == retrieval.LineProperty {
		at++
	}
	k := at
	for k < len(kinds) && kinds[k].Kind == retrieval.LineBlank {
		k++
	}
	if k < len(kinds) && kinds[k].Kind == retrieval.LineHeading && kinds[k].Level == 1 {
		return Spot{Line: kinds[k].Number, Text: "\n" + text}
	}
	if at == 0 {
		return Spot{Line: 0, Text: text + "\n"}
	}
	return Spot{Line: kinds[at-1].Number, Text: "\n" + text}
}

// Formatted is the text of a command in the form that was asked for. Text that is verbatim is one task,
// whatever commas it has.
func Formatted(c grammar.Command) string {
	switch c.Form {
	case grammar.Task, grammar.Bullet, grammar.Items:
		mark := "- "
		if c.Form == grammar.Task {
			mark = "- [ ] "
		}
		items := strings.Split(c.Body, "\n")
		if len(items) == 1 && (c.Form == grammar.Items || c.Form == grammar.Task && !c.Verbatim) {
			items = splitItems(c.Body)
		}
		var b strings.Builder
		for _, i := range items {
			if i = stripMark(i); i != "" {
				b.WriteString(mark + i + "\n")
			}
		}
		return strings.TrimRight(b.String(), "\n")
	case grammar.Section:
		return "## " + strings.TrimLeft(c.Body, "# ")
	}
	return c.Body
}

// stripMark drops the list mark of a line.
func stripMark(s string) string {
	s = strings.TrimSpace(s)
	for _, m := range []string{"- [ ] ", "- [x] ", "- ", "* ", "+ "} {
		if rest, ok := strings.CutPrefix(s, m); ok {
			return strings.TrimSpace(rest)
		}
	}
	return s
}

// splitItems cuts "eggs, milk and bread" into its items. What reads as a sentence stays whole.
func splitItems(s string) []string {
	parts := strings.Split(s, ",")
	if len(parts) > 1 {
		lastPart := strings.TrimSpace(parts[len(parts)-1])
		if rest, ok := strings.CutPrefix(lastPart, "and "); ok {
			parts[len(parts)-1] = rest
		} else if a, b, ok := strings.Cut(lastPart, " and "); ok {
			parts[len(parts)-1] = a
			parts = append(parts, b)
		}
	} else if a, b, ok := strings.Cut(s, " and "); ok && len(strings.Fields(s)) <= 6 {
		parts = []string{a, b}
	}
	for i, p := range parts {
		parts[i] = strings.TrimSpace(p)
		if len(strings.Fields(p)) > 7 {
			return []string{s}
		}
	}
	return parts
}
