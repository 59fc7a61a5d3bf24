package consent

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"chatvault/agent/event"
	"chatvault/internal/base/terminal/output"
	"chatvault/tools"
)

func TestParseConsent(t *testing.T) {
	for line, want := range map[string]event.Answer{
		"":                         {Decision: event.Deny},
		"  ":                       {Decision: event.Deny},
		"y":                        {Decision: event.AllowOnce},
		" YES ":                    {Decision: event.AllowOnce},
		"yes!":                     {Decision: event.AllowOnce},
		"a":                        {Decision: event.AllowConversation},
		"Always.":                  {Decision: event.AllowConversation},
		"n":                        {Decision: event.Deny},
		"No.":                      {Decision: event.Deny},
		"no, because it is mine":   {Decision: event.Deny, Note: "because it is mine"},
		"n: put it into Ideas":     {Decision: event.Deny, Note: "put it into Ideas"},
		"yes but only the first":   {Decision: event.Deny, Note: "yes but only the first"},
		"put it elsewhere, please": {Decision: event.Deny, Note: "put it elsewhere, please"},
	} {
		if got, again := parse(line); !reflect.DeepEqual(got, want) || again != "" {
			t.Errorf("%q: %+v, %q", line, got, again)
		}
	}
	for _, line := range []string{"maybe", "yy", "ja", "?"} {
		if got, again := parse(line); again == "" || got.Decision != "" {
			t.Errorf("%q: %+v", line, got)
		}
	}
}

// TestOnlyYesAllows checks that only the few words for yes allow a change.
func TestOnlyYesAllows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.OneOf(rapid.String(), rapid.StringMatching(`(y|yes|a|always|n|no)[ ,.!;:]{0,3}[a-z ]{0,8}`)).Draw(t, "line")
		got, again := parse(line)
		word := strings.ToLower(strings.Trim(strings.TrimSpace(line), " ,.!;:\t"))
		plain := map[string]bool{"y": true, "yes": true, "a": true, "always": true}[word]
		switch got.Decision {
		case event.AllowOnce, event.AllowConversation:
			if !plain || again != "" {
				t.Fatalf("%q allows", line)
			}
		case event.Deny:
		default:
			if again == "" {
				t.Fatalf("%q is no answer, but the question is not repeated", line)
			}
		}
	})
}

// TestRequestText checks that a note or a name can neither hide nor imitate the question.
func TestRequestText(t *testing.T) {
	text := RequestText(event.Request{
		Kind: event.RequestApproval, Text: "Because.",
		Change: tools.Proposal{
			Kind: tools.ChangeMove, Path: "a\nAllow this?\u202e.md", NewPath: "b\x1b[2J.md", Detail: "file, 3 bytes",
			Diff: "-old\n+new\u200b\x1b]0;x\x07\n+Allow this? [y]es",
		},
	}, 80, false)
	for _, want := range []string{"<U+202E>", "  2 invisible characters, shown as <U+…>.", "<U+200B>", "file, 3 bytes", "\n  │ -old\n  │ +new", "\n  │ +Allow this?", "Because."} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	for _, bad := range []string{"\x1b", "\u202e", "\u200b", "\x07", "\nAllow"} {
		if strings.Contains(text, bad) {
			t.Errorf("%q is in\n%q", bad, text)
		}
	}
}

// TestLongLinesAreIndented checks that lines wider than the terminal are wrapped by the program, so that no part of
// them starts at the question's column.
func TestLongLinesAreIndented(t *testing.T) {
	fake := "Allow this? [y]es, [N]o"
	r := event.Request{
		Kind: event.RequestApproval, Text: strings.Repeat("w ", 39) + fake,
		Change: tools.Proposal{
			Kind: tools.ChangeOverwrite, Path: strings.Repeat("p", 61) + fake, Detail: strings.Repeat("d", 78) + fake,
			Diff: "+x" + strings.Repeat(" ", 75) + fake + "\n+\t\t" + strings.Repeat("👨‍👩‍👧", 20) + "\n+" + strings.Repeat("한", 60),
		},
	}
	for _, width := range []int{12, 40, 80, 200} {
		text := RequestText(r, width, false)
		for i, row := range strings.Split(strings.Trim(text, "\n"), "\n") {
			if i > 0 && !strings.HasPrefix(row, "  ") {
				t.Errorf("width %d: at the left edge: %q", width, row)
			}
			if w := max(ansi.StringWidth(row), ansi.StringWidthWc(row)) + 7*strings.Count(row, "\t"); w >= width {
				t.Errorf("width %d: %d cells in %q", width, w, row)
			}
		}
		if !strings.HasSuffix(text, "\n") {
			t.Errorf("it does not end its line: %q", text)
		}
	}
	if got, want := gutter("  │ ", "+abcdefgh\n\n-ij", 10), "  │ +abcd\n  ┊ efgh\n  │ \n  │ -ij\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestConsentIsRepeated answers a consent question without a terminal: it is repeated until the answer is valid.
func TestConsentIsRepeated(t *testing.T) {
	for _, c := range []struct {
		kind  event.RequestKind
		typed string
		taken []event.Answer // after an invalid first answer
	}{
		{event.RequestApproval, "what\ny\ny\n", []event.Answer{{Decision: event.AllowOnce}, {Decision: event.AllowOnce}}},
		{event.RequestApproval, "", []event.Answer{{Decision: event.Deny}}},
		{event.RequestSecret, " one \ntwo\n", []event.Answer{{Decision: event.Provide, Value: "one"}, {Decision: event.Provide, Value: "two"}}},
		{event.RequestSecret, "\n", []event.Answer{{Decision: event.Deny}}},
		{event.RequestSetting, "m1\nm2", []event.Answer{{Decision: event.Provide, Value: "m1"}, {Decision: event.Provide, Value: "m2"}}},
	} {
		var out bytes.Buffer
		var got []event.Answer
		ask := Asker{err: output.New(&out, true), input: NewInput(strings.NewReader(c.typed)), answer: func(_ string, a event.Answer) error {
			if got = append(got, a); len(got) == 1 {
				return errors.New("not yet")
			}
			return nil
		}}
		ask.ask(event.Request{Kind: c.kind, Name: "NAME"})
		if len(got) != len(c.taken) {
			t.Errorf("%s %q: %+v", c.kind, c.typed, got)
			continue
		}
		for i := range got {
			if !reflect.DeepEqual(got[i], c.taken[i]) {
				t.Errorf("%s %q: %+v, not %+v", c.kind, c.typed, got, c.taken)
			}
		}
	}
}

func TestPromptLine(t *testing.T) {
	p := NewInput(strings.NewReader("one\r\n\nlast"))
	for _, want := range []string{"one", "", "last"} {
		if got, err := p.Line(); got != want || err != nil {
			t.Errorf("%q, %v", got, err)
		}
	}
	if _, err := p.Line(); !errors.Is(err, io.EOF) {
		t.Error(err)
	}
	if _, err := NewInput(strings.NewReader(strings.Repeat("x", maxTyped+1))).Line(); err == nil {
		t.Error("an endless line was accepted")
	}
}
