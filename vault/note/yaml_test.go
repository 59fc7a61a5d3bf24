package note

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	yamlv3 "gopkg.in/yaml.v3"
	"pgregory.net/rapid"
)

// parsed is a YAML parser's result: values as "tag:text", lists as []any, maps as [][2]any; or the 0-based lines of
// its error.
type parsed struct {
	Value any    `json:"v"`
	Lines []int  `json:"lines"`
	Error string `json:"e"`
}

// pyYAML is a Python program that reads texts as lines of JSON and prints the nodes that PyYAML composes.
const pyYAML = `
import sys, json, yaml
def say(n):
    if isinstance(n, yaml.ScalarNode): return n.tag.split(":")[-1] + ":" + n.value
    if isinstance(n, yaml.SequenceNode): return [say(x) for x in n.value]
    return {"map": [[say(k), say(v)] for k, v in n.value]}
for line in sys.stdin:
    try:
        n = yaml.compose(json.loads(line), Loader=yaml.SafeLoader)
        print(json.dumps({"v": n and say(n)}))
    except yaml.MarkedYAMLError as e:
        print(json.dumps({"e": str(e), "lines": [m.line for m in (e.problem_mark, e.context_mark) if m]}))
    except Exception as e:
        print(json.dumps({"e": str(e)}))
    sys.stdout.flush()
`

var python = sync.OnceValues(func() (ask func(string) parsed, err error) {
	if err := exec.Command("python3", "-c", "import yaml").Run(); err != nil {
		return nil, err
	}
	cmd := exec.Command("python3", "-c", pyYAML)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	answers := bufio.NewReader(out)
	return func(text string) (s parsed) {
		question, _ := json.Marshal(text)
		if _, err := in.Write(append(question, '\n')); err != nil {
			panic(err)
		}
		line, err := answers.ReadBytes('\n')
		if err != nil && err != io.EOF || json.Unmarshal(line, &s) != nil {
			panic(fmt.Sprint(err, string(line)))
		}
		return s
	}, cmd.Start()
})

// parseV3 returns yaml.v3's result for a text.
func parseV3(text string) (s parsed) {
	var n yamlv3.Node
	if err := yamlv3.Unmarshal([]byte(text), &n); err != nil {
		s.Error = err.Error()
		return s
	}
	var say func(n *yamlv3.Node) any
	say = func(n *yamlv3.Node) any {
		switch n.Kind {
		case yamlv3.AliasNode:
			return say(n.Alias)
		case yamlv3.ScalarNode:
			return strings.TrimPrefix(n.ShortTag(), "!!") + ":" + n.Value
		case yamlv3.SequenceNode:
			list := []any{}
			for _, c := range n.Content {
				list = append(list, say(c))
			}
			return list
		}
		pairs := []any{}
		for i := 0; i < len(n.Content); i += 2 {
			pairs = append(pairs, []any{say(n.Content[i]), say(n.Content[i+1])})
		}
		return map[string]any{"map": pairs}
	}
	if n.Kind != 0 {
		s.Value = say(n.Content[0])
	}
	return s
}

var (
	octal      = regexp.MustCompile(`^[-+]?0[0-9_]+$`)
	underlined = regexp.MustCompile(`_$|^[-+]?0x?_|^[-+]_`)
)

// agrees reports whether a value equals that of a parser that returns tags. Dates and times are text, and digits
// after a 0 are decimal, as for js-yaml. With exact, the tags must agree, otherwise only the text.
func agrees(v, other any, exact bool) bool {
	switch v := v.(type) {
	case []any:
		list, ok := other.([]any)
		if !ok || len(list) != len(v) {
			return false
		}
		for i := range v {
			if !agrees(v[i], list[i], exact) {
				return false
			}
		}
		return true
	case []Property:
		m, ok := other.(map[string]any)
		if !ok {
			return false
		}
		pairs := m["map"].([]any)
		if len(pairs) != len(v) {
			return false
		}
		for i, p := range v {
			pair := pairs[i].([]any)
			_, key, _ := strings.Cut(pair[0].(string), ":")
			if key != p.Key || !agrees(p.Value, pair[1], exact) {
				return false
			}
		}
		return true
	}
	text, ok := other.(string)
	if !ok {
		return false
	}
	tag, text, _ := strings.Cut(text, ":")
	if s, ok := v.(string); ok {
		return s == text && (!exact || tag == "str" || tag == "timestamp" || underlined.MatchString(text) || !slices.Contains([]string{"null", "bool", "int", "float"}, tag))
	}
	if !exact {
		return true
	}
	if octal.MatchString(text) {
		return tag == "int" || tag == "float"
	}
	var want any
	if err := yamlv3.Unmarshal([]byte("!!"+tag+" "+text), &want); err != nil {
		return false
	}
	switch w := want.(type) {
	case int:
		want = int64(w)
	case uint64:
		want = float64(w)
	case float64:
		if i, ok := v.(int64); ok {
			return float64(i) == w
		}
	}
	return sameValue(v, want)
}

