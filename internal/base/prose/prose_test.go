package prose_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/rivo/uniseg"
	"pgregory.net/rapid"

	"chatvault/internal/base/prose"
	"chatvault/internal/base/prosediff"
	"chatvault/internal/ptytest/golden"
	"chatvault/tui/theme"
)

const before = `---
title: Nectarine tart
tags: [tart, june]
---
# Nectarine tart

The tart needs six ripe nectarines and a short crust that was made the day before.

## Crust

Rub 200 g of flour into 100 g of butter. Bind it with one egg and chill it for an hour.

Roll it out thin.

Line the tin with it, and prick it all over with a fork.

Chill it again.

## Method

Bake it blind for 15 minutes.

- slice the nectarines
- lay them in rings
- sprinkle sugar

| step | minutes |
|------|---------|
| bake | 40 |
| cool | 60 |

Serve it the same day.
`

// after returns before with each kind of change.
func after() string {
	return strings.NewReplacer(
		"[tart, june]", "[tart, july]\ndraft: true", "six ripe nectarines", "eight nectarines", "short crust that was made the day before", "short crust\nthat was made the day before",
		"blind for 15 minutes.", "blind for 20 minutes, with beans on it.", "- sprinkle sugar\n", "- sprinkle sugar\n- dot with butter\n", "| 40 |", "| 45 |", "Serve it the same day.\n", "", "Roll it out thin.", "Roll  it out\nthin.",
	).Replace(before)
}

func textOf(v *prose.View, width int) string {
	var b strings.Builder
	for _, r := range v.Rows(width) {
		b.WriteString(r.Text + "\n")
	}
	return b.String()
}

// TestGolden compares the rendered change in each theme and width with its golden file.
func TestGolden(t *testing.T) {
	d := prosediff.Compare(before, after())
	for _, look := range []struct {
		name    string
		theme   string
		profile colorprofile.Profile
	}{{"dark", theme.Dark, colorprofile.TrueColor}, {"light", theme.Light, colorprofile.TrueColor}, {"16", theme.Dark, colorprofile.ANSI}, {"none", theme.None, colorprofile.ANSI}, {"ascii", theme.Dark, colorprofile.ASCII}} {
		for _, width := range []int{40, 80, 160} {
			v := prose.New(theme.New(look.theme, look.profile).Prose, d)
			v.Parts(width == 80)
			golden.Check(t, fmt.Sprintf("%s-%d.golden", look.name, width), textOf(v, width))
		}
	}
}

// TestRows: every row fits the width, and no text of a note starts a row like the program's own rows.
func TestRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		note := func(name string) string {
			return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{
				"# Head\n", "plain words here\n", "other words there\n", "\n", "- item\n", "… 3 unchanged passages …\n", "part 1 of 2\n", "› [x] part 1 of 2\n", "[-x-]{+y+}\n",
				"日本語の文\n", "\x1b[31mred\x07\n", "a\u202eb\u200b\n", "tab\there\n", "wide 👩‍🍳 cook\n", strings.Repeat("long ", 60) + "\n", strings.Repeat("x", 90) + "\n", "end",
			}), 0, 8).Draw(t, name), "")
		}
		d := prosediff.Compare(note("before"), note("after"))
		width := rapid.IntRange(20, 100).Draw(t, "width")
		for _, s := range []func() prose.Styles{nil, theme.New(theme.Dark, colorprofile.ANSI256).Prose} {
			v := prose.New(s, d)
			v.Parts(rapid.Bool().Draw(t, "parts"))
			heads := 0
			for _, r := range v.Rows(width) {
				if r.Head {
					heads++
					continue
				}
				row := ansi.Strip(r.Text)
				if w := ansi.StringWidth(r.Text); w > width {
					t.Fatalf("%d cells at %d: %q", w, width, r.Text)
				}
				if strings.ContainsAny(row, "\x1b\x07\u202e\u200b\t") {
					t.Fatalf("%q", row)
				}
				signed := strings.ContainsRune("+- ", rune(row[0])) && (strings.HasPrefix(row[1:], " ") || strings.HasPrefix(row[1:], "┊"))
				isProgramRow := strings.HasPrefix(row, "…") || strings.HasPrefix(row, "(") || strings.HasPrefix(row, "line ") || strings.HasPrefix(row, "only ") || strings.HasPrefix(row, "⋮ ")
				if !signed && !isProgramRow {
					t.Fatalf("%q begins like neither a note's text nor the program's rows", row)
				}
			}
			if v.HasParts() && heads != len(d.Hunks) {
				t.Fatalf("%d heads of %d parts", heads, len(d.Hunks))
			}
		}
	})
}

