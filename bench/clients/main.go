// Command clients has agents of other programs list, read, search, edit and undo in a vault through chatvault mcp, each
// with a scripted model, and prints what worked. make clients runs it; see README.md.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

var (
	program = flag.String("chatvault", "bin/chatvault", "the chatvault to test")
	cache   = flag.String("cache", "", "the folder for the clients; default chatvault-clients in the user's cache")
	only    = flag.String("only", "", "the clients, separated by commas; default all")
	hold    = flag.Bool("hold", false, "prepare the session with consent and wait for Ctrl+C, to try it by hand")
	verbose = flag.Bool("v", false, "print the output of the clients")
)

func main() {
	flag.Parse()
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// columns are what a client is tested for.
var columns = []string{"starts", "list", "read", "search", "edit", "undo", "approval"}

func run() error {
	var err error
	if *program, err = filepath.Abs(*program); err != nil {
		return err
	}
	if *cache == "" {
		dir, err := os.UserCacheDir()
		if err != nil {
			return err
		}
		*cache = filepath.Join(dir, "chatvault-clients")
	}
	if *cache, err = filepath.Abs(*cache); err != nil {
		return err
	}
	held, err := expected()
	if err != nil {
		return err
	}
	var failed []string
	t := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "client\tversion\tmodel\t%s\n", strings.Join(columns, "\t"))
	for _, c := range clients {
		if *only != "" && !slices.Contains(strings.Split(*only, ","), c.name) {
			continue
		}
		row := c.test()
		fmt.Fprintf(t, "%s\t%s\t%s", c.name, row.version, c.api)
		for i, column := range columns {
			fmt.Fprintf(t, "\t%s", row.cells[i])
			if want := held[c.name][i]; row.cells[i] != want {
				failed = append(failed, fmt.Sprintf("%s, %s: %s, but it was %s", c.name, column, row.cells[i], want))
			}
		}
		fmt.Fprintln(t)
		if row.note != "" {
			fmt.Fprintln(os.Stderr, c.name+": "+row.note)
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if len(failed) > 0 {
		return errors.New("different from bench/clients/expected.txt:\n  " + strings.Join(failed, "\n  "))
	}
	return nil
}

// expected reads what held.
func expected() (map[string][]string, error) {
	data, err := os.ReadFile(filepath.Join("bench", "clients", "expected.txt"))
	if err != nil {
		return nil, err
	}
	held := map[string][]string{}
	for line := range strings.Lines(string(data)) {
		if name, cells, ok := strings.Cut(line, ":"); ok && !strings.HasPrefix(line, "#") {
			held[name] = strings.Split(strings.TrimSpace(cells), ", ")
		}
	}
	for _, c := range clients {
		if len(held[c.name]) != len(columns) {
			return nil, fmt.Errorf("expected.txt has no %d cells for %s", len(columns), c.name)
		}
	}
	return held, nil
}

// row is what a client did.
type row struct {
	version, note string
	cells         []string
}

const (
	noteName = "Garden/Fence.md"
	noteText = "# Fence\n\nThe rusty hinge squeaks.\n"
	prompt   = "Mend the note about the fence in my vault, then take it back."
)

// script is what the model does, and what the results must contain.
var script = []struct {
	step
	want string
}{
	{step{"list_files", map[string]any{"path": "Garden"}}, "Fence.md"},
	{step{"read_file", map[string]any{"path": noteName}}, "rusty hinge"},
	{step{"search_files", map[string]any{"pattern": "hinge"}}, noteName},
	{step{"edit_file", map[string]any{"path": noteName, "old_text": "rusty", "new_text": "oiled"}}, "Replaced 1"},
	{step{"undo", map[string]any{}}, "restored"},
}

// test installs a client and has it work on a vault, once without and once with consent.
func (c client) test() (r row) {
	r.cells = slices.Repeat([]string{"-"}, len(columns))
	exe, err := c.install()
	if err != nil {
		r.version, r.note = "none", err.Error()
		return r
	}
	r.version = c.version(exe)
	if *hold {
		_, r.note = c.consent(exe)
		return r
	}
	p, err := c.place(exe, "", script[0].step, script[1].step, script[2].step, script[3].step, script[4].step)
	if p != nil {
		defer p.close()
	}
	if err != nil {
		r.note = err.Error()
		return r
	}
	out, err := p.answer()
	cell := func(i int, ok bool) {
		if r.cells[i] = "no"; ok {
			r.cells[i] = "yes"
		}
	}
	cell(0, p.offered && err == nil)
	for i, s := range script {
		cell(i+1, i < len(p.results) && strings.Contains(p.results[i], s.want))
	}
	if slices.Contains(r.cells, "no") {
		r.note = fmt.Sprintf("%v; results %q; unanswered requests %q; it wrote:\n%s", err, p.results, p.other, out)
	}
	var note string
	if r.cells[6], note = c.consent(exe); note != "" {
		r.note += "\nwith consent: " + note
	}
	return r
}

// consent returns what becomes of a change that needs consent; note describes a failure.
func (c client) consent(exe string) (cell, note string) {
	p, err := c.place(exe, "approval = \"writes\"\n", script[1].step, script[3].step)
	if p != nil {
		defer p.close()
	}
	if err != nil {
		return "no", err.Error()
	}
	if *hold {
		return "held", p.hold()
	}
	var out string
	if _, missing := exec.LookPath("tmux"); c.chat == nil || missing != nil {
		out, err = p.answer()
	} else {
		out, err = p.talk()
	}
	result, text := strings.Join(p.results, "\n"), p.note()
	switch {
	case len(p.results) < 2 || err != nil:
	case strings.Contains(result, "no elicitation") && text == noteText:
		return "cannot ask", ""
	case strings.Contains(result, "denied this change") && text == noteText:
		return "denied", ""
	case strings.Contains(result, "Replaced 1") && strings.Contains(text, "oiled"):
		return "shown and allowed", ""
	}
	return "no", fmt.Sprintf("%v; results %q; unanswered requests %q; it wrote:\n%s", err, p.results, p.other, out)
}

// place is where a client works: a home folder, a vault and a folder of work, with the model.
type place struct {
	*model
	client
	exe, dir string
	env      []string
	fill     *strings.Replacer // of $MODEL and $PROMPT
	close    func()
}

// place prepares a place; settings are those of chatvault.
func (c client) place(exe, settings string, steps ...step) (*place, error) {
	dir, err := os.MkdirTemp("", "clients")
	if err != nil {
		return nil, err
	}
	m := &model{steps: steps}
	server := httptest.NewServer(m)
	p := &place{model: m, client: c, exe: exe, dir: dir, env: environment(filepath.Join(dir, "home")), fill: strings.NewReplacer("$MODEL", server.URL, "$PROMPT", prompt, "$WORK", filepath.Join(dir, "work"))}
	p.close = func() {
		server.Close()
		_ = os.RemoveAll(dir)
	}
	for _, e := range c.env {
		p.env = append(p.env, p.fill.Replace(e))
	}
	for file, text := range map[string]string{
		"vault/" + noteName: noteText, "work/README.md": "work\n", "home/.config/chatvault/config.toml": settings,
	} {
		if err = errors.Join(err, write(filepath.Join(dir, filepath.FromSlash(file)), text)); err != nil {
			return p, err
		}
	}
	return p, p.connect()
}

// environment returns the environment of a client with a home folder.
func environment(home string) []string {
	return append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home+"/.config", "XDG_STATE_HOME="+home+"/.local/state",
		"XDG_DATA_HOME="+home+"/.local/share", "XDG_CACHE_HOME="+home+"/.cache", "PATH="+path())
}

// path returns the PATH of clients and of npm, which begins with our Node.js.
func path() string {
	return filepath.Join(*cache, "node", "node_modules", nodePackage, "bin") + string(os.PathListSeparator) + os.Getenv("PATH")
}

// note returns the note's text.
func (p *place) note() string {
	data, _ := os.ReadFile(filepath.Join(p.dir, "vault", filepath.FromSlash(noteName)))
	return string(data)
}

// timeout is the maximum time of a session.
const timeout = 3 * time.Minute

// answer runs the client with the prompt, and returns what it wrote.
func (p *place) answer() (out string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	var args []string
	for _, a := range p.run {
		args = append(args, p.fill.Replace(a))
	}
	cmd := exec.CommandContext(ctx, p.exe, args...)
	cmd.Dir, cmd.Env = filepath.Join(p.dir, "work"), p.env
	var b bytes.Buffer
	cmd.Stdout, cmd.Stderr = &b, &b
	cmd.WaitDelay = 2 * time.Second
	err = cmd.Run()
	if *verbose {
		fmt.Fprintf(os.Stderr, "--- %s %q\n%s\n", p.name, args, b.String())
	}
	return b.String(), err
}

// connect puts the entry that chatvault mcp config prints into the file that it names, with the client's other settings.
func (p *place) connect() error {
	cmd := exec.Command(*program, "mcp", "config", p.name, "--vault", filepath.Join(p.dir, "vault"))
	cmd.Env = p.env
	var where bytes.Buffer
	cmd.Stderr = &where
	entry, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("%w: %s", err, where.String())
	}
	_, file, ok := strings.Cut(strings.TrimSpace(where.String()), ", in ")
	file, tilde := strings.CutPrefix(strings.TrimSuffix(file, ":"), "~")
	if !ok || !tilde {
		return fmt.Errorf("no file in %q", where.String())
	}
	file = filepath.Join(p.dir, "home", file)
	text := p.fill.Replace(p.settings) + string(entry)
	if strings.HasSuffix(file, ".json") {
		var all, one map[string]any
		if err := json.Unmarshal([]byte(p.fill.Replace(p.settings)), &all); err != nil {
			return err
		}
		if err := json.Unmarshal(entry, &one); err != nil {
			return err
		}
		maps.Copy(all, one)
		data, err := json.MarshalIndent(all, "", "  ")
		if err != nil {
			return err
		}
		text = string(data)
	}
	return write(file, text)
}

