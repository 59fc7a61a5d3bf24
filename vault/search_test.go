package vault

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"chatvault/vault/search"
	"chatvault/vault/vaulterr"
)

// naiveSearch is the reference for Search: package regexp, line by line, file by file. files maps names to content;
// times are those on disk.
func naiveSearch(t interface{ Fatal(...any) }, v *Vault, q search.Query, files map[string]string) search.Result {
	expr := q.Pattern
	if !q.CaseSensitive {
		expr = "(?i)" + expr
	}
	re, err := regexp.Compile(expr)
	if err != nil {
		t.Fatal(err)
	}
	var r search.Result
	for name, text := range files {
		if !strings.HasSuffix(name, ".md") || strings.Contains(text, "\x00") {
			continue
		}
		lines := strings.SplitAfter(strings.TrimPrefix(text, "\ufeff"), "\n")
		if lines[len(lines)-1] == "" {
			lines = lines[:len(lines)-1]
		}
		shown := map[int]bool{}
		hit := map[int]bool{}
		m := search.FileMatches{Path: name, TitleHit: re.MatchString(strings.TrimSuffix(filepath.Base(name), ".md"))}
		runs, last, used, full := 0, -2, 0, false // of the excerpts so far
		for i := range lines {
			lines[i] = strings.TrimSuffix(strings.TrimSuffix(lines[i], "\n"), "\r")
			if !re.MatchString(lines[i]) {
				continue
			}
			m.Hits++
			if i-q.ContextLines > last+1 || runs == 0 {
				runs++
				full = full || runs > q.MaxExcerpts
			}
			if used++; !full && used <= 4*q.MaxExcerpts {
				hit[i] = true
				for k := max(0, i-q.ContextLines); k <= i+q.ContextLines; k++ {
					shown[k] = true
				}
				last = min(i+q.ContextLines, len(lines)-1)
			}
			if regexp.MustCompile(`^ {0,3}#{1,6}(\s|$)`).MatchString(lines[i]) {
				m.TitleHit = true
			}
		}
		if m.Hits == 0 {
			continue
		}
		for i, line := range lines {
			if !shown[i] {
				continue
			}
			if n := len(m.Excerpts); n == 0 || !shown[i-1] {
				m.Excerpts = append(m.Excerpts, nil)
			}
			last := &m.Excerpts[len(m.Excerpts)-1]
			*last = append(*last, search.Match{Line: i + 1, Text: strings.ToValidUTF8(line, "\ufffd"), IsHit: hit[i]})
		}
		info, err := os.Stat(filepath.Join(v.dir, name))
		if err != nil {
			t.Fatal(err)
		}
		m.Modified = info.ModTime()
		r.Files = append(r.Files, m)
	}
	slices.SortFunc(r.Files, func(a, b search.FileMatches) int {
		title := func(m search.FileMatches) int {
			if m.TitleHit {
				return 1
			}
			return 0
		}
		return cmp.Or(cmp.Compare(title(b), title(a)), cmp.Compare(b.Hits, a.Hits), b.Modified.Compare(a.Modified), cmp.Compare(a.Path, b.Path))
	})
	r.FilesTotal = len(r.Files)
	r.Files = r.Files[:min(len(r.Files), q.MaxFiles)]
	return r
}

// show formats a result for comparison.
func show(r search.Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d files\n", r.FilesTotal)
	for _, f := range r.Files {
		fmt.Fprintf(&b, "%s: %d hits, title %v, %v\n", f.Path, f.Hits, f.TitleHit, f.Modified.UnixNano())
		for _, run := range f.Excerpts {
			for _, m := range run {
				mark := " "
				if m.IsHit {
					mark = ">"
				}
				fmt.Fprintf(&b, "  %d%s %q\n", m.Line, mark, m.Text)
			}
			fmt.Fprintln(&b, "  --")
		}
	}
	return b.String()
}

