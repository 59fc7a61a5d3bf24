package prosediff

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aymanbagabas/go-udiff"
	"pgregory.net/rapid"
)

// drawNote draws a text of typical lines of notes.
func drawNote(t *rapid.T, name string) string {
	part := rapid.SampledFrom([]string{
		"---\n", "title: Tart\n", "tags: [a, b]\n", "tags:\n  - a\n  - c\n", "# Tart\n", "## Method\n", "Bake it blind for twenty minutes.\n",
		"Bake it blind\nfor twenty minutes.\n", "Serve it cold, with cream and a glass of wine.\n", "\n", "\n\n", " \n", "- one egg\n", "- two eggs\n  beaten\n", "1. first\n",
		"\t- nested\n", "> said\n", "> and done\n", "| a | b |\n", "|---|---|\n", "| 1 | 2 |\n", "```go\n", "```\n", "x := 1\n", "    indented\n", "$$\n",
		"日本語の文章。\n", "e\u0301te\u0301\n", "👩‍🍳 cooks 🇩🇪\n", "\u0301lone\n", "no end", "\xff\xfe\n", "a\r\n", "\ufeff",
	})
	text := strings.Join(rapid.SliceOfN(part, 0, 14).Draw(t, name), "")
	if rapid.IntRange(0, 5).Draw(t, name+" ends") == 0 {
		text = strings.ReplaceAll(strings.ReplaceAll(text, "\r", ""), "\n", "\r\n")
	}
	return text
}

// drawChanged draws a text that is mostly another one.
func drawChanged(t *rapid.T, text string) string {
	lines := strings.SplitAfter(text, "\n")
	for range rapid.IntRange(0, 4).Draw(t, "changes") {
		i := rapid.IntRange(0, len(lines)-1).Draw(t, "at")
		switch rapid.IntRange(0, 3).Draw(t, "how") {
		case 0:
			lines[i] = ""
		case 1:
			lines[i] += drawNote(t, "more")
		case 2:
			lines[i] = strings.Replace(lines[i], " ", rapid.SampledFrom([]string{"", "  ", "\n", " very "}).Draw(t, "space"), 1)
		default:
			lines[i] = strings.Replace(lines[i], "t", "th", 1)
		}
	}
	return strings.Join(lines, "")
}

// TestApply checks that all hunks give the new text, none the old one, and some exactly their passages.
func TestApply(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := drawNote(t, "before")
		after := drawChanged(t, before)
		if rapid.IntRange(0, 3).Draw(t, "other") == 0 {
			after = drawNote(t, "after")
		}
		d := Compare(before, after)
		var all, some []int
		for i := range d.Hunks {
			all = append(all, i)
			if rapid.Bool().Draw(t, "take") {
				some = append(some, i)
			}
		}
		if got := d.Apply(all); len(d.Notes) == 0 && got != after {
			t.Fatalf("all: %q, want %q", got, after)
		}
		if got := d.Apply(nil); got != before {
			t.Fatalf("none: %q, want %q", got, before)
		}
		if d.Empty() != (before == after) {
			t.Fatalf("empty: %v", d.Empty())
		}
		if got, want := d.Apply(some), joinLines(d, some); got != want {
			t.Fatalf("%v: %q, want %q", some, got, want)
		}
		checkWhole(t, d)
	})
}