func write(file, text string) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return os.WriteFile(file, []byte(text), 0o600)
}

// nodePackage is the package of npm that has Node.js for this machine.
var nodePackage = fmt.Sprintf("node-%s-%s", runtime.GOOS, strings.Replace(runtime.GOARCH, "amd64", "x64", 1))

// install returns the client's program, which it gets from npm if it is not there. A program in the cache's folder bin,
// such as one built from source, comes first.
func (c client) install() (string, error) {
	own := filepath.Join(*cache, "bin", c.program)
	if _, err := os.Stat(own); err == nil {
		return own, nil
	}
	if err := npm("node", nodePackage+"@22"); err != nil {
		return "", err
	}
	return filepath.Join(*cache, c.name, "node_modules", ".bin", c.program), npm(c.name, c.packages...)
}

// npm installs packages into a folder of the cache, if it is not there.
func npm(name string, packages ...string) error {
	dir := filepath.Join(*cache, name)
	if _, err := os.Stat(filepath.Join(dir, "installed")); err == nil {
		return nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	cmd := exec.Command("npm", append([]string{"install", "--prefix", dir, "--no-audit", "--no-fund", "--loglevel", "error"}, packages...)...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "PATH="+path()) // npm takes older versions for an older Node.js
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("npm cannot install %q: %w\n%s", packages, err, out)
	}
	return os.WriteFile(filepath.Join(dir, "installed"), nil, 0o600)
}

var versions = regexp.MustCompile(`\d+\.\d+\.\d+[-.\w]*`)

// version returns what the client says of its version.
func (c client) version(exe string) string {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, exe, "--version")
	cmd.Env = environment(filepath.Join(*cache, "home"))
	out, _ := cmd.Output()
	if v := versions.FindString(string(out)); v != "" {
		return v
	}
	return "unknown"
}