func TestPropertySearchAgreesWithNaive(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp(t.TempDir(), "v")
		if err != nil {
			rt.Fatal(err)
		}
		part := rapid.SampledFrom([]string{
			"a", "b", "ab", "kas", "K", "ſ", "\u212a", "é", "É", " ", "#", "# a", "的", "-", "\n", "\n", "\n", "\r\n", "\n\n", "x", "1", "\xff",
		})
		files := map[string]string{}
		for range rapid.IntRange(1, 5).Draw(rt, "files") {
			name := rapid.SampledFrom([]string{"a.md", "b.md", "Kas.md", "x/a.md", "x/y/ab.md", "c.txt", "z.md"}).Draw(rt, "name")
			text := strings.Join(rapid.SliceOfN(part, 0, 60).Draw(rt, "text"), "")
			if rapid.IntRange(0, 9).Draw(rt, "bom") == 0 {
				text = "\ufeff" + text
			}
			if strings.Contains(text, "=") {
				continue
			}
			files[name] = text
			writeTestFile(t, dir, name, text)
		}
		v, err := Open(dir)
		if err != nil {
			rt.Fatal(err)
		}
		defer v.Close()
		for name := range files {
			setTime(t, v, name, rapid.IntRange(0, 2).Draw(rt, "time"))
		}
		q := search.Query{
			Pattern: rapid.SampledFrom([]string{
				"a", "b", "ab", "kas", "K", "s", "é", "^", "^$", "$", "a$", "^#", `\W`, `\s`, "[^a]", "a|b", "kas|的", `\bab\b`, "a.b", ".", "a+b*", "x1",
			}).Draw(rt, "pattern"),
			ContextLines: rapid.IntRange(0, 3).Draw(rt, "context"), MaxExcerpts: rapid.IntRange(1, 6).Draw(rt, "excerpts"),
			MaxFiles: rapid.IntRange(1, 4).Draw(rt, "max"), CaseSensitive: rapid.Bool().Draw(rt, "sensitive"),
		}
		want := show(naiveSearch(rt, v, q, files))
		r, err := v.Search(context.Background(), q)
		if err != nil {
			rt.Fatal(err)
		}
		if got := show(r); got != want {
			rt.Fatalf("%+v over %q found\n%s\nwant\n%s", q, files, got, want)
		}
	})
}

func mustSearch(t testing.TB, v *Vault, q search.Query) search.Result {
	t.Helper()
	r, err := v.Search(context.Background(), q)
	if err != nil {
		t.Fatalf("Search(%+v): %v", q, err)
	}
	return r
}

func foundPaths(r search.Result) string {
	var paths []string
	for _, f := range r.Files {
		paths = append(paths, f.Path)
	}
	return strings.Join(paths, " ")
}

func TestSearchRanks(t *testing.T) {
	v := walkVault(t)
	for name, text := range map[string]string{
		"many.md":       "plum\nplum\nplum\n",
		"heading.md":    "text\n\n## About plum\n",
		"Plum cake.md":  "plum\n",
		"setext.md":     "plum\n====\n",
		"title.md":      "---\ntitle: plum\n---\ntext\n",
		"code.md":       "```sh\n# plum\n```\n",
		"newer.md":      "plum\n",
		"older.md":      "plum\n",
		"same a.md":     "plum\n",
		"same b.md":     "plum\n",
		"only Plum.md":  "nothing\n",
		"other.txt":     "plum\n",
		".hidden/x.md":  "plum\n",
		"upper.MD":      "PLUM\n\n",
		"x.markdown":    "plums\n",
		"tag #plum.png": "plum\n",
	} {
		writeTestFile(t, v.dir, name, text)
		at := map[string]int{"newer.md": 90, "older.md": 1, "heading.md": 20, "Plum cake.md": 30, "setext.md": 25, "title.md": 10, "code.md": 80, "upper.MD": 70, "x.markdown": 60}
		setTime(t, v, name, cmp.Or(at[name], 5))
	}
	r := mustSearch(t, v, search.Query{Pattern: "plum", MaxFiles: 100})
	want := "Plum cake.md setext.md heading.md title.md many.md newer.md code.md upper.MD x.markdown same a.md same b.md older.md"
	if got := foundPaths(r); got != want || r.FilesTotal != 12 {
		t.Errorf("%d files:\n%s, want\n%s", r.FilesTotal, got, want)
	}
	r = mustSearch(t, v, search.Query{Pattern: "plum", MaxFiles: 3})
	if got := foundPaths(r); got != "Plum cake.md setext.md heading.md" || r.FilesTotal != 12 {
		t.Errorf("3 of %d: %s", r.FilesTotal, got)
	}
	for pattern, want := range map[string]string{
		"*.txt": "other.txt", "**/*": "", "h*": "heading.md", "*.{txt,png}": "other.txt tag #plum.png",
	} {
		r := mustSearch(t, v, search.Query{Pattern: "plum", FilePattern: pattern, MaxFiles: 100})
		if pattern == "**/*" {
			if r.FilesTotal != 14 {
				t.Errorf("%q: %d files, want 14", pattern, r.FilesTotal)
			}
			continue
		}
		got := strings.Fields(foundPaths(r))
		slices.Sort(got)
		wanted := strings.Fields(want)
		slices.Sort(wanted)
		if !slices.Equal(got, wanted) {
			t.Errorf("%q: %q, want %q", pattern, got, wanted)
		}
	}
	if r := mustSearch(t, v, search.Query{Pattern: "PLUM", CaseSensitive: true}); foundPaths(r) != "upper.MD" {
		t.Errorf("case sensitive: %s", foundPaths(r))
	}
}

