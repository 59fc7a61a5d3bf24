package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"chatvault/internal/app/config"
	"chatvault/internal/app/session"
	"chatvault/internal/base/terminal/output"
	"chatvault/internal/base/text"
	"chatvault/tui"
)

// guidePage is a page of the documentation.
type guidePage struct {
	name   string // relative to the project's folder
	prose  string // without code blocks
	blocks []block
}

type block struct{ language, code string }

var fenced = regexp.MustCompile("(?ms)^```(\\w*)\n(.*?)^```$")

// guidePages returns README.md and docs/*.md.
func guidePages(t *testing.T) (pages []guidePage) {
	t.Helper()
	names, err := filepath.Glob("../../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(names, "../../../README.md") {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		p := guidePage{name: strings.TrimPrefix(filepath.ToSlash(name), "../../../")}
		for _, m := range fenced.FindAllStringSubmatch(string(data), -1) {
			p.blocks = append(p.blocks, block{m[1], m[2]})
		}
		p.prose = fenced.ReplaceAllString(string(data), "")
		pages = append(pages, p)
	}
	if len(pages) < 15 {
		t.Fatalf("only %d pages", len(pages))
	}
	return pages
}

var (
	spans = regexp.MustCompile("`([^`\n]+)`")
	// shouted matches placeholders: NAME, FOLDER, N.
	shouted = regexp.MustCompile(`^[A-Z]+$|…`)
	flagged = regexp.MustCompile(`^--[a-z][a-z-]*`)
	snake   = regexp.MustCompile(`^[a-z]+(?:_[a-z]+)+$`)
	slashed = regexp.MustCompile(`^/[a-z]+( |$)`)
	shell   = regexp.MustCompile(`^[A-Z][A-Z0-9]*_[A-Z0-9_]+$`)
	// calling matches a line that runs the program, opening one that does so without arguments.
	calling = regexp.MustCompile(`^(?:[^"']*[|;] )?chatvault\s`)
	opening = regexp.MustCompile(`chatvault\s*(?:#.*)?$`)
	keyed   = regexp.MustCompile(`\b(?:Ctrl|Alt|Shift)\+(?:[A-Z]\b|Enter|Tab|Home|End|[←→↑↓])|\bF\d\b`)
)

// called checks that the program accepts a command line.
func called(args []string) error {
	means, rest, err := testRoot().Find(args)
	if err == nil {
		err = means.ParseFlags(rest)
	}
	if err == nil && len(means.Flags().Args()) > 0 && means.HasSubCommands() {
		err = fmt.Errorf("%s has no command %q", means.CommandPath(), means.Flags().Args()[0])
	}
	return err
}

