package note

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestFrontMatterTagsAndAliases(t *testing.T) {
	for _, c := range []struct{ name, front, want string }{
		{"a flow list", "tags: [a, \"b c\", '#d', 2024, e/f]", "#a@2\n#d@2\n#e/f@2\n"},
		{"a block list", "title: x\ntags:\n  - a\n  - '#b'\n# c\n- 1\n", ""},
		{"a block list at the margin", "title: x\ntags:\n- a\n- \"#b\"\nx: 1", "#a@3\n#b@3\n"},
		{"a text", "Tags: a, b #c\ntag: '#d e/'", "#a@2\n#b@2\n#d@3\n#e@3\n"},
		{"aliases", "aliases: [One, \"Two, too\", 3, true, 4.5]\nalias: Five, Six", "alias One\nalias Two, too\nalias 3\nalias true\nalias 4.5\nalias Five\nalias Six\n"},
		{"anchors", "x: &a [b, c]\ntags: *a", "#b@3\n#c@3\n"},
		{"a folded text", "aliases: >-\n  One\n  two\ntags: |\n  a b", "#a@5\n#b@5\nalias One two\n"},
		{"a template", "created: {{date}}\nk: {{x}} y\ntags: [a, {{b}}]\naliases: {{title}}", "#a@4\nalias {{title}}\n"},
		{"nothing", "tags:\naliases: ~\ntag: {a: b}", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := Parse([]byte("---\n" + c.front + "\n---\n"))
			if got := formatNote(n); got != c.want {
				t.Errorf("got\n%swant\n%s(%v)", got, c.want, n.Front.Err)
			}
		})
	}
}