func TestSearchErrors(t *testing.T) {
	v := walkVault(t, "a.md")
	for _, c := range []struct {
		q    search.Query
		part string
	}{
		{search.Query{}, "empty"},
		{search.Query{Pattern: "("}, "missing closing )"},
		{search.Query{Pattern: "a\nb"}, "one line at a time"},
		{search.Query{Pattern: "x", FilePattern: "[a"}, "glob"},
	} {
		var ve *vaulterr.Error
		if _, err := v.Search(context.Background(), c.q); !errors.As(err, &ve) || !strings.Contains(ve.Text, c.part) {
			t.Errorf("Search(%+v): %v, want an *Error that says %q", c.q, err, c.part)
		}
	}
}

func TestSearchSkips(t *testing.T) {
	v := walkVault(t)
	writeTestFile(t, v.dir, "binary.md", "needle\x00needle\n")
	writeTestFile(t, v.dir, "picture.png", "\x89PNG\x00")
	writeTestFile(t, v.dir, "utf16.md", "n\x00e\x00e\x00d\x00l\x00e\x00")
	writeTestFile(t, v.dir, "bad.md", "\xff\xfe needle \xe4\n")
	writeTestFile(t, v.dir, "large.md", "needle\n"+strings.Repeat("x", 2<<20)+"\x00")
	r := mustSearch(t, v, search.Query{Pattern: "needle", FilePattern: "**/*"})
	if foundPaths(r) != "bad.md" || r.Files[0].Excerpts[0][0].Text != "\ufffd needle \ufffd" {
		t.Errorf("found %s", show(r))
	}
	want := []string{
		`"binary.md": it is binary, not text`, `"large.md": it is binary, not text`, `"utf16.md": it is binary, not text`,
		`"*.png" (1 file): it is binary, not text`, // expected, so after the notes
	}
	for _, pattern := range []string{"needle", "PNG", "no such thing", "."} {
		if r := mustSearch(t, v, search.Query{Pattern: pattern, FilePattern: "**/*"}); !slices.Equal(r.Skipped, want) {
			t.Errorf("%s: skipped %q, want %q", pattern, r.Skipped, want)
		}
	}
	if r := mustSearch(t, v, search.Query{Pattern: "needle"}); !slices.Equal(r.Skipped, want[:3]) {
		t.Errorf("among notes: skipped %q, want %q", r.Skipped, want[:3])
	}
	for i := range 60 {
		writeTestFile(t, v.dir, fmt.Sprintf("a/%02d.png", i), "\x00")
	}
	r = mustSearch(t, v, search.Query{Pattern: "needle", FilePattern: "**/*"})
	if n := len(r.Skipped); n != 4 || !slices.Equal(r.Skipped[:3], want[:3]) || r.Skipped[3] != `"*.png" (61 files): it is binary, not text` {
		t.Errorf("of many: skipped %q", r.Skipped)
	}
}

// TestSearchCountsExcerpts: an excerpt is a run of lines, so adjacent hits are one excerpt with or without context,
// and five excerpts are five places.
func TestSearchCountsExcerpts(t *testing.T) {
	v := walkVault(t)
	var text strings.Builder
	for i := 1; i <= 200; i++ {
		switch {
		case i <= 7, i == 20, i == 40, i == 42, i == 60, i == 80, i == 100, i >= 150:
			text.WriteString("needle\n")
		default:
			text.WriteString("hay\n")
		}
	}
	writeTestFile(t, v.dir, "a.md", text.String())
	writeTestFile(t, v.dir, "b.md", strings.Repeat("needle\n", 100))
	for contextLines, want := range map[int]string{
		0:  "a.md 1-7 20-20 40-40 42-42 60-60, 11 of 64; b.md 1-20, 20 of 100",
		1:  "a.md 1-8 19-21 39-43 59-61 79-81, 12 of 64; b.md 1-21, 20 of 100",
		10: "a.md 1-110 140-166, 20 of 64; b.md 1-30, 20 of 100",
	} {
		r := mustSearch(t, v, search.Query{Pattern: "needle", ContextLines: contextLines})
		var files []string
		slices.SortFunc(r.Files, func(a, b search.FileMatches) int { return strings.Compare(a.Path, b.Path) })
		for _, f := range r.Files {
			got, hits := f.Path, 0
			for _, run := range f.Excerpts {
				got += fmt.Sprintf(" %d-%d", run[0].Line, run[len(run)-1].Line)
				for _, m := range run {
					if m.IsHit {
						hits++
					}
				}
			}
			files = append(files, fmt.Sprintf("%s, %d of %d", got, hits, f.Hits))
		}
		if got := strings.Join(files, "; "); got != want {
			t.Errorf("%d lines of context:\n%s, want\n%s", contextLines, got, want)
		}
	}
}