// differs describes how the front matter parser's result differs from the reference parsers', "" if it does not.
func differs(text string) string {
	properties, err := Properties([]byte("---\n" + text + "\n---\n"))
	text += "\n"
	others := map[string]parsed{"yaml.v3": parseV3(text)}
	if ask, err := python(); err == nil {
		others["PyYAML"] = ask(text)
	}
	for name, other := range others {
		switch {
		case other.Error != "" && err == nil:
			// js-yaml uses the later one of two anchors, accepts tabs between values and "\/", and takes line breaks
			// of YAML 1.1 for characters.
			if strings.Contains(other.Error, "found duplicate anchor") || strings.ContainsAny(text, "\t\u0085\u2028\u2029") || strings.Contains(text, `\/`) {
				continue
			}
			return fmt.Sprintf("%s refuses it: %s", name, other.Error)
		case other.Error == "" && err != nil:
			if strings.Contains(err.Error(), "already") || strings.Contains(err.Error(), "it is not a list of properties") || strings.Contains(err.Error(), "a key may not be") || strings.Contains(err.Error(), "YAML documents") || strings.Contains(err.Error(), "<document start>") {
				continue // js-yaml rejects it too, and front matter must be a single map
			}
			return fmt.Sprintf("%s takes it: %v", name, err)
		case err != nil:
			var fault *FrontError
			if !errors.As(err, &fault) {
				return fmt.Sprintf("the error names no line: %v", err)
			}
			line := fault.Line - 2
			if len(other.Lines) > 0 && line != other.Lines[0] && line != other.Lines[len(other.Lines)-1] {
				return fmt.Sprintf("%s finds the fault on line %v: %v", name, other.Lines, err)
			}
		case other.Value == nil || strings.HasPrefix(fmt.Sprint(other.Value), "null:"):
			if len(properties) > 0 {
				return name + " finds nothing"
			}
		case !agrees(properties, other.Value, name == "yaml.v3"):
			return fmt.Sprintf("%s reads %v, not %#v", name, other.Value, properties)
		}
	}
	return ""
}