// TestAllChangesAreShown: every added or removed line is shown to the last character.
func TestAllChangesAreShown(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		note := func(name string) string {
			return rapid.StringMatching(`((\n|- |# )?([ab]{1,9} ){0,12}[abc]{1,30}\n){0,6}`).Draw(t, name)
		}
		before, after := note("before"), note("after")
		d := prosediff.Compare(before, after)
		var was, is strings.Builder
		for _, r := range prose.New(nil, d).Rows(rapid.IntRange(20, 60).Draw(t, "width")) {
			body := strings.TrimPrefix(strings.TrimPrefix(r.Text[1:], " "), "┊")
			switch r.Text[0] {
			case '+':
				is.WriteString(body)
			case '-':
				was.WriteString(body)
			}
		}
		letters := func(text string) string { // without markers and visible spaces
			return strings.NewReplacer("[-", "", "-]", "", "{+", "", "+}", "", "·", "", " ", "", "\n", "").Replace(text)
		}
		var old, now string
		for _, h := range d.Hunks {
			old, now = old+h.Old, now+h.New
		}
		if got, want := letters(was.String()), letters(old); got != want {
			t.Fatalf("%q is removed, %q is shown", want, got)
		}
		if got, want := letters(is.String()), letters(now); got != want {
			t.Fatalf("%q is added, %q is shown", want, got)
		}
	})
}

