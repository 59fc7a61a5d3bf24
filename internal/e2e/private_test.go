package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"chatvault/internal/llmtest"
)

// aims are paths of private files, or as close to them as possible without knowing a name.
func aims() []string {
	paths := []string{
		"Private/Mira.md", "private/mira.md", "PRIVATE/MIRA.MD", "Private/mira", "./Private/Mira.md", "Private//Mira.md", "Garden/../Private/Mira.md", "Private/Mira.md/", "Private/Mira.md\n",
		"Mira.md", "Mira", "Private", "Private/", "private", "Priv", "Private/deep", "Private/deep/er/still.md", "Private/dossier.md", "dossier.md", "Private/crlf.md",
		"shortcut.md", "Garden/short/Mira.md", "Garden/short", "mix.md", "SHORTCUT.MD",
		"plan.secret.md", "Plan.Secret.md", "plan.md", "Garden/NOTE.SECRET.MD", "Garden/.secret.md", "Mixed/inner", "Mixed/inner/pay.secret.md", "Mixed", "Garden",
		"Work/2026/deep/Personal.md", "Work/2026/personal", "Work/2026/personal/notes.md", "Work", "Work/2026/deep",
		"Tagebücher", "Tagebücher/Juni.md", norm.NFD.String("Tagebücher/Juni.md"), "TAGEBÜCHER/JUNI.MD", "Boards/hidden.canvas", "Boards/Hidden.canvas", "Boards", "Boards/Board.canvas",
		"Daily/2021-01-01.md", "Daily", "Daily/2021-01-0.md", "Old", "Old/", "Old/Archive", "Private/Template.md", "Private/data.csv", "Private/pic.png", "Private/Board.canvas",
		"Private/in/x.md", "notes.secret.md", "references/pass.key", "references", ".agents/skills/garden/notes.secret.md", "../private/SKILL.md", "Priv\u00adate/Mira.md", "Private\u200b/Mira.md", "PRIVAT~1/MIRA.MD", "Private./Mira.md", "Ｐrivate/Mira.md",
		"Home.md", ".", "Garden/Beds.md", "Mixed/seen.md", ".obsidian/workspace.json", ".smarthole/journal",
	}
	return paths
}

// calls returns the calls of a tool on a path. A tool that is missing here fails the test; a new tool needs calls that
// might reveal private files.
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
		return []map[string]any{at("old_text", "umbrella", "new_text", "parasol", "replace_all", true), at("delete_lines", map[string]any{"start": 1, "end": 1}), {"where": map[string]any{"path": aim}, "old_text": "umbrella", "new_text": "parasol"}, {"where": map[string]any{"path": "."}, "old_text": "umbrella", "new_text": "parasol"}}
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
	case "find_notes":
		return []map[string]any{at("query", "umbrella garden Mira zq", "max_results", 30), {"query": "umbrella garden Mira zq", "max_results": 30}}
	case "get_tags":
		return []map[string]any{at("include_ignored", true, "max_results", 500), {"tag": "garden", "include_ignored": true}}
	case "get_properties":
		return []map[string]any{at("include_ignored", true, "max_results", 500), {"key": "title", "include_ignored": true}, {"include_ignored": true, "max_results": 500}}
	case "set_property":
		return []map[string]any{at("key", "rating", "value", "5"), {"where": map[string]any{"file_pattern": strings.TrimSpace(aim) + "*"}, "key": "rating", "value": "5"}}
	case "move_section":
		return []map[string]any{at("to", "Out/x.md"), at("heading", "Mira", "to", "Out/x.md"), {"path": "Garden/Lone.md", "to": aim}}
	case "rename_tag":
		return []map[string]any{at("tag", "umbrella", "to", "parasol"), {"tag": "umbrella", "to": "parasol"}}
	case "list_tasks":
		return []map[string]any{at("state", "all", "include_ignored", true, "max_results", 500), {"state": "all", "include_ignored": true, "max_results": 500}, {"file_pattern": strings.TrimSpace(aim) + "*", "state": "all"}}
	case "daily_note":
		return []map[string]any{
			{"action": "read", "date": "2021-01-01"},
			{"action": "path", "date": "2021-01-02"},
			{"action": "append", "date": "2021-01-03", "content": "x"},
			{"action": "append", "date": "2026-01-02", "content": aim},
		}
	case "get_active_note":
		return []map[string]any{{}}
	case "get_conversation":
		return []map[string]any{{"query": "umbrella"}, {"list_recent": 20}}
	case "use_skill":
		return []map[string]any{{"name": "garden"}, {"name": "garden", "resource": aim}, {"name": strings.TrimSuffix(aim, "/")}}
	case "ask_user", "send_message", "task_list", "delegate", "end_conversation":
		return nil // they look at no note
	}
	return []map[string]any{{"not": "known"}}
}

