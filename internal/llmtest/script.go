package llmtest

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ParseScript parses a script, whose syntax the package documentation describes. Errors contain the line number.
func ParseScript(src []byte) ([]Step, error) {
	lines := strings.Split(strings.ReplaceAll(string(src), "\r\n", "\n"), "\n")
	var steps []Step
	var cur *Step
	body := false // whether the step has a body line
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

// flagDirectives holds the directives without a value.
var flagDirectives = map[string]Option{
	"hang": Hang(), "cut": Cut(), "reset": Reset(), "flush": Flush(), "plain": Plain(), "forget": Forget(),
}

// valueDirectives holds the directives with a value.
var valueDirectives = map[string]func(s *Step, value string) error{
	"text":      option(Text),
	"reasoning": option(Reasoning),
	"comment":   option(Comment),
	"error":     option(StreamError),
	"when":      condition(func(s *Step, c Condition) { s.When = append(s.When, c) }),
	"expect":    condition(func(s *Step, c Condition) { s.Expect = append(s.Expect, c) }),
	"split":     positive("split", func(s *Step, n int) { s.Split = n }),
	"body":      func(s *Step, value string) error { s.Body = value; return nil },
	"tool":      (*Step).tool,
	"usage":     (*Step).usage,
	"wire":      (*Step).wire,
	"status":    (*Step).status,
	"repeat": func(s *Step, value string) error {
		if value == "forever" {
			s.Times = -1
			return nil
		}
		return positive("repeat", func(s *Step, n int) { s.Times = n })(s, value)
	},
	"finish": func(s *Step, value string) error {
		if value == "none" {
			value = ""
		}
		Finish(value)(s)
		return nil
	},
	"delay": func(s *Step, value string) error {
		d, err := time.ParseDuration(value)
		Delay(d)(s)
		return err
	},
	"pace": func(s *Step, value string) (err error) {
		s.Pace, err = time.ParseDuration(value)
		return err
	},
	"header": func(s *Step, value string) error {
		name, v, ok := strings.Cut(value, ":")
		if !ok {
			return fmt.Errorf("header wants NAME: VALUE")
		}
		WithHeader(strings.TrimSpace(name), strings.TrimSpace(v))(s)
		return nil
	},
}

// directive applies one directive to the step.
func (s *Step) directive(name, value string) error {
	if o, ok := flagDirectives[name]; ok {
		if value != "" {
			return fmt.Errorf("%s takes no value", name)
		}
		o(s)
		return nil
	}
	take, ok := valueDirectives[name]
	switch {
	case !ok:
		known := slices.Concat(slices.Sorted(maps.Keys(valueDirectives)), slices.Sorted(maps.Keys(flagDirectives)))
		return fmt.Errorf("unknown directive %q; known: %s, and --- between steps", name, strings.Join(known, " "))
	case value == "" && name != "body":
		return fmt.Errorf("%s wants a value", name)
	}
	return take(s, value)
}

func option(f func(string) Option) func(*Step, string) error {
	return func(s *Step, value string) error {
		f(value)(s)
		return nil
	}
}

func condition(f func(*Step, Condition)) func(*Step, string) error {
	return func(s *Step, value string) error {
		c, err := ParseCondition(value)
		f(s, c)
		return err
	}
}

// positive returns a directive that accepts an integer above zero.
func positive(name string, f func(*Step, int)) func(*Step, string) error {
	return func(s *Step, value string) error {
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 {
			return fmt.Errorf("%s wants a number above 0, not %q", name, value)
		}
		f(s, n)
		return nil
	}
}

func (s *Step) wire(value string) error {
	bytes, err := strconv.Unquote(value)
	if err != nil {
		return fmt.Errorf(`wire wants a Go string literal, as in: wire: "data: {}\n\n"`)
	}
	Bytes(bytes)(s)
	s.Unframed = true
	return nil
}

func (s *Step) status(value string) error {
	n, err := strconv.Atoi(value)
	if err != nil || n < 200 || n > 599 {
		return fmt.Errorf("status %s is none that ends a request (200 to 599)", value)
	}
	s.Status = n
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

var errUsage = errors.New("usage wants two numbers, prompt and completion tokens, and after them cached=N, reasoning=N, cost=D where wanted; or none")

// usage parses "P C cached=N reasoning=N cost=D" or "none".
func (s *Step) usage(value string) error {
	if value == "none" {
		NoUsage()(s)
		return nil
	}
	fields := strings.Fields(value)
	if len(fields) < 2 {
		return errUsage
	}
	var t Tokens
	count := func(text string, to *int) bool {
		n, err := strconv.Atoi(text)
		*to = n
		return err == nil && n >= 0
	}
	ok := count(fields[0], &t.Prompt) && count(fields[1], &t.Completion)
	for _, f := range fields[2:] {
		name, n, _ := strings.Cut(f, "=")
		switch name {
		case "cached":
			ok = ok && count(n, &t.Cached)
		case "reasoning":
			ok = ok && count(n, &t.Reasoning)
		case "cost":
			d, err := strconv.ParseFloat(n, 64)
			t.Cost, ok = &d, ok && err == nil
		default:
			ok = false
		}
	}
	if !ok {
		return errUsage
	}
	UsageOf(t)(s)
	return nil
}
