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

// note draws a text made of what notes are made of.
func note(t *rapid.T, name string) string {
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

// changed draws a text that is mostly another one.
func changed(t *rapid.T, text string) string {
	lines := strings.SplitAfter(text, "\n")
	for range rapid.IntRange(0, 4).Draw(t, "changes") {
		i := rapid.IntRange(0, len(lines)-1).Draw(t, "at")
		switch rapid.IntRange(0, 3).Draw(t, "how") {
		case 0:
			lines[i] = ""
		case 1:
			lines[i] += note(t, "more")
		case 2:
			lines[i] = strings.Replace(lines[i], " ", rapid.SampledFrom([]string{"", "  ", "\n", " very "}).Draw(t, "space"), 1)
		default:
			lines[i] = strings.Replace(lines[i], "t", "th", 1)
		}
	}
	return strings.Join(lines, "")
}

// TestApply: with all hunks the old text is the new one, with none it is the old one, and with
// some of them each passage is as the hunk it belongs to was taken or left.
func TestApply(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := note(t, "before")
		after := changed(t, before)
		if rapid.IntRange(0, 3).Draw(t, "other") == 0 {
			after = note(t, "after")
		}
		d := compare(before, after, rapid.Bool().Draw(t, "lines"))
		var all, some []int
		for i := range d.Hunks {
			all = append(all, i)
			if rapid.Bool().Draw(t, "take") {
				some = append(some, i)
			}
		}
		if got := d.Apply(all); got != after {
			t.Fatalf("all: %q, want %q", got, after)
		}
		if got := d.Apply(nil); got != before {
			t.Fatalf("none: %q, want %q", got, before)
		}
		if d.Empty() != (before == after) {
			t.Fatalf("empty: %v", d.Empty())
		}
		if got, want := d.Apply(some), pieced(d, some); got != want {
			t.Fatalf("%v: %q, want %q", some, got, want)
		}
		checkWhole(t, d)
	})
}

// pieced puts a text together from passages.
func pieced(d *Diff, taken []int) string {
	var b strings.Builder
	for _, p := range d.Passages {
		if p.Op != Added && !slices.Contains(taken, p.Hunk) {
			b.WriteString(p.Old + p.OldTail)
		}
		if p.Op != Removed && slices.Contains(taken, p.Hunk) {
			b.WriteString(p.New + p.NewTail)
		}
	}
	text, end, bom := b.String(), d.old.end, d.old.bom
	for i, h := range d.Hunks {
		if slices.Contains(taken, i) && h.what == lineEnds {
			end = d.new.end
		}
		if slices.Contains(taken, i) && h.what == byteOrderMark {
			bom = d.new.bom
		}
	}
	if end == "\r\n" {
		text = strings.ReplaceAll(text, "\n", end)
	}
	if bom {
		text = mark + text
	}
	return text
}

// checkWhole checks that a diff shows all there is.
func checkWhole(t *rapid.T, d *Diff) {
	var before, after strings.Builder
	for i, p := range d.Passages {
		before.WriteString(p.Old + p.OldTail)
		after.WriteString(p.New + p.NewTail)
		if (p.Op == Same) != (p.Hunk < 0) || p.Hunk >= 0 && (d.Hunks[p.Hunk].From > i || d.Hunks[p.Hunk].To <= i) {
			t.Fatalf("passage %d: %+v is in hunk %d", i, p, p.Hunk)
		}
		squeezed := func(s string) string {
			if flows(p.Kind) {
				return strings.Join(strings.Fields(s), " ")
			}
			return s
		}
		switch p.Op {
		case Same, Spaced:
			if p.Old != p.New {
				t.Fatalf("%+v", p)
			}
		case Reflowed:
			if squeezed(p.Old) != squeezed(p.New) && strings.Join(strings.Fields(p.Old), "") != strings.Join(strings.Fields(p.New), "") {
				t.Fatalf("%+v", p)
			}
		case Changed:
			var old, now string
			for _, s := range p.Words {
				if s.Op != Added {
					old += s.Text
				}
				if s.Op != Removed {
					now += s.Text
				}
			}
			if now != p.New || squeezed(old) != squeezed(p.Old) {
				t.Fatalf("%q and %q from %+v", old, now, p)
			}
		}
	}
	if before.String() != d.old.text || after.String() != d.new.text {
		t.Fatalf("passages of %q and %q are %+v", d.old.text, d.new.text, d.Passages)
	}
}