// joinLines joins lines to a text.
func joinLines(d *Diff, taken []int) string {
	var b strings.Builder
	for _, l := range d.Lines {
		if yes := slices.Contains(taken, l.Hunk); l.Op == Same || yes && l.Op == Added || !yes && l.Op == Removed {
			b.WriteString(l.Text)
		}
	}
	text := b.String()
	if d.old.end == "\r\n" {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	if d.old.bom {
		text = mark + text
	}
	return text
}

// checkWhole checks that a diff is complete.
func checkWhole(t *rapid.T, d *Diff) {
	numbers := map[Op]int{}
	for i, l := range d.Lines {
		if (l.Op == Same) != (l.Hunk < 0) || i > 0 && l.Hunk >= 0 && l.Hunk < d.Lines[i-1].Hunk {
			t.Fatalf("line %d: %+v", i, l)
		}
		words := l.Text
		if l.Words != nil {
			words = ""
			for _, s := range l.Words {
				words += s.Text
			}
		}
		if words != l.Text {
			t.Fatalf("%q in parts is %q", l.Text, words)
		}
		if l.Op != Added {
			numbers[Removed]++
		}
		if l.Op != Removed {
			numbers[Added]++
		}
		if want := numbers[Removed]; l.Op != Added && l.Number != want || l.Op == Added && l.Number != numbers[Added] {
			t.Fatalf("line %d: %+v", i, l)
		}
	}
	for i, h := range d.Hunks {
		var old, now string
		for _, l := range d.Lines {
			if l.Hunk == i && l.Op == Removed {
				old += l.Text
			}
			if l.Hunk == i && l.Op == Added {
				now += l.Text
			}
		}
		if old != h.Old || now != h.New {
			t.Fatalf("hunk %d: %+v", i, h)
		}
	}
}

// formatDiff formats a diff in a few characters, for tables.
func formatDiff(d *Diff) string {
	var b strings.Builder
	for _, l := range d.Lines {
		if l.Op == Same {
			continue
		}
		fmt.Fprintf(&b, "%s%d ", map[Op]string{Added: "+", Removed: "-"}[l.Op], l.Hunk)
		for _, s := range l.Words {
			if s.Changed {
				s.Text = "[" + s.Text + "]"
			}
			b.WriteString(s.Text)
		}
		if l.Words == nil {
			b.WriteString(l.Text)
		}
		if !strings.HasSuffix(l.Text, "\n") {
			b.WriteString("$\n")
		}
	}
	return b.String()
}

func TestCompare(t *testing.T) {
	for _, c := range []struct{ name, before, after, want string }{
		{"nothing", "a\n\nb\n", "a\n\nb\n", ""},
		{"a word", "# T\n\nBake it for 15 minutes.\n", "# T\n\nBake it for 20 minutes.\n", "-0 Bake it for [15] minutes.\n+0 Bake it for [20] minutes.\n"},
		{"words side by side", "The old plan is done now.\n", "The new idea is done now.\n", "-0 The [old plan] is done now.\n+0 The [new idea] is done now.\n"},
		{"only put in", "one two three four\n", "one and two and three four\n", "-0 one two three four\n+0 one[ and] two[ and] three four\n"},
		{"rewrapped", "a b\nc d\n", "a b c\nd\n", "-0 a b\n-0 [c ]d\n+0 a b[ c]\n+0 d\n"},
		{"of a script without spaces", "今日は天気がいい。\n", "今日は天気が悪い。\n", "-0 今日は天気が[い]い。\n+0 今日は天気が[悪]い。\n"},
		{"an accent is no word", "le cafe\u0301 noir\n", "le cafe noir\n", "-0 le [cafe\u0301] noir\n+0 le [cafe] noir\n"},
		{"a link", "See [[Plum jam]] first.\n", "See [[Plum tart]] first.\n", "-0 See [[Plum [jam]]] first.\n+0 See [[Plum [tart]]] first.\n"},
		{"other text altogether", "alpha beta\n", "gamma delta\n", "-0 alpha beta\n+0 gamma delta\n"},
		{"a paragraph more", "one\n\ntwo\n", "one\n\nbetween\n\ntwo\n", "+0 \n+0 between\n"},
		{"a paragraph more at the end", "one", "one\n\ntwo\n", "-0 one$\n+0 one[\n]+0 [\n]+0 [two\n]"},
		{"each paragraph alone", "old one here\n\nold two here\n\nold three here\n", "new one here\n\nold two here\n\nnew three here\n", "-0 [old] one here\n+0 [new] one here\n-1 [old] three here\n+1 [new] three here\n"},
		{"items", "- [ ] buy milk\n- [ ] mend fence\n", "- [x] buy milk\n- [x] mend fence\n", "-0 - [[ ]] buy milk\n-0 - [[ ]] mend fence\n+0 - [[x]] buy milk\n+0 - [[x]] mend fence\n"},
		{"an item more", "- a\n- c\n", "- a\n- b\n- c\n", "+0 - b\n"},
		{"code keeps its spaces", "```\nif x {\n  y()\n}\n```\n", "```\nif x {\n    y()\n}\n```\n", "-0 [  ]y()\n+0 [    ]y()\n"},
		{"a final line end", "a b\n", "a b", "-0 a b[\n]+0 a b$\n"},
		{"a whole new note", "", "# A\n\ntext\n", "+0 # A\n+0 \n+0 text\n"},
		{"emptied", "# A\n\ntext\n", "", "-0 # A\n-0 \n-0 text\n"},
	} {
		d := Compare(c.before, c.after)
		if got := formatDiff(d); got != c.want {
			t.Errorf("%s:\ngot\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

// TestManyLines: every one of many changed lines is found.
func TestManyLines(t *testing.T) {
	var before strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&before, "line %d of the plan\nand what is to be said of it\n", i+1)
	}
	d := Compare(before.String(), strings.ReplaceAll(before.String(), "plan", "scheme"))
	if len(d.Hunks) != 1000 {
		t.Errorf("%d hunks", len(d.Hunks))
	}
	if got, want := d.Apply([]int{500}), strings.Replace(before.String(), "line 501 of the plan", "line 501 of the scheme", 1); got != want {
		t.Error("a single changed line is missing")
	}
}

func TestHunks(t *testing.T) {
	before := "---\ntitle: a\n---\n# Tart\n\nold one here\n\n```\n# no heading\n```\nold code\n\n## Method\n\ntext\n\nold two here\n"
	before = mark + before
	d := Compare(before, strings.NewReplacer("old", "new", mark, "", "\n", "\r\n").Replace(before))
	var got []string
	for _, h := range d.Hunks {
		got = append(got, fmt.Sprintf("%d %s %q %q", h.Line, h.Under, h.Old, h.New))
	}
	if notes := []string{"Line ends: LF become CR LF", "The byte order mark at its beginning goes"}; !slices.Equal(d.Notes, notes) {
		t.Errorf("%q", d.Notes)
	}
	want := []string{`6 Tart "old one here\n" "new one here\n"`, `11 Tart "old code\n" "new code\n"`, `17 Method "old two here\n" "new two here\n"`}
	if !slices.Equal(got, want) {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
	if got, want := d.Apply([]int{2, 99, -1}), strings.Replace(before, "old two", "new two", 1); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if added, removed := d.Words(); added != 3 || removed != 3 {
		t.Errorf("%d words added, %d removed", added, removed)
	}
	if !Compare("a\r\nb\r\n", "a\r\nc\r\n").CRLF() || Compare("a\r\nb\n", "a\r\nc\r\n").CRLF() || Compare("", "").CRLF() {
		t.Error("line ends")
	}
}

// TestSyntaxIsNoWord: Markdown syntax does not count as words.
func TestSyntaxIsNoWord(t *testing.T) {
	d := Compare("", "# Index\n\n- [[Tart]]\n")
	if added, removed := d.Words(); added != 2 || removed != 0 {
		t.Errorf("%d words added, %d removed", added, removed)
	}
}

// TestFromUnified checks that a unified diff gives the compared lines.
func TestFromUnified(t *testing.T) {
	before := strings.Repeat("a line of text\n", 9) + "old one here\n\n" + strings.Repeat("more text\n\n", 9) + "the end is near"
	after := strings.Replace(strings.Replace(before, "old", "new", 1), "near", "far\n", 1)
	d, ok := FromUnified(udiff.Unified("a", "b", before, after))
	if got, want := formatDiff(d), formatDiff(Compare(before, after)); !ok || got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if !d.Lines[0].Gap || d.Hunks[0].Line != 10 || d.Hunks[1].Line != 30 {
		t.Errorf("%+v", d.Hunks)
	}
	for _, diff := range []string{"", "text\n", "--- a\n+++ b\n", "@@ nonsense @@\n", "@@ -1 +1 @@", "@@ -1,5 +1,5 @@\n-a\n"} {
		d, ok := FromUnified(diff)
		if ok != strings.HasPrefix(diff, "@@ -1") || d == nil {
			t.Errorf("%q: %v", diff, ok)
		}
	}
	if d, _ := FromUnified("@@ -1,2 +1,2 @@\n-a\n+b\n[... 1,204 more lines of this diff left out]\n"); d.Remark != "[... 1,204 more lines of this diff left out]" || len(d.Hunks) != 1 {
		t.Errorf("%+v", d)
	}
	if d, _ := FromUnified("@@ -1 +1 @@\n-a\n+b"); formatDiff(d) != formatDiff(Compare("a\n", "b\n")) {
		t.Errorf("without a line end: %+v", d)
	}
	rapid.Check(t, func(t *rapid.T) {
		before := drawNote(t, "before")
		after := drawChanged(t, before)
		diff := udiff.Unified("a", "b", before, after)
		d, _ := FromUnified(diff)
		var old, now int
		for _, l := range d.Lines {
			switch l.Op {
			case Added:
				now += len(l.Text)
			case Removed:
				old += len(l.Text)
			}
		}
		size := func(text string) int {
			if d.CRLF() {
				text = strings.ReplaceAll(text, "\r\n", "\n")
			}
			return len(text)
		}
		if (before != after) != (len(d.Hunks) > 0) || now-old != size(after)-size(before) {
			t.Fatalf("%d hunks in\n%s", len(d.Hunks), diff)
		}
		FromUnified(diff[:rapid.IntRange(0, len(diff)).Draw(t, "at")])
	})
}

func TestParts(t *testing.T) {
	diff := udiff.Unified("a b.md", "a b.md", "one\n--- x\n+++ y\nend", "one\n+++ z\n--- w\nend.")
	text := "Replaced 2 in a b.md.\n\n" + diff + "\nLeft out:\n\n" + diff + "[... 3 more lines of this diff left out]"
	var got []string
	for _, p := range Parts(text) {
		got = append(got, fmt.Sprintf("%v %s %q", p.Diff, p.Name, p.Text))
	}
	want := []string{
		`false  "Replaced 2 in a b.md.\n\n"`, fmt.Sprintf("true a b.md %q", diff), `false  "\nLeft out:\n\n"`, fmt.Sprintf("true a b.md %q", diff),
		`false  "[... 3 more lines of this diff left out]"`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`((--- |\+\+\+ |@@ -1 \+1 @@|@@ -1,2 \+0,0 @@|[-+ ])?[ab]{0,3}\n){0,9}`).Draw(t, "text")
		all := ""
		for _, p := range Parts(text) {
			all += p.Text
		}
		if strings.Join(strings.Fields(all), "") != strings.Join(strings.Fields(text), "") {
			t.Fatalf("%q became %q", text, all)
		}
	})
}

func TestBounded(t *testing.T) {
	d := Compare("", strings.Repeat("a paragraph of some length\n\n", 1000))
	b := d.Bounded(1000)
	if b.Left < 900 || len(b.Lines) > 100 || len(d.Lines) != 2000 || d.Bounded(1<<20) != d {
		t.Errorf("%d lines remain, %d omitted", len(b.Lines), b.Left)
	}
	same := strings.Repeat("as it was\n", 1000)
	if d := Compare(same+"old words", same+"new words"); d.Bounded(1000) != d {
		t.Error("unchanged text counts")
	}
	rapid.Check(t, func(t *rapid.T) {
		before := drawNote(t, "before")
		d := Compare(before, drawChanged(t, before))
		limit := rapid.IntRange(0, 80).Draw(t, "limit")
		size, whole := 0, 0
		b := d.Bounded(limit)
		for _, l := range b.Lines {
			if l.Op != Same {
				size, whole = size+len(l.Text), whole+len(l.Text)
			}
		}
		all := 0
		for _, l := range d.Lines {
			if l.Op != Same {
				all += len(l.Text)
			}
		}
		if size > limit || b.Left == 0 && whole != all {
			t.Fatalf("%d bytes of %d, %d of %d", size, limit, whole, all)
		}
	})
}

// TestLong checks that long texts do not take quadratic time.
func TestLong(t *testing.T) {
	if testing.Short() {
		t.Skip("slow; run by make test")
	}
	const size = 1 << 17
	words := strings.Fields("the quick brown fox jumps over a lazy dog while seven wizards quietly bake nectarine tarts for their neighbours")
	var prose, list, one strings.Builder
	for i := 0; prose.Len() < size; i++ {
		for j := range 40 {
			prose.WriteString(words[(i*7+j*j)%len(words)] + " ")
		}
		prose.WriteString("\n\n")
	}
	for i := 0; list.Len() < size; i++ {
		fmt.Fprintf(&list, "- [ ] %s %d\n", words[i%len(words)], i%7)
	}
	for i := 0; one.Len() < size; i++ {
		one.WriteString(words[i*7919%101%len(words)] + " ")
	}
	for name, pair := range map[string][2]string{
		"a word in each paragraph": {prose.String(), strings.ReplaceAll(prose.String(), "fox", "vixen")},
		"each item":                {list.String(), strings.ReplaceAll(list.String(), "[ ]", "[x]")},
		"all items alike":          {strings.Repeat("- a\n", size/4), strings.Repeat("- b\n", size/4)},
		"one paragraph":            {one.String(), strings.ReplaceAll(one.String(), "fox", "vixen")},
		"nothing alike":            {prose.String(), list.String()},
		"other words":              {prose.String(), strings.ToUpper(prose.String())},
		"the other way round":      {list.String(), reversed(list.String())},
		"no spaces":                {strings.Repeat("x", size), strings.Repeat("y", size)},
		"empty lines":              {strings.Repeat("\n", size), strings.Repeat("\n", size/2)},
		"marks":                    {strings.Repeat("*#|", size/4), strings.Repeat("|*-", size/4)},
		"combining marks":          {"a" + strings.Repeat("\u0301", size/2), "a" + strings.Repeat("\u0302", size/2)},
		"many fences":              {strings.Repeat("```\n", size/4), strings.Repeat("~~~\n", size/4)},
	} {
		began := time.Now()
		d := Compare(pair[0], pair[1])
		if took := time.Since(began); took > 5*time.Second { // tens of milliseconds on an idle machine
			t.Errorf("%s: %v", name, took)
		} else {
			t.Logf("%s: %v, %d hunks", name, took, len(d.Hunks))
		}
		all := make([]int, len(d.Hunks))
		for i := range all {
			all[i] = i
		}
		if d.Apply(all) != pair[1] || d.Apply(nil) != pair[0] {
			t.Errorf("%s: not restored", name)
		}
	}
}

func reversed(text string) string {
	lines := strings.SplitAfter(text, "\n")
	slices.Reverse(lines)
	return strings.Join(lines, "")
}