// TestGuideCommands checks that each command line in the documentation is valid, and each slash command exists.
func TestGuideCommands(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no shell here")
	}
	flags := map[string]bool{}
	for _, c := range commandsOf(testRoot()) {
		c.Flags().VisitAll(func(f *pflag.Flag) { flags["--"+f.Name] = true })
		c.InheritedFlags().VisitAll(func(f *pflag.Flag) { flags["--"+f.Name] = true })
	}
	commands := session.CommandNames(session.Commands())
	seen := 0
	for _, p := range guidePages(t) {
		for _, b := range p.blocks {
			if b.language != "sh" {
				continue
			}
			for line := range strings.Lines(strings.ReplaceAll(b.code, "\\\n", " ")) {
				if !calling.MatchString(line) {
					continue
				}
				got := calls(t, sh, line)
				if len(got) == 0 && !opening.MatchString(strings.TrimSpace(line)) {
					t.Errorf("%s: %q does not call chatvault", p.name, line)
				}
				for _, args := range got {
					seen++
					if err := called(args); err != nil {
						t.Errorf("%s: %q: %v", p.name, line, err)
					}
				}
			}
		}
		for _, m := range spans.FindAllStringSubmatch(p.prose, -1) {
			span := m[1]
			switch {
			case strings.HasPrefix(span, "chatvault ") && span != "chatvault ":
				words, err := text.ShellWords(strings.TrimPrefix(span, "chatvault "))
				if err == nil {
					words = slices.DeleteFunc(words, func(w string) bool { return shouted.MatchString(w) })
					err = called(words)
				}
				seen++
				if err != nil {
					t.Errorf("%s: `%s`: %v", p.name, span, err)
				}
			case flagged.MatchString(span):
				seen++
				if name := flagged.FindString(span); !flags[name] {
					t.Errorf("%s: `%s`: no command has such a flag", p.name, span)
				}
			case slashed.MatchString(span):
				name, words, _ := strings.Cut(span[1:], " ")
				if name == "weekly" || name == "home" { // examples of one's own, and a path
					continue
				}
				seen++
				at := slices.IndexFunc(session.Commands(), func(c session.Command) bool { return c.Name == name || slices.Contains(c.Aliases, name) })
				if at < 0 || !slices.Contains(commands, name) {
					t.Errorf("%s: `%s` is no slash command", p.name, span)
				} else if c := session.Commands()[at]; words != "" && c.Args == "" && len(c.More)+len(c.Lists) == 0 {
					t.Errorf("%s: `%s`: it takes no words", p.name, span)
				}
			}
		}
	}
	if seen < 250 {
		t.Errorf("only %d commands and flags were seen: the test looks in the wrong place", seen)
	}
}

// TestGuideKeys checks that each key named in the documentation is bound, or typed into the field.
func TestGuideKeys(t *testing.T) {
	bound := map[string]bool{}
	for _, a := range tui.KeyActions(config.Defaults().Bindings()) {
		for _, k := range append(slices.Clone(a.Keys), a.Default...) {
			bound[strings.ToLower(strings.NewReplacer("left", "←", "right", "→", "up", "↑", "down", "↓").Replace(k))] = true
		}
	}
	bound["shift+enter"] = true // the decoder makes a new line of it if the terminal sends it
	seen := 0
	for _, p := range guidePages(t) {
		if p.name == "docs/reliability.md" { // it describes terminals
			continue
		}
		for _, key := range keyed.FindAllString(p.prose, -1) {
			seen++
			if !bound[strings.ToLower(key)] {
				t.Errorf("%s: %s does nothing", p.name, key)
			}
		}
	}
	if seen < 60 || len(bound) < 50 {
		t.Errorf("%d keys were seen, and %d are bound: the test looks in the wrong place", seen, len(bound))
	}
}

// TestGuideSettings checks that the program accepts each setting in a code block, and knows each variable and each
// name in a program's spelling.
func TestGuideSettings(t *testing.T) {
	known := literals(t)
	seen := 0
	for _, p := range guidePages(t) {
		for i, b := range p.blocks {
			if b.language != "toml" {
				continue
			}
			file := filepath.Join(t.TempDir(), "config.toml")
			if err := os.WriteFile(file, []byte(b.code), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := config.Load(config.Sources{UserFile: file}); err != nil {
				t.Errorf("%s: block %d: %v", p.name, i, err)
			}
			seen++
		}
		for _, m := range spans.FindAllStringSubmatch(p.prose, -1) {
			name, value, set := strings.Cut(m[1], " = ")
			if set && !strings.Contains(name, " ") {
				file := filepath.Join(t.TempDir(), "config.toml")
				if err := os.WriteFile(file, []byte(name+" = "+value+"\n"), 0o600); err != nil {
					t.Fatal(err)
				}
				if _, err := config.Load(config.Sources{UserFile: file}); err != nil {
					t.Errorf("%s: `%s`: %v", p.name, m[1], err)
				}
				seen++
				continue
			}
			if snake.MatchString(name) || shell.MatchString(name) && !strings.HasSuffix(name, "_") {
				seen++
				if !known[name] {
					t.Errorf("%s: `%s` is no name of the program's", p.name, name)
				}
			}
		}
	}
	if seen < 150 {
		t.Errorf("only %d names were seen: the test looks in the wrong place", seen)
	}
}

// others are names of other programs.
var others = []string{"OLLAMA_CONTEXT_LENGTH", "num_ctx", "NO_PROXY", "DBUS_SESSION_BUS_ADDRESS"}

// literals returns the words in strings and tags of the product's source.
func literals(t *testing.T) map[string]bool {
	t.Helper()
	known := map[string]bool{}
	word := regexp.MustCompile(`[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+`)
	err := filepath.WalkDir("../../..", func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() && (slices.Contains([]string{"bench", "stress", "testdata", "llmtest", "e2e"}, e.Name()) || strings.HasPrefix(e.Name(), ".") && len(e.Name()) > 2) {
			return fs.SkipDir
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil // the build reports it
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				said, err := strconv.Unquote(lit.Value)
				if err != nil {
					said = lit.Value
				}
				for _, w := range word.FindAllString(said, -1) {
					known[w] = true
				}
			}
			return true
		})
		return nil
	})
	if err != nil || len(known) < 300 {
		t.Fatalf("%d words, %v", len(known), err)
	}
	for _, name := range others {
		known[name] = true
	}
	for _, a := range tui.KeyActions(config.Defaults().Bindings()) {
		known[a.Name] = true
	}
	return known
}

