package lines

import (
	"bufio"
	"slices"
	"strings"
	"testing"

	"chatvault/internal/app/printed"
	"chatvault/internal/app/session"

	"pgregory.net/rapid"
)

func TestSpeech(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want []string
	}{
		{"One line", []string{"One line"}},
		{"The first sentence is this. The second one follows!\nNext", []string{"The first sentence is this. The second one follows!", "Next"}},
		{"a\n\n\x1b[2Jb\r\n", []string{"a", "", "␛[2Jb"}},
	} {
		for _, size := range []int{1, 3, 1000} {
			var s speech
			var got []string
			for rest := tt.in; rest != ""; {
				n := min(size, len(rest))
				got = append(got, s.add(rest[:n])...)
				rest = rest[n:]
			}
			got = append(got, s.end()...)
			for len(got) > 0 && got[len(got)-1] == "" {
				got = got[:len(got)-1]
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("%q in pieces of %d: %q, want %q", tt.in, size, got, tt.want)
			}
		}
	}
}

// TestSpeechLosesNothing: however a text is split, all its words are printed in order, and nothing moves the cursor.
func TestSpeechLosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.SampledFrom([]string{"one", "Two.", "three!", "“Four?”", "Ünf", "6.", "\n", "\n\n", "> ", "longer-than-a-word"}), 0, 200).Draw(t, "words")
		text := strings.Join(words, " ")
		var s speech
		var got []string
		for _, piece := range rapid.SliceOfN(rapid.IntRange(1, 20), len(text), len(text)).Draw(t, "pieces") {
			n := min(piece, len(text))
			got, text = append(got, s.add(text[:n])...), text[n:]
			if text == "" {
				break
			}
		}
		got = append(got, s.end()...)
		if a, b := strings.Fields(strings.Join(got, "\n")), strings.Fields(strings.Join(words, " ")); !slices.Equal(a, b) {
			t.Fatalf("%q, want %q", a, b)
		}
	})
}

func TestEntry(t *testing.T) {
	for name, tt := range map[string]struct{ typed, want []string }{
		"lines":              {[]string{"a", "b"}, []string{"a", "b"}},
		"a backslash":        {[]string{`a\`, `b\`, "c", "d"}, []string{"a\nb\nc", "d"}},
		"two are literal":    {[]string{`C:\\`, "d"}, []string{`C:\\`, "d"}},
		"a block":            {[]string{`"""`, "a", "", `b\`, "/quit", `"""`, "d"}, []string{"a\n\nb\\\n/quit", "d"}},
		"a block of nothing": {[]string{`"""`, `"""`, "d"}, []string{"", "d"}},
	} {
		var e entry
		var got []string
		for _, l := range tt.typed {
			if message, done := e.add(l); done {
				got = append(got, message)
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
	var e entry
	e.add(`a\`)
	if e.text() != "a" || !e.open {
		t.Errorf("unfinished: %q", e.text())
	}
}

func TestReadLine(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	r := bufio.NewReader(strings.NewReader("a\r\n" + long + "\n\nend"))
	for _, want := range []string{"a", long, ""} {
		if got, err := readLine(r); got != want || err != nil {
			t.Errorf("%.20q, %v", got, err)
		}
	}
	if got, err := readLine(r); got != "end" || err == nil {
		t.Errorf("%q, %v", got, err)
	}
	r = bufio.NewReader(strings.NewReader(strings.Repeat("x", maxTypedMessage+1)))
	if _, err := readLine(r); err == nil || !strings.Contains(err.Error(), "8 MB") {
		t.Errorf("an endless line: %v", err)
	}
}

// TestEveryCommandIsThere checks that the chat as lines has all commands but those of the screen, and shows nothing that
// is no command.
func TestEveryCommandIsThere(t *testing.T) {
	own := (&lines{}).own()
	views := printed.Views{Own: own, Table: session.Commands(), Actions: &session.Actions{}}
	has := session.CommandNames(views.Commands())
	for _, c := range session.Commands() {
		if c.Run == nil && c.Name != "vault" && c.Name != "theme" && !slices.Contains(has, c.Name) {
			t.Errorf("/%s does nothing", c.Name)
		}
		delete(own, c.Name)
	}
	if len(own) > 0 {
		t.Errorf("no commands: %v", own)
	}
}
