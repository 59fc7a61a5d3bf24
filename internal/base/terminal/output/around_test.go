package output_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// instruments lists directories outside the product: tests, measurements and packaging.
var instruments = []string{
	"bench", "internal/llmtest", "internal/packaging", "internal/ptytest", "internal/pathcorpus", "stress",
}

// mayWrite lists the files that may write to a terminal without a Writer, with what they use and why only the
// program's own output goes that way.
var mayWrite = map[string][]string{
	// The two Writers themselves.
	"internal/base/terminal/output/output.go": {"os.Stdout", "os.Stderr"},
	// The screen's window: its title and notifications are made safe by internal/base/terminal/attention.
	"internal/app/cli/chat_terminal.go": {"Unfiltered"},
	// The screen as Bubble Tea draws it, and editors that borrow the terminal.
	"internal/base/terminal/tty/tty.go": {"os.Stdout"},
	// An editor, over its protocol: lines of JSON.
	"internal/app/cli/acp.go": {"Unfiltered"},
	// Answers of ask, drawn at a terminal: each line passes terminal.Rendered.
	"internal/app/cli/ask_render.go": {"Unfiltered"},
	"internal/app/ask/follow.go":     {"Unfiltered"},
	// A developer tool excluded from the build.
	// The clipboard: a sequence of base64.
	"internal/app/cli/chat.go":            {"Unfiltered"},
	"internal/base/clipboard/programs.go": {"github.com/aymanbagabas/go-osc52/v2"},
	// Leaves the screen after a crash, with a constant.
	"internal/app/cli/faults.go": {"Unfiltered"},
	// Reads inotify events through file descriptors of the vault's folders.
	"vault/index/inotify_linux.go": {"os.NewFile", "/proc/self"},
}