func TestProperties(t *testing.T) {
	text := "\ufeff---\r\ntitle: \"A: b\" # c\r\nn: 0x10\r\nold: 010\r\nf: 1e3\r\nbig: 12345678901234567890\r\nu: 1_000\r\nyes: yes\r\nt: True\r\n" +
		"nil: ~\r\nday: 2026-11-21\r\nlink: \"[[A]]\"\r\nlist:\r\n  - 1\r\n  - \r\n  - 'it''s'\r\nmap: {a: [b]}\r\n2026: x\r\n---\r\n"
	properties, err := Properties([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	want := `2 title "A: b" | 3 n 16 | 4 old 10 | 5 f 1000 | 6 big 1.2345678901234567e+19 | 7 u 1000 | 8 yes "yes" | 9 t true | 10 nil <nil> | ` +
		`11 day "2026-11-21" | 12 link "[[A]]" | 13 list []interface {}{1, interface {}(nil), "it's"} | ` +
		`17 map []note.Property{note.Property{Key:"a", Value:[]interface {}{"b"}, Line:17}} | 18 2026 "x"`
	var listed []string
	for _, p := range properties {
		listed = append(listed, fmt.Sprintf("%d %s %#v", p.Line, p.Key, p.Value))
	}
	if got := strings.Join(listed, " | "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestFrontErrors(t *testing.T) {
	aliases := "a: &a [x, x, x, x, x, x, x, x, x, x]\n"
	for c := 'b'; c < 'k'; c++ {
		aliases += fmt.Sprintf("%c: &%c [%s]\n", c, c, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*%c, ", c-1), 10), ", "))
	}
	for _, c := range []struct{ front, want string }{
		{"a: 1\nb: c: d", "line 3: mapping values are not allowed in this context"},
		{"a: 1\na: 2", `line 3: "a" is on line 2 already`},
		{"a: @x", "line 2: found character that cannot start any token"},
		{"- a", `line 2: it is not a list of properties, such as "status: done"`},
		{"just text", `line 2: it is not a list of properties, such as "status: done"`},
		{"a:\n\tb: c", `line 3: found character that cannot start any token`},
		{"a: *x", "line 2: unknown anchor 'x' referenced"},
		{"a: 1\n...\nb: 2", "line 4: it has several YAML documents"},
		{"a: " + strings.Repeat("[", 60), "line 2: it is nested too deep"},
		{"a: " + strings.Repeat("x", maxFront), "line 1: it is longer than 64 KB"},
		{strings.TrimSuffix(aliases, "\n"), "line 1: it expands to too much"},
		{"a: &a [*a]", "line 1: it expands to too much"},
	} {
		text := []byte("---\n" + c.front + "\n---\nbody\n")
		if n := Parse(text); n.Front.Err == nil || n.Front.Err.Error() != c.want {
			t.Errorf("%.40q: Parse says %v, want %s", c.front, n.Front.Err, c.want)
		}
		var front *FrontError
		if _, err := Set(text, "k", "v"); !errors.As(err, &front) || err.Error() != c.want {
			t.Errorf("%.40q: Set says %v, want %s", c.front, err, c.want)
		}
		if _, err := Remove(text, "a"); !errors.As(err, &front) {
			t.Errorf("%.40q: Remove says %v", c.front, err)
		}
	}
}

func TestSet(t *testing.T) {
	for _, c := range []struct {
		name, text, key string
		value           any
		want            string
	}{
		{"no front matter", "# A\n", "status", "done", "---\nstatus: done\n---\n# A\n"},
		{"an empty note", "", "tags", []any{"a", "b"}, "---\ntags:\n  - a\n  - b\n---\n"},
		{"BOM and CRLF", "\ufeffa\r\nb", "k", []any{"x"}, "\ufeff---\r\nk:\r\n  - x\r\n---\r\na\r\nb"},
		{"a rule is no front matter", "---\ntext\n", "k", true, "---\nk: true\n---\n---\ntext\n"},
		{"empty front matter", "---\n---\nx", "k", 1.0, "---\nk: 1\n---\nx"},
		{"comments only", "---\n# c\n---\n", "k", 1.5, "---\n# c\nk: 1.5\n---\n"},
		{"a value", "---\na: 1\nstatus: open # why\nb: 'x'\n---\n", "status", "done", "---\na: 1\nstatus: done # why\nb: 'x'\n---\n"},
		{"a spacing", "---\nstatus:   open\n---\n", "status", "done", "---\nstatus:   done\n---\n"},
		{"no value", "---\na:\nb: # c\n---\n", "a", "x", "---\na: x\nb: # c\n---\n"},
		{"no value, a comment", "---\na:\nb: # c\n---\n", "b", "x", "---\na:\nb: x # c\n---\n"},
		{"to nothing", "---\na: x # c\n---\n", "a", nil, "---\na: # c\n---\n"},
		{"another case", "---\nStatus: open\n---\n", "status", "done", "---\nStatus: done\n---\n"},
		{"a quoted key", "---\n\"a b\": 1\n'c''d': 2\n---\n", "c'd", 3.0, "---\n\"a b\": 1\n'c''d': 3\n---\n"},
		{"the same", "---\nn: 16 # a\n---\n", "n", int64(16), "---\nn: 16 # a\n---\n"},
		{"the same number in other characters", "---\nn: 0x10 # a\n---\n", "n", int64(16), "---\nn: 16 # a\n---\n"},
		{"a day", "---\nd: 2026-01-02\n---\n", "d", "2026-11-21", "---\nd: 2026-11-21\n---\n"},
		{"a link", "---\na: x\n---\n", "up", "[[Home]]", "---\na: x\nup: \"[[Home]]\"\n---\n"},
		{"flow", "---\ntags: [a, \"b\"] # c\n---\n", "tags", []any{"a", "b", "c d", "e, f"}, "---\ntags: [a, \"b\", c d, \"e, f\"] # c\n---\n"},
		{"flow of several lines", "---\nt: [a,\n  b]\nx: 1\n---\n", "t", []any{"b"}, "---\nt: [b]\nx: 1\n---\n"},
		{"block", "---\ntags:\n    - a # first\n    # about b\n    - 'b'\n    # last\nx: 1\n---\n", "tags", []any{"b", "c"}, "---\ntags:\n    # about b\n    - 'b'\n    - c\n    # last\nx: 1\n---\n"},
		{"block at the margin", "---\ntags:\n- a\n- b\nx: 1\n---\n", "tags", []any{"a", "x: y", "b"}, "---\ntags:\n- a\n- \"x: y\"\n- b\nx: 1\n---\n"},
		{"to an empty list", "---\ntags: # c\n  - a\nx: 1\n---\n", "tags", []any{}, "---\ntags: [] # c\nx: 1\n---\n"},
		{"list to value", "---\ntags: # c\n  - a\n\n# d\nx: 1\n---\n", "tags", "b", "---\ntags: b # c\n\n# d\nx: 1\n---\n"},
		{"value to list", "---\na: b # c\nx: 1\n---\n", "a", []any{"b", "d"}, "---\na: # c\n  - b\n  - d\nx: 1\n---\n"},
		{"a list like the others", "---\nt: [x]\n---\n", "a", []any{"b", int64(1), true, nil, "1"}, "---\nt: [x]\na: [b, 1, true, null, \"1\"]\n---\n"},
		{"a block of text", "---\na: |\n  b\n\n  c\n\nx: 1\n---\n", "a", "d", "---\na: d\n\nx: 1\n---\n"},
		{"lines of text", "---\na: b\n  c\nx: 1\n---\n", "a", "d", "---\na: d\nx: 1\n---\n"},
		{"a template", "---\ncreated: {{date}}\ntags: [{{x}}, b]\nt: \"{{title}}\"\nm: {a: {b: c}}\n---\n", "tags", []any{"{{x}}", "c"}, "---\ncreated: {{date}}\ntags: [{{x}}, c]\nt: \"{{title}}\"\nm: {a: {b: c}}\n---\n"},
		{"a placeholder", "---\ncreated: {{date}} # c\n---\n", "created", "2026-11-21", "---\ncreated: 2026-11-21 # c\n---\n"},
		{"a map", "---\na:\n  b: c\n  d: e\nx: 1\n---\n", "a", "f", "---\na: f\nx: 1\n---\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Set([]byte(c.text), c.key, c.value)
			if err != nil || string(got) != c.want {
				t.Errorf("got\n%q\nwant\n%q (%v)", got, c.want, err)
			}
		})
	}
}

func TestWords(t *testing.T) {
	for text, want := range map[string]string{
		"": `""`, "a": "a", "a b": "a b", " a": `" a"`, "1": `"1"`, "1.5": `"1.5"`, "1e3": `"1e3"`, "0x1f": `"0x1f"`, "1_000": `"1_000"`,
		"true": `"true"`, "null": `"null"`, "~": `"~"`, "yes": "yes", "2026-11-21": "2026-11-21", "2026-11-21T10:00:00": "2026-11-21T10:00:00",
		"10:30": "10:30", "a: b": `"a: b"`, "a:b": "a:b", "a:": `"a:"`, "a #b": `"a #b"`, "a#b": "a#b", "#b": `"#b"`, "- a": `"- a"`, "-a": "-a",
		"[[A]]": `"[[A]]"`, "see [[A|b]]": `"see [[A|b]]"`, `say "x"`: `say "x"`, `"x"`: `'"x"'`, `"it's"`: `"\"it's\""`, `a\b`: `a\b`,
		"a\nb": `"a\nb"`, "a\tb": `"a\tb"`, "https://x.y/z?a=b#c": "https://x.y/z?a=b#c", "@x": `"@x"`, "100%": "100%", "3d": "3d", "5b": "5b",
		"日本": "日本", "🎉": "🎉", "a,b": "a,b", "{x}": `"{x}"`, "v1.2.3": "v1.2.3", "---": `"---"`, "a\u202eb": `"a\u202eb"`,
	} {
		if got := formatText(text, false); got != want {
			t.Errorf("%q is written %s, want %s", text, got, want)
		}
	}
}

func TestRemove(t *testing.T) {
	for _, c := range []struct{ text, key, want string }{
		{"---\na: 1\nb:\n  - x\n# c\nc: 2\n---\nx", "b", "---\na: 1\n# c\nc: 2\n---\nx"},
		{"---\na: 1\n---\nx", "A", "x"},
		{"\ufeff---\r\na: 1\r\n\r\n---\r\nx", "a", "\ufeffx"},
		{"---\na: 1\n# c\n---\nx", "a", "---\n# c\n---\nx"},
		{"---\na: 1\n---\nx", "b", "---\na: 1\n---\nx"},
		{"x", "b", "x"},
	} {
		got, err := Remove([]byte(c.text), c.key)
		if err != nil || string(got) != c.want {
			t.Errorf("%q without %s: %q, want %q (%v)", c.text, c.key, got, c.want, err)
		}
	}
}

// drawWritten draws the source of a property as people write it, sometimes invalid.
func drawWritten(t *rapid.T, indent string) string {
	word := rapid.SampledFrom([]string{
		"a", "b c", "1", "2.5", "true", "~", "2026-11-21", "x:y", "it's", "a\"b", "#c", "é", "日本", "[[N]]", "-", "- x", "*x", "&x y", "!t z", "a # c", "a: b",
		"\"q: r\"", "'s''t'", "\"u\\n\"", "\"[[N]]\"", "'", "\"", "x,y", "%", "@a", "`", "10:30", "010", "1e3", "0x1F", "1_0", ".5", "+1", "-1", "?", "? x", ">", "|", "{}", "...", "a  b", "a\tb", "a ", "Yes", "\u00a0x", "x\u2028y", "{{date}}", "{{a}} b", "{{", "{{a}", "{a: {b: c}}",
	}).Draw(t, "word")
	switch rapid.IntRange(0, 9).Draw(t, "how") {
	case 0:
		return ""
	case 1, 2, 3, 4:
		return " " + word
	case 5:
		return " [" + strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b c", "1", "'d'", "\"e, f\"", "g:h", "", "#i", "[j]", "k\n  l", "it's", "m # n\n"}), 0, 4).Draw(t, "flow"), ", ") + "]"
	case 6:
		return " " + rapid.SampledFrom([]string{"|", ">-", "|+"}).Draw(t, "block") + "\n" + indent + "  line\n" + indent + "\n" + indent + "  # more"
	case 7:
		return " # comment"
	default:
		var b strings.Builder
		dash := rapid.SampledFrom([]string{"- ", "  - ", "    -   ", "  # c\n  - ", "  k: "}).Draw(t, "dash")
		for i := range rapid.IntRange(1, 3).Draw(t, "items") {
			b.WriteString("\n" + strings.Replace(dash, "k", fmt.Sprintf("k%d", i), 1) + word)
			if rapid.Bool().Draw(t, "next") {
				word = rapid.SampledFrom([]string{"p", "'q'", "r # s", "t\n    u", "v: w", "- x", ""}).Draw(t, "item")
			}
		}
		return b.String()
	}
}

