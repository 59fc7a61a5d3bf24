package main_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"chatvault/internal/llmtest"
)

// secretRE is what every planted secret looks like. It stands in no path that a call is aimed
// at, so that whoever says it has seen what is private.
var secretRE = regexp.MustCompile(`(?i)zq[0-9]{3}kx`)

// privateVault plants secrets under private globs.
type privateVault struct {
	t       *testing.T
	home    string
	dir     string
	env     []string
	planted int
	files   map[string]string // the private ones, as they are to stay
}

const privateSettings = `private = ["Private/", "*.secret.md", "Work/**/personal*", "Tagebücher", "/Boards/hidden.canvas", "Daily/2021-*", "*.key", "Old/**"]
max_tool_iterations = 1000
approval = "off"
`

// secret is the next secret.
func (v *privateVault) secret() string {
	v.planted++
	return fmt.Sprintf("zq%03dkx", v.planted)
}

func (v *privateVault) open(name, text string) {
	v.t.Helper()
	path := filepath.Join(v.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		v.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		v.t.Fatal(err)
	}
}

// hide writes a private file; every "@" in its name and text becomes a secret.
func (v *privateVault) hide(name, text string) {
	v.t.Helper()
	for strings.Contains(name+text, "@") {
		if strings.Contains(name, "@") {
			name = strings.Replace(name, "@", v.secret(), 1)
			continue
		}
		text = strings.Replace(text, "@", v.secret(), 1)
	}
	v.open(name, text)
	v.files[name] = text
}

func newPrivateVault(t *testing.T) *privateVault {
	home := t.TempDir()
	v := &privateVault{t: t, home: home, dir: filepath.Join(home, "Notes"), files: map[string]string{}}
	v.env = []string{
		"HOME=" + home, "PATH=" + os.Getenv("PATH"), "TZ=UTC", "CHATVAULT_KEYRING=off",
		"XDG_CONFIG_HOME=" + home + "/c", "XDG_STATE_HOME=" + home + "/s", "XDG_DATA_HOME=" + home + "/d",
	}
	v.plant()
	return v
}

