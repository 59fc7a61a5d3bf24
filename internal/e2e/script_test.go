package e2e

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/rogpeppe/go-internal/testscript"

	_ "chatvault/internal/app/cli" // go test runs them anew when the program changed
	"chatvault/internal/app/statedir"
	"chatvault/internal/llmtest"
	"chatvault/internal/ptytest"
)

// TestMain runs all at the top of the project, whose folders the tests name.
func TestMain(m *testing.M) {
	if file := os.Getenv(hostileServer); file != "" {
		serveHostile(file)
		return
	}
	if file := os.Getenv(mcpScript); file != "" {
		if err := serveMCP(file); err != nil {
			panic(err)
		}
		return
	}
	if addr := os.Getenv(impostorAt); addr != "" {
		if err := impersonate(addr); err != nil {
			panic(err)
		}
		return
	}
	if err := os.Chdir(filepath.Join("..", "..")); err != nil {
		panic(err)
	}
	code := m.Run()
	ptytest.RemoveBuilt()
	os.Exit(code)
}

// TestScripts runs the user stories of testdata/script: the real binary, against a scripted
// OpenAI-compatible server over HTTP, with a home folder of its own. What the scripts use
// beside testscript's own commands:
//
//	llm FILE [NAME]     starts the server with a script (see internal/llmtest) and points the
//	                    environment at it; what it refused fails the test at its end. NAME is the
//	                    provider it plays (llmtest.Endpoints); unlisted: one that lists no models
//	settings FILE       makes it the user's config.toml, with $NAME from the environment
//	requests N          so many model calls were made, or will soon be
//	sent N REGEXP       the body of the Nth model call matches (! sent: it does not)
//	whole               every answer that the server began was read to its end (! whole: one was not)
//	exits N CMD…        runs a command that must exit with status N
//	events TYPE…        stdout is JSON lines of these types, in this order; runs of one type
//	                    count once, a state is written state:thinking
//	valid FILE          each line of stdout is valid against docs/schema/FILE (! valid: none is)
//	samplevault DIR     copies the bundled sample vault
//	await FILE REGEXP   waits until the file matches
//	hub                 starts a SmartHole and points the user's settings variable at it: $HUB
//	routes ID METHOD TEXT…  has it route a message here, when a client is registered
//	told ID TYPE REGEXP waits until it was answered so (! told: it was not, so far)
//	leaves, returns     the SmartHole goes away and comes back
//	statedir DIR        makes the link DIR.state to where the state of the vault DIR is kept
//	picture FILE WxH    a PNG, or a JPEG of a camera by its name, of this size; of a huge one nothing but its head
//	shows N MEDIA…      the Nth model call shows these pictures and documents, in order: '[image/png 40×30]'
//	age DIR DURATION    all that was said in the vault DIR was said so much earlier
func TestScripts(t *testing.T) {
	bin := filepath.Dir(chatvault(t))
	sample, err := filepath.Abs("testdata/vault")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // when the last script has ended
		for _, text := range refused.all {
			t.Error(text)
		}
	})
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			home := filepath.Join(e.WorkDir, ".home")
			e.Setenv("HOME", home)
			e.Setenv("XDG_CONFIG_HOME", filepath.Join(home, "config"))
			e.Setenv("XDG_STATE_HOME", filepath.Join(home, "state"))
			e.Setenv("XDG_DATA_HOME", filepath.Join(home, "data"))
			e.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
			e.Setenv("SAMPLE", sample)
			e.Setenv("SCHEMAS", filepath.Join(filepath.Dir(filepath.Dir(sample)), "docs", "schema"))
			e.Setenv("MCP_SERVER", self) // serves the file of results that $CHATVAULT_TEST_MCP names
			e.Setenv("TZ", "UTC")
			e.Setenv("CHATVAULT_LOCAL_SERVERS", "off") // what runs on this machine is not for tests
			e.Values[serverKey{}] = &servers{}
			e.Values[hubKey{}] = &hubs{}
			return os.MkdirAll(home, 0o700)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"llm": cmdLLM, "settings": cmdSettings, "requests": cmdRequests, "sent": cmdSent, "exits": cmdExits, "whole": cmdWhole,
			"events": cmdEvents, "valid": cmdValid, "samplevault": cmdSampleVault, "await": cmdAwait,
			"picture": cmdPicture, "shows": cmdShows, "age": cmdAge, "statedir": cmdStateDir,
			"hub": cmdHub, "routes": cmdRoutes, "told": cmdTold, "leaves": cmdLeaves, "returns": cmdReturns,
		},
	})
}