// TestNoDirectWrites finds code that could reach a terminal without a Writer: standard output or error, functions
// that print to them, another way to open a terminal, and a Writer's raw end.
func TestNoDirectWrites(t *testing.T) {
	root := filepath.Join("..", "..", "..", "..")
	files := 0
	used := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if d.IsDir() {
			if base := d.Name(); rel != "." && (strings.HasPrefix(base, ".") || base == "testdata" || slices.Contains(instruments, rel)) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(rel, ".go") || strings.HasSuffix(rel, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files++
		for _, f := range directWrites(rel, string(text)) {
			if used[rel+" "+f.what] = true; !slices.Contains(mayWrite[rel], f.what) {
				t.Errorf("%s: %s: commands print to a Writer (Streams.Out, Streams.Err)", f.at, f.what)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 300 {
		t.Errorf("%d files were seen: the test looks in the wrong place", files)
	}
	for file, all := range mayWrite {
		for _, what := range all {
			if !used[file+" "+what] {
				t.Errorf("%s does not use %s any more: remove it from the list", file, what)
			}
		}
	}
}

// TestDirectWritesAreFound checks that TestNoDirectWrites finds each of these.
func TestDirectWritesAreFound(t *testing.T) {
	for text, want := range map[string]string{
		`import "os"; func f() { os.Stdout.WriteString("x") }`:                                "os.Stdout",
		`import sys "os"; func f(w *io.Writer) { *w = sys.Stderr }`:                           "os.Stderr",
		`import "fmt"; func f() { fmt.Println("x") }`:                                         "fmt.Println",
		`import . "fmt"; func f() { Println("x") }`:                                           "import . \"fmt\"",
		`func f() { println("x") }`:                                                           "println",
		`import "log"; func f() { log.Print("x") }`:                                           "log.Print",
		`import "log/slog"; func f() { slog.Warn("x") }`:                                      "slog.Warn",
		`import "os"; func f() { os.NewFile(1, "x") }`:                                        "os.NewFile",
		`import "syscall"; func f() { syscall.Write(syscall.Stdout, nil) }`:                   "syscall.Write",
		`import "golang.org/x/sys/unix"; func f() { unix.Write(1, nil) }`:                     "unix.Write",
		`func f() { open("/dev/tty") }`:                                                       "/dev/tty",
		`func f() { open("/dev/" + "fd/1") }`:                                                 "/dev/",
		"func f() { open(`/proc/self/fd/1`) }":                                                "/proc/self",
		`func f(s Streams) { s.Out.Unfiltered().Write(nil) }`:                                 "Unfiltered",
		`import "github.com/aymanbagabas/go-osc52/v2"; func f() { osc52.New("x") }`:           "github.com/aymanbagabas/go-osc52/v2",
		`import tea "charm.land/bubbletea/v2"; func f() { tea.Println("x") }`:                 "tea.Println",
		`import "text/template"; func f() { template.Must(nil, nil).Execute(nil, nil) }`:      "",
		`import "fmt"; func f(w io.Writer) { fmt.Fprintln(w, "x"); fmt.Sprint("/dev/null") }`: "",
		`import "log/slog"; func f(l *slog.Logger) { l.Warn("x"); slog.New(nil) }`:            "",
	} {
		got := ""
		for _, f := range directWrites("f.go", "package p\n"+text) {
			got = f.what
			if f.what == want {
				break
			}
		}
		if got != want {
			t.Errorf("%s: found %q, want %q", text, got, want)
		}
	}
}

// finding is a use that reaches a terminal without a Writer.
type finding struct {
	at   token.Position
	what string
}

// printing lists package members that reach a terminal.
var printing = map[string][]string{
	"os":                      {"Stdout", "Stderr", "NewFile"},
	"fmt":                     {"Print", "Printf", "Println"},
	"log":                     {"Print", "Printf", "Println", "Fatal", "Fatalf", "Fatalln", "Panic", "Panicf", "Panicln", "Output", "Default", "Writer"},
	"log/slog":                {"Debug", "DebugContext", "Info", "InfoContext", "Warn", "WarnContext", "Error", "ErrorContext", "Log", "LogAttrs", "Default"},
	"syscall":                 {"Write", "Pwrite", "Stdout", "Stderr"},
	"golang.org/x/sys/unix":   {"Write", "Pwrite", "Writev", "Stdout", "Stderr"},
	"charm.land/bubbletea/v2": {"Print", "Printf", "Println", "ExecProcess"},
}

// terminals lists path prefixes of files that may be a terminal.
var terminals = []string{"/dev/tty", "/dev/std", "/dev/fd", "/dev/pts", "/dev/console", "/proc/self"}

// directWrites returns the uses in a file that reach a terminal without a Writer.
func directWrites(name, text string) (found []finding) {
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, name, text, parser.SkipObjectResolution)
	if err != nil {
		return nil // a file being edited; the build reports it
	}
	say := func(n ast.Node, what string) { found = append(found, finding{set.Position(n.Pos()), what}) }
	packages := map[string]string{} // path by local name
	for _, i := range parsed.Imports {
		path, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			continue
		}
		local := base(path)
		if i.Name != nil {
			local = i.Name.Name
		}
		packages[local] = path
		switch {
		case path == "github.com/aymanbagabas/go-osc52/v2":
			say(i, path)
		case local == "." && printing[path] != nil:
			say(i, fmt.Sprintf("import . %q", path))
		}
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			x, ok := n.X.(*ast.Ident)
			if ok && slices.Contains(printing[packages[x.Name]], n.Sel.Name) {
				say(n, base(packages[x.Name])+"."+n.Sel.Name)
			}
			if n.Sel.Name == "Unfiltered" {
				say(n, "Unfiltered")
			}
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.Ident); ok && (f.Name == "print" || f.Name == "println") {
				say(n, f.Name)
			}
		case *ast.BasicLit:
			if n.Kind != token.STRING {
				break
			}
			value, err := strconv.Unquote(n.Value)
			if err != nil {
				break
			}
			for _, p := range terminals {
				if strings.HasPrefix(value, p) || value != "/" && strings.HasPrefix(p, value) && strings.HasPrefix(value, "/dev") {
					say(n, value[:min(len(value), len(p))])
					break
				}
			}
		}
		return true
	})
	return found
}

// base returns a package's name.
func base(path string) string {
	if path == "charm.land/bubbletea/v2" {
		return "tea"
	}
	return path[strings.LastIndexByte(path, '/')+1:]
}