func drawFront(t *rapid.T) string {
	var b strings.Builder
	for i := range rapid.IntRange(0, 5).Draw(t, "lines") {
		switch rapid.IntRange(0, 11).Draw(t, "line") {
		case 0:
			b.WriteString(rapid.SampledFrom([]string{"# comment", "  # indented", "", "  "}).Draw(t, "other") + "\n")
		case 1:
			b.WriteString(rapid.SampledFrom([]string{"text", "a: 1", " b: 2", "- c", "\"d e\": 1", "'f': 2", "{a: b}", "? x", "\"g\\n\": 1", "1: 2", "true: x", "h:i"}).Draw(t, "odd") + "\n")
		default:
			fmt.Fprintf(&b, "%s:%s\n", rapid.SampledFrom([]string{"k%d", "tags%d", "Key %d", "ü%d", "a-%d", "a.%d"}).Draw(t, "key")[:0]+fmt.Sprintf(rapid.SampledFrom([]string{"k%d", "tags%d", "Key %d", "ü%d", "a-%d", "a.%d"}).Draw(t, "name"), i), drawWritten(t, ""))
		}
	}
	return b.String()
}

// drawValue draws a value for Set.
func drawValue(t *rapid.T) any {
	text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[-#:'"\[\]{},&*!|>%@a1 .~\\?_x]{0,6}`),
		rapid.SampledFrom([]string{"true", "null", "1e3", "2026-11-21", "[[A]]", "a: b", "x #y", "0x1", "- a", "a\nb", "\"", "'", "010"}))
	scalar := rapid.OneOf(rapid.Map(text, func(s string) any { return s }), rapid.Map(rapid.Int64(), func(n int64) any { return n }),
		rapid.Map(rapid.Float64(), func(f float64) any { return f }), rapid.Map(rapid.Bool(), func(b bool) any { return b }), rapid.Just[any](nil))
	if rapid.IntRange(0, 2).Draw(t, "list") == 0 {
		return rapid.SliceOfN(scalar, 0, 4).Draw(t, "values")
	}
	return scalar.Draw(t, "value")
}