// plant fills the vault: notes that may be seen, which speak of what may not, and a hundred
// secrets in as many forms as there are.
func (v *privateVault) plant() {
	v.open("Home.md", "---\ntags: [garden]\nup: \"[[dossier]]\"\n---\n# Home\numbrella\n[[Mira]] [[Private/Mira|her]] ![[plan.secret]] [x](Private/Mira.md) [[Private/]] #garden\n- [ ] call [[dossier]]\n")
	v.open("Garden/Beds.md", "# Beds\numbrella [[Home]] [[Board]]\n- [x] dig 📅 2026-11-21\n")
	v.open("Garden/Lone.md", "# Lone\nnobody links here\n")
	v.open("Work/2026/open.md", "# Open\numbrella\n")
	v.open("Boards/Board.canvas", `{"nodes":[{"id":"1","type":"file","file":"Private/Mira.md"},{"id":"2","type":"file","file":"Home.md"}],"edges":[]}`)
	v.open("Daily/2026-11-20.md", "# Friday\numbrella\n")
	v.open("Mixed/seen.md", "# Seen\n[[Mira]]\n")
	for _, folder := range []string{"Garden", "Mixed", "Work"} { // many names, so that near ones are sought
		for i := range 5 {
			v.open(fmt.Sprintf("%s/note %d.md", folder, i), "umbrella\n")
		}
	}

	v.hide("Private/Mira.md", "---\ntitle: @\naliases: [@, Umbrella]\ntags: [@, garden]\n@: true\nrating: 5 # @\nup: \"[[Home]]\"\nlist:\n  - @\n---\n"+
		"# Mira @\nShe left her umbrella: @. [[Home|@]] [[@]] ![[@.png]] [@](Home.md)\n#@ #garden/@\n- [ ] ask about @ 📅 2026-11-21\n- [x] done @\n"+
		"> [!note] @\n\n```\n@ umbrella\n```\n%% @ %%\n$@$\n| a | @ |\n|---|---|\n\n[^1]: @\n^@\n<b>@</b> https://example.org/@ key:: @\n")
	v.hide("Private/crlf.md", "umbrella @\r\n[[Beds]] @\r\n- [ ] @\r\n")
	v.hide("Private/deep/er/still.md", "# @\numbrella\n[[Home]] @\n")
	v.hide("Private/@.md", "# Home\numbrella, [[Home]]\n")
	v.hide("Private/@/dossier.md", "the dossier: @ [[Home]]\n")
	v.hide("Private/@/Home.md", "umbrella\n")
	v.hide("Private/Beds @.md", "[[Garden/Beds]] @")
	v.hide("Private/data.csv", "umbrella,@\n")
	v.hide("Private/pic.png", "\x89PNG\x00@")
	v.hide("Private/Board.canvas", `{"nodes":[{"id":"1","type":"text","text":"umbrella @ [[Home]]"},{"id":"2","type":"file","file":"Garden/Beds.md"}]}`)
	v.hide("Private/drawing.excalidraw.md", "umbrella @")
	v.hide("Private/Template.md", "# {{title}} @\n")
	for i := range 5 {
		v.hide(fmt.Sprintf("Private/Garden tools and plans %d @.md", i), "umbrella\n") // like the name of a good note, and the newest
	}
	v.hide("plan.secret.md", "the plan @, umbrella, [[Home]]\n")
	v.hide("Garden/@.secret.md", "umbrella @\n#garden\n")
	v.hide("Garden/NOTE @.SECRET.MD", "- [ ] umbrella @ #garden\n")
	v.hide("Mixed/inner/pay.secret.md", "umbrella @\n")
	v.hide("Mixed/inner/@.key", "umbrella @\n")
	v.hide("Work/2026/personal @/notes.md", "umbrella @ [[Home]]\n---\n")
	v.hide("Work/2026/deep/Personal.md", "umbrella @ [[Open]] [[open]]\n")
	nfd := norm.NFD.String("Tagebücher")
	v.hide(nfd+"/Juni.md", "umbrella @ [[Home]] #garden\n- [ ] @\n")
	v.hide(nfd+"/@.md", "umbrella @")
	v.hide("Boards/hidden.canvas", `{"nodes":[{"id":"1","type":"text","text":"@ umbrella"},{"id":"2","type":"file","file":"Home.md"}]}`)
	for day := 1; day <= 5; day++ {
		v.hide(fmt.Sprintf("Daily/2021-01-%02d.md", day), "# @\numbrella @ [[Home]]\n- [ ] @\n")
	}
	v.hide("Old/Archive @/a.md", "umbrella @")
	for v.planted < 100 {
		v.hide("Old/"+fmt.Sprintf("%02d ", v.planted)+"@.md", "umbrella @")
	}

	// What only the program reads names private things, too.
	first := slices.Sorted(maps(v.files))[0]
	v.open(".obsidian/app.json", `{"newFileLocation":"folder","newFileFolderPath":"Private/in","userIgnoreFilters":["`+first+`","Old/"]}`)
	v.open(".obsidian/daily-notes.json", `{"folder":"Daily","format":"YYYY-MM-DD","template":"Private/Template"}`)
	v.open(".obsidian/workspace.json", `{"main":{"type":"tabs","currentTab":0,"children":[{"id":"1","type":"leaf","state":{"state":{"file":"Home.md"}}},`+
		`{"id":"2","type":"leaf","state":{"state":{"file":"`+first+`"}}}]},"active":"1","lastOpenFiles":["`+first+`","Home.md"]}`)
	for link, to := range map[string]string{"shortcut.md": "Private/Mira.md", "Garden/short": "../Private", "mix.md": "Mixed/inner/pay.secret.md"} {
		if err := os.Symlink(to, filepath.Join(v.dir, filepath.FromSlash(link))); err != nil {
			v.t.Fatal(err)
		}
	}
}

// maps yields the keys of a map.
func maps[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// settings makes the private list the user's, or takes it away.
func (v *privateVault) settings(text string) {
	v.t.Helper()
	path := filepath.Join(v.home, "c", "chatvault", "config.toml")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		v.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		v.t.Fatal(err)
	}
}

// run runs the real binary and gives all it wrote.
func (v *privateVault) run(env []string, args ...string) string {
	v.t.Helper()
	c := exec.Command(chatvault(v.t), append([]string{"--vault", v.dir}, args...)...)
	c.Dir, c.Env = v.home, append(slices.Clone(v.env), env...)
	out, err := c.CombinedOutput()
	if _, exited := err.(*exec.ExitError); err != nil && !exited {
		v.t.Fatal(err)
	}
	return string(out)
}