func TestSearchLongLines(t *testing.T) {
	v := walkVault(t)
	long := strings.Repeat("wörd ", 2000)
	writeTestFile(t, v.dir, "long.md", long+"needle "+long+"\nshort needle\n"+long+"\n")
	r := mustSearch(t, v, search.Query{Pattern: "needle", ContextLines: 1})
	run := r.Files[0].Excerpts[0]
	if len(run) != 3 {
		t.Fatalf("%d lines, want 3", len(run))
	}
	for i, m := range run {
		cut := len(m.Text) > 100
		if len(m.Text) > search.MaxLineShown+2*len("…") || m.IsHit && !strings.Contains(m.Text, "needle") {
			t.Errorf("line %d: %d bytes: %q", m.Line, len(m.Text), m.Text)
		}
		if cut != (i != 1) || cut && !strings.HasSuffix(m.Text, "…") || i == 0 && !strings.HasPrefix(m.Text, "…") {
			t.Errorf("line %d is cut wrongly: %q", m.Line, m.Text)
		}
	}
}

// TestSearchLargeFile: a large file needs little memory, and a stopped search ends at once.
func TestSearchLargeFile(t *testing.T) {
	defer goleak.VerifyNone(t)
	v := walkVault(t)
	var text bytes.Buffer
	for i := range 400000 {
		fmt.Fprintf(&text, "line %d of a long note, and words\n", i+1)
	}
	writeTestFile(t, v.dir, "large.md", text.String())
	writeTestFile(t, v.dir, "too large.md", text.String()+text.String())
	r := mustSearch(t, v, search.Query{Pattern: "line (1|200000|399999) of", ContextLines: 1})
	want := "1 files\nlarge.md: 3 hits"
	if got := show(r); !strings.HasPrefix(got, want) {
		t.Fatalf("%s", got)
	}
	if want := []string{`"too large.md": it is longer than 16 MB`}; !slices.Equal(r.Skipped, want) {
		t.Errorf("skipped %q, want %q", r.Skipped, want)
	}
	var numbers []int
	for _, run := range r.Files[0].Excerpts {
		for _, m := range run {
			if !strings.HasPrefix(m.Text, fmt.Sprintf("line %d of", m.Line)) {
				t.Errorf("line %d is %q", m.Line, m.Text)
			}
			numbers = append(numbers, m.Line)
		}
	}
	if want := []int{1, 2, 199999, 200000, 200001, 399998, 399999, 400000}; !slices.Equal(numbers, want) {
		t.Errorf("lines %v, want %v", numbers, want)
	}

	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	begin := time.Now()
	writeTestFile(t, v.dir, "large.md", strings.Repeat("one line of a long note, and words ", 400000))
	_, err := v.Search(ctx, search.Query{Pattern: `[a-z0-9 ,]*[aeiou][a-z0-9 ,]{900}(z|é)`})
	if took := time.Since(begin); !errors.Is(err, context.DeadlineExceeded) || took > 500*time.Millisecond {
		t.Errorf("ended with %v after %v", err, took)
	}
}

func TestSearchBoundsExpressions(t *testing.T) {
	v := walkVault(t)
	writeTestFile(t, v.dir, "a.md", strings.Repeat(strings.Repeat("a", 200)+"\n", 2000)+"az\n")
	begin := time.Now()
	r := mustSearch(t, v, search.Query{Pattern: `(a{0,100}){0,9}z`})
	if took := time.Since(begin); r.FilesTotal != 1 || took > 2*time.Second {
		t.Errorf("%d files in %v", r.FilesTotal, took)
	}
}
