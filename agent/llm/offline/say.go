package offline

import (
	"fmt"
	"strconv"
	"strings"

	"chatvault/agent/llm/offline/retrieval"
	"chatvault/agent/llm/offline/toolresult"
	"chatvault/internal/lazyregexp"
	"chatvault/internal/text"
)

// say adds a paragraph to the answer.
func (s *script) say(text string) {
	if text = strings.TrimSpace(text); text != "" {
		s.out = append(s.out, text)
	}
}

func (s *script) sayf(format string, a ...any) { s.say(fmt.Sprintf(format, a...)) }

// didf says what was done. A plan leaves it out: its steps say what would be.
func (s *script) didf(format string, a ...any) {
	if s.sketch == nil {
		s.sayf(format, a...)
	}
}

// failf adds to the answer what could not be done; the response then ends with llm.FinishUnable.
func (s *script) failf(format string, a ...any) {
	s.bad++
	s.sayf(format, a...)
}

// refused says what went wrong with a call; what, what was not done: "I could not …".
func (s *script) refused(what string, c call) {
	if why, ok := denial(c); ok {
		s.failf("I did not%s: %s", strings.TrimPrefix(what, "I could not"), why)
		return
	}
	s.failf("%s: %s", what, toolresult.Reason(c.result))
}

// denial says, for the user, that a change was not allowed, and whether that is so.
func denial(c call) (why string, denied bool) {
	text, _, _ := strings.Cut(c.result, " Nothing was changed.")
	switch {
	case !c.failed:
	case strings.HasPrefix(text, "Error: Not allowed: "):
		return strings.TrimPrefix(text, "Error: Not allowed: "), true
	case strings.HasPrefix(text, "Error: The user denied this change and said: "):
		return "you denied it, and said " + clip(oneLine(strings.TrimPrefix(text, "Error: The user denied this change and said: ")), 400), true
	case strings.HasPrefix(text, "Error: The user denied this change"):
		return "you denied it.", true
	}
	return "", false
}

// Citation is a place in a note that an answer refers to.
type Citation struct {
	Note string // its name
	Path string
	Line int // 1-based; 0 where the answer names the note only
}

// cite writes a citation: [[Note]] (path:line).
func cite(path string, line int) string {
	if line <= 0 {
		return fmt.Sprintf("[[%s]] (%s)", retrieval.Name(path), path)
	}
	return fmt.Sprintf("[[%s]] (%s:%d)", retrieval.Name(path), path, line)
}

var citationRE = lazyregexp.New(`\[\[([^\[\]\n]+)\]\] \(([^\n]*?\.(?:md|markdown|MD))(?::(\d+))?\)`)

// citations returns the citations of an answer, in order.
func citations(answer string) []Citation {
	var out []Citation
	for _, m := range citationRE().FindAllStringSubmatch(answer, -1) {
		line, _ := strconv.Atoi(m[3])
		out = append(out, Citation{Note: m[1], Path: m[2], Line: line})
	}
	return out
}

// quote sets a text as a Markdown quotation. Wikilinks in it are plain text already, so that
// the citations of an answer can be counted.
func quote(s string) string {
	lines := text.Of(strings.Split(strings.TrimSpace(s), "\n"), func(l string) string { return strings.TrimRight("> "+l, " ") })
	return strings.Join(lines, "\n")
}

// clip shortens a text to about n bytes, at a word.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	cut := strings.LastIndexAny(s[:n], " \n")
	if cut < n/2 {
		cut = len(text.Head(s, n))
	}
	return strings.TrimRight(s[:cut], " \n,;:") + " …"
}

// counted is a number with its noun: "1 note", "3 notes".
func counted(n int, noun string) string { return text.Count(n, noun) }