// keeps fails the test where a text holds a secret.
func (v *privateVault) keeps(where, text string) {
	v.t.Helper()
	if found := secretRE.FindStringIndex(text); found != nil {
		from := max(found[0]-200, 0)
		v.t.Errorf("%s says a secret: …%s…", where, text[from:min(found[1]+100, len(text))])
	}
}

// untouched fails the test where a private file is not as it was planted.
func (v *privateVault) untouched() {
	v.t.Helper()
	for name, text := range v.files {
		data, err := os.ReadFile(filepath.Join(v.dir, filepath.FromSlash(name)))
		if err != nil || string(data) != text {
			v.t.Errorf("%q was touched: %v", name, err)
		}
	}
}

// aims are paths at what is private, or as near to it as one gets without knowing a name.
func aims() []string {
	paths := []string{
		"Private/Mira.md", "private/mira.md", "PRIVATE/MIRA.MD", "Private/mira", "./Private/Mira.md", "Private//Mira.md", "Garden/../Private/Mira.md", "Private/Mira.md/", "Private/Mira.md\n",
		"Mira.md", "Mira", "Private", "Private/", "private", "Priv", "Private/deep", "Private/deep/er/still.md", "Private/dossier.md", "dossier.md", "Private/crlf.md",
		"shortcut.md", "Garden/short/Mira.md", "Garden/short", "mix.md", "SHORTCUT.MD",
		"plan.secret.md", "Plan.Secret.md", "plan.md", "Garden/NOTE.SECRET.MD", "Garden/.secret.md", "Mixed/inner", "Mixed/inner/pay.secret.md", "Mixed", "Garden",
		"Work/2026/deep/Personal.md", "Work/2026/personal", "Work/2026/personal/notes.md", "Work", "Work/2026/deep",
		"Tagebücher", "Tagebücher/Juni.md", norm.NFD.String("Tagebücher/Juni.md"), "TAGEBÜCHER/JUNI.MD", "Boards/hidden.canvas", "Boards/Hidden.canvas", "Boards", "Boards/Board.canvas",
		"Daily/2021-01-01.md", "Daily", "Daily/2021-01-0.md", "Old", "Old/", "Old/Archive", "Private/Template.md", "Private/data.csv", "Private/pic.png", "Private/Board.canvas",
		"Private/in/x.md", "Priv\u00adate/Mira.md", "Private\u200b/Mira.md", "PRIVAT~1/MIRA.MD", "Private./Mira.md", "Ｐrivate/Mira.md",
		"Home.md", ".", "Garden/Beds.md", "Mixed/seen.md", ".obsidian/workspace.json", ".smarthole/journal",
	}
	return paths
}

// calls are the calls of a tool that aim at a path. A tool that is not here fails the test: who
// makes one says how it might tell what is private.
func calls(tool, aim string) []map[string]any {
	at := func(more ...any) map[string]any {
		args := map[string]any{"path": aim}
		for i := 0; i < len(more); i += 2 {
			args[more[i].(string)] = more[i+1]
		}
		return args
	}
	switch tool {
	case "read_file", "get_file_info", "get_outline":
		return []map[string]any{at()}
	case "write_file":
		return []map[string]any{at("content", "x\n")}
	case "append_file":
		return []map[string]any{at("content", "x", "create", true), at("content", "x", "heading", "Mira")}
	case "edit_file":
		return []map[string]any{at("old_text", "umbrella", "new_text", "parasol", "replace_all", true), at("delete_lines", map[string]any{"start": 1, "end": 1})}
	case "create_folder":
		return []map[string]any{at()}
	case "delete_file":
		return []map[string]any{at("recursive", true)}
	case "move_file":
		return []map[string]any{{"source": aim, "destination": "Out/x.md"}, {"source": "Garden/Lone.md", "destination": aim}}
	case "list_files":
		return []map[string]any{at("pattern", "**", "include_ignored", true, "max_results", 1000), {"pattern": strings.TrimSpace(aim) + "*", "include_ignored": true}, {"pattern": "**/*", "max_results": 1000}}
	case "search_files":
		return []map[string]any{
			{"pattern": "umbrella|zq|Mira", "file_pattern": strings.TrimSpace(aim) + "*", "include_ignored": true},
			{"pattern": "zq|umbrella", "file_pattern": "**/*", "max_results": 100, "context_lines": 20, "include_ignored": true},
		}
	case "get_links":
		return []map[string]any{at(), at("mode", "backlinks"), {"mode": "unresolved", "include_ignored": true, "max_results": 500}, {"mode": "orphans", "include_ignored": true, "max_results": 500}}
	case "get_tags":
		return []map[string]any{at("include_ignored", true, "max_results", 500), {"tag": "garden", "include_ignored": true}}
	case "get_properties":
		return []map[string]any{at("include_ignored", true, "max_results", 500), {"key": "title", "include_ignored": true}, {"include_ignored": true, "max_results": 500}}
	case "set_property":
		return []map[string]any{at("key", "rating", "value", "5")}
	case "list_tasks":
		return []map[string]any{at("state", "all", "include_ignored", true, "max_results", 500), {"state": "all", "include_ignored": true, "max_results": 500}, {"file_pattern": strings.TrimSpace(aim) + "*", "state": "all"}}
	case "get_note_history":
		return []map[string]any{at("diff", true), at()}
	case "daily_note":
		return []map[string]any{
			{"action": "read", "date": "2021-01-01"}, {"action": "path", "date": "2021-01-02"}, {"action": "append", "date": "2021-01-03", "content": "x"},
			{"action": "append", "date": "2026-01-02", "content": aim},
		}
	case "get_active_note":
		return []map[string]any{{}}
	case "get_conversation":
		return []map[string]any{{"query": "umbrella"}, {"list_recent": 20}}
	case "ask_user", "send_message", "task_list", "delegate", "end_conversation":
		return nil // they look at no note
	}
	return []map[string]any{{"not": "known"}}
}