// TestSetChangesOneProperty: the new value is read back, other properties are unchanged, and so is every byte outside
// the property's lines.
func TestSetChangesOneProperty(t *testing.T) {
	did, refused := 0, 0
	property := func(t *rapid.T) {
		text := "---\n" + drawFront(t) + "---\n# Body\n---\n"
		switch rapid.IntRange(0, 5).Draw(t, "text") {
		case 0:
			text = "\ufeff" + text
		case 1:
			text = rapid.SampledFrom([]string{"", "# Body", "---\n", "---\nno end", "\ufeffx"}).Draw(t, "bare")
		}
		if rapid.Bool().Draw(t, "crlf") {
			text = strings.ReplaceAll(text, "\n", "\r\n")
		}
		key := rapid.OneOf(rapid.SampledFrom([]string{"k0", "k1", "tags1", "Key 2", "ü0", "K0", "new"}), rapid.StringMatching(`[a-z:#"' -]{1,5}`)).Draw(t, "key")
		value := drawValue(t)
		before, err := Properties([]byte(text))
		if err != nil {
			return
		}
		after, err := Set([]byte(text), key, value)
		if err != nil {
			refused++
			if checkKey(key) == nil && len(before) == 0 && !strings.Contains(text, "---") {
				t.Fatalf("Set(%q, %q, %#v): %v", text, key, value, err)
			}
			return
		}
		did++
		now, err := Properties(after)
		if err != nil {
			t.Fatalf("Set(%q, %q, %#v) = %q: %v", text, key, value, after, err)
		}
		wanted, _ := normalize(value)
		at := Find(before, key)
		var others []Property
		for i, p := range now {
			if at < 0 && i == len(now)-1 || i == at {
				if !strings.EqualFold(p.Key, key) || !sameValue(p.Value, wanted) {
					t.Fatalf("Set(%q, %q, %#v) = %q: reads as %q %#v", text, key, value, after, p.Key, p.Value)
				}
				continue
			}
			others = append(others, p)
		}
		removed, err := Remove([]byte(text), key)
		if err != nil {
			return // for example where a comment below would become part of the text above
		}
		rest, err := Properties(removed)
		if err != nil || len(rest) != len(others) {
			t.Fatalf("Remove(%q, %q) = %q: %v", text, key, removed, err)
		}
		for i := range rest {
			if rest[i].Key != others[i].Key || !sameValue(rest[i].Value, others[i].Value) {
				t.Fatalf("Set(%q, %q, %#v) = %q: %q became %#v", text, key, value, after, rest[i].Key, others[i].Value)
			}
		}
		// The bytes outside the property's lines are at the beginning and the end of both texts.
		var head, tail int
		if at >= 0 {
			_, _, e, _ := openProperty([]byte(text), before[at].Key)
			head, tail = e.start, len(text)-e.stop
		} else if front := frontSpan([]byte(text)); front.Lines > 0 {
			head, tail = front.End, len(text)-front.End
		} else {
			head = len(text) - len(strings.TrimPrefix(text, "\ufeff"))
			tail = len(text) - head
		}
		if !strings.HasPrefix(string(after), text[:head]) || !strings.HasSuffix(string(after), text[len(text)-tail:]) || len(after) < head+tail {
			t.Fatalf("Set(%q, %q, %#v) = %q: other bytes changed", text, key, value, after)
		}
		if strings.Contains(text, "\r\n") && bytes.Count(after, []byte("\n")) != bytes.Count(after, []byte("\r\n")) {
			t.Fatalf("Set(%q, %q, %#v) = %q: mixed line ends", text, key, value, after)
		}
	}
	for did < 1000 { // so that enough edits are accepted
		rapid.Check(t, property)
	}
	t.Logf("%d set, %d refused", did, refused)
	if refused*5 > did {
		t.Errorf("%d of %d were refused", refused, did)
	}
}

// A list with an element that cannot be located is refused, whatever follows it.
func TestSetRefusesWhatItCannotLocate(t *testing.T) {
	for _, text := range []string{"---\nk:\n- ? x\n---\n", "---\nk:\n- ? x\n- b\n---\n", "---\nk:\n- - ? x\n---\n"} {
		if after, err := Set([]byte(text), "k", []any{"b", "new"}); err == nil {
			t.Errorf("%q became %q", text, after)
		}
	}
}