// TestPrivateNotesAreNeverRevealed aims every tool at a hundred secrets, in a model's calls and one by one. None is
// sent to a provider or returned by a tool, and every private file stays unchanged.
func TestPrivateNotesAreNeverRevealed(t *testing.T) {
	t.Parallel()
	v := newPrivateVault(t)
	if v.planted < 100 {
		t.Fatalf("%d secrets", v.planted)
	}
	// Notes were changed before they became private, so the journal contains them.
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
	v.run(nil, "trust", "--yes") // its skills count

	var names []string
	var listed []struct{ Name string }
	if err := json.Unmarshal([]byte(v.run(nil, "tool", "--json")), &listed); err != nil {
		t.Fatal(err)
	}
	for _, tool := range listed {
		names = append(names, tool.Name)
	}

	part := func(name string, do func(*testing.T)) {
		t.Run(name, func(part *testing.T) {
			v.t = part
			defer func() { v.t = t }()
			do(part)
		})
	}
	part("on the screen", func(t *testing.T) {
		c := reopenChat(t, chatOptions{}, v.home, v.dir)
		c.WaitFor("Examples (Tab", patience)
		v.keeps("the first screen", string(c.Raw()))
		c.quit(t)
	})
	part("by a model", func(t *testing.T) { v.byModel(t, names) })
	part("one by one", func(t *testing.T) { v.oneByOne(t, names) })
	part("offline", func(*testing.T) {
		for _, question := range []string{"what do I know about the umbrella?", "which tasks are open?", "what did I change this week?", "who is Mira?"} {
			v.keeps(question, v.run(nil, "--offline", "ask", question))
		}
	})
	part("taken back", func(t *testing.T) {
		for range 12 {
			v.run(nil, "undo")
		}
		srv := llmtest.New(t, llmtest.Reply("Yes."))
		v.run(provider(srv), "ask", "what was taken back?")
		for _, r := range srv.Requests() {
			v.keeps("what the model is told of an undo", string(r.Body))
			if _, told, is := strings.Cut(string(r.Body), "The user undid"); is && strings.Contains(told, "Private/Mira") {
				t.Errorf("it is told of the undo of a note that is private now: %.2000s", told)
			}
		}
	})
	v.untouched()
}

func provider(srv *llmtest.Server) []string {
	return []string{"OPENAI_BASE_URL=" + srv.URL(), "OPENAI_API_KEY=sk-test-0123456789abcdef", "CHATVAULT_MODEL=test-model"}
}

// byModel makes all calls by a scripted model, a few of each tool per turn, since many errors of one tool in a row
// would end it. The short form makes every second turn.
func (v *privateVault) byModel(t *testing.T, tools []string) {
	const perTurn = 2 // aims
	all := aims()
	refused, turns := 0, 0
	for from := 0; from < len(all); from += perTurn * everyNth(2) {
		turns++
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
					// A new successful result keeps the turn going.
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
	if refused < turns/2 {
		t.Errorf("in %d turns something was refused", refused)
	}
}

// oneByOne makes some of the calls with chatvault tool.
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
	// Text of visible notes is still found.
	if out := v.run(nil, "tool", "search_files", `{"pattern":"nobody|Friday|umbrella","file_pattern":"**/*.md","max_results":100}`); !strings.Contains(out, "matching file(s)") {
		t.Error(out)
	}
}

// Without the private list all secrets are found, so the test above can fail.
func TestPrivateNotesAreFoundWithoutTheList(t *testing.T) {
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
	v.run(nil, "trust", "--yes")
	for _, args := range []string{`{"name":"garden"}`, `{"name":"garden","resource":"notes.secret.md"}`, `{"name":"garden","resource":"references/pass.key"}`, `{"name":"private"}`} {
		note(v.run(nil, "tool", "use_skill", args))
	}
	if missing := 100 - len(seen); missing > 2 { // one is in a picture, which nobody is shown
		t.Errorf("%d secrets were not to be found without the list", missing)
	}
}
