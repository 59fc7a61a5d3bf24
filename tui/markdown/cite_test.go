package markdown

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"chatvault/internal/app/session/cite"
	"chatvault/internal/base/cells"
	"chatvault/tui/theme"
)

// notes lists the references that resolve.
var notes = []string{"Tart", "Recipes/Plum jam.md", "Notes (old)/A.md", "Under_score_d.md", "a.canvas"}

// findNote resolves references to these notes.
func findNote(r cite.Reference) cite.Finding {
	for _, at := range r.Starts() {
		if slices.Contains(notes, r.Target[at:]) {
			return cite.Finding{State: cite.Found, Start: at}
		}
	}
	return cite.Finding{State: cite.Missing}
}

// cited draws a text with its references in guillemets, and missing ones in question marks.
func cited(r *Renderer, text string, find func(cite.Reference) cite.Finding) (string, []Cited) {
	s := NewStream(r)
	s.Cite(find)
	s.Append(text)
	s.Finish()
	lines := append([]string{}, s.Lines()...)
	refs := s.References()
	for i, l := range lines {
		lines[i] = strings.TrimRight(ansi.Strip(Dress(l, func(n int, text string) string {
			if refs[n].State == cite.Found {
				return "«" + text + "»"
			}
			return "¿" + text
		})), " ") // code is filled to the width
	}
	return strings.Join(lines, "\n"), refs
}

func TestReferences(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"See [[Tart]] now.", "See «Tart» now."},
		{"See [[Nowhere]] now.", "See ¿Nowhere¿? now."},
		{"See [[Tart#Baking]].", "See «Tart › Baking»."},
		{"[[Tart#Baking#Oven]], [[Tart#^b1]], [[#Baking]]", "«Tart › Baking › Oven», «Tart», ¿Baking¿?"},
		{"The [[Tart|tart]] and [[Tart|my bank]].", "The «tart» and «my bank» (Tart)."},
		{"![[Tart]]", "▣ «Tart»"},
		{"[here](Recipes/Plum%20jam.md#Sugar)", "«here» (Recipes/Plum jam.md#Sugar)"},
		{"[gone](Nowhere.md)", "¿gone¿? (Nowhere.md)"},
		{"[web](https://example.org/Tart)", "web (https://example.org/Tart)"},
		{"It says so (Recipes/Plum jam.md:12).", "It says so («Recipes/Plum jam.md:12»)."},
		{"It says so in Recipes/Plum jam.md:12-14, too.", "It says so in «Recipes/Plum jam.md:12-14», too."},
		{"`Recipes/Plum jam.md:12` says so", "«Recipes/Plum jam.md:12» says so"},
		{"**Recipes/Plum jam.md:12**", "«Recipes/Plum jam.md:12»"},
		{"(Notes (old)/A.md:3, Recipes/Plum jam.md:4; a.canvas:1)", "(«Notes (old)/A.md:3», «Recipes/Plum jam.md:4»; «a.canvas:1»)"},
		{"Under_score_d.md:3:14 and x", "«Under_score_d.md:3:14» and x"},
		{"It is not (Recipes/Pear jam.md:12).", "It is not (¿Recipes/Pear jam.md:12¿?)."},
		{"It is not in the jam.md:12, no", "It is not in the ¿jam.md:12¿?, no"},
		{"at 12.30:15 on example.com:8080, main.go:12, a.md:5km, a.md:0", "at 12.30:15 on example.com:8080, main.go:12, a.md:5km, a.md:0"},
		{"https://example.org/Recipes/a.md:3", "https://example.org/Recipes/a.md:3"},
		{"```\nRecipes/Plum jam.md:12 [[Tart]]\n```", "  Recipes/Plum jam.md:12 [[Tart]]"},
		{"> [!tip] See [[Tart]]\n> and [[Nowhere]]", "▎ ✓ See «Tart»\n▎ and ¿Nowhere¿?"},
		{"> plain [[Tart]]", "▎ plain «Tart»"},
		{"- [x] done with [[Tart]]", "☑ done with «Tart»"},
	} {
		if got, _ := cited(NewRenderer(dark(), 80), tt.text, findNote); got != tt.want {
			t.Errorf("%q is drawn\n%s\nwant\n%s", tt.text, got, tt.want)
		}
	}
}

