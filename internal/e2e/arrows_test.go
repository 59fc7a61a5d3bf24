package e2e

import (
	"bufio"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// arrows lists the packages that a package may import, besides those below it. A package is a folder and what is below
// it. ARCHITECTURE.md draws the same.
var arrows = parseArrows(`
.: internal/app/cli
internal/app/cli: tui agent tools vault conversation internal/app
internal/app/session: agent tools vault conversation conversation/artifact internal/app/config internal/app/keystore internal/app/mcpclient internal/app/ranked internal/app/slash internal/app/smarthole internal/app/statedir tools/skill
tui: internal/app/session agent conversation internal/app/config
agent: tools conversation conversation/artifact
agent/event: agent/llm tools conversation conversation/artifact
agent/lock:
agent/inbox: agent/event agent/lock tools
agent/goal: agent/event agent/inbox agent/lock agent/prompts tools conversation
agent/spend: agent/event agent/llm agent/lock
agent/history: agent/event agent/llm agent/prompts conversation tools
agent/pending: agent/event agent/goal agent/history agent/inbox agent/lock
agent/memory: agent/history agent/llm agent/lock agent/window tools
agent/window: agent/llm
agent/repeat:
agent/smallmodel: agent/llm agent/window tools vault/pathname
agent/written: agent/llm
agent/typed: agent/llm
agent/response: agent/llm tools
agent/prompts: tools
agent/llm:
agent/llm/endpoint: agent/llm agent/llm/models
agent/llm/models:
agent/llm/dialect: agent/llm
agent/llm/openai: agent/llm agent/llm/dialect agent/llm/endpoint
agent/llm/anthropic: agent/llm agent/llm/dialect agent/llm/endpoint
agent/llm/responses: agent/llm agent/llm/dialect agent/llm/endpoint
agent/llm/offline: agent/llm tools/textedit vault/note vault/pathname
tools: vault conversation tools/skill conversation/artifact
vault:
vault/block:
conversation: conversation/artifact vault/linematch
conversation/artifact: vault/pathname
internal/app/config:
internal/app/smarthole: agent
internal/app/ranked: agent/llm/offline tools vault
internal/app/keystore: internal/app/config
internal/app/acp: internal/app/printed internal/app/session agent/event tools internal/app/config
internal/app/ask: internal/app/printed internal/app/session agent/event internal/app/consent tools conversation/artifact
internal/app/consent: internal/app/session agent/event tools
internal/app/lines: internal/app/printed internal/app/session agent/event internal/app/consent tools
internal/app/mcp: internal/app/session conversation/artifact internal/app/slash tools vault
internal/app/mcpclient: agent/llm/dialect tools conversation/artifact internal/app/config
internal/app/slash:
internal/app/statedir:
internal/app/printed: internal/app/session agent/event internal/app/consent tools
tools/skill: vault
internal/base:
`)

// parseArrows parses lines with a package and, after a colon, those that it may import; "." is the top.
func parseArrows(lines string) map[string][]string {
	m := map[string][]string{}
	for line := range strings.Lines(strings.TrimSpace(lines)) {
		room, imports, _ := strings.Cut(line, ":")
		m[strings.TrimPrefix(room, ".")] = strings.Fields(imports)
	}
	return m
}

// notImported are packages for tests and measurements, which the product does not import.
var notImported = []string{"internal/e2e", "internal/llmtest", "internal/ptytest", "internal/pathcorpus", "internal/base/statefile/statetest", "bench", "stress"}

// forAnyone are packages that know nothing of the product.
var forAnyone = []string{"internal/base", "vault/block"}

// Imports follow the directions in arrows.
func TestArrows(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}}{{range .Imports}} {{.}}{{end}}`, "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for s := bufio.NewScanner(strings.NewReader(string(out))); s.Scan(); {
		words := strings.Fields(s.Text())
		from := inside(words[0])
		if below(from, notImported) {
			continue
		}
		room := roomOf(from)
		for _, w := range words[1:] {
			to := inside(w)
			if to == w { // not ours
				continue
			}
			seen++
			if to == "vault" && strings.HasPrefix(from, "vault/") {
				t.Errorf("%s imports %s: the rooms of the vault do not know it", from, to)
			}
			if to == room || strings.HasPrefix(to, room+"/") && room != "" && arrowsInto(room, to) || below(to, arrows[room]) || below(to, forAnyone) {
				if !below(to, notImported) {
					continue
				}
			}
			t.Errorf("%s imports %s; the house allows %s to import %v", from, to, room, arrows[room])
		}
	}
	if seen == 0 {
		t.Error("no import of ours was seen")
	}
}

// arrowsInto reports whether a package may import one below it: not one that the table lists apart because the parent
// must not depend on it.
func arrowsInto(room, to string) bool {
	switch room {
	case "agent": // a remote provider is wired by the CLI, never imported by the agent
		return !strings.HasPrefix(to, "agent/llm/")
	case "agent/llm":
		return false
	}
	return true
}

// modulePath returns the module's path, which its owner may change (make rename).
var modulePath = sync.OnceValue(func() string {
	out, err := exec.Command("go", "list", "-m").Output()
	if err != nil {
		panic(err)
	}
	return strings.TrimSpace(string(out))
})

// A text that starts like the path of a package would remain when the module is renamed.
func TestModulePathIsOnlyInImports(t *testing.T) {
	out, err := exec.Command("git", "ls-files", "*.go").Output()
	if err != nil {
		t.Skipf("git does not say which files there are: %v", err)
	}
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	var rooms []string
	for _, e := range entries {
		if e.IsDir() {
			rooms = append(rooms, modulePath()+"/"+e.Name())
		}
	}
	files := 0
	for name := range strings.Lines(string(out)) {
		name = strings.TrimSpace(name)
		if strings.HasSuffix(name, "_test.go") || below(name, notImported) {
			continue
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		if err != nil {
			continue // removed, or being written: the build says so
		}
		files++
		ast.Inspect(file, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				_, isImport := n.(*ast.ImportSpec)
				return !isImport
			}
			if said, err := strconv.Unquote(lit.Value); err == nil && (said == modulePath()+"/" || below(said, rooms)) {
				t.Errorf("%s: %s is a path of the module's, which its owner may change", set.Position(lit.Pos()), lit.Value)
			}
			return true
		})
	}
	if files < 300 {
		t.Errorf("%d files were seen: the test looks in the wrong place", files)
	}
}

// inside returns an import path relative to the module.
func inside(path string) string {
	if path == modulePath() {
		return ""
	}
	if rest, ok := strings.CutPrefix(path, modulePath()+"/"); ok {
		return rest
	}
	return path
}

func below(path string, rooms []string) bool {
	for _, r := range rooms {
		if path == r || strings.HasPrefix(path, r+"/") {
			return true
		}
	}
	return false
}

// roomOf returns the innermost package of the table that contains a folder.
func roomOf(path string) string {
	for p := path; p != ""; {
		if _, ok := arrows[p]; ok {
			return p
		}
		i := strings.LastIndexByte(p, '/')
		if i < 0 {
			return p
		}
		p = p[:i]
	}
	return ""
}
