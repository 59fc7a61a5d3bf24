package main

import (
	"bytes"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"chatvault/internal/llmtest"
)

// testVaults returns the vaults with their tasks, by name. The second vault is omitted if it is not on this
// machine.
func testVaults(t *testing.T) map[string]vault {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	second := filepath.Join(root, "..", "shared", "vaults", "kepano")
	if dir := os.Getenv("VAULT2"); dir != "" {
		second = dir
	}
	all := map[string]vault{}
	chosen, _, err := options{root: root, vault2: second}.choose(today)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range chosen {
		all[v.name] = v
	}
	return all
}

// TestEachTaskHasARightOutcome checks that each task accepts its right outcome, and rejects the unchanged
// vault, an echo of the request, wrong answers and changes that the task does not ask for.
func TestEachTaskHasARightOutcome(t *testing.T) {
	for _, v := range testVaults(t) {
		before, err := readFiles(v.dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, task := range v.tasks {
			t.Run(v.name+"/"+task.name, func(t *testing.T) {
				ref := references[v.name+"/"+task.name]
				after := maps.Clone(before)
				if ref.edit != nil {
					ref.edit(after)
				}
				if task.kind == change || task.kind == steps {
					ref.right = append(ref.right, "Done.")
				}
				if len(ref.right) == 0 || len(ref.wrong) == 0 && ref.edit == nil {
					t.Fatal("it has no reference")
				}
				for _, answer := range ref.right {
					if reason, harm := task.judge(outcome{answer: answer, before: before, after: after}); reason != "" || len(harm) > 0 {
						t.Errorf("%q is not right: %s, harm %q", answer, reason, harm)
					}
				}
				for _, answer := range append(ref.wrong, "") {
					if reason, harm := task.judge(outcome{answer: answer, before: before, after: before}); reason == "" || len(harm) > 0 {
						t.Errorf("%q on the untouched vault: reason %q, harm %q", answer, reason, harm)
					}
				}
				if reason, _ := task.judge(outcome{answer: task.ask, before: before, after: before}); reason == "" && task.kind != chat {
					t.Errorf("an echo of the request is right")
				}
				for _, spoil := range []func(files){put("Stray.md", "x"), del("Home.md"), del("Readme.md"), add(".obsidian/app.json", " "), put("Categories/Books.md", "x"), sub0("People/Gran.md", "312", "13")} {
					spoilt := maps.Clone(after)
					if spoil(spoilt); maps.Equal(spoilt, after) {
						continue
					}
					if reason, harm := task.judge(outcome{answer: ref.right[0], before: before, after: spoilt}); reason == "" || len(harm) == 0 {
						t.Errorf("a stray change is no harm: reason %q, harm %q", reason, harm)
					}
				}
			})
		}
	}
}

// sub0 is like sub, but changes nothing if the file is missing.
func sub0(path, old, replacement string) func(files) {
	return func(f files) {
		if text, exists := f[path]; exists {
			f[path] = strings.Replace(text, old, replacement, 1)
		}
	}
}

func TestTasksAreMany(t *testing.T) {
	kinds, langs, names := map[string]int{}, map[string]int{}, map[string]bool{}
	all := slices.Concat(sampleTasks(today), secondTasks())
	for _, task := range all {
		kinds[task.kind]++
		langs[task.language()]++
		if key := task.name; names[key] {
			t.Errorf("two tasks are named %s", key)
		} else {
			names[key] = true
		}
	}
	if len(all) < 60 || len(references) != len(all) {
		t.Errorf("%d tasks, %d references", len(all), len(references))
	}
	for _, k := range allKinds {
		if kinds[k] < 4 {
			t.Errorf("only %d tasks are of kind %s", kinds[k], k)
		}
	}
	for _, l := range []string{"de", "fr", "ja"} {
		if langs[l] < 4 {
			t.Errorf("only %d tasks are in %s", langs[l], l)
		}
	}
	if len(kinds) != len(allKinds) {
		t.Errorf("a task is of no known kind: %v", kinds)
	}
}

func TestHarm(t *testing.T) {
	const note = "---\ntags: [a, b]\nrating: 3\n---\n# N\n\n- one\n- two\n"
	before := files{"N.md": note, "Other.md": "text"}
	for _, c := range []struct {
		name string
		may  may
		edit func(files)
		harm string // description of the only harm; empty if there is none
	}{
		{"nothing", nil, func(files) {}, ""},
		{"a line gained", may{"N.md": ""}, add("N.md", "- three"), ""},
		{"a line gained where none may be", nil, add("N.md", "- three"), "changes N.md"},
		{"a line lost", may{"N.md": ""}, sub("N.md", "- two\n", ""), `N.md loses "- two"`},
		{"a line lost that may be", may{"N.md": "two"}, sub("N.md", "- two\n", ""), ""},
		{"a property changed", may{"N.md": "two"}, sub("N.md", "rating: 3", "rating: 4"), `N.md loses "rating:"`},
		{"a property changed that may be", may{"N.md": "^rating:"}, sub("N.md", "rating: 3", "rating: 4"), ""},
		{"properties written another way", may{"N.md": ""}, sub("N.md", "tags: [a, b]", "tags:\n  - a\n  - b"), ""},
		{"other line ends", may{"N.md": ""}, func(f files) { f["N.md"] = strings.ReplaceAll(note, "\n", "\r\n") }, ""},
		{"a note created", may{"N.md": ""}, put("New.md", ""), "creates New.md"},
		{"a note created where it may be", may{`(.*/)?New.md`: ""}, put("A/New.md", ""), ""},
		{"a note deleted", may{"N.md": ""}, del("Other.md"), "deletes Other.md"},
		{"a note to change deleted", may{"Other.md": ""}, del("Other.md"), `Other.md loses "text"`},
		{"a note moved to the trash", may{"Other.md": all}, ren("Other.md", ".trash/Other.md"), ""},
	} {
		after := maps.Clone(before)
		c.edit(after)
		if got := strings.Join((task{may: c.may}).harm(before, after), "; "); got != c.harm {
			t.Errorf("%s: harm %q, want %q", c.name, got, c.harm)
		}
	}
}

func TestChecks(t *testing.T) {
	before := files{"A/N.md": "# N\n\ntext\n", "Home.md": "see [[N]] and [[A/N|that]]\n"}
	after := files{
		"P.md": "---\ntags: [b, a]\nn: 4\n---\n# Top\n\n## One\n\n- x\n\n### Part\n\n- y\n\n## Two\n- z\n- z\n",
		"M.md": "# M\n\ntext\n", "Home.md": "see [[M]] and [[A/M|that]]\n",
	}
	for _, c := range []struct {
		name string
		fn   check
		ok   bool
	}{
		{"line", line("P.md", "^- X$"), true},
		{"line of another note", line("(.*/)?Q.md", "x"), false},
		{"line twice", line("P.md", "^- z$"), false},
		{"lacks", lacks("P.md", "absent"), true},
		{"lacks what is there", lacks("P.md", "## two"), false},
		{"under", under("P.md", "one", "- x"), true},
		{"under a heading's heading", under("P.md", "One", "- y"), true},
		{"under another heading", under("P.md", "Part", "- x"), false},
		{"section", section("P.md", "Part", "^- y$"), true},
		{"section with more", section("P.md", "Two", "z"), false},
		{"prop", prop("P.md", "n", "4"), true},
		{"prop with another value", prop("P.md", "n", "3"), false},
		{"prop of no note", prop("Q.md", "n", "3"), false},
		{"listed", listed("P.md", "tags", "a", "b"), true},
		{"listed with one missing", listed("P.md", "tags", "a", "b", "c"), false},
		{"gone", gone("A/N.md"), true},
		{"not gone", gone("P.md"), false},
		{"moved", moved("A/N.md", "M.md"), true},
		{"moved elsewhere", moved("A/N.md", "A/M.md"), false},
	} {
		if err := c.fn(before, after); (err == nil) != c.ok {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	after["Home.md"] = "see [[M]] and [[A/N|that]]\n"
	if moved("A/N.md", "M.md")(before, after) == nil {
		t.Error("a link to the old name is overlooked")
	}
	after["Home.md"], after["M.md"] = "see [[M]] and [[A/M|that]]\n", "# M\n"
	if moved("A/N.md", "M.md")(before, after) == nil {
		t.Error("lost text is overlooked")
	}
	after["P.md"] += strings.Repeat("junk\n", 5)
	if reason, _ := (task{may: may{"P.md": ""}}).judge(outcome{before: files{"P.md": "# Top\n"}, after: after}); !strings.Contains(reason, "gains") {
		t.Errorf("junk in an allowed note: %q", reason)
	}
}

func TestDatesAreFound(t *testing.T) {
	for text, want := range map[string]bool{
		"18 January 2027": true, "January 18th": true, "Jan. 18": true, "the 18th of January": true, "2027-01-18": true, "18.1.2027": true, "18/01/2027": true,
		"18. Januar": true, "18 janvier": true, "le 18 de janvier": true, "2027年1月18日": true, "1 January 2018": false, "8 January": false, "118 January": false, "2027-01-08": false, "18 June": false,
	} {
		if match(onDay(1, 18), text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}

func TestReadEvents(t *testing.T) {
	var r result
	asked, failure := r.read(strings.NewReader(`{"type":"state","state":"thinking"}
{"type":"usage","prompt_tokens":100,"cached_tokens":40,"completion_tokens":5,"turn":{"prompt_tokens":1}}
{"type":"tool_started","name":"search_files","arguments":{"pattern":"x"}}
{"type":"tool_started","name":"read_file","parent":"p"}
{"type":"agent_message","content":"One moment.","is_question":false}
{"type":"usage","prompt_tokens":200,"completion_tokens":7}
{"type":"text_delta","text":"It is 3."}
{"type":"turn_finished","response":"It is 3.","is_waiting_for_response":false,"stop_reason":"completed"}
`), time.Now().Add(-2*time.Second))
	if asked || failure != "" || r.Calls != 2 || r.Prompt != 300 || r.Cached != 40 || r.Completion != 12 || len(r.Tools) != 2 || r.Answer != "One moment.\nIt is 3." || r.First < 2 {
		t.Errorf("%v %q %+v", asked, failure, r)
	}
	r = result{}
	if asked, _ = r.read(strings.NewReader(`{"type":"turn_finished","response":"Which?","is_waiting_for_response":true}`), time.Now()); !asked {
		t.Error("a question is overlooked")
	}
	if _, failure = r.read(strings.NewReader(`{"type":"error","code":"x","message":"no server"}`), time.Now()); failure != "error: no server" {
		t.Errorf("failure %q", failure)
	}
	if reason, _ := (task{}).judge(outcome{asked: true}); reason != "asked back" {
		t.Errorf("reason %q", reason)
	}
}

// TestMeasure runs tasks with the real binary, including one with a harmful model and one that times out.
func TestMeasure(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the program")
	}
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	o := options{root: root, temporary: t.TempDir(), offline: true, limit: time.Minute, chatvault: filepath.Join(t.TempDir(), "chatvault")}
	build := exec.Command("go", "build", "-o", o.chatvault, ".")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Setenv("CHATVAULT_MODEL", "none/such") // the caller's settings must not be used
	v := testVaults(t)["sample"]
	for _, want := range []string{"stopcock", "rename", "thanks"} {
		task := v.tasks[slices.IndexFunc(v.tasks, func(t task) bool { return t.name == want })]
		r, err := o.measure(t.Context(), v, task)
		if err != nil || !r.Done || r.Calls == 0 || r.First == 0 || r.Seconds < r.First || r.Answer == "" {
			t.Errorf("%s: %+v, %v", want, r, err)
		}
	}
	o.offline, o.model = false, "m"
	server := llmtest.New(t, llmtest.ToolCall("delete_file", map[string]any{"path": "Home.md"}), llmtest.Reply("You're welcome!"))
	o.baseURL = server.URL()
	thanks := v.tasks[slices.IndexFunc(v.tasks, func(t task) bool { return t.name == "thanks" })]
	if r, err := o.measure(t.Context(), v, thanks); err != nil || r.Done || !slices.Equal(r.Harm, []string{"deletes Home.md"}) || !slices.Equal(r.Tools, []string{"delete_file"}) || r.Calls < 2 || r.Prompt == 0 || r.Completion == 0 {
		t.Errorf("%+v, %v", r, err)
	}
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	o.limit, o.baseURL = time.Second, "http://"+silent.Addr().String()+"/v1"
	if r, err := o.measure(t.Context(), v, v.tasks[0]); err != nil || r.Done || !strings.HasPrefix(r.Reason, "not finished") {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestFirstModel(t *testing.T) {
	listed := `{"data":[{"id":"small"},{"id":"large"}]}`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/models" {
			t.Errorf("asked for %s", r.URL.Path)
		}
		fmt.Fprint(w, listed)
	}))
	if m, err := firstModel(t.Context(), server.URL+"/v1"); m != "small" || err != nil {
		t.Errorf("%q, %v", m, err)
	}
	listed = `{"data":[]}`
	if _, err := firstModel(t.Context(), server.URL+"/v1"); err == nil || !strings.Contains(err.Error(), "set MODEL") {
		t.Errorf("no model: %v", err)
	}
	server.Close()
	if _, err := firstModel(t.Context(), server.URL+"/v1"); err == nil || !strings.Contains(err.Error(), "OFFLINE=1") {
		t.Errorf("no server: %v", err)
	}
}

func TestReport(t *testing.T) {
	then := report{Model: "old", Began: time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC), Results: []result{
		{Name: "sample/a", Kind: fact, Lang: "en", Done: true, Seconds: 2},
		{Name: "sample/b", Kind: change, Lang: "de", Reason: "x is missing", Harm: []string{"deletes x"}, Seconds: 4},
	}}
	file := filepath.Join(t.TempDir(), "bin", "models.json")
	if err := then.write(file); err != nil {
		t.Fatal(err)
	}
	read, err := readReport(file)
	if err != nil {
		t.Fatal(err)
	}
	now := report{Model: "new", Skipped: "28 tasks skipped", Results: []result{
		{Name: "sample/a", Kind: fact, Lang: "en", Reason: "no answer", Calls: 1, Prompt: 90, Completion: 10, Seconds: 1},
		{Name: "sample/b", Kind: change, Lang: "de", Done: true, Calls: 2, Prompt: 190, Completion: 10, Cached: 50, First: 2, Seconds: 3},
		{Name: "second/c", Kind: chat, Lang: "en", Done: true, Calls: 1, Seconds: 9},
	}}
	var out bytes.Buffer
	now.print(&out, read)
	want := `
new 

                done  harm  calls   tokens   cached   first s median s    p90 s
fact          0 of 1     0    1.0      100        0       0.0      1.0      1.0
change        1 of 1     0    2.0      200       50       2.0      3.0      3.0
chat          1 of 1     0    1.0        0        0       0.0      9.0      9.0
in en         1 of 2     0    1.0       50        0       0.0      1.0      9.0
in de         1 of 1     0    2.0      200       50       2.0      3.0      3.0
sample        1 of 2     0    1.5      150       25       0.0      1.0      3.0
second        1 of 1     0    1.0        0        0       0.0      9.0      9.0
all           2 of 3     0    1.3      100       17       0.0      3.0      9.0
28 tasks skipped

not done  sample/a (fact): no answer

against old of 2026-11-01 12:00
no longer sample/a: no answer
now done  sample/b
harm      sample/b: true → false
2 tasks in both: done 1 → 1, harm 1 → 0, median 2.0 → 1.0 s
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
	if _, err := readReport(filepath.Join(t.TempDir(), "none.json")); err == nil {
		t.Error("a missing file is read")
	}
}