// TestPrivateSecrets aims every tool at a hundred secrets, by a model's calls and one by one: none
// is in anything that a provider is sent or that a tool says, and every private file stays as it is.
func TestPrivateSecrets(t *testing.T) {
	t.Parallel()
	v := newPrivateVault(t)
	if v.planted < 100 {
		t.Fatalf("%d secrets", v.planted)
	}
	// Before they became private, notes were changed through chatvault: the journal knows of them.
	v.settings("")
	for _, name := range []string{"Private/Mira.md", "Old/was.md"} {
		if out := v.run(nil, "tool", "write_file", fmt.Sprintf(`{"path":%q,"content":"once zq000kx\n"}`, name)); !strings.Contains(out, "wrote") && !strings.Contains(out, "Created") {
			t.Fatal(out)
		}
	}
	v.run(nil, "tool", "move_file", `{"source":"Old/was.md","destination":"Garden/was.md"}`)
	v.run(nil, "tool", "move_file", `{"source":"Garden/was.md","destination":"Old/was.md"}`)
	v.open("Private/Mira.md", v.files["Private/Mira.md"])
	v.settings(privateSettings)

	var names []string
	var listed []struct{ Name string }
	if err := json.Unmarshal([]byte(v.run(nil, "tool", "--json")), &listed); err != nil {
		t.Fatal(err)
	}
	for _, tool := range listed {
		names = append(names, tool.Name)
	}

	t.Run("on the screen", func(t *testing.T) {
		c := reopenChat(t, chatOptions{}, v.home, v.dir)
		c.WaitFor("For example", patience)
		v.keeps("the first screen", string(c.Raw()))
		c.quit(t)
	})
	t.Run("by a model", func(t *testing.T) { v.byModel(t, names) })
	t.Run("one by one", func(t *testing.T) { v.oneByOne(t, names) })
	t.Run("offline", func(t *testing.T) {
		for _, question := range []string{"what do I know about the umbrella?", "which tasks are open?", "what did I change this week?", "who is Mira?"} {
			v.keeps(question, v.run(nil, "--offline", "ask", question))
		}
	})
	t.Run("taken back", func(t *testing.T) {
		for range 12 {
			v.run(nil, "undo")
		}
		srv := llmtest.New(t, llmtest.Reply("Yes."))
		v.run(provider(srv), "ask", "what was taken back?")
		for _, r := range srv.Requests() {
			v.keeps("what the model is told of an undo", string(r.Body))
			if _, told, is := strings.Cut(string(r.Body), "The user took back"); is && strings.Contains(told, "Private/Mira") {
				t.Errorf("it is told of the undo of a note that is private now: %.2000s", told)
			}
		}
	})
	v.untouched()
}

func provider(srv *llmtest.Server) []string {
	return []string{"OPENAI_BASE_URL=" + srv.URL(), "OPENAI_API_KEY=sk-test-0123456789abcdef", "CHATVAULT_MODEL=test-model"}
}