func TestShows(t *testing.T) {
	for _, c := range []struct{ name, before, after, want string }{
		{"a word", "one two three four\n", "one 2 three four\n", "- one [-two-] three four\n+ one {+2+} three four\n"},
		{"lines of a paragraph", "one\ntwo\nthree four\n", "one\nnew\nthree 4\nfive\n", "  one\n- two\n- three four\n+ new\n+ three 4\n+ five\n"},
		{"and taken out", "one\ntwo\nthree\n", "one\nthree\n", "  one\n- two\n  three\n"},
		{"only spaces", "```\nx  y\n```\n", "```\nx y\n```\n", "  ```\n- x[-··-]y\n+ x{+·+}y\n  ```\n"},
		{"brackets in the name", "one [-two-] three\n", "one [-2-] three\n", "- one [-two-] three\n+ one [-2-] three\n"},
		{"a paragraph with its empty line", "one\n", "one\n\ntwo\n", "  one\n+ \n+ two\n"},
		{"no line end", "one\n", "one", "- one\n+ one\n(no line end at the end of the note)\n"},
		{"a line end", "one", "one\n", "- one\n(no line end at the end of the note)\n+ one\n"},
		{"empty lines go", "one\n\n\n\ntwo\n", "one\n\ntwo\n", "  one\n- \n- \n  \n  two\n"},
		{"line ends", "one\r\ntwo\r\n", "one\ntwo\n", "Line ends: CR LF become LF\n… 2 unchanged lines …\n"},
		{"line ends that stay", "one\r\ntwo two\r\n", "one\r\ntwo too\r\n", "Its CR LF line ends are kept.\n  one\n- two [-two-]\n+ two {+too+}\n"},
		{"a CR more", "one\r\ntwo\r\n", "one\r\r\ntwo\r\n", "Its CR LF line ends are kept.\n- one\n+ one{+␍+}\n  two\n"},
		{
			"far apart", strings.Repeat("same\n\n", 9) + "one word here\n\n" + strings.Repeat("- item\n", 9), strings.Repeat("same\n\n", 9) + "two word here\n\n" + strings.Repeat("- item\n", 9),
			"… 16 unchanged lines … · line 19\n  same\n  \n- [-one-] word here\n+ {+two+} word here\n  \n  - item\n… 8 unchanged lines …\n",
		},
		{"below a heading", "# A\n\nx\n\ny\n\nz one two\n", "# A\n\nx\n\ny\n\nz one 2\n", "… 4 unchanged lines … · line 7 · below “A”\n  y\n  \n- z one [-two-]\n+ z one {+2+}\n"},
	} {
		if got := textOf(prose.New(nil, prosediff.Compare(c.before, c.after)), 92); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

// TestContextIsShort: at most two unchanged lines are shown, and no long ones.
func TestContextIsShort(t *testing.T) {
	long := strings.Repeat("word ", 100)
	got := textOf(prose.New(nil, prosediff.Compare(long+"first\nold thing\n"+long+"last\n", long+"first\nnew thing\n"+long+"last\n")), 40)
	want := "… 1 unchanged line … · line 2\n- [-old-] thing\n+ {+new+} thing\n… 1 unchanged line …\n"
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	lines := strings.Repeat("a line\n", 9)
	got = textOf(prose.New(nil, prosediff.Compare(lines+"old thing\n"+lines, lines+"new thing\n"+lines)), 40)
	want = "… 7 unchanged lines … · line 10\n  a line\n  a line\n- [-old-] thing\n+ {+new+} thing\n  a line\n  a line\n… 7 unchanged lines …\n"
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// TestTooLong: the number of omitted lines is shown.
func TestTooLong(t *testing.T) {
	for name, c := range map[string]struct{ after, want string }{
		"many lines":             {strings.Repeat("a paragraph of some words\n\n", 20_000), " lines more of this change: too many to show here\n"},
		"one long line":          {strings.Repeat("words ", 100_000), "… 1 line more of this change: too many to show here\n"},
		"one line without words": {strings.Repeat("x", 1<<20), "… 1 line more of this change: too many to show here\n"},
	} {
		v := prose.New(nil, prosediff.Compare("", c.after))
		got := textOf(v, 80)
		if !strings.HasSuffix(got, c.want) || len(got) > prose.MaxShown*5/4 {
			t.Errorf("%s: %d bytes, ending %q", name, len(got), got[max(len(got)-100, 0):])
		}
		if sum := v.Sum(); name == "many lines" && sum != "100,000 words added, 0 removed" {
			t.Error(sum)
		}
	}
	if got, want := textOf(prose.FromUnified(nil, "no diff\nat all\n"), 80), "… 2 lines more of this change: too many to show here\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := textOf(prose.FromUnified(nil, "@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\r\n"), 80), "Its CR LF line ends are kept.\n  a\n- b\n+ c\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	v := prose.FromUnified(nil, "@@ -1,2 +1,2 @@\n-a b\n+a c\n[... 12 more lines of this diff left out]\n")
	if got, want := textOf(v, 80), "- a [-b-]\n+ a {+c+}\n… 12 more lines of this diff left out\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestBreak: wrapping a line into rows loses nothing, and each row fits.
func TestBreak(t *testing.T) {
	for _, tt := range []struct {
		line  string
		width int
		want  string
	}{
		{"", 5, ""},
		{"short", 5, "short"},
		{"two words", 5, "two |words"},
		{"a  b   c    d", 5, "a  b |  c  |  d"},
		{"a longword", 5, "a lon|gword"},
		{"日本語", 4, "日本|語"},
		{"日", 1, "日"},
	} {
		if got := strings.Join(prose.Break(tt.line, " ", tt.width), "|"); got != tt.want {
			t.Errorf("Break(%q, %d) = %q, want %q", tt.line, tt.width, got, tt.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		line := prose.Shown(rapid.String().Draw(t, "line") + " and more " + rapid.String().Draw(t, "more"))
		width := rapid.IntRange(2, 30).Draw(t, "width")
		rows := prose.Break(line, " ", width)
		if got := strings.Join(rows, ""); got != line {
			t.Fatalf("%q became %q", line, rows)
		}
		for _, r := range rows {
			if w := max(ansi.StringWidth(r), ansi.StringWidthWc(r)); w > width && uniseg.GraphemeClusterCount(r) > 1 {
				t.Fatalf("a row of %d cells at %d: %q", w, width, r)
			}
		}
	})
}