// A path after a link to the same note is not drawn: the link leads to its line.
func TestPathAfterALink(t *testing.T) {
	at := func(s string) cite.Reference {
		return cite.Reference{Form: cite.Inline, Target: "Recipes/Plum jam.md", Anchor: s, Line: 2}
	}
	for _, tt := range []struct {
		text, want string
		first      cite.Reference
	}{
		{"[[Plum jam#Sugar]] (Recipes/Plum jam.md:2), too", "«Plum jam › Sugar», too", at("#Sugar")},
		{"[[Recipes/Plum jam]] (Recipes/Plum jam.md:2-4)", "«Recipes/Plum jam»", at("")},
		{"[jam](Plum%20jam.md) (Recipes/Plum jam.md:2) and (Recipes/Plum jam.md:3)", "«jam» (Plum jam.md) («Recipes/Plum jam.md:2») and («Recipes/Plum jam.md:3»)", cite.Reference{Form: cite.Inline, Target: "Plum jam.md"}},
		{"[[Plum jam]] (Recipes/Plum jam.md)", "«Plum jam»", cite.Reference{Form: cite.Inline, Target: "Recipes/Plum jam.md"}},
		{"[[Tart]] (Recipes/Plum jam.md:2)", "«Tart» («Recipes/Plum jam.md:2»)", cite.Reference{Form: cite.Wiki, Target: "Tart"}},
		{"[[Plum jam]] (Gone/Plum jam.md:2)", "«Plum jam» (¿Gone/Plum jam.md:2¿?)", cite.Reference{Form: cite.Wiki, Target: "Plum jam"}},
		{"[[Plum jam]] on (Recipes/Plum jam.md:2)", "«Plum jam» on («Recipes/Plum jam.md:2»)", cite.Reference{Form: cite.Wiki, Target: "Plum jam"}},
	} {
		got, refs := cited(NewRenderer(dark(), 100), tt.text, func(r cite.Reference) cite.Finding {
			if r.Target == "Plum jam" || r.Target == "Plum jam.md" || r.Target == "Recipes/Plum jam" {
				return cite.Finding{State: cite.Found}
			}
			return findNote(r)
		})
		if got != tt.want || refs[0].Reference != tt.first {
			t.Errorf("%q is drawn\n%s, %+v\nwant\n%s, %+v", tt.text, got, refs[0].Reference, tt.want, tt.first)
		}
	}
}

// The note at the end of a task is at the right, shortened or below the task where it does not fit.
func TestTasksAndTheirNotes(t *testing.T) {
	for width, want := range map[int]string{
		60: "☐ Buy plums (due 2026-11-25)                        «Plum jam»\n☑ Eat them — «Tart» today\n☐ Bake                                                  «Tart»",
		36: "☐ Buy plums (due 2026-11-25) — «Plum»\n  «jam»\n☑ Eat them — «Tart» today\n☐ Bake                          «Tart»",
	} {
		got, _ := cited(NewRenderer(dark(), width), "- [ ] Buy plums (due 2026-11-25) — [[Plum jam]]\n- [x] Eat them — [[Tart]] today\n- [ ] Bake — [[Tart]]\n",
			func(cite.Reference) cite.Finding { return cite.Finding{State: cite.Found} })
		if got != want {
			t.Errorf("%d cells:\n%s\nwant\n%s", width, got, want)
		}
	}
	long, _ := cited(NewRenderer(dark(), 40), "- [ ] Ask Kestrel — [[2026-11-17 Supplier call Kestrel Plastics]]", func(cite.Reference) cite.Finding { return cite.Finding{State: cite.Found} })
	if want := "☐ Ask Kestrel  «2026-11-17 Supplier call…»"; long != want {
		t.Errorf("%q, want %q", long, want)
	}
}

// Unresolved references look unchanged, and without colour missing ones are recognized by their mark.
func TestReferencesUnknownAndWithoutColour(t *testing.T) {
	const text = "[[Tart]], [[Nowhere]] and (Recipes/Plum jam.md:12)"
	plain := NewRenderer(dark(), 80).Render(text)
	s := NewStream(NewRenderer(dark(), 80))
	s.Cite(func(cite.Reference) cite.Finding { return cite.Finding{} })
	s.Append(text)
	s.Finish()
	for i, l := range s.Lines() {
		if got := Dress(l, func(_ int, text string) string { return text }); got != plain[i] {
			t.Errorf("drawn as %q, want %q", got, plain[i])
		}
	}
	none := NewRenderer(theme.New(theme.None, colorprofile.ANSI), 80)
	if got, _ := cited(none, text, findNote); got != "«Tart», ¿Nowhere¿? and («Recipes/Plum jam.md:12»)" {
		t.Errorf("without colour: %s", got)
	}
}

var citing = []string{
	"[[Tart]] ", "[[Nowhere|the label]] ", "(Recipes/Plum jam.md:3) ", "`Recipes/Plum jam.md:4` ", "gone.md:5 ",
	"[a](Recipes/Plum%20jam.md) ", "[b](none.md#x) ", "a.canvas:7", "Under_score_d.md:12\n", "(", ")",
}

func someCiting(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(append(citing, fragments...)), 0, 24).Draw(t, "fragments"), "")
}

