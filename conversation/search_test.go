package conversation

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func utf16s(r rune) []uint16 { return utf16.Encode([]rune{r}) }

func search(t testing.TB, m *Manager, query string, limit int) []Hit {
	t.Helper()
	hits, err := m.Search(t.Context(), query, limit)
	if err != nil {
		t.Fatalf("%q: %v", query, err)
	}
	return hits
}

// newSearchManager returns a manager with a conversation of one turn for each text; the IDs are the indexes.
func newSearchManager(t testing.TB, texts ...string) *Manager {
	t.Helper()
	m := NewManager(openRoot(t, memory(t)), Options{})
	for i, text := range texts {
		x := turn(fmt.Sprint("m", i), at(10*i))
		x.Messages[1].Content = text
		if err := m.Append(fmt.Sprint(i), x); err != nil {
			t.Fatal(err)
		}
		if _, err := m.End(at(10*i+1), "new"); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

func hitIDs(hits []Hit) string {
	var out []string
	for _, h := range hits {
		out = append(out, h.ID)
	}
	return strings.Join(out, " ")
}

func TestSearch(t *testing.T) {
	m := newSearchManager(t,
		"The tomatoes need water.",                // 0
		"Water the CAFÉ plants — naïvely",         // 1
		"Das Cafe\u0301 liegt in der Königstraße", // 2, decomposed
		`a path C:\notes\new "quoted" <b>&amp;`,   // 3
		"日本語のメモ と Привет",                         // 4
		"only a number 42",                        // 5
	)
	if err := m.SetTitle("5", "Water bills", "About the meter in the cellar."); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ query, want string }{
		{"water", "5 1 0"}, // title matches first, then the newest
		{"WATER", "5 1 0"},
		{"ater", "5 1 0"}, // within a word
		{"water tomatoes", "0"},
		{"tomatoes   WATER\nneed", "0"},
		{"water cellar", "5"}, // in title and summary
		{"meter", "5"},
		{"meter 42", "5"}, // in the summary and a message
		{"café", "2 1"},
		{"CAFE\u0301", "2 1"},
		{"cafe", "2"}, // accents matter in composed text
		{"KÖNIGSTRASSE", ""},
		{"königstraße", "2"},
		{`c:\notes`, "3"},
		{`"quoted"`, "3"},
		{`\new`, "3"},
		{"<b>&amp;", "3"},
		{"メモ", "4"},
		{"привет", "4"},
		{"question m1", "1"}, // in the user's message
		{"role", ""},
		{"content", ""},
		{"assistant", ""},
		{"turn", ""},
		{"time", ""},
		{"m0-", ""},
		{"2026", ""},
		{"null", ""}, // words of the file format
		{"nnew", ""}, // part of an escape sequence
		{"nothing", ""},
	} {
		if got := hitIDs(search(t, m, c.query, 0)); got != c.want {
			t.Errorf("%q: %q, want %q", c.query, got, c.want)
		}
	}
	if got := hitIDs(search(t, m, "water", 2)); got != "5 1" {
		t.Errorf("limited: %q", got)
	}
	for _, query := range []string{"", " \n\t", "\x00\x1b", strings.Repeat("words ", 1000)} {
		if hits, err := m.Search(t.Context(), query, 0); err == nil {
			t.Errorf("%.20q: %v", query, hits)
		}
	}
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.Search(stopped, "water", 0); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if hits := search(t, NewManager(openRoot(t, memory(t)), Options{}), "water", 0); len(hits) > 0 {
		t.Errorf("found without conversations: %v", hits)
	}
}

// TestSearchPrefersSameMessage: words in one message rank above the same words in several.
func TestSearchPrefersSameMessage(t *testing.T) {
	m := newSearchManager(t, "red blue green", "red", "yellow")
	for i, text := range []string{"blue", "green"} {
		x := turn(fmt.Sprint("late", i), at(500+i))
		x.Messages[0].Content = text
		if err := m.Append("1", x); err != nil {
			t.Fatal(err)
		}
	}
	hits := search(t, m, "green red blue", 0)
	if hitIDs(hits) != "0 1" {
		t.Errorf("%q", hitIDs(hits))
	}
	if e := hits[1].Excerpts; len(e) != 3 || e[0].Text != "red" || e[1].Text != "blue" || e[2].Text != "green" || e[2].TurnID != "late1" || e[2].Role != RoleUser || !e[2].Time.Equal(at(501)) {
		t.Errorf("%+v", e)
	}
	if e := hits[0].Excerpts; len(e) != 1 || e[0].Role != RoleAssistant {
		t.Errorf("%+v", e)
	}
}

// TestSearchScope: a search covers branches, failed turns, interim messages and the active conversation, but no tool
// results.
func TestSearchScope(t *testing.T) {
	m, id := withTurns(t, "a", "b")
	x := failing("c", at(5))
	x.Messages[0].Content = "the needle of a compass"
	x.Messages = append(x.Messages, Message{Role: RoleTool, Content: "haystack"}, Message{Role: RoleAgent, Content: "found the pin"}, Message{Role: RoleTool, Content: "of haystack size", ToolName: "x"})
	if err := m.Append(id, x); err != nil {
		t.Fatal(err)
	}
	if err := m.Fork(id, "b"); err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]string{"needle": id, "compass pin": id, "haystack": "", "answer": id} {
		if got := hitIDs(search(t, m, query, 0)); got != want {
			t.Errorf("%q: %q, want %q", query, got, want)
		}
	}
}