// shown is a diff in a few characters, for tables.
func shown(d *Diff) string {
	var b strings.Builder
	for _, p := range d.Passages {
		switch p.Op {
		case Same:
			continue
		case Added:
			fmt.Fprintf(&b, "+%d %s\n", p.Hunk, p.New)
		case Removed:
			fmt.Fprintf(&b, "-%d %s\n", p.Hunk, p.Old)
		case Reflowed:
			fmt.Fprintf(&b, "≈%d %s\n", p.Hunk, p.New)
		case Spaced:
			fmt.Fprintf(&b, "_%d %q→%q\n", p.Hunk, p.OldTail, p.NewTail)
		case Changed:
			fmt.Fprintf(&b, "~%d ", p.Hunk)
			for _, s := range p.Words {
				switch s.Op {
				case Same:
					b.WriteString(s.Text)
				case Added:
					b.WriteString("{+" + s.Text + "+}")
				case Removed:
					b.WriteString("[-" + s.Text + "-]")
				}
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}

func TestCompare(t *testing.T) {
	for _, c := range []struct{ name, before, after, want string }{
		{"nothing", "a\n\nb\n", "a\n\nb\n", ""},
		{"a word", "# T\n\nBake it for 15 minutes.\n", "# T\n\nBake it for 20 minutes.\n", "~0 Bake it for [-15-]{+20+} minutes.\n"},
		{"words side by side", "The old plan is done now.\n", "The new idea is done now.\n", "~0 The [-old plan-]{+new idea+} is done now.\n"},
		{"only put in", "one two three four\n", "one and two and three four\n", "~0 one {+and +}two {+and +}three four\n"},
		{"a number", "It costs 1,250.00 in all, don't forget.\n", "It costs 1,350.00 in all, don’t forget.\n", "~0 It costs [-1,250.00-]{+1,350.00+} in all, [-don't-]{+don’t+} forget.\n"},
		{"wrapped anew", "a b\nc d\n", "a b c\nd\n", "≈0 a b c\nd\n"},
		{"a word in what is wrapped anew", "one two\nthree four\n", "one two three\nfive four\n", "~0 one two three\n{+five +}four\n"},
		{"of a script without spaces", "今日は天気がいい。\n", "今日は天気が悪い。\n", "~0 今日は天気が[-い-]{+悪+}い。\n"},
		{"an accent is no word", "le cafe\u0301 noir\n", "le cafe noir\n", "~0 le [-cafe\u0301-]{+cafe+} noir\n"},
		{"a link", "See [[Plum jam]] first.\n", "See [[Plum tart]] first.\n", "~0 See [[Plum [-jam-]{+tart+}]] first.\n"},
		{"heading", "## Standing\n\ntext\n", "## Standing things\n\ntext\n", "~0 ## Standing{+ things+}\n"},
		{"other text altogether", "alpha beta\n", "gamma delta\n", "-0 alpha beta\n+0 gamma delta\n"},
		{"much put in", "200 g flour\n100 g butter\n", "250 g flour, and a long line of what else there is to say about it\n1 egg\n100 g butter\n", "~0 [-200-]{+250+} g flour{+, and a long line of what else there is to say about it\n1 egg+}\n100 g butter\n"},
		{"a paragraph more", "one\n\ntwo\n", "one\n\nbetween\n\ntwo\n", "+0 between\n"},
		{"a paragraph more at the end", "one", "one\n\ntwo\n", "_0 \"\"→\"\\n\\n\"\n+0 two\n"},
		{"a paragraph less", "one\n\nbetween\n\ntwo\n", "one\n\ntwo\n", "-0 between\n"},
		{"each paragraph by itself", "old one here\n\nold two here\n\nold three here\n", "new one here\n\nold two here\n\nnew three here\n", "~0 [-old-]{+new+} one here\n~1 [-old-]{+new+} three here\n"},
		{"and side by side", "old one here\n\nold two here\n", "new one here\n\nnew two here\n", "~0 [-old-]{+new+} one here\n~1 [-old-]{+new+} two here\n"},
		{"items one by one", "- [ ] buy milk\n- [ ] mend fence\n", "- [x] buy milk\n- [x] mend fence\n", "~0 - [[- -]{+x+}] buy milk\n~1 - [[- -]{+x+}] mend fence\n"},
		{"an item more", "- a\n- c\n", "- a\n- b\n- c\n", "+0 - b\n"},
		{"a section more is one", "text\n", "text\n\n## New\n\n- a\n- b\n", "_0 \"\\n\"→\"\\n\\n\"\n+0 ## New\n+0 - a\n+0 - b\n"},
		{"front matter by key", "---\ntags: [a]\ndate: 2026-01-01\nold: 1\n---\nx\n", "---\ntags: [b]\ndate: 2026-01-02\nnew: 1\n---\nx\n", "~0 tags: [[-a-]{+b+}]\n~1 date: 2026-01-[-01-]{+02+}\n-2 old: 1\n+2 new: 1\n"},
		{"a key moved", "---\ntags: [a]\ndate: 2026-01-01\n---\n", "---\ndate: 2026-01-01\ntags: [a]\n---\n", "-0 tags: [a]\n+1 tags: [a]\n"},
		{"a value in lines", "---\ntags:\n  - a\n  - b\nk: v\n---\n", "---\ntags:\n  - a\n  - c\nk: v\n---\n", "~0 tags:\n  - a\n  - [-b-]{+c+}\n"},
		{"a row", "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n", "| a | b |\n|---|---|\n| 1 | 5 |\n| 3 | 4 |\n", "~0 | 1 | [-2-]{+5+} |\n"},
		{"rows side by side are one", "| 1 | 2 |\n| 3 | 4 |\n", "| 1 | 5 |\n| 3 | 6 |\n", "~0 | 1 | [-2-]{+5+} |\n~0 | 3 | [-4-]{+6+} |\n"},
		{"code keeps its spaces", "```\nif x {\n  y()\n}\n```\n", "```\nif x {\n    y()\n}\n```\n", "~0 [-  -]{+    +}y()\n"},
		{"a quote", "> it was good\n> and long\n", "> it was bad\n> and long\n", "~0 > it was [-good-]{+bad+}\n"},
		{"a final line end", "a b\n", "a b", "_0 \"\\n\"→\"\"\n"},
		{"line ends", "a\r\n\r\nb c\r\n", "a\n\nb d\n", "~1 b [-c-]{+d+}\n"},
		{"line ends that are several", "a\r\nb\n", "a\r\nb c\n", "~0 b{+ c+}\n"},
		{"a whole new note", "", "# A\n\ntext\n", "+0 # A\n+0 text\n"},
		{"emptied", "# A\n\ntext\n", "", "-0 # A\n-0 text\n"},
		{"a hard break is said to be a space", "one  \ntwo\n", "one\ntwo\n", "≈0 one\ntwo\n"},
	} {
		d := Compare(c.before, c.after)
		if got := shown(d); got != c.want {
			t.Errorf("%s:\ngot\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

// A passage of many lines is changed in those that change, each by itself.
func TestLinesOfAPassage(t *testing.T) {
	var before strings.Builder
	for i := range 60 {
		fmt.Fprintf(&before, "line %d of the plan\n", i+1)
	}
	replaced := strings.NewReplacer("line 5 ", "line five ", "line 30 ", "line thirty ", "line 55 ", "line fifty-five ").Replace(before.String())
	d := Compare(before.String(), replaced)
	if got, want := shown(d), "~0 line [-5-]{+five+} of the plan\n~1 line [-30-]{+thirty+} of the plan\n~2 line [-55-]{+fifty-five+} of the plan\n"; got != want || len(d.Hunks) != 3 {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got, want := d.Apply([]int{1}), strings.Replace(before.String(), "line 30 ", "line thirty ", 1); got != want {
		t.Errorf("the second alone: %q", got)
	}
	var many, changed strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&many, "the old text of line %d\n", i)
		fmt.Fprintf(&changed, "the new text of line %d\n", i)
	}
	d = Compare(many.String(), changed.String())
	for i, p := range d.Passages {
		if p.Op != Changed {
			t.Fatalf("line %d of 2000: %+v", i+1, p)
		}
	}
	if len(d.Passages) != 2000 {
		t.Errorf("%d passages", len(d.Passages))
	}
}

func TestCompareLines(t *testing.T) {
	d := CompareFile("a.toml", "---\na = 1\nb = 2\n\n# c\nd\n", "---\na = 1\nb = 3\n\n# c\n\nd\n")
	if got, want := shown(d), "~0 b = [-2-]{+3+}\n+1 \n"; got != want || len(d.Hunks) != 2 {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestHunks(t *testing.T) {
	before := "\ufeff---\ntitle: a\n---\n# Tart\n\nold one here\n\n## Method\n\ntext\n\nold two here\n"
	after := strings.ReplaceAll(strings.TrimPrefix(strings.ReplaceAll(before, "old", "new"), "\ufeff"), "\n", "\r\n")
	d := Compare(before, after)
	var got []string
	for _, h := range d.Hunks {
		got = append(got, fmt.Sprintf("%d %s%s %q %q", h.Line, h.Under, h.Whole, h.Old, h.New))
	}
	want := []string{
		`0 Line ends: LF become CR LF "" ""`,
		`0 The byte order mark at its beginning goes "" ""`,
		`6 Tart "old one here\n\n" "new one here\n\n"`,
		`12 Method "old two here\n" "new two here\n"`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
	if got, want := d.Apply([]int{3, 99, -1}), strings.Replace(before, "old two", "new two", 1); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if added, removed := d.Words(); added != 2 || removed != 2 {
		t.Errorf("%d words added, %d removed", added, removed)
	}
}

// TestFromUnified: what a unified diff shows is what is compared.
func TestFromUnified(t *testing.T) {
	before := strings.Repeat("a line of text\n", 9) + "old one here\n\n" + strings.Repeat("more text\n\n", 9) + "the end is near"
	after := strings.Replace(strings.Replace(before, "old", "new", 1), "near", "far\n", 1)
	d, ok := FromUnified("a.md", udiff.Unified("a", "b", before, after))
	if got, want := shown(d), "~0 [-old-]{+new+} one here\n~1 the end is [-near-]{+far+}\n"; !ok || got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if !d.Passages[0].Gap || d.Hunks[0].Line != 10 || d.Hunks[1].Line != 30 {
		t.Errorf("%+v", d.Hunks)
	}
	for _, diff := range []string{"", "text\n", "--- a\n+++ b\n", "@@ nonsense @@\n", "@@ -1 +1 @@", "@@ -1,5 +1,5 @@\n-a\n"} {
		d, ok := FromUnified("a.md", diff)
		if ok != strings.HasPrefix(diff, "@@ -1") || d == nil {
			t.Errorf("%q: %v", diff, ok)
		}
	}
	if d, _ := FromUnified("a.txt", "@@ -1,2 +1,2 @@\n-a\n+b\n[... 1,204 more lines of this diff left out]\n"); d.LeftLines != 1204 || len(d.Hunks) != 1 {
		t.Errorf("%+v", d)
	}
	rapid.Check(t, func(t *rapid.T) {
		before := note(t, "before")
		after := changed(t, before)
		diff := udiff.Unified("a", "b", before, after)
		d, _ := FromUnified(rapid.SampledFrom([]string{"a.md", "a.txt"}).Draw(t, "name"), diff)
		added, removed := 0, 0
		for _, p := range d.Passages {
			if p.Op != Same {
				added, removed = added+len(p.New), removed+len(p.Old)
			}
		}
		if (before != after) != (len(d.Hunks) > 0) {
			t.Fatalf("%d hunks in\n%s", len(d.Hunks), diff)
		}
		_ = rapid.String().Draw(t, "cut")
		FromUnified("a.md", diff[:rapid.IntRange(0, len(diff)).Draw(t, "at")])
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
	if b.Left < 900 || len(b.Passages) > 100 || len(d.Passages) != 1000 || d.Bounded(1<<20) != d || b.Passages[len(b.Passages)-1].Cut == 0 {
		t.Errorf("%d passages are left, %d left out", len(b.Passages), b.Left)
	}
	same := strings.Repeat("as it was ", 1000)
	if d := Compare(same+"old words", same+"new words"); d.Bounded(1000) != d {
		t.Error("what stays the same counts")
	}
	rapid.Check(t, func(t *rapid.T) {
		before := note(t, "before")
		d := Compare(before, changed(t, before))
		limit := rapid.IntRange(0, 80).Draw(t, "limit")
		size := 0
		b := d.Bounded(limit)
		for _, p := range b.Passages {
			if p.Op != Same {
				size += p.size()
			}
			if p.Cut < 0 || p.Cut > 0 && b == d {
				t.Fatalf("%+v", p)
			}
		}
		if size > limit {
			t.Fatalf("%d bytes of %d", size, limit)
		}
	})
}

// TestLong: what is long takes no time that grows with its square.
func TestLong(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long: make test runs it")
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
		if took := time.Since(began); took > 5*time.Second { // tens of milliseconds, where nothing else runs
			t.Errorf("%s: %v", name, took)
		} else {
			t.Logf("%s: %v, %d hunks", name, took, len(d.Hunks))
		}
		all := make([]int, len(d.Hunks))
		for i := range all {
			all[i] = i
		}
		if d.Apply(all) != pair[1] || d.Apply(nil) != pair[0] {
			t.Errorf("%s: not as it was", name)
		}
	}
}

func reversed(text string) string {
	lines := strings.SplitAfter(text, "\n")
	slices.Reverse(lines)
	return strings.Join(lines, "")
}