// chatvault builds the real binary once.
func chatvault(t testing.TB) string {
	t.Helper()
	built := ptytest.Build(t, ".")
	named := filepath.Join(filepath.Dir(built), "chatvault") // as scripts call it
	if _, err := os.Stat(named); err != nil {
		if err := os.Link(built, named); err != nil && !errors.Is(err, fs.ErrExist) { // another test was quicker
			t.Fatal(err)
		}
	}
	return named
}

// refused collects the rejections of all scripts' servers.
var refused texts

type texts struct {
	sync.Mutex
	all []string
}

func (x *texts) add(s string) {
	x.Lock()
	defer x.Unlock()
	x.all = append(x.all, s)
}

// serverKey is the key of a script's servers among its values.
type serverKey struct{}

// servers holds the server that a script started; the pointer is set before the script runs.
type servers struct{ current *llmtest.Server }

func server(ts *testscript.TestScript) *llmtest.Server {
	srv := ts.Value(serverKey{}).(*servers).current
	if srv == nil {
		ts.Fatalf("no server: call llm first")
	}
	return srv
}

func cmdStateDir(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: statedir DIR")
	}
	vault := ts.MkAbs(args[0])
	state := stateDir(ts.Getenv("XDG_STATE_HOME"), vault)
	if state == "" {
		ts.Fatalf("no state of %s can be kept", vault)
	}
	ts.Check(os.Symlink(state, vault+".state"))
}

// stateDir returns the folder in which a program with the given XDG state folder keeps the state of a vault, creating
// it if needed; empty on failure.
func stateDir(xdgState, vault string) string {
	root, err := statedir.Dirs{Base: filepath.Join(xdgState, "chatvault", "vaults")}.Open(vault)
	if err != nil {
		return ""
	}
	defer func() { _ = root.Close() }()
	return root.Name()
}

func cmdLLM(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: llm FILE [NAME | unlisted]")
	}
	var options llmtest.Options
	switch {
	case len(args) == 2 && args[1] == "unlisted":
		options.Unlisted = true
	case len(args) == 2:
		if options.Endpoint = llmtest.EndpointOf(args[1]); options.Endpoint == nil {
			ts.Fatalf("no endpoint is called %s", args[1])
		}
	}
	steps, err := llmtest.ParseScript([]byte(ts.ReadFile(args[0])))
	ts.Check(err)
	srv, err := llmtest.Start(steps, options)
	ts.Check(err)
	ts.Value(serverKey{}).(*servers).current = srv
	ts.Defer(func() {
		srv.Close()
		for _, v := range srv.Violations() {
			refused.add(ts.Name() + ": the model server refused: " + v)
		}
	})
	ts.Setenv("OPENAI_BASE_URL", srv.URL())
	ts.Setenv("OPENAI_API_KEY", "sk-script-0123456789abcdef")
	ts.Setenv("CHATVAULT_MODEL", "test-model")
}

func cmdSettings(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: settings FILE")
	}
	dir := filepath.Join(ts.Getenv("XDG_CONFIG_HOME"), "chatvault")
	ts.Check(os.MkdirAll(dir, 0o700))
	text := os.Expand(ts.ReadFile(args[0]), ts.Getenv)
	ts.Check(os.WriteFile(filepath.Join(dir, "config.toml"), []byte(text), 0o600))
}

func cmdRequests(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: requests N")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	made := func() int { return len(server(ts).Requests()) }
	for end := time.Now().Add(patience); made() < want && time.Now().Before(end); {
		time.Sleep(5 * time.Millisecond)
	}
	if made() != want {
		ts.Fatalf("%d model calls were made, not %d", made(), want)
	}
}

func cmdSent(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: [!] sent N REGEXP")
	}
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	calls := server(ts).Requests()
	if n < 1 || n > len(calls) {
		ts.Fatalf("there were %d model calls", len(calls))
	}
	body := string(calls[n-1].Body)
	if regexp.MustCompile(args[1]).MatchString(body) == neg {
		ts.Fatalf("model call %d: match of %q is %v:\n%s", n, args[1], !neg, body)
	}
}