// TestYAMLMatchesOtherParsers compares the parsed front matter with PyYAML's and yaml.v3's.
func TestYAMLMatchesOtherParsers(t *testing.T) {
	if _, err := python(); err != nil {
		t.Log("without PyYAML:", err)
	}
	for _, text := range []string{
		"tags:\n-\naliases: x", "tags:\n-\n-\naliases: x", "tags:\n  -\n  - a\naliases: x", "a:\n- b\n-\n\n# c\nd: e", "a:\n  -\n    -\n  - b: c\n    d:\n  -\ne:", "a: !!str\nb: c",
		"a: 12\nb: -1\nc: +1\nd: 0x1F\ne: 0o17\nf: 010\ng: 0b11\nh: 1_000\ni: 1.5\nj: 1e3\nk: .5\nl: -.5\nm: 1.\nn: .inf\no: -.INF\np: .NaN\nq: 12345678901234567890\nr: 1.10\ns: 0.0\nt: 08",
		"a: true\nb: True\nc: TRUE\nd: tRue\ne: false\nf: null\ng: Null\nh: ~\ni:\nj: ''\nk: \"\"\nl: nUll", "a: yes\nb: no\nc: on\nd: off\ne: y\nf: 'yes'",
		"a: 2026-11-21\nb: 2026-11-21 10:00\nc: 2026-11-21T10:00:00Z\nd: 10:30\ne: 1:30:00\nf: 2026-13-45\ng: 21.11.2026",
		"a: b\n  c\n\n  d\ne: f", "a:\n  b\n  c\nd: e", "a: 'b\n  c'\nd: \"e\n\n  f \\\n  g\"", "a: \"\\u00e9\\x41\\t\\n\\\\\\\"\\U0001F389\\/\"", "a: 'it''s'\nb: \"'\"",
		"a: |\n  b\n   c\n\n  d\ne: f", "a: |-\n  b\n\nc: >\n  d\n  e\n\n  f\n   g\n  h", "a: |+\n  b\n\n\nc: >+\n  d\n\n", "a: |2\n   b\n  c\nd: |1-\n  e\n f", "a: |\n\n  b\nc: |\nd: >-\n", "a: |  # c\n  # no comment\n  b", "a: >\n  b\n\n\n  c",
		"a: [b, 'c', \"d, e\", [f, {g: h}]]\ni: {j: k, l: [m], n}", "a: [\n  b, # c\n  d,\n]\ne: {\n  f: g,\n\n  h: i\n}", "a: []\nb: {}\nc: [,]", "a: [b, ,c]", "a: [b: c, d]", "a: [\"b\":c]", "up: [[Note]]\nb: \"[[Note|x]]\"\nc: [[a]], b",
		"# c\na: b # d\n# e\n\n  # f\nc: d#e\nf: g #", "a: #b\nc: d", "a: b\n#c\n d: e", "a : b\n\"c: d\": e\n'f' : g\nh i: j\nk:l: m\n1: n\ntrue: o\n日本: é\n📅: 2026", "? a\n: b\n? c\n", "? [a]\n: b", "{a: b, c: [d]}", "  a: b\n  c: d",
		"a: &x b\nc: *x\nd: &y [e]\nf: *y", "a: &x\n  b: c\nd: *x", "a: *x", "a: &x b\nc: &x d\ne: *x", "a: !!str 12\nb: !!int \"3\"\nc: !!float 1\nd: ! e\nf: !!null ''\ng: !!bool true\nh: !!str true",
		"a:\tb\nc: d\t# e", "a:\n\tb: c", "a: b\n\tc", "\ta: b", "a: b \t\nc:   \td", "a: [b,\n\tc]", "a: b\r\nc:\r\n  - d\r\n  -\r\ne: |\r\n  f\r\n  g\r\nh: 'i\r\n  j'", "a: b\rc: d", "a: b\n...", "a: b\n...\nc: d", "a: b\n... \n", "a: b\n--- c",
		"a: @b", "a: `b`", "a: %b", "%a: b", "a: b: c", "a: 'b", "a: \"b\nc: d", "a: [b\nc: d", "a: {b", "a: b\nc\nd: e", "a: b\nc", "a: b\n- c", "- a\n- b", "just text", "a: b\n  c: d", " a: b\nc: d", "a: - b", "a: b\na: c", "a: \"\\q\"", "a: ]", "a: ,b", "a: >x\n  b", "a: |\n\tb", "a: 'b' c", "a: [b] c", "a: *", "a: &", "a: !<", "*a : b",
		"a: \u00a0b\u00a0\nc: d\u200be\nf: \ue000\ue000g\ue001", "a: x\u0001y", "a: \ufeffb", "a: x\u2028y\nb: c", "a: x\u0085y\nb: c", "", "# c", "~", "null", "---", "a: -\nb: - \nc: ---", "a: -b\nc: ?d\ne: :f\ng: -", "- - - a", "a: <<\nb: =", "a: b,c\nd: [e-f, -g, h#i]\nj: k{l}\nm: n[o]",
		"a: http://x.y/z?a=b#c\nb: C:\\d\nc: a::b\nd: e:", "a: \"b\" # c\nd: 'e'   # f", "cssclasses:\n  - wide\n\n  - \"cards\"\naliases: []\npublish:", "a:\n    - b\n    -   c\n    - - d\n      - e", "a:\n  - b: c\n    d: e\n  - f\n  -\n    g: h",
	} {
		if why := differs(text); why != "" {
			t.Errorf("%q: %s", text, why)
		}
	}
}

