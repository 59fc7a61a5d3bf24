package llmtest

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// ParseScript reads the script form (package documentation). An error names the line.
func ParseScript(src []byte) ([]Step, error) {
	lines := strings.Split(strings.ReplaceAll(string(src), "\r\n", "\n"), "\n")
	var steps []Step
	var cur *Step
	body := false // the step has a body line
	for i := 0; i < len(lines); i++ {
		line := strings.TrimRight(lines[i], " \t")
		at := i + 1
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
			continue
		case line == "---":
			if cur == nil {
				return nil, fmt.Errorf("script line %d: there is no step before ---", at)
			}
			cur, body = nil, false
			continue
		}
		if cur == nil {
			steps = append(steps, Step{Line: at})
			cur = &steps[len(steps)-1]
		}
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		if value == "|" {
			var block []string
			for i+1 < len(lines) && (lines[i+1] == "" || strings.HasPrefix(lines[i+1], "  ")) {
				i++
				block = append(block, strings.TrimPrefix(lines[i], "  "))
			}
			value = strings.TrimRight(strings.Join(block, "\n"), "\n")
		}
		if err := cur.directive(strings.TrimSpace(name), value); err != nil {
			return nil, fmt.Errorf("script line %d: %w", at, err)
		}
		body = body || name == "body"
		cur.Raw = body || cur.Status >= http.StatusMultipleChoices
		if cur.Raw && !body {
			cur.Body = fmt.Sprintf(`{"error":{"message":"HTTP %d"}}`, cur.Status)
		}
	}
	if len(steps) == 0 {
		return nil, fmt.Errorf("the script has no steps")
	}
	return steps, nil
}

// directive takes one line of a step.
func (s *Step) directive(name, value string) error {
	if err := s.need(name, value); err != nil {
		return err
	}
	var err error
	switch name {
	case "text":
		Text(value)(s)
	case "reasoning":
		Reasoning(value)(s)
	case "tool":
		err = s.tool(value)
	case "hang":
		Hang()(s)
	case "cut":
		Cut()(s)
	case "reset":
		Reset()(s)
	case "flush":
		Flush()(s)
	case "plain":
		s.Plain = true
	case "comment":
		Comment(value)(s)
	case "error":
		StreamError(value)(s)
	case "wire":
		var bytes string
		if bytes, err = strconv.Unquote(value); err != nil {
			return fmt.Errorf(`wire wants a Go string literal, as in: wire: "data: {}\n\n"`)
		}
		Bytes(bytes)(s)
		s.Unframed = true
	case "finish":
		if value == "none" {
			value = ""
		}
		Finish(value)(s)
	case "usage":
		err = s.usage(value)
	case "delay":
		var d time.Duration
		d, err = time.ParseDuration(value)
		Delay(d)(s)
	case "pace":
		s.Pace, err = time.ParseDuration(value)
	case "split":
		s.Split, err = positive(name, value)
	case "status":
		s.Status, err = positive(name, value)
		if err == nil && (s.Status < 200 || s.Status > 599) {
			err = fmt.Errorf("status %d is none that ends a request (200 to 599)", s.Status)
		}
	case "repeat":
		if s.Times = -1; value != "forever" {
			s.Times, err = positive(name, value)
		}
	case "header":
		n, v, ok := strings.Cut(value, ":")
		if !ok {
			return fmt.Errorf("header wants NAME: VALUE")
		}
		WithHeader(strings.TrimSpace(n), strings.TrimSpace(v))(s)
	case "body":
		s.Body = value
	case "when", "expect":
		var c Condition
		if c, err = ParseCondition(value); name == "when" {
			s.When = append(s.When, c)
		} else {
			s.Expect = append(s.Expect, c)
		}
	}
	return err
}

// bare are the directives that stand alone; valued those that want a value.
const (
	bare   = "hang cut reset flush plain"
	valued = "text reasoning tool comment error wire finish usage delay pace split status repeat header body when expect"
)

func (s *Step) need(name, value string) error {
	has := func(list string) bool { return strings.Contains(" "+list+" ", " "+name+" ") }
	switch {
	case strings.Contains(name, " ") || !has(bare) && !has(valued):
		return fmt.Errorf("unknown directive %q; known: %s %s, and --- between steps", name, valued, bare)
	case has(bare) && value != "":
		return fmt.Errorf("%s takes no value", name)
	case has(valued) && value == "" && name != "body":
		return fmt.Errorf("%s wants a value", name)
	}
	return nil
}

func (s *Step) tool(value string) error {
	name, args, _ := strings.Cut(value, " ")
	id := ""
	if args = strings.TrimSpace(args); strings.HasPrefix(args, "id=") {
		id, args, _ = strings.Cut(strings.TrimPrefix(args, "id="), " ")
	}
	CallID(id, name, strings.TrimSpace(args))(s)
	return nil
}

func (s *Step) usage(value string) error {
	if value == "none" {
		NoUsage()(s)
		return nil
	}
	var prompt, completion int
	if n, err := fmt.Sscanf(value, "%d %d", &prompt, &completion); n != 2 || err != nil || prompt < 0 || completion < 0 {
		return fmt.Errorf("usage wants two numbers, prompt and completion tokens, or none")
	}
	Usage(prompt, completion)(s)
	return nil
}

func positive(name, value string) (int, error) {
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("%s wants a number above 0, not %q", name, value)
	}
	return n, nil
}
