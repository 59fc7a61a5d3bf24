package placement

import (
	"strings"

	"chatvault/agent/llm/offline/grammar"
)

// Formatted puts text into the form that was asked for. Text that is verbatim is one task, whatever
// commas it has.
func Formatted(body string, form grammar.BodyKind, verbatim bool) string {
	switch form {
	case grammar.Task, grammar.Bullet, grammar.Items:
		mark := "- "
		if form == grammar.Task {
			mark = "- [ ] "
		}
		items := []string{body}
		if strings.Contains(body, "\n") {
			items = strings.Split(body, "\n")
		} else if form == grammar.Items || form == grammar.Task && !verbatim {
			items = splitItems(body)
		}
		var b strings.Builder
		for _, i := range items {
			if i = stripMark(i); i != "" {
				b.WriteString(mark + i + "\n")
			}
		}
		return strings.TrimRight(b.String(), "\n")
	case grammar.Section:
		return "## " + strings.TrimLeft(body, "# ")
	}
	return body
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