// TestSearchOfForeignFiles: other spacing, field order and escapes, and damage.
func TestSearchOfForeignFiles(t *testing.T) {
	m, _ := withTurns(t, "a")
	dir := filepath.Join(m.store.root.Name(), folder)
	for name, line := range map[string]string{
		"spaced":   `{ "type" : "turn", "turn" : { "id" : "x", "messages" : [ { "content" : "Haystack needle" , "role" : "user" } ] } }`,
		"escaped":  `{"type":"turn","turn":{"id":"x","messages":[{"role":"user","time":"2026-03-02T12:00:00Z","c\u006fntent":"n\u0065edle <\u003e \u00FCber"}]}}`,
		"tooled":   `{"type":"turn","turn":{"id":"x","messages":[{"content":"needle","role":"tool"},{"role":"assistant","content":"nothing"}]}}`,
		"damaged":  `{"type":"turn","turn":{"id":"x","messages":[{"role":"user","time":"2026-03-02T12:00:00Z","content":"needle`,
		"other":    `{"type":"note","schema":9,"messages":[{"role":"user","time":"2026-03-02T12:00:00Z","content":"needle"}]}`,
		"quoting":  `{"type":"turn","turn":{"id":"x","messages":[{"role":"tool","time":"2026-03-02T12:00:00Z","content":"{\"role\":\"user\",\"content\":\"needle\"}"}]}}`,
		"no-break": `{"type":"turn","turn":{"id":"x","messages":[{"role":"user","time":"2026-03-02T12:00:00Z","content":"a needle"}]}}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name+".jsonl"), []byte(line), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got := strings.Fields(hitIDs(search(t, m, "NEEDLE", 0)))
	slices.Sort(got)
	if want := []string{"escaped", "no-break", "spaced"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := hitIDs(search(t, m, "needle <> ÜBER", 0)); got != "escaped" {
		t.Errorf("%q", got)
	}
	if err := os.Remove(filepath.Join(dir, "spaced.jsonl")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "spaced.jsonl"), 0o700); err != nil {
		t.Fatal(err)
	}
	if got := search(t, m, "haystack", 0); len(got) > 0 {
		t.Errorf("%v", got)
	}
}

// TestSearchAgainstDefinition: for any words, texts and escapes, the hits are those of the definition.
func TestSearchAgainstDefinition(t *testing.T) {
	base, runs := memory(t), 0
	rapid.Check(t, func(t *rapid.T) {
		runs++
		dir := filepath.Join(base, fmt.Sprint(runs))
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o700); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = os.RemoveAll(dir) }()
		root, err := os.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = root.Close() }()
		contents := map[string][]string{}
		var all strings.Builder
		for i := range rapid.IntRange(1, 4).Draw(t, "conversations") {
			c := &Conversation{ID: fmt.Sprint(i), Started: noon}
			contents[c.ID] = nil
			for j := range rapid.IntRange(1, 3).Draw(t, "turns") {
				x := turn(fmt.Sprint("m", i, "-", j), at(j))
				for k := range x.Messages {
					x.Messages[k].Content = texts().Draw(t, "text")
					if x.Messages[k].Role == RoleUser && rapid.Bool().Draw(t, "by the program") {
						x.Messages[k].Source = sourceGoal
					} else {
						contents[c.ID] = append(contents[c.ID], x.Messages[k].Content)
					}
					all.WriteString(x.Messages[k].Content)
				}
				c.Turns = append(c.Turns, x)
			}
			data, err := encode(c.records())
			if err != nil {
				t.Fatal(err)
			}
			if rapid.Bool().Draw(t, "escaped") {
				data = escapedJSON(t, data)
			}
			if err := os.WriteFile(filepath.Join(dir, file(c.ID)), data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		query := texts().Draw(t, "query")
		if runes := []rune(all.String()); len(runes) > 0 && rapid.Bool().Draw(t, "of the text") {
			from := rapid.IntRange(0, len(runes)-1).Draw(t, "from")
			query = upper(string(runes[from:min(from+rapid.IntRange(1, 4).Draw(t, "length"), len(runes))]))
		}
		for _, word := range strings.Fields(query) {
			if first, _ := utf8.DecodeRuneInString(word); unicode.Is(unicode.M, first) {
				t.Skip("a mark without its letter")
			}
		}
		words, err := parseWords(query)
		if err != nil {
			t.Skip("no word in it")
		}
		var want []string
		for i := range len(contents) {
			id := fmt.Sprint(i)
			every := true
			for _, w := range words.each {
				every = every && slices.ContainsFunc(contents[id], w.MatchString)
			}
			if every {
				want = append(want, id)
			}
		}
		hits, err := NewManager(root, Options{}).Search(context.Background(), query, 0)
		if err != nil {
			t.Fatal(err)
		}
		got := strings.Fields(hitIDs(hits))
		slices.Sort(got)
		if !slices.Equal(got, want) {
			data, _ := os.ReadFile(filepath.Join(dir, file(append(want, "0")[0])))
			t.Fatalf("%+q: found %q, want %q in %+q %s", query, got, want, contents, data)
		}
		for _, h := range hits {
			for _, e := range h.Excerpts {
				if !utf8.ValidString(e.Text) || strings.ContainsAny(e.Text, "\n\t\r") || len(e.Text) > 3*passageLength {
					t.Fatalf("%q: excerpt %q", query, e.Text)
				}
			}
			if len(h.Excerpts) == 0 || len(h.Excerpts) > maxExcerpts {
				data, _ := os.ReadFile(filepath.Join(dir, file(h.ID)))
				t.Fatalf("%q: %d excerpts of %s", query, len(h.Excerpts), data)
			}
		}
	})
}

func TestPassage(t *testing.T) {
	long := strings.Repeat("word ", 100)
	for _, c := range []struct{ text, query, want string }{
		{"short text", "text", "short text"},
		{"  two\n\n lines\twith a tab ", "lines", "two lines with a tab"},
		{long + "the needle here " + long, "needle", "…word word word word word word word word the needle here word word word word word word word word word word word word word word word word word word word word wor…"},
		{"needle " + long, "needle", "needle word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word wor…"},
		{long + "the end", "END", "…ord word word word word word word word word the end"},
		{"one " + long + "one two", "one two", "one word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word w…"}, // the first of the longest word
		{strings.Repeat("é", 300) + "x", "x", "…" + strings.Repeat("é", 25) + "x"},
		{"Die Cafe\u0301s " + long + " KÖNIG", "könig", "…ord word word word word word word word word word KÖNIG"},
	} {
		words, err := parseWords(c.query)
		if err != nil {
			t.Fatal(err)
		}
		if got := words.passage(c.text); got != c.want {
			t.Errorf("%.20q, %s:\n%s, want\n%s", c.text, c.query, got, c.want)
		}
	}
}
