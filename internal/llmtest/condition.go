package llmtest

import (
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"chatvault/internal/base/text"
)

// Condition is a predicate on a model call. The zero value always holds.
type Condition struct {
	source  string
	subject string // an element of subjects, or "header NAME"
	verb    string // contains, is, matches, absent, unanswered, count
	not     bool
	text    string
	re      *regexp.Regexp
	count   int
}

var subjects = []string{"system", "user", "assistant", "tool result", "any message", "all messages", "tools", "model", "body"}

var conditionForm = regexp.MustCompile(`^(.+?)\s+(not\s+)?(contains?|is|matches|match)\s+(".*"|` + "`.*`" + `)$`)

// ParseCondition parses a COND, whose syntax the package documentation describes.
func ParseCondition(s string) (Condition, error) {
	s = strings.TrimSpace(s)
	c := Condition{source: s}
	switch {
	case s == "no result yet":
		c.verb = "unanswered"
		return c, nil
	case s == "no tools", s == "no tool result":
		c.subject, c.verb = strings.TrimPrefix(s, "no "), "absent"
		return c, nil
	case strings.HasPrefix(s, "messages "):
		n, err := strconv.Atoi(strings.TrimPrefix(s, "messages "))
		if err != nil || n < 1 {
			return Condition{}, fmt.Errorf("llmtest: condition %q: messages wants a number, as in: messages 3", s)
		}
		c.verb, c.count = "count", n
		return c, nil
	}
	m := conditionForm.FindStringSubmatch(s)
	if m == nil {
		return Condition{}, fmt.Errorf(`llmtest: condition %q is not of the form SUBJECT contains|is|matches "TEXT"`, s)
	}
	text, err := strconv.Unquote(m[4])
	if err != nil {
		return Condition{}, fmt.Errorf("llmtest: condition %q: the text is not a Go string literal: %w", s, err)
	}
	c.subject, c.not, c.text = m[1], m[2] != "", text
	known := strings.HasPrefix(c.subject, "header ")
	for _, k := range subjects {
		known = known || k == c.subject
	}
	if !known {
		return Condition{}, fmt.Errorf("llmtest: condition %q: unknown subject %q; known: %s, header NAME", s, c.subject, strings.Join(subjects, ", "))
	}
	switch m[3] {
	case "contain", "contains":
		c.verb = "contains"
	case "is":
		c.verb = "is"
	default:
		c.verb = "matches"
		if c.re, err = regexp.Compile(text); err != nil {
			return Condition{}, fmt.Errorf("llmtest: condition %q: %w", s, err)
		}
	}
	return c, nil
}

// String returns the source text of the condition.
func (c Condition) String() string { return c.source }

// check returns an error with the actual value if the condition does not hold.
func (c Condition) check(chat *Chat, header http.Header, body []byte) error {
	switch c.verb {
	case "":
		return nil
	case "count":
		if len(chat.Messages) != c.count {
			return fmt.Errorf("expected %s, there are %d", c.source, len(chat.Messages))
		}
		return nil
	case "unanswered":
		for i := len(chat.Messages) - 1; i >= 0 && chat.Messages[i].Role != "user"; i-- {
			if m := chat.Messages[i]; m.Role == "tool" {
				return fmt.Errorf("expected %s, there was %q", c.source, clip(string(m.Content)))
			}
		}
		return nil
	case "absent":
		if c.subject == "tools" && chat.MayCall() {
			return fmt.Errorf("expected %s, offered were %v", c.source, chat.ToolNames())
		}
		if m, ok := chat.Last("tool"); c.subject == "tool result" && ok {
			return fmt.Errorf("expected %s, the last was %q", c.source, clip(string(m.Content)))
		}
		return nil
	}
	values := c.values(chat, header, body)
	held := false
	for _, v := range values {
		held = held || c.holds(v)
	}
	if held != c.not {
		return nil
	}
	if len(values) == 0 {
		return fmt.Errorf("expected %s, there is none", c.source)
	}
	return fmt.Errorf("expected %s, got %q", c.source, clip(strings.Join(values, "\n")))
}

func (c Condition) holds(v string) bool {
	switch c.verb {
	case "contains":
		return strings.Contains(v, c.text)
	case "is":
		return v == c.text
	default:
		return c.re.MatchString(v)
	}
}

// values returns the texts of the condition's subject in this call.
func (c Condition) values(chat *Chat, header http.Header, body []byte) []string {
	switch c.subject {
	case "tools":
		if !chat.MayCall() {
			return nil
		}
		return []string{strings.Join(chat.ToolNames(), " ")}
	case "model":
		return []string{chat.Model}
	case "body":
		return []string{string(body)}
	case "all messages":
		return []string{chat.text()}
	case "any message":
		var all []string
		for _, m := range chat.Messages {
			all = append(all, string(m.Content))
		}
		return all
	}
	if name, ok := strings.CutPrefix(c.subject, "header "); ok {
		return header.Values(name)
	}
	role := c.subject
	if role == "tool result" {
		role = "tool"
	}
	if m, ok := chat.Last(role); ok {
		return []string{string(m.Content)}
	}
	return nil
}

func clip(s string) string { return text.Clip(s, 300) }
