package vault

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"
	"pgregory.net/rapid"

	"chatvault/vault/index"
	"chatvault/vault/query"
	"chatvault/vault/search"
	"chatvault/vault/walk"
)

// testWatchers are the platform's watcher and none.
var testWatchers = map[string]func(string) (index.Watcher, error){
	"platform": index.Platform,
	"none":     func(string) (index.Watcher, error) { return nil, errors.New("none, for a test") },
}

// startTestIndex starts an index of v that applies changes at once.
func startTestIndex(t interface {
	Helper()
	Fatal(...any)
}, v *Vault, watch func(string) (index.Watcher, error), textBytes int64,
) {
	t.Helper()
	err := v.Index.start(IndexOptions{
		TextBytes: textBytes,
		Failed:    func(err error) { panic(err) },
	}, func(o *index.Options) { o.Watch, o.Quiet = watch, time.Millisecond })
	if err != nil {
		t.Fatal(err)
	}
	settleIndex(t, v)
}

func settleIndex(t interface {
	Helper()
	Fatal(...any)
}, v *Vault,
) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := v.Index.Settle(ctx); err != nil {
		t.Fatal(err)
	}
}

// searchAndList returns the results of searching, listing and counting a vault, for comparison.
func searchAndList(t interface {
	Helper()
	Fatal(...any)
}, v *Vault,
) string {
	t.Helper()
	ctx := context.Background()
	var b strings.Builder
	for _, q := range []search.Query{
		{Pattern: "needle", ContextLines: 1, MaxFiles: 5},
		{Pattern: ".", MaxFiles: 1000, MaxExcerpts: 100},
		{Pattern: "alpha|beta", FilePattern: "*", CaseSensitive: true},
		{Pattern: "^#", FilePattern: "A*/**"},
	} {
		r, err := v.Search(ctx, q)
		if err != nil {
			t.Fatal(err)
		}
		b.WriteString(show(r))
		fmt.Fprintln(&b, r.Skipped, r.LeftOut)
	}
	for _, q := range []search.ListQuery{{Pattern: "**", MaxResults: 1000}, {Pattern: "*"}, {Pattern: "**/*.md", MaxResults: 3}} {
		r, err := v.List(ctx, q)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(&b, r)
	}
	s, err := v.Query.Shape(ctx, 10_000, 10)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(&b, s)
	tags, err := v.Query.Tags(ctx, query.Scope{})
	if err != nil {
		t.Fatal(err)
	}
	tasks, missed, err := v.Query.Tasks(ctx, query.TaskQuery{})
	if err != nil {
		t.Fatal(err)
	}
	unresolved, linksMissed, err := v.Query.UnresolvedLinks(ctx, query.Scope{})
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(&b, "%+v\n%+v %v\n%+v %v\n", tags, tasks, missed, unresolved, linksMissed)
	var notes []string
	for e, err := range v.Source().Notes(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		notes = append(notes, fmt.Sprint(e))
	}
	var mu sync.Mutex
	err = v.Source().Texts(ctx, "", func(_ int, text walk.Text) bool {
		mu.Lock()
		defer mu.Unlock()
		notes = append(notes, fmt.Sprintf("%s %q %v", text.Path, text.Data, text.Stat))
		return true
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(notes)
	return b.String() + strings.Join(notes, "\n")
}

func appendTo(name, text string) {
	if f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o644); err == nil {
		_, _ = f.WriteString(text)
		_ = f.Close()
	}
}

func writeTree(folder, text string) {
	for _, name := range []string{"p/q/r.md", "p/s.md", "p/q/t/u.md"} {
		name = filepath.Join(folder, name)
		_ = os.MkdirAll(filepath.Dir(name), 0o755)
		_ = os.WriteFile(name, []byte(text), 0o644)
	}
}

// diffLines returns the lines that differ.
func diffLines(got, want string) string {
	var b strings.Builder
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for _, line := range g {
		if !slices.Contains(w, line) {
			fmt.Fprintln(&b, "with the index:", line)
		}
	}
	for _, line := range w {
		if !slices.Contains(g, line) {
			fmt.Fprintln(&b, "on the disk:   ", line)
		}
	}
	return b.String()
}

// diskOps are changes of a vault by other programs. Their paths may or may not exist, and they may fail.
var diskOps = map[string]func(dir, a, b, text string){
	"write":  func(dir, a, _, text string) { _ = os.WriteFile(filepath.Join(dir, a), []byte(text), 0o644) },
	"write2": func(dir, a, _, text string) { _ = os.WriteFile(filepath.Join(dir, a), []byte(text), 0o644) },
	"append": func(dir, a, _, text string) { appendTo(filepath.Join(dir, a), text) },
	"same size": func(dir, a, _, text string) {
		if f, err := os.OpenFile(filepath.Join(dir, a), os.O_WRONLY, 0); err == nil {
			if st, err := f.Stat(); err == nil {
				_, _ = f.WriteAt([]byte(text)[:min(int64(len(text)), st.Size())], 0)
			}
			_ = f.Close()
		}
	},
	"truncate": func(dir, a, _, _ string) { _ = os.Truncate(filepath.Join(dir, a), 3) },
	"atomic save": func(dir, a, _, text string) {
		temp := filepath.Join(dir, path.Dir(a), "4913~")
		_ = os.WriteFile(temp, []byte(text), 0o644)
		_ = os.Rename(temp, filepath.Join(dir, a))
	},
	"save with a backup": func(dir, a, _, text string) {
		name := filepath.Join(dir, a)
		_ = os.Rename(name, name+"~")
		_ = os.WriteFile(name, []byte(text), 0o644)
		_ = os.Remove(name + "~")
	},
	"mkdir":   func(dir, a, _, _ string) { _ = os.MkdirAll(filepath.Join(dir, a), 0o755) },
	"rename":  func(dir, a, b, _ string) { _ = os.Rename(filepath.Join(dir, a), filepath.Join(dir, b)) },
	"rename2": func(dir, a, b, _ string) { _ = os.Rename(filepath.Join(dir, a), filepath.Join(dir, b)) },
	"exchange": func(dir, a, b, _ string) {
		_ = unix.Renameat2(unix.AT_FDCWD, filepath.Join(dir, a), unix.AT_FDCWD, filepath.Join(dir, b), unix.RENAME_EXCHANGE)
	},
	"other case": func(dir, a, _, _ string) {
		_ = os.Rename(filepath.Join(dir, a), filepath.Join(dir, path.Dir(a), strings.ToUpper(path.Base(a))))
	},
	"remove":     func(dir, a, _, _ string) { _ = os.Remove(filepath.Join(dir, a)) },
	"remove all": func(dir, a, _, _ string) { _ = os.RemoveAll(filepath.Join(dir, a)) },
	"tree":       func(dir, a, _, text string) { writeTree(filepath.Join(dir, a), text) },
	"tree from outside": func(dir, a, _, text string) {
		outside, err := os.MkdirTemp(filepath.Dir(dir), "outside")
		if err == nil {
			writeTree(filepath.Join(outside, "in"), text)
			_ = os.Rename(filepath.Join(outside, "in"), filepath.Join(dir, a))
		}
	},
	"tree to the outside": func(dir, a, _, _ string) {
		if outside, err := os.MkdirTemp(filepath.Dir(dir), "outside"); err == nil {
			_ = os.Rename(filepath.Join(dir, a), filepath.Join(outside, "out"))
		}
	},
	"symlink": func(dir, a, b, _ string) { _ = os.Symlink(filepath.Join(dir, b), filepath.Join(dir, a)) },
	"symlink in its place": func(dir, a, b, _ string) {
		_ = os.RemoveAll(filepath.Join(dir, a))
		_ = os.Symlink(path.Base(b), filepath.Join(dir, a))
	},
	"folder in its place": func(dir, a, _, text string) {
		_ = os.RemoveAll(filepath.Join(dir, a))
		_ = os.Mkdir(filepath.Join(dir, a), 0o755)
		_ = os.WriteFile(filepath.Join(dir, a, "n.md"), []byte(text), 0o644)
	},
	"link": func(dir, a, b, _ string) { _ = os.Link(filepath.Join(dir, a), filepath.Join(dir, b)) },
	"write through a link outside": func(dir, a, _, text string) {
		outside := filepath.Join(filepath.Dir(dir), "link-"+strings.ReplaceAll(a, "/", "_"))
		_ = os.Link(filepath.Join(dir, a), outside)
		_ = os.Chmod(filepath.Join(dir, a), 0o600) // reported, unlike the creation of a link
		appendTo(outside, text)
	},
	"mode": func(dir, a, _, text string) { _ = os.Chmod(filepath.Join(dir, a), 0o700|os.FileMode(len(text)%8)) },
	"time": func(dir, a, _, text string) {
		at := time.Unix(1_500_000_000+int64(len(text)), 0)
		_ = os.Chtimes(filepath.Join(dir, a), at, at)
	},
	"hidden": func(dir, a, _, text string) {
		hidden := filepath.Join(dir, path.Dir(a), ".hidden")
		_ = os.MkdirAll(hidden, 0o755)
		_ = os.WriteFile(filepath.Join(hidden, "x.md"), []byte(text), 0o644)
	},
}

// TestPropertyIndexMatchesDisk: after any changes by other programs, the results with the index equal those without.
func TestPropertyIndexMatchesDisk(t *testing.T) {
	if testing.Short() {
		t.Skip("slow; run by make test")
	}
	defer goleak.VerifyNone(t)
	ops := make([]string, 0, len(diskOps))
	for name := range diskOps {
		ops = append(ops, name)
	}
	slices.Sort(ops)
	paths := []string{"a.md", "b.md", "A", "A/a.md", "A/c.txt", "A/B", "A/B/a.md", "A/B/d.md", "C", "C/p", "C/p/q", "C/p/q/r.md", "D.md", "A/p", "C/d.canvas", "Ä.md"}
	for _, kind := range []string{"platform", "none"} {
		t.Run(kind, func(t *testing.T) {
			begin := time.Now()
			rapid.Check(t, func(rt *rapid.T) {
				if time.Since(begin) > time.Duration(rounds(1, 60))*time.Second {
					return
				}
				base, err := os.MkdirTemp(t.TempDir(), "v")
				if err != nil {
					rt.Fatal(err)
				}
				dir := filepath.Join(base, "vault")
				writeTestFile(t, dir, "A/a.md", "# Alpha\nneedle\n")
				writeTestFile(t, dir, "A/B/d.md", strings.Repeat("needle beta\n", 5))
				v, err := Open(dir)
				if err != nil {
					rt.Fatal(err)
				}
				defer func() { _ = v.Close() }()
				cold, err := Open(dir)
				if err != nil {
					rt.Fatal(err)
				}
				defer func() { _ = cold.Close() }()
				startTestIndex(rt, v, testWatchers[kind], int64(rapid.SampledFrom([]int{0, 60, 1 << 20}).Draw(rt, "bound")))
				for range rapid.IntRange(1, 12).Draw(rt, "steps") {
					var did []string
					for range rapid.IntRange(1, 3).Draw(rt, "ops") {
						op := rapid.SampledFrom(ops).Draw(rt, "op")
						a, b := rapid.SampledFrom(paths).Draw(rt, "a"), rapid.SampledFrom(paths).Draw(rt, "b")
						text := rapid.SampledFrom([]string{"needle\n", "alpha\n# Beta needle", "ωne\x00edle", "x", "#tag [[a]] [[nowhere]]\n- [ ] task #t/u", "#other [[b]]\n- [x] task", strings.Repeat("a line with a needle in it\n", 8)}).Draw(rt, "text")
						diskOps[op](dir, a, b, text)
						did = append(did, fmt.Sprintf("%s %s %s", op, a, b))
					}
					if rapid.Bool().Draw(rt, "settled") {
						settleIndex(rt, v)
					}
					if got, want := searchAndList(rt, v), searchAndList(rt, cold); got != want {
						rt.Fatalf("after %q\n%s", did, diffLines(got, want))
					}
				}
				if s := v.Index.State(); !s.Ready || s.Watched != (kind == "platform") {
					rt.Fatalf("the index is not used: %+v", s)
				}
			})
		})
	}
}

// TestLongTextsInIndex: a long text in memory is searched in the same slices as on disk.
func TestLongTextsInIndex(t *testing.T) {
	v := openTest(t, t.TempDir())
	cold := openTest(t, v.dir)
	line := strings.Repeat("word ", 20) + "\n"
	for name, text := range map[string]string{
		"none.md":       strings.Repeat(line, 900),
		"first.md":      "needle\n" + strings.Repeat(line, 900),
		"last.md":       strings.Repeat(line, 900) + "# a needle",
		"fence.md":      strings.Repeat(line, 450) + "```\n# needle\n```\n" + strings.Repeat(line, 450),
		"long line.md":  strings.Repeat("word ", 20_000) + "needle\nneedle",
		"binary.md":     strings.Repeat(line, 900) + "\x00needle",
		"bom.md":        "\ufeffneedle\n" + strings.Repeat(line, 900),
		"front.md":      "---\ntitle: needle\n" + strings.Repeat("a: b\n", 20_000) + "---\nneedle\n",
		"short.md":      "needle",
		"just short.md": strings.Repeat("x", 1023) + "\n",
		"not short.md":  strings.Repeat("x", 1018) + "needle",
	} {
		writeTestFile(t, v.dir, name, text)
	}
	startTestIndex(t, v, index.Platform, 8<<20)
	if s := v.Index.State(); s.Texts != 10 { // all but the binary one
		t.Fatalf("%d texts are stored", s.Texts)
	}
	checkSameResults(t, v, cold)
	filtered := openTest(t, v.dir)
	startTestIndex(t, filtered, index.Platform, 20<<10)
	if s := filtered.Index.State(); s.Texts > 3 || s.Filters == 0 {
		t.Fatalf("filters are not used: %+v", s)
	}
	checkSameResults(t, filtered, cold)
}

// checkSameResults compares searches of a vault with and without an index.
func checkSameResults(t *testing.T, v, cold *Vault) {
	t.Helper()
	for _, q := range []search.Query{
		{Pattern: "needle", ContextLines: 2, MaxFiles: 20},
		{Pattern: "^needle$", MaxFiles: 20},
		{Pattern: "word$", MaxFiles: 20, MaxExcerpts: 1},
		{Pattern: "not there"},
		{Pattern: "NEEDLE", CaseSensitive: true},
		{Pattern: `\bwo.d needle`, MaxFiles: 20},
	} {
		got, err := v.Search(t.Context(), q)
		mustTest(t, err)
		want, err := cold.Search(t.Context(), q)
		mustTest(t, err)
		if g, w := show(got)+fmt.Sprint(got.Skipped), show(want)+fmt.Sprint(want.Skipped); g != w {
			t.Errorf("%+v\n%s", q, diffLines(g, w))
		}
	}
}