// byModel has a scripted model make all the calls, a few of each tool in a turn: so many errors
// of one tool in a row would end it.
func (v *privateVault) byModel(t *testing.T, tools []string) {
	const perTurn = 2 // aims
	all := aims()
	refused := 0
	for from := 0; from < len(all); from += perTurn {
		var steps []llmtest.Step
		var options []llmtest.Option
		expected := 0
		flush := func() {
			if len(options) > 0 {
				steps = append(steps, llmtest.Say(options...))
				options = nil
			}
		}
		for i, aim := range all[from:min(from+perTurn, len(all))] {
			for _, tool := range tools {
				for j, args := range calls(tool, aim) {
					if i > 0 && args["path"] == nil && args["source"] == nil {
						continue // it is aimed at the whole vault, once a turn
					}
					if args["not"] != nil {
						t.Fatalf("%s is a tool this test does not know: say in calls how it might tell what is private", tool)
					}
					options = append(options, llmtest.Call(tool, args))
					// What is new and no error keeps the turn going.
					options = append(options, llmtest.Call("list_files", map[string]any{"pattern": fmt.Sprintf("Ga*%s", strings.Repeat("?", from+i+j)), "max_results": 1 + expected%900}))
					if expected++; len(options) >= 14 {
						flush()
					}
				}
			}
			options = append(options, llmtest.Call("read_file", map[string]any{"path": fmt.Sprintf("Garden/note %d.md", i)}))
		}
		flush()
		steps = append(steps, llmtest.Reply("done"))
		srv := llmtest.New(t, steps...)
		out := v.run(provider(srv), "ask", fmt.Sprintf("look at everything, part %d", from))
		v.keeps("ask", out)
		requests := srv.Requests()
		if len(requests) != len(steps) {
			t.Errorf("part %d: %d of %d model calls were made:\n%s", from, len(requests), len(steps), out[max(len(out)-2000, 0):])
		}
		for _, r := range requests {
			v.keeps("a request", string(r.Body))
		}
		if len(requests) > 0 && bytes.Contains(requests[len(requests)-1].Body, []byte("is private")) {
			refused++
		}
	}
	if refused < len(all)/perTurn/2 {
		t.Errorf("in %d turns something was refused", refused)
	}
}

// oneByOne makes calls as chatvault tool does, a selection of them.
func (v *privateVault) oneByOne(t *testing.T, tools []string) {
	for i, tool := range tools {
		for j, aim := range aims() {
			if (i+j)%19 != 0 {
				continue
			}
			for _, args := range calls(tool, aim) {
				data, err := json.Marshal(args)
				if err != nil {
					t.Fatal(err)
				}
				v.keeps(fmt.Sprintf("%s %s", tool, data), v.run(nil, "tool", tool, string(data)))
			}
		}
	}
	// What notes hold that may be seen is found all the same.
	if out := v.run(nil, "tool", "search_files", `{"pattern":"nobody|Friday|umbrella","file_pattern":"**/*.md","max_results":100}`); !strings.Contains(out, "matching file(s)") {
		t.Error(out)
	}
}

// TestPrivateVaultHoldsItsSecrets: without the list they are all found, so that the test above
// can fail.
func TestPrivateVaultHoldsItsSecrets(t *testing.T) {
	t.Parallel()
	v := newPrivateVault(t)
	v.settings("")
	seen := map[string]bool{}
	note := func(text string) {
		for _, s := range secretRE.FindAllString(text, -1) {
			seen[strings.ToLower(s)] = true
		}
	}
	note(v.run(nil, "tool", "list_files", `{"pattern":"**","max_results":1000,"include_ignored":true}`))
	note(v.run(nil, "tool", "search_files", `{"pattern":"zq","file_pattern":"**/*","max_results":100,"include_ignored":true}`))
	err := filepath.WalkDir(v.dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !e.Type().IsRegular() {
			return err
		}
		rel, _ := filepath.Rel(v.dir, path)
		if _, private := v.files[filepath.ToSlash(rel)]; private {
			note(v.run(nil, "tool", "read_file", fmt.Sprintf(`{"path":%q}`, filepath.ToSlash(rel))))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if missing := 100 - len(seen); missing > 2 { // one is in a picture, which nobody is shown
		t.Errorf("%d secrets were not to be found without the list", missing)
	}
}
