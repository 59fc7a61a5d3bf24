package llmtest

import (
	"strings"
	"testing"
	"time"
)

const example = `# first model call
text: Looking at your projects…
tool: search_files {"pattern":"budget"}
---
expect: tool result contains "Found 2"
delay: 200ms
text: |
  # Two lines

  of Markdown
usage: 12 3 cached=7 reasoning=1
---
status: 429
header: Retry-After: 1
body: {"error":{"message":"slow down"}}
---
when: no tools
repeat: forever
tool: read_file id=x {"path":"a.md"}
finish: length
---
wire: "data: {}\n\n"
cut
---
hang
`

func TestParseScript(t *testing.T) {
	steps, err := ParseScript([]byte(example))
	if err != nil {
		t.Fatal(err)
	}
	if len(steps) != 6 {
		t.Fatalf("%d steps", len(steps))
	}
	if p := steps[0].Parts; len(p) != 2 || p[0].text != "Looking at your projects…" || p[1].name != "search_files" || p[1].text != `{"pattern":"budget"}` {
		t.Errorf("step 1: %+v", p)
	}
	if s := steps[1]; len(s.Expect) != 1 || s.Parts[0].wait != 200*time.Millisecond || s.Parts[1].text != "# Two lines\n\nof Markdown" || s.Parts[2].used != (Tokens{Prompt: 12, Completion: 3, Cached: 7, Reasoning: 1}) || s.Line != 5 {
		t.Errorf("step 2: %+v", s)
	}
	if s := steps[2]; s.Status != 429 || !s.Raw || s.Header.Get("Retry-After") != "1" || s.Body != `{"error":{"message":"slow down"}}` {
		t.Errorf("step 3: %+v", s)
	}
	if s := steps[3]; len(s.When) != 1 || s.Times != -1 || s.Parts[0].id != "x" || s.Parts[0].name != "read_file" || s.Parts[1].text != "length" {
		t.Errorf("step 4: %+v", s)
	}
	if s := steps[4]; !s.Unframed || s.Parts[0].text != "data: {}\n\n" || s.Parts[1].kind != partCut {
		t.Errorf("step 5: %+v", s)
	}
	if s := steps[5]; s.Parts[0].kind != partHang {
		t.Errorf("step 6: %+v", s)
	}
}

func TestParseScriptErrors(t *testing.T) {
	for src, want := range map[string]string{
		"":                                    "no steps",
		"# only a comment":                    "no steps",
		"---":                                 "line 1: there is no step",
		"text: a\ntxt: b":                     `line 2: unknown directive "txt"`,
		"just words here":                     "unknown directive",
		"text:":                               "text wants a value",
		"hang: 3":                             "hang takes no value",
		"delay: soon":                         "soon",
		"repeat: 0":                           "above 0",
		"status: 99":                          "status 99",
		"header: none":                        "NAME: VALUE",
		"wire: data":                          "Go string literal",
		"usage: 3":                            "two numbers",
		"usage: 3 -1":                         "two numbers",
		"usage: 3 4 cashed=1":                 "two numbers",
		"usage: 3 4 cost=much":                "two numbers",
		"expect: user says hi":                "not of the form",
		`expect: cook contains "x"`:           "unknown subject",
		`expect: user matches "("`:            "missing closing",
		"expect: messages many":               "wants a number",
		`text: ok` + "\n\n# x\n" + `split: a`: "line 4: split wants",
	} {
		if _, err := ParseScript([]byte(src)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", src, err, want)
		}
	}
}

func TestStatusWithoutBody(t *testing.T) {
	steps, err := ParseScript([]byte("status: 503"))
	if err != nil || steps[0].Body != `{"error":{"message":"HTTP 503"}}` {
		t.Fatalf("%+v, %v", steps, err)
	}
}

func TestConditions(t *testing.T) {
	chat := &Chat{
		Model: "m",
		Messages: []Message{
			{Role: "system", Content: "be kind"},
			{Role: "user", Content: "one"},
			{Role: "tool", Content: "Found 2"},
			{Role: "user", Content: "two"},
		},
		Tools: []Tool{{}},
	}
	chat.Tools[0].Function.Name = "read_file"
	for cond, want := range map[string]bool{
		`user is "two"`:                           true,
		`user contains "one"`:                     false,
		`any message contains "one"`:              true,
		`any message not contains "three"`:        true,
		`any message not contains "one"`:          false,
		`all messages contains "user: one\ntool"`: true,
		`system matches "^be \\w+$"`:              true,
		"system matches `^be \\w+$`":              true,
		`tool result contains "Found 2"`:          true,
		`tools contains "read_file"`:              true,
		`tools not contains "write"`:              true,
		`model is "m"`:                            true,
		`header X-Y is "z"`:                       true,
		`header X-Q is "z"`:                       false,
		`header X-Q not contains "z"`:             true,
		`body contains "raw"`:                     true,
		`assistant contains ""`:                   false,
		`no tools`:                                false,
		`no tool result`:                          false,
		`messages 4`:                              true,
		`messages 5`:                              false,
	} {
		c, err := ParseCondition(cond)
		if err != nil {
			t.Errorf("%s: %v", cond, err)
			continue
		}
		err = c.check(chat, map[string][]string{"X-Y": {"z"}}, []byte("raw body"))
		if (err == nil) != want {
			t.Errorf("%s: %v, want %v", cond, err, want)
		}
	}
	if err := (Condition{}).check(&Chat{}, nil, nil); err != nil {
		t.Error(err)
	}
}

func TestFaultsAreSteps(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long: make test runs it")
	}
	faults, err := Faults()
	if err != nil || len(faults) < 70 {
		t.Fatalf("%d faults, %v", len(faults), err)
	}
	for _, f := range faults {
		whole, ok := f.Step(Whole, 1)
		if !ok {
			if f.Wire[0].Note == "" {
				t.Errorf("%s has bytes and no step", f.ID)
			}
			continue
		}
		for _, c := range Chunkings {
			s, _ := f.Step(c, 1)
			if f.ID != "line-400MB" && wireText(s) != wireText(whole) {
				t.Errorf("%s: %s changes the bytes", f.ID, c)
			}
			if c == ByByte {
				for i, p := range s.Parts {
					if i < 8<<10 && p.kind == partWire && p.repeat == 0 && len(p.text) > 1 {
						t.Errorf("%s: a piece of %d bytes", f.ID, len(p.text))
						break
					}
				}
			}
		}
	}
}

func wireText(s Step) string {
	var b strings.Builder
	b.WriteString(s.Body)
	for _, p := range s.Parts {
		b.WriteString(p.text)
	}
	return b.String()
}