// drawYAML draws a value at a nesting depth, indented by margin.
func drawYAML(t *rapid.T, depth int, margin string) string {
	switch how := rapid.IntRange(0, 7).Draw(t, "how"); {
	case how == 5 && depth < 3:
		var b strings.Builder
		b.WriteString(rapid.SampledFrom([]string{"\n", " # c\n"}).Draw(t, "end"))
		in := margin + rapid.SampledFrom([]string{"", "  ", "    "}).Draw(t, "in")
		for range rapid.IntRange(1, 4).Draw(t, "items") {
			b.WriteString(rapid.SampledFrom([]string{"", "", "", "\n", in + "# c\n", "# c\n"}).Draw(t, "between"))
			if rapid.IntRange(0, 4).Draw(t, "empty") == 0 {
				b.WriteString(in + "-" + rapid.SampledFrom([]string{"", " ", "  # c"}).Draw(t, "nothing") + "\n")
			} else {
				b.WriteString(in + "-" + drawYAML(t, depth+1, in+"  "))
			}
		}
		return b.String()
	case how == 6 && depth < 3:
		b, in := "\n", margin+rapid.SampledFrom([]string{"  ", "    "}).Draw(t, "in")
		for i := range rapid.IntRange(1, 3).Draw(t, "keys") {
			b += fmt.Sprintf("%sk%d:%s", in, i, drawYAML(t, depth+1, in))
		}
		return b
	case how == 7:
		return "\n"
	}
	value := rapid.SampledFrom([]string{
		"a", "b c", "1", "2.5", "true", "~", "2026-11-21", "x:y", "it's", "a\"b", "#c", "é", "日本", "[[N]]", "-", "*x", "a # c", "\"q: r\"", "'s''t'", "\"u\\n\"", "\"[[N]]\"", "x,y", "%", "10:30", "010", "1e3", "Yes", "https://x.y/z?a=b#c", "a\n  b", "a\n\n  b",
		"\"a\n  b\"", "'a\n  b'", "{a: b}", "[a, 'b', \"c\"]", "[a,\n  b]", "[\n  a,\n  b,\n]", "[]", "{}", "|\n  x\n  y", "|-\n  x\n\n  y\n", ">\n  x\n  y", ">-\n  x\n\n\n  y\n   z", "|+\n  x\n\n", "|2\n   x\n  y", "!!str 12", "&a x", "null", "", " ", " # c", "'#t'", "\"\"", "''",
		"a: b", "- x", "[a, [b, c], {d: e}]", "a b  ", "\\x", "5 * 3", "`a`", "@b", "a, b", "'a: b'", "|\n  - x\n  k: v\n  # no", "!!str", "!!str\n  x", "1_000", "0b11",
	}).Draw(t, "value")
	return " " + strings.ReplaceAll(value, "\n", "\n"+margin) + "\n"
}

func TestRandomYAMLMatchesOtherParsers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		for i := range rapid.IntRange(1, 4).Draw(t, "keys") {
			fmt.Fprintf(&b, rapid.SampledFrom([]string{"k%d", "Key %d", "ü%d", "\"a: %d\"", "'q%d'", "a-%d"}).Draw(t, "key"), i)
			b.WriteString(":" + drawYAML(t, 0, ""))
			b.WriteString(rapid.SampledFrom([]string{"", "", "", "# c\n", "\n", "  # c\n", "  \n"}).Draw(t, "between"))
		}
		text := b.String()
		if rapid.Bool().Draw(t, "crlf") {
			text = strings.ReplaceAll(text, "\n", "\r\n")
		}
		if why := differs(text); why != "" {
			t.Fatalf("%q: %s", text, why)
		}
	})
}

// TestRealNotesMatchOtherParsers does the same with the front matter of real notes, from testdata and the folder in
// CHATVAULT_VAULTS.
func TestRealNotesMatchOtherParsers(t *testing.T) {
	notes, fronts := 0, 0
	for _, root := range []string{"../../testdata", os.Getenv("CHATVAULT_VAULTS")} {
		if root == "" {
			continue
		}
		err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() || filepath.Ext(path) != ".md" {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			notes++
			front := frontSpan(text)
			if content := bytes.TrimSuffix(bytes.TrimSuffix(text[front.Start:front.End], []byte("\n")), []byte("\r")); front.Lines > 0 && !bytes.Contains(content, []byte("{{")) {
				fronts++
				if why := differs(string(content)); why != "" {
					t.Errorf("%s: %s", path, why)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if t.Logf("%d notes, %d with front matter", notes, fronts); fronts == 0 {
		t.Error("no note has front matter")
	}
}

// TestFrontIsFast: 64 KB of nested, repeated or unclosed syntax are parsed or rejected at once.
func TestFrontIsFast(t *testing.T) {
	for _, part := range []string{
		"[", "{", "{a: ", "[a, ", "- ", "? ", ": ", "&a ", "*a ", "!", "!!str ", "'", "\"", "# c\n", "a:\n# c\n", "a: b\n", "a:\n -\n", "-\n# c\n\n", "a: |\n  x\n# c\n", "\ufeff", "\u2028", "x\n  ", "\n ", "a #", "%a\n", "{{", "{{a}}", "\\", "\t", "]", ",", "---\n", "...\n", "k: [", "k:\n  ",
	} {
		for _, head := range []string{"", "a: ", "a: [", "a: \"", "a: |\n  ", "a:\n  - "} {
			content := head + strings.Repeat(part, (maxFront-len(head))/len(part))
			text := []byte("---\n" + content + "\n---\n")
			begin := time.Now()
			_, _ = Properties(text)
			_, _ = Set(text, "k", "v")
			if took := time.Since(begin); took > 5*time.Second {
				t.Errorf("%q after %q: %v", part, head, took)
			}
		}
	}
}
