package config

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A list over several lines keeps its lines and every comment in it.
func TestSetList(t *testing.T) {
	const file = "private = [  # first\n  \"Diary/\",  # my diary\n  # about work\n  \"Work/Pay/\", # pay\n] # end\nmouse = true\n"
	tests := []struct{ name, file, typed, want string }{
		{"one more", file, "Diary/, Work/Pay/, X/", "private = [  # first\n  \"Diary/\",  # my diary\n  # about work\n  \"Work/Pay/\", # pay\n  \"X/\",\n] # end\nmouse = true\n"},
		{"one more at the front", file, "X/, Diary/, Work/Pay/", "private = [  # first\n  \"X/\",\n  \"Diary/\",  # my diary\n  # about work\n  \"Work/Pay/\", # pay\n] # end\nmouse = true\n"},
		{"one less", file, "Work/Pay/", "private = [  # first\n  # \"Diary/\",  # my diary\n  # about work\n  \"Work/Pay/\", # pay\n] # end\nmouse = true\n"},
		{"another", file, "Diary/, X/", "private = [  # first\n  \"Diary/\",  # my diary\n  # about work\n  # \"Work/Pay/\", # pay\n  \"X/\",\n] # end\nmouse = true\n"},
		{"no last comma", "private = [\n\t'a', 'b' # two\n]\n", "a, b, c", "private = [\n\t'a', 'b', # two\n\t\"c\",\n]\n"},
		{"less of a line", "private = [\n\t'a', 'b' # two\n]\n", "b", "private = [\n\t 'b' # two\n]\n"},
		{"on the brackets' lines", "private = [\"a\", # one\n  \"b\"]\n", "a, b, c", "private = [\"a\", # one\n  \"b\", \"c\",]\n"},
		{"a line without a comment goes", "private = [\n  \"a\",\n  \"b\",\n]\n", "b", "private = [\n  \"b\",\n]\n"},
		{"CR LF", "private = [\r\n  \"a\", # one\r\n]\r\n", "a, b", "private = [\r\n  \"a\", # one\r\n  \"b\",\r\n]\r\n"},
		{"on one line", "private = [\"a\"] # c\n", "a, b", "private = [\"a\", \"b\"] # c\n"},
		{"a bracket in a comment", "private = [\n  \"a\", # ], b\n]\n", "a, b", "private = [\n  \"a\", # ], b\n  \"b\",\n]\n"},
	}
	for _, tt := range tests {
		value, err := literal("private", tt.typed, "\n")
		if err != nil {
			t.Fatal(err)
		}
		got, err := setLiteral(tt.file, "private", value)
		if err != nil || got != tt.want {
			t.Errorf("%s: got %q, %v\nwant %q", tt.name, got, err, tt.want)
		}
	}
	for name, file := range map[string]string{
		"a comma on the next line": "private = [\n  \"a\" # one\n  , \"b\"]\n",
		"no list of texts":         "private = [\n  1, # one\n]\n",
	} {
		if got, err := setLiteral(file, "private", `["a", "c"]`); err == nil || !strings.Contains(err.Error(), "by hand") {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

// However a list is written and changed, it says what it should, and no comment is lost.
func TestSetListKeepsComments(t *testing.T) {
	names := []string{"a", "b", "c/", "d,e", "f # g", "h]"}
	rapid.Check(t, func(t *rapid.T) {
		eol := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "eol")
		var b strings.Builder
		comments := 0
		gap := func(label string) {
			switch rapid.IntRange(0, 3).Draw(t, label) {
			case 1:
				b.WriteString(eol + "  ")
			case 2:
				comments++
				fmt.Fprintf(&b, " # comment %d, \"x\"]%s\t", comments, eol)
			case 3:
				b.WriteString(" ")
			}
		}
		b.WriteString("mouse = true" + eol + "private = [")
		gap("first")
		was := rapid.Permutation(names).Draw(t, "was")[:rapid.IntRange(0, len(names)).Draw(t, "n")]
		for i, name := range was {
			fmt.Fprintf(&b, "%q", name)
			if i < len(was)-1 || rapid.Bool().Draw(t, "comma") {
				b.WriteString(",")
			}
			gap("gap")
		}
		b.WriteString("] # end" + eol)
		want := rapid.SliceOfN(rapid.SampledFrom(append(names, "new", "newer")), 0, 6).Draw(t, "want")
		quoted := make([]string, len(want))
		for i, name := range want {
			quoted[i] = quoteLine(name)
		}
		got, err := setLiteral(b.String(), "private", "["+strings.Join(quoted, ", ")+"]")
		if err != nil {
			t.Fatalf("%v: %q", err, b.String())
		}
		tree, err := decodeTree(got)
		if err != nil {
			t.Fatal(err)
		}
		list, _ := tree["private"].([]any)
		var said []string
		for _, v := range list {
			said = append(said, fmt.Sprint(v))
		}
		if !slices.Equal(said, want) && len(said)+len(want) > 0 {
			t.Fatalf("%q of %q says %q", got, b.String(), said)
		}
		for i := 1; i <= comments; i++ {
			if !strings.Contains(got, fmt.Sprintf("# comment %d,", i)) {
				t.Fatalf("comment %d of %q is gone: %q", i, b.String(), got)
			}
		}
	})
}