// A streamed text with references ends up like a text drawn at once, with the same references, and every line fits
// after its marks are removed.
func TestStreamedReferencesMatchRender(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, width := someCiting(t), rapid.IntRange(minWidth, 60).Draw(t, "width")
		r := NewRenderer(dark(), width)
		whole := NewStream(r)
		whole.Cite(findNote)
		whole.Append(text)
		whole.Finish()
		s := NewStream(r)
		s.Cite(findNote)
		for rest := text; rest != ""; {
			n := min(rapid.IntRange(1, 12).Draw(t, "chunk"), len(rest))
			s.Append(rest[:n])
			rest = rest[n:]
			if rapid.Bool().Draw(t, "draw") {
				s.drawnAt = time.Time{}
				s.Lines()
			}
		}
		s.Finish()
		got, want := s.Lines(), whole.Lines()
		if strings.Join(got, "\n") != strings.Join(want, "\n") || fmt.Sprint(s.References()) != fmt.Sprint(whole.References()) {
			t.Fatalf("text %q\nstreamed:\n%s\n%v\nwhole:\n%s\n%v", text, strings.Join(got, "\n"), s.References(), strings.Join(want, "\n"), whole.References())
		}
		for _, l := range got {
			l = Dress(l, func(n int, text string) string {
				if n < 0 || n >= len(s.References()) {
					t.Fatalf("a mark names reference %d of %d", n, len(s.References()))
				}
				return text
			})
			if strings.Contains(l, markStart) || cells.Width(l) > width {
				t.Fatalf("text %q: line %q", text, l)
			}
		}
	})
}

func TestHostileReferencesAreFoundQuickly(t *testing.T) {
	for name, text := range map[string]string{
		"places":   strings.Repeat("a.md:1 ", 20_000),
		"one path": strings.Repeat("a (b ", 20_000) + "c.md:3",
		"no end":   strings.Repeat(".md:1", 20_000),
		"colons":   strings.Repeat("a.b:", 40_000),
		"links":    strings.Repeat("[[a]] (a.md:2) ", 10_000),
		"brackets": strings.Repeat("([{", 10_000) + "a.md:3",
	} {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			s := NewStream(NewRenderer(dark(), 80))
			s.Cite(findNote)
			s.Append(text)
			s.Finish()
			for _, l := range s.Lines() {
				if l = Dress(l, func(_ int, text string) string { return text }); strings.Contains(l, markStart) {
					t.Fatalf("a mark is left: %q", l)
				}
			}
			if n := len(s.References()); n > maxReferences {
				t.Errorf("%d references", n)
			}
			if d := time.Since(began); d > 3*time.Second {
				t.Errorf("took %v", d)
			}
		})
	}
}

// Find returns the row that contains the beginning of the line.
func TestFind(t *testing.T) {
	const text = "---\ntitle: x\n---\n# The head\n\nfirst line\nsecond `code` line\n\n- item one\n- [[Tart]]\n  - nested three\n\n" +
		"| col | umn |\n|---|---|\n| cell | four |\n\n```go\nfunc five() {}\nfunc six() {}\n```\n\n    indented seven\n    indented eight\n\n> quoted nine\n> quoted ten\n\n> [!tip] callout title\n> callout body\n\n<div>\nhtml eleven\n</div>\n\nlast twelve\n"
	for _, tt := range []struct{ line, want string }{
		{"title: x", "title: x"},
		{"# The head", "The head"},
		{"first line", "first line"},
		{"second", "second"},
		{"- item one", "item one"},
		{"- [[Tart]]", "Tart"},
		{"nested three", "nested three"},
		{"| cell", "cell"},
		{"func five", "func five"},
		{"func six", "func six"},
		{"indented eight", "indented eight"},
		{"> quoted nine", "quoted nine"},
		{"> quoted ten", "quoted ten"},
		{"> [!tip]", "callout title"},
		{"> callout body", "callout body"},
		{"html eleven", "html eleven"},
		{"last twelve", "last twelve"},
	} {
		for _, width := range []int{12, 80} {
			lines, at := NewRenderer(dark(), width).Find(text, strings.Index(text, tt.line))
			first, _, _ := strings.Cut(tt.want, " ")
			if !strings.Contains(ansi.Strip(lines[at]), first) || width == 80 && !strings.Contains(ansi.Strip(lines[at]), tt.want) {
				t.Errorf("width %d: %q is found in row %d:\n%s", width, tt.line, at, ansi.Strip(strings.Join(lines, "\n")))
			}
		}
	}
}

// Find returns a valid row for every line of any text.
func TestPropertyFindFindsARow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SampledFrom([]string{"a", "\n", "\n\n", "---\n", "%%", "%%\n", "> ", "- ", "```\n", "x: y\n", "| a | b |\n|---|---|\n", "# ", "    c\n", "$$\n", "é", "[[Tart]]", "<div>\n"})
		text := strings.Join(rapid.SliceOfN(parts, 0, 20).Draw(t, "text"), "")
		r := NewRenderer(dark(), rapid.IntRange(1, 60).Draw(t, "width"))
		for at := 0; at <= len(text); at++ {
			if at > 0 && text[at-1] != '\n' {
				continue
			}
			if lines, row := r.Find(text, at); row < 0 || row >= max(len(lines), 1) {
				t.Fatalf("%q at %d: row %d of %d", text, at, row, len(lines))
			}
		}
	})
}