func cmdWhole(ts *testscript.TestScript, neg bool, _ []string) {
	left := slices.ContainsFunc(server(ts).AllRequests(), func(r llmtest.Request) bool { return !r.Gone.IsZero() })
	if left != neg {
		ts.Fatalf("a model call was left before its answer ended: %v", left)
	}
}

func cmdExits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits N CMD…")
	}
	err := ts.Exec(args[1], args[2:]...)
	status := 0
	var e *exec.ExitError
	if errors.As(err, &e) {
		status = e.ExitCode()
	} else {
		ts.Check(err)
	}
	if strconv.Itoa(status) != args[0] {
		ts.Fatalf("exit status %d, not %s\nstdout:\n%s\nstderr:\n%s", status, args[0], ts.ReadFile("stdout"), ts.ReadFile("stderr"))
	}
}

func cmdEvents(ts *testscript.TestScript, neg bool, args []string) {
	cmdValid(ts, false, []string{"ask-event.json"})
	var got []string
	for line := range strings.Lines(ts.ReadFile("stdout")) {
		var e struct {
			Type  string
			Time  time.Time
			State string
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil || e.Type == "" || e.Time.IsZero() {
			ts.Fatalf("not an event (%v): %s", err, line)
		}
		if e.Type == "state" {
			e.Type += ":" + e.State
		}
		if len(got) == 0 || got[len(got)-1] != e.Type {
			got = append(got, e.Type)
		}
	}
	if slices.Equal(got, args) == neg {
		ts.Fatalf("events are\n%s\nnot\n%s", strings.Join(got, " "), strings.Join(args, " "))
	}
}

func cmdValid(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: valid FILE")
	}
	schema, err := os.ReadFile(filepath.Join(ts.Getenv("SCHEMAS"), args[0]))
	ts.Check(err)
	var s jsonschema.Schema
	ts.Check(json.Unmarshal(schema, &s))
	resolved, err := s.Resolve(nil)
	ts.Check(err)
	seen := 0
	for d := json.NewDecoder(strings.NewReader(ts.ReadFile("stdout"))); d.More(); seen++ {
		var v any
		ts.Check(d.Decode(&v))
		if err := resolved.Validate(v); (err == nil) == neg {
			ts.Fatalf("against %s: %v: %v", args[0], err, v)
		}
	}
	if seen == 0 {
		ts.Fatalf("stdout has no JSON")
	}
}

func cmdSampleVault(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: samplevault DIR")
	}
	ts.Check(os.CopyFS(ts.MkAbs(args[0]), os.DirFS(ts.Getenv("SAMPLE"))))
}

func cmdAwait(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: await FILE REGEXP")
	}
	re := regexp.MustCompile(args[1])
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		data, err := os.ReadFile(ts.MkAbs(args[0]))
		if err == nil && re.Match(data) {
			return
		}
		if time.Now().After(end) {
			ts.Fatalf("%s does not match %q after 30 s (%v):\n%s", args[0], args[1], err, data)
		}
	}
}

// quotedTime matches a time in a conversation's file.
var quotedTime = regexp.MustCompile(`"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[^"]*"`)

func cmdAge(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: age DIR DURATION")
	}
	by, err := time.ParseDuration(args[1])
	ts.Check(err)
	dir := filepath.Join(stateDir(ts.Getenv("XDG_STATE_HOME"), ts.MkAbs(args[0])), "conversations")
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	ts.Check(err)
	if len(files) == 0 {
		ts.Fatalf("nothing was said in %s", args[0])
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		ts.Check(err)
		data = quotedTime.ReplaceAllFunc(data, func(q []byte) []byte {
			t, err := time.Parse(time.RFC3339Nano, string(q[1:len(q)-1]))
			if err != nil {
				return q
			}
			return []byte(strconv.Quote(t.Add(-by).Format(time.RFC3339Nano)))
		})
		ts.Check(os.WriteFile(f, data, 0o600))
	}
	ts.Check(os.Remove(filepath.Join(dir, "index.json"))) // it is made anew
}