// TestGuideTools checks that each tool call in the documentation is valid.
func TestGuideTools(t *testing.T) {
	var out bytes.Buffer
	s := Streams{Out: output.New(&out, false), Err: output.New(&out, false), LookupEnv: func(string) (string, bool) { return "", false }}
	if status := Main([]string{"tool", "--json", "--vault", t.TempDir(), "--offline"}, s); status != 0 {
		t.Fatalf("%d: %s", status, out.String())
	}
	var listed []struct {
		Name       string
		Parameters struct{ Properties map[string]any }
	}
	if err := json.Unmarshal(out.Bytes(), &listed); err != nil {
		t.Fatal(err)
	}
	one := regexp.MustCompile(`chatvault tool ([a-z_]+) '([^']*)'`)
	seen := 0
	for _, p := range guidePages(t) {
		all := p.prose
		for _, b := range p.blocks {
			all += b.code
		}
		for _, m := range one.FindAllStringSubmatch(all, -1) {
			seen++
			at := slices.IndexFunc(listed, func(l struct {
				Name       string
				Parameters struct{ Properties map[string]any }
			},
			) bool {
				return l.Name == m[1]
			})
			var arguments map[string]any
			if err := json.Unmarshal([]byte(m[2]), &arguments); err != nil || at < 0 {
				t.Errorf("%s: %s: %v", p.name, m[0], err)
				continue
			}
			for name := range arguments {
				if _, ok := listed[at].Parameters.Properties[name]; !ok {
					t.Errorf("%s: %s has no %q", p.name, m[1], name)
				}
			}
		}
	}
	if seen < 5 {
		t.Errorf("only %d calls were seen", seen)
	}
}

