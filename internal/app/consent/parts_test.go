package consent

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"chatvault/agent/event"
	"chatvault/internal/base/prosediff"
	"chatvault/internal/base/terminal/output"
	"chatvault/tools"
)

// threePartChange returns a change in three parts.
func threePartChange() event.Request {
	d := prosediff.Compare("# Plan\n\nThe old fence.\n\nThe old gate.\n\n## Shed\n\nThe old shed.\n", "# Plan\n\nThe new fence.\n\nThe new gate.\n\n## Shed\n\nThe new shed.\n")
	return event.Request{Kind: event.RequestApproval, Change: tools.Proposal{Kind: tools.ChangeEdit, Path: "Plan.md", Prose: d, Pick: true}}
}

func TestPartsOneByOne(t *testing.T) {
	deny := event.Answer{Decision: event.Deny}
	some := func(hunks ...int) event.Answer { return event.Answer{Decision: event.AllowOnce, Hunks: hunks} }
	for typed, want := range map[string]event.Answer{
		"p\ny\nn\ny\n":                some(0, 2),
		"parts\nn\ny\ny\n":            some(1, 2),
		"p\nn\nn\nn\n":                deny,
		"p\ny\n":                      deny, // the input ends
		"p\nwhat\na\n\ny\nYes\nNo.\n": some(0, 1),
		"y\n":                         {Decision: event.AllowOnce},
		"p, because\n":                {Decision: event.Deny, Note: "p, because"},
	} {
		var out bytes.Buffer
		var got event.Answer
		ask := Asker{err: output.New(&out, true), input: NewInput(strings.NewReader(typed)), answer: func(_ string, a event.Answer) error { got = a; return nil }}
		ask.ask(threePartChange())
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, want %+v\n%s", typed, got, want, out.String())
		}
		if !strings.Contains(out.String(), "p for part by part (3), ") || strings.HasPrefix(typed, "p\n") && !strings.Contains(out.String(), "  — part 1 of 3 · line 3 · below “Plan”\n  │   # Plan\n  │   \n  │ - The [-old-] fence.\n  │ + The {+new+} fence.\n") {
			t.Errorf("%q: shown\n%s", typed, out.String())
		}
	}
	var out bytes.Buffer
	r := threePartChange()
	r.Change.Pick = false
	var got event.Answer
	ask := Asker{err: output.New(&out, true), input: NewInput(strings.NewReader("p\nn\n")), answer: func(_ string, a event.Answer) error { got = a; return nil }}
	ask.ask(r)
	if strings.Contains(out.String(), "p for part") || got.Decision != event.Deny {
		t.Errorf("a change of one part: %+v\n%s", got, out.String())
	}
}

// TestChangeText checks a change shown by words with its link updates: no part of it starts at the left edge or
// imitates the question, at any width.
func TestChangeText(t *testing.T) {
	r := threePartChange()
	text := RequestText(r, 80, false)
	for _, want := range []string{"The agent wants to edit Plan.md\n", "  │ - The [-old-] gate.\n  │ + The {+new+} gate.\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	r = event.Request{Kind: event.RequestApproval, Change: tools.Proposal{Kind: tools.ChangeMove, Path: "Tart.md", NewPath: "Recipes/Tart.md"}}
	for i := range 90 {
		r.Change.Rewrites = append(r.Change.Rewrites, tools.LinkRewrite{Path: fmt.Sprintf("%02d\nAllow this?.md", i), Links: 2, Diff: "@@ -1 +1 @@\n-[[Tart]]\x1b[2J\n+[[Recipes/Tart]]\x1b[2J\n"})
	}
	for _, width := range []int{20, 40, 80} {
		text := RequestText(r, width, false)
		for i, row := range strings.Split(strings.Trim(text, "\n"), "\n") {
			if i > 0 && !strings.HasPrefix(row, "  ") || ansi.StringWidth(row) >= width || strings.ContainsAny(row, "\x1b") {
				t.Errorf("width %d: %q", width, row)
			}
		}
		if width < 80 {
			continue
		}
		for _, want := range []string{"  Updates 180 links in 90 notes:\n  • 00␊Allow this?.md · 2 links\n  │ - [[Tart]]␛[2J\n  │ + [[{+Recipes/+}Tart]]␛[2J\n", "  … and 50 more notes; ask --json shows all of them\n"} {
			if !strings.Contains(text, want) {
				t.Errorf("%q is not in\n%s", want, text)
			}
		}
	}
}
