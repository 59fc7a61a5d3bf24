package slash

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParseAndExpand(t *testing.T) {
	for _, tt := range []struct{ name, file, typed, want, usage, does string }{
		{"plain", "Tidy my inbox.", "", "Tidy my inbox.", "", "Tidy my inbox."},
		{"plain", "Tidy my inbox.", "today only", "Tidy my inbox.\n\ntoday only", "", "Tidy my inbox."},
		{"all", "---\ndescription: Find it\n---\nLook for $ARGUMENTS, please.", "red \"plums\"", "Look for red \"plums\", please.", "TEXT", "Find it"},
		{"Numbers", "From $1 to $2.", "Monday 'next week'", "From Monday to next week.", "WORD1 WORD2", "From $1 to $2."},
		{"今週", "この週のノート", "", "この週のノート", "", "この週のノート"},
		{"rest", "Write to $1: $2", "Ann I am\n late", "Write to Ann: I am\n late", "WORD1 WORD2", "Write to $1: $2"},
		{"named", "---\narguments: [language, text]\n---\n{{text}} in {{ Language }}", "German the quick fox", "the quick fox in German", "LANGUAGE TEXT", "{{text}} in {{ Language }}"},
		{"named", "---\narguments: [topic, days?]\n---\n{{topic}} of {{days}} days", "plums", "plums of  days", "TOPIC [DAYS]", "{{topic}} of {{days}} days"},
		{"optional", "---\narguments: [what?]\n---\nSum up. $ARGUMENTS", "", "Sum up.", "[WHAT]", "Sum up. $ARGUMENTS"},
		{"escaped", `It costs \$5 and \{{x}}, not $10 or $ARGUMENTSX or {{no close`, "", "It costs $5 and {{x}}, not $10 or $ARGUMENTSX or {{no close", "", `It costs \$5 and \{{x}}, not $10 or $ARGUMENTSX or {{no close`},
		{"once", "Say $1 and $2", "$2 {{x}} $ARGUMENTS", "Say $2 and {{x}} $ARGUMENTS", "WORD1 WORD2", "Say $1 and $2"},
		{"crlf", "\ufeff---\r\ndescription: d\r\n---\r\nline\r\nline", "", "line\nline", "", "d"},
		{"slash", "/help is no command here", "", "/help is no command here", "", "/help is no command here"},
	} {
		c, err := Parse(tt.name, []byte(tt.file))
		if err != nil {
			t.Errorf("%s: %v", tt.file, err)
			continue
		}
		got, err := c.Expand(tt.typed)
		if err != nil || got != tt.want || c.Usage() != tt.usage || c.Does != tt.does || c.Name != strings.ToLower(tt.name) {
			t.Errorf("%q with %q = %q, %v (usage %q, does %q); want %q, %q, %q", tt.file, tt.typed, got, err, c.Usage(), c.Does, tt.want, tt.usage, tt.does)
		}
	}
}

func TestParseFaults(t *testing.T) {
	for _, tt := range []struct{ name, file, want string }{
		{"two words", "x", "give the file another name"},
		{"Über uns!", "x", "give the file another name"},
		{"!", "x", "give the file another name"},
		{"5 minutes", "x", "give the file another name"},
		{"a", "", "it has no text"},
		{"a", "---\ndescription: d\n---\n \n", "it has no text"},
		{"a", "---\ndescription: d\n", "has no end"},
		{"a", "---\narguments: [x]\ndescripton: d\n---\nx", "front matter is not right: line 3: field descripton not found"},
		{"a", "---\ndescription: [\n---\nx", "front matter is not right"},
		{"a", "---\narguments: 5\n---\nx", "a list of arguments such as"},
		{"a", "---\narguments: [é]\n---\nx", "is no name"},
		{"a", "---\narguments: [a b]\n---\nx", `"a b" is no name`},
		{"a", "---\narguments: [a, A]\n---\nx", "is there twice"},
		{"a", "---\narguments: [a?, b]\n---\nx", "cannot be needed after a"},
		{"a", "---\narguments: [a]\n---\n{{b}}", "uses {{b}}, which is none of its arguments"},
		{"a", "{{b}}", "the front matter names them"},
		{"a", "---\narguments: [a]\n---\n$2", "uses $2 and has 1 arguments"},
		{"a", "\xff", "not UTF-8"},
	} {
		if _, err := Parse(tt.name, []byte(tt.file)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("Parse(%q, %.40q) = %v; want %q", tt.name, tt.file, err, tt.want)
		}
	}
}

func TestExpandMissingArguments(t *testing.T) {
	for _, tt := range []struct{ file, typed, want string }{
		{"$ARGUMENTS", " ", "/x needs words after it: /x TEXT"},
		{"$1 $2", "one", "/x needs 2 words after it: /x WORD1 WORD2"},
		{"---\narguments: [topic, days?]\n---\n{{topic}}", "", "/x needs words after it: /x TOPIC [DAYS]"},
	} {
		c, err := Parse("x", []byte(tt.file))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := c.Expand(tt.typed); err == nil || err.Error() != tt.want {
			t.Errorf("%q with %q = %q, %v; want %q", tt.file, tt.typed, got, err, tt.want)
		}
	}
}

// What is typed is never read as a template, and no word of it is lost.
func TestExpandKeepsInput(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		typed := strings.TrimSpace(rapid.StringMatching(`[a-z$1{} "'\n]{1,30}`).Draw(rt, "typed"))
		if typed == "" {
			return
		}
		for _, body := range []string{"before $ARGUMENTS after", "nothing asked", "---\narguments: [all]\n---\n{{all}}"} {
			c, err := Parse("x", []byte(body))
			if err != nil {
				rt.Fatal(err)
			}
			got, err := c.Expand(typed)
			bare := strings.Trim(typed, `"'`)
			if strings.TrimSpace(bare) == "" && err != nil {
				continue // quotation marks around nothing are a word without a letter, and a template of it alone is empty
			}
			if err != nil || !strings.Contains(got, typed) && !strings.Contains(got, strings.TrimSpace(bare)) {
				rt.Fatalf("%q with %q = %q, %v", body, typed, got, err)
			}
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add("x", "---\narguments: [a]\n---\n{{a}} $1 $ARGUMENTS", "one two")
	f.Fuzz(func(t *testing.T, name, file, typed string) {
		c, err := Parse(name, []byte(file))
		if err != nil {
			return
		}
		if text, err := c.Expand(typed); err == nil && len(text) > (len(file)+2)*(len(typed)+2) {
			t.Errorf("%d bytes came of %d and %d", len(text), len(file), len(typed))
		}
	})
}