// TestGuideLinks checks that each link leads to an existing page, heading or picture, and that each page is in help
// and linked from README.md.
func TestGuideLinks(t *testing.T) {
	pages := guidePages(t)
	link := regexp.MustCompile(`\]\(([^)\s]+)\)|src="([^"]+)"`)
	heading := regexp.MustCompile(`(?m)^#+ (.*)$`)
	drop := regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	anchors := map[string]bool{}
	for _, p := range pages {
		anchors[p.name] = true
		for _, h := range heading.FindAllStringSubmatch(p.prose, -1) {
			anchors[p.name+"#"+strings.ReplaceAll(strings.ToLower(drop.ReplaceAllString(h[1], "")), " ", "-")] = true
		}
	}
	linked := map[string]bool{}
	for _, p := range pages {
		for _, m := range link.FindAllStringSubmatch(p.prose, -1) {
			to := m[1] + m[2]
			if strings.Contains(to, "://") {
				continue
			}
			file, anchor, _ := strings.Cut(to, "#")
			path := p.name
			if file != "" {
				path = filepath.ToSlash(filepath.Join(filepath.Dir(p.name), file))
			}
			if _, err := os.Stat(filepath.Join("../../..", path)); err != nil {
				t.Errorf("%s: %s: %v", p.name, to, err)
			}
			if anchor != "" && !anchors[path+"#"+anchor] {
				t.Errorf("%s: %s has no such heading", p.name, to)
			}
			if p.name == "README.md" {
				linked[path] = true
			}
		}
	}
	root := newRoot(Streams{Guide: os.DirFS("../../../docs"), LookupEnv: os.LookupEnv})
	for _, p := range pages {
		name := strings.TrimSuffix(strings.TrimPrefix(p.name, "docs/"), ".md")
		topic := slices.ContainsFunc(root.Commands(), func(c *cobra.Command) bool { return c.Name() == name && c.IsAdditionalHelpTopicCommand() })
		if p.name != "README.md" && !topic {
			t.Errorf("%s is no topic of help", p.name)
		}
		if p.name != "README.md" && !linked[p.name] {
			t.Errorf("README.md does not lead to %s", p.name)
		}
	}
	pictures, err := filepath.Glob("../../../docs/screens/*.png")
	if err != nil || len(pictures) < 8 {
		t.Fatalf("%d pictures, %v", len(pictures), err)
	}
	for _, c := range append(pictures, "../../../docs/screen.svg") {
		if !slices.ContainsFunc(pages, func(p guidePage) bool { return strings.Contains(p.prose, filepath.Base(c)) }) {
			t.Errorf("%s is shown on no page", filepath.Base(c))
		}
	}
}

// TestGuideQuestions checks that each answer of docs/questions.md is tested in a script with its number or, for
// screens, by an existing test.
func TestGuideQuestions(t *testing.T) {
	page, err := os.ReadFile("../../../docs/questions.md")
	if err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile("../../../testdata/script/questions.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for n := 1; n <= 20; n++ {
		if asked := fmt.Sprintf("\n**%d. ", n); strings.Count(string(page), asked) != 1 {
			t.Errorf("the page has no question %d", n)
		}
		if !regexp.MustCompile(fmt.Sprintf(`(?m)^# %d\. |^# .*\(%d\)\.$`, n, n)).Match(script) {
			t.Errorf("the script has nothing for question %d", n)
		}
	}
	var tests strings.Builder
	files, err := filepath.Glob("../../e2e/*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		tests.Write(data)
	}
	head, _, _ := strings.Cut(string(script), "\nllm ")
	for _, name := range regexp.MustCompile(`Test[A-Za-z]+`).FindAllString(head, -1) {
		if !strings.Contains(tests.String(), "func "+name+"(") {
			t.Errorf("there is no %s", name)
		}
	}
}

// TestCommandsInMessages checks that messages name a command with sub-commands together with one of them.
func TestCommandsInMessages(t *testing.T) {
	named := regexp.MustCompile(`\bchatvault ([a-z]+) ([a-z][a-z-]*)`)
	verbs := strings.Fields("asks has is lists names on shows")
	seen := 0
	err := filepath.WalkDir("../../..", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		text, err := os.ReadFile(name)
		for _, m := range named.FindAllStringSubmatch(string(text), -1) {
			c, _, found := testRoot().Find(m[1:2])
			if found != nil || !c.HasParent() || !c.HasSubCommands() || slices.Contains(verbs, m[2]) {
				continue
			}
			seen++
			if _, rest, _ := c.Find(m[2:]); len(rest) > 0 {
				t.Errorf("%s: there is no %s", name, m[0])
			}
		}
		return err
	})
	if err != nil || seen < 30 {
		t.Errorf("%d are named, %v", seen, err)
	}
}
