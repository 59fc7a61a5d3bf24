package e2e

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"chatvault/internal/llmtest"
	"chatvault/internal/ptytest"
)

// canary is a key that only its own bytes identify: it has no known form of keys.
type canary string

func newCanary(form string) canary {
	return canary("cnry" + form + "Q7wXz2kV9bTq4mHs8pLd3fRj6")
}

// solid matches what may divide a key in a text: line ends, spaces, sequences, frames, quotes, escapes.
var solid = regexp.MustCompile(`[^A-Za-z0-9]+`)

// keyEscapes matches characters of a key in URLs, JSON and C.
var keyEscapes = regexp.MustCompile(`(?:%|\\+u00|\\+x)([0-9A-Fa-f]{2})`)

// unescaped resolves keyEscapes in a text.
func unescaped(text string) string {
	return keyEscapes.ReplaceAllStringFunc(text, func(e string) string {
		b, err := hex.DecodeString(e[len(e)-2:])
		if err != nil {
			return e // not reached
		}
		return string(b)
	})
}

func backward(s string) string {
	b := []byte(s)
	slices.Reverse(b)
	return string(b)
}

// in returns the form in which the key, or a revealing part of it, is in data; empty if it is not.
func (c canary) in(data []byte) string {
	key, half, begin := string(c), string(c[len(c)-13:]), string(c[:len(c)-8])
	text := ansi.Strip(string(data))
	for escaped, text := range map[string]string{"": text, ", escaped": unescaped(text), ", escaped twice": unescaped(unescaped(text))} {
		plain := solid.ReplaceAllString(text, "")
		low := strings.ToLower(plain)
		for name, form := range map[string]string{
			"as it is": key, "its half": half, "its beginning": begin, "reversed": backward(key), "its half, reversed": backward(half), "its beginning, reversed": backward(begin),
		} {
			if strings.Contains(plain, form) {
				return name + escaped
			}
			if h := hex.EncodeToString([]byte(form)); strings.Contains(low, h) {
				return name + " in hexadecimal" + escaped
			}
			for shift := range 3 { // base64 of it, wherever in a longer text it begins
				b := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("x", shift) + form))
				b = b[4*(shift+2)/3 : len(b)-4]
				if b = solid.ReplaceAllString(b, ""); len(b) > 8 && strings.Contains(plain, b) {
					return name + " in base64" + escaped
				}
			}
		}
	}
	return ""
}

// The search finds the key, so the test below can fail.
func TestCanaryIsFound(t *testing.T) {
	t.Parallel()
	c := newCanary("FIND")
	for _, text := range []string{
		string(c), "sk … " + string(c[10:]), string(c[:9]) + "\r\n  │ " + string(c[9:]), string(c[:12]) + "\x1b[0m\x1b[K" + string(c[12:]),
		base64.StdEncoding.EncodeToString([]byte(c)), base64.URLEncoding.EncodeToString([]byte("user:" + c + "\n")), base64.StdEncoding.EncodeToString([]byte("ab" + c)),
		hex.EncodeToString([]byte(c)), url.QueryEscape("a+b=" + string(c)), strings.ReplaceAll(string(c), "Q", "%51"),
		backward(string(c)), strings.ToUpper(hex.EncodeToString([]byte(c[:len(c)-5]))), string(c[:len(c)-7]) + "…", backward(string(c[:len(c)-8])),
		everyByte(`\u%04x`, string(c)), everyByte(`\\u%04X`, string(c[:len(c)-6])), everyByte("%%%02x", string(c)), everyByte("%%25%02x", string(c)), everyByte(`\x%02x`, string(c)),
	} {
		if c.in([]byte("before "+text+" after")) == "" {
			t.Errorf("not found in %q", text)
		}
	}
	if where := c.in([]byte("cnryFIND and nothing of the rest")); where != "" {
		t.Error("found where it is not: " + where)
	}
}

// secretRun is a home folder, a vault and a server that get a key, with everything that was written.
type secretRun struct {
	t       *testing.T
	key     canary
	home    string
	vault   string
	srv     *llmtest.Server
	env     []string
	keptIn  map[string]bool // the files in which the user keeps it
	proxied atomic.Int32    // requests to the proxy of the environment
	written bytes.Buffer
}

func everyByte(format, s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		fmt.Fprintf(&b, format, c)
	}
	return b.String()
}

// echoed returns the forms in which an endpoint may repeat a key.
func echoed(key canary) []string {
	k := string(key)
	b64 := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
	return []string{
		k, b64(k), base64.RawURLEncoding.EncodeToString([]byte(k)), b64("user:" + k), b64("ab" + k + "\n"), url.QueryEscape(k),
		hex.EncodeToString([]byte(k)), strings.ToUpper(hex.EncodeToString([]byte(k))), backward(k),
		everyByte("%%%02x", k), everyByte(`\u%04x`, k), fmt.Sprintf(`\u%04x%s`, k[0], k[1:]), everyByte(`\x%02X`, k),
		k[:len(k)-1] + "…", k[:len(k)-7] + "...", hex.EncodeToString([]byte(k[:len(k)-4])), b64("k=" + k[:len(k)-5]), everyByte(`\u%04X`, k[:len(k)-6]), backward(k[:len(k)-3]),
	}
}

// echoes answers like an endpoint that repeats the key it got, in all forms.
func echoes(key canary) []llmtest.Step {
	k, all := string(key), strings.Join(echoed(key), ", ")
	message, err := json.Marshal("Incorrect API key provided: " + all)
	if err != nil {
		panic(err)
	}
	// The message has the forms; the other field has the key as JSON may write it.
	body := fmt.Sprintf(`{"error":{"message":%s,"code":"invalid_api_key","detail":"%s %s\u%04x"}}`, message, everyByte(`\u%04x`, k), k[:len(k)-1], k[len(k)-1])
	return []llmtest.Step{
		llmtest.ToolCall("read_file", map[string]any{"path": "Home.md"}),
		llmtest.ToolCall("append_file", map[string]any{"path": "Home.md", "content": "more"}),
		llmtest.Reply("It says home."),
		llmtest.Say(llmtest.Text("Half an "), llmtest.Flush(), llmtest.StreamError(`{"message":"bad key `+k+`","code":400,"type":"invalid_request_error","detail":`+string(message)+`}`)),
		llmtest.Fail(403, body, "X-Key", k),
		llmtest.Fail(400, "Authorization: Bearer "+k),
		llmtest.Fail(400, all),
		llmtest.Fail(400, "<title>"+backward(k)+"</title><p>"+all, "Content-Type", "text/html"),
		llmtest.Say(llmtest.Bytes("data: {\"choices\": "+string(message)+"}\n\n"), llmtest.Times(4)), // tried again: it may have been damaged on its way
	}
}

func newSecretRun(t *testing.T, key canary) *secretRun {
	t.Helper()
	home := t.TempDir()
	r := &secretRun{t: t, key: key, home: home, vault: filepath.Join(home, "Notes"), keptIn: map[string]bool{}}
	r.srv = llmtest.New(t, echoes(key)...)
	r.file("Notes/Home.md", "# Home\n", 0o644)
	proxy := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { r.proxied.Add(1) }))
	t.Cleanup(proxy.Close)
	r.env = []string{
		"HOME=" + home, "PATH=" + os.Getenv("PATH"), "TZ=UTC", "CHATVAULT_KEYRING=off", "CHATVAULT_LOCAL_SERVERS=off", "TERM=xterm-256color", "CHATVAULT_APPROVAL=off", "CHATVAULT_MODEL=test-model",
		"XDG_CONFIG_HOME=" + home + "/c", "XDG_STATE_HOME=" + home + "/s", "XDG_DATA_HOME=" + home + "/d",
		"HTTP_PROXY=" + proxy.URL, "http_proxy=" + proxy.URL, "HTTPS_PROXY=" + proxy.URL, "ALL_PROXY=" + proxy.URL,
	}
	return r
}

func (r *secretRun) file(name, text string, mode fs.FileMode) {
	r.t.Helper()
	path := filepath.Join(r.home, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		r.t.Fatal(err)
	}
	if strings.Contains(text, string(r.key)) {
		r.keptIn[path] = true
	}
}

// run runs a command and keeps all its output.
func (r *secretRun) run(args ...string) string {
	r.t.Helper()
	cmd := exec.Command(chatvault(r.t), append([]string{"--vault", r.vault}, args...)...)
	cmd.Dir, cmd.Env = r.home, r.env
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		r.t.Fatal(err)
	}
	r.written.Write(out)
	if where := r.key.in(out); where != "" {
		r.t.Errorf("%q shows the key %s: %.600s", args, where, out)
	}
	return string(out)
}

// everything runs turns that succeed and fail, and all commands that print.
func (r *secretRun) everything() {
	r.run("ask", "read my home note")
	for _, prompt := range []string{"fails in its stream", "is refused", "is refused again", "with all forms", "by a page", "with garbage"} {
		r.run("ask", "--json", prompt)
	}
	for _, args := range [][]string{
		{"doctor"},
		{"config", "show"},
		{"config", "show", "--json"},
		{"config", "path"},
		{"config", "init"},
		{"conversations", "list"},
		{"conversations", "list", "--json"},
		{"conversations", "search", "home"},
		{"inbox", "list"},
		{"inbox", "list", "--json"},
		{"changes"},
		{"undo"},
		{"usage"},
		{"vaults"},
		{"version"},
		{"tool"},
		{"tool", "read_file", `{"path":"../c/chatvault/config.toml"}`},
		{"tool", "search_files", `{"pattern":"cnry","file_pattern":"**"}`},
	} {
		r.run(args...)
	}
}

// checkAll searches every file below the home folder, and every request.
func (r *secretRun) checkAll(reached bool) {
	r.t.Helper()
	err := filepath.WalkDir(r.home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || r.keptIn[path] {
			return err
		}
		data, err := os.ReadFile(path)
		if where := r.key.in(data); where != "" {
			r.t.Errorf("%s holds the key %s: %.300q", path, where, data)
		}
		if where := r.key.in([]byte(path)); where != "" {
			r.t.Errorf("%s is named after the key", path)
		}
		return err
	})
	if err != nil {
		r.t.Fatal(err)
	}
	authorized := 0
	for _, q := range r.srv.AllRequests() {
		header := q.Header.Clone()
		if header.Get("Authorization") == "Bearer "+string(r.key) {
			authorized++
		}
		header.Del("Authorization")
		if where := r.key.in([]byte(fmt.Sprint(q.Method, q.Path, header, string(q.Body)))); where != "" {
			r.t.Errorf("a request holds the key %s beside its Authorization header: %v %s", where, header, q.Body)
		}
	}
	if n := r.proxied.Load(); n > 0 {
		r.t.Errorf("%d requests went to the proxy", n)
	}
	if reached != (authorized > 0) {
		r.t.Errorf("the key was sent with %d requests", authorized)
	}
}

// TestKeysAreNeverWritten gives the program a key in each accepted form, runs everything with an endpoint that repeats
// the key in its errors, and searches all output and requests: it is only in the Authorization header and where the
// user keeps it.
func TestKeysAreNeverWritten(t *testing.T) {
	t.Parallel()
	host := func(r *secretRun) string {
		return strings.TrimSuffix(strings.TrimPrefix(r.srv.URL(), "http://"), "/v1")
	}
	for name, give := range map[string]func(r *secretRun) (reached bool){
		"environment": func(r *secretRun) bool {
			r.env = append(r.env, "OPENAI_BASE_URL="+r.srv.URL(), "OPENAI_API_KEY="+string(r.key))
			return true
		},
		"user's settings": func(r *secretRun) bool {
			r.file("c/chatvault/config.toml", fmt.Sprintf("base_url = %q\napi_key = %q\n", r.srv.URL(), r.key), 0o600)
			return true
		},
		"a provider's settings": func(r *secretRun) bool {
			r.file("c/chatvault/config.toml", fmt.Sprintf("model = \"own/test-model\"\n[providers.own]\nbase_url = %q\napi_key = %q\n", r.srv.URL(), r.key), 0o600)
			r.env = dropEnv(r.env, "CHATVAULT_MODEL")
			return true
		},
		"a command": func(r *secretRun) bool {
			r.file("c/chatvault/config.toml", fmt.Sprintf("base_url = %q\napi_key_command = \"printf %%s %s\"\n", r.srv.URL(), r.key), 0o600)
			return true
		},
		"a command that fails": func(r *secretRun) bool { // with the key in what it prints
			r.file("c/chatvault/config.toml", fmt.Sprintf("base_url = %q\napi_key_command = \"echo %s; echo %s is wrong >&2; exit 3\"\n", r.srv.URL(), r.key, r.key), 0o600)
			if out := r.run("ask", "hello"); !strings.Contains(out, "the command failed (exit status 3); run it by hand to see why") {
				r.t.Error(out)
			}
			return false
		},
		"a variable that is named": func(r *secretRun) bool {
			r.file("c/chatvault/config.toml", fmt.Sprintf("base_url = %q\napi_key_env = \"WORK_KEY\"\n", r.srv.URL()), 0o600)
			r.env = append(r.env, "WORK_KEY="+string(r.key))
			return true
		},
		"a user name in the address": func(r *secretRun) bool {
			r.env = append(r.env, "OPENAI_BASE_URL=http://user:"+string(r.key)+"@"+host(r)+"/v1", "OPENAI_API_KEY=another-0123456789")
			return false
		},
		"a query in the address": func(r *secretRun) bool {
			r.file("c/chatvault/config.toml", fmt.Sprintf("base_url = \"%s?key=%s\"\n", r.srv.URL(), r.key), 0o600)
			return false
		},
		"the name of a variable": func(r *secretRun) bool { // a slip that is often made
			r.file("c/chatvault/config.toml", fmt.Sprintf("base_url = %q\napi_key_env = \"%s-x\"\n", r.srv.URL(), r.key), 0o600)
			return false
		},
		"the vault's settings": func(r *secretRun) bool {
			r.file("Notes/.smarthole/config.toml", fmt.Sprintf("api_key = %q\n", r.key), 0o600)
			return false
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newSecretRun(t, newCanary(solid.ReplaceAllString(strings.ToUpper(name), "")))
			reached := give(r)
			r.everything()
			r.checkAll(reached)
		})
	}
}

func dropEnv(env []string, name string) []string {
	var out []string
	for _, e := range env {
		if !strings.HasPrefix(e, name+"=") {
			out = append(out, e)
		}
	}
	return out
}

// Nothing that a panic leaves behind contains a key.
func TestKeyIsInNoCrashReport(t *testing.T) {
	t.Parallel()
	if !stressed() {
		t.Skip("CHATVAULT_STRESS=1 builds the program that panics")
	}
	r := newSecretRun(t, newCanary("CRASH"))
	r.env = append(r.env, "OPENAI_BASE_URL="+r.srv.URL(), "OPENAI_API_KEY="+string(r.key), "CHATVAULT_FAILPOINT=panic step notified 1")
	cmd := exec.Command(ptytest.Build(t, ".", "-tags=failpoints"), "--vault", r.vault, "ask", "read my home note")
	cmd.Dir, cmd.Env = r.home, r.env
	out, _ := cmd.CombinedOutput()
	if where := r.key.in(out); where != "" {
		t.Errorf("the key is printed %s: %s", where, out)
	}
	reports, err := filepath.Glob(filepath.Join(stateDir(r.home+"/s", r.vault), "crash-*.txt"))
	if err != nil || len(reports) != 1 || cmd.ProcessState.ExitCode() == 0 {
		t.Fatalf("exit status %d, reports %v: %s", cmd.ProcessState.ExitCode(), reports, out)
	}
	if info, err := os.Stat(reports[0]); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	r.checkAll(true)
}

// A key typed at the chat's prompt is in no output or file: no screen, no log, no draft, no prompt history.
func TestTypedKeyIsNeverWritten(t *testing.T) {
	t.Parallel()
	key := newCanary("TYPED")
	r := newSecretRun(t, key)
	r.srv = llmtest.New(t, append([]llmtest.Step{llmtest.Fail(401, `{"error":{"message":"Incorrect API key provided"}}`)}, echoes(key)...)...)
	r.env = append(ptytest.Env(r.env...), "OPENAI_BASE_URL="+r.srv.URL(), "OPENAI_API_KEY=another-0123456789")
	x := ptytest.Start(t, ptytest.Options{Path: chatvault(t), Args: []string{"--vault", r.vault}, Dir: r.home, Env: r.env})
	x.WaitFor("Ask about your notes", patience)
	x.Type("read my home note")
	x.Press("enter")
	x.WaitFor("A key is needed", patience)
	time.Sleep(settled)
	x.Type(string(key))
	x.WaitFor("••••", patience)
	x.Press("enter")
	x.WaitFor("It says home.", patience)
	x.Type("fails in its stream")
	x.Press("enter")
	x.WaitFor("[redacted]", patience)
	x.Type("is refused")
	x.Press("enter")
	x.WaitFor("A key is needed", patience)
	x.Kill() // it leaves all that it keeps for the next start
	if where := key.in(x.Raw()); where != "" {
		t.Errorf("the screen shows the key %s", where)
	}
	for _, args := range [][]string{{"doctor"}, {"config", "show"}, {"config", "show", "--json"}, {"inbox", "list"}, {"changes"}} {
		r.run(args...)
	}
	r.checkAll(true)
}

// The real binary follows no redirect to another host, and sends no key in plain text except to this computer, unless
// the user's own settings allow it.
func TestKeyStaysWithItsHost(t *testing.T) {
	t.Parallel()
	var reached atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	defer other.Close()
	h := newAskHome(t, map[string]string{"Home.md": "# Home\n"})
	for _, status := range []int{301, 302, 303, 307, 308} {
		srv := llmtest.New(t, llmtest.Fail(status, "", "Location", other.URL+"/v1/chat/completions"))
		out, err := command(t, h.vault, provider(srv), "ask", "hello").CombinedOutput()
		if err == nil || !strings.Contains(string(out), "redirects to http") {
			t.Errorf("%d: %v: %s", status, err, out)
		}
	}
	if n := reached.Load(); n != 0 {
		t.Errorf("the other host was reached %d times", n)
	}

	insecure := []string{"OPENAI_BASE_URL=http://box.invalid/v1", "OPENAI_API_KEY=" + string(newCanary("PLAIN")), "CHATVAULT_MODEL=m"}
	cmd := command(t, h.vault, insecure, "ask", "hello")
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != 2 || !strings.Contains(string(out), "allow_insecure = true") {
		t.Errorf("http to another machine: %v: %s", err, out)
	}
	settings := func(cmd *exec.Cmd, text string, mode fs.FileMode) {
		dir := filepath.Join(cmd.Dir, "c", "chatvault")
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "config.toml"), []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	cmd = command(t, h.vault, insecure, "config", "show")
	settings(cmd, "allow_insecure = true\n", 0o600)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("http to another machine, allowed: %v: %s", err, out)
	}
	for what, text := range map[string]string{"allow_insecure": "allow_insecure = true\n", "api_key": "api_key = \"k\"\n", "base_url": "base_url = \"https://x.invalid\"\n", "providers": "[providers.x]\napi_key = \"k\"\n"} {
		v := newAskHome(t, map[string]string{"Home.md": "# Home\n", ".smarthole/config.toml": text})
		cmd := command(t, v.vault, nil, "--offline", "ask", "hello")
		if out, _ := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != 2 || !strings.Contains(string(out), what) || !strings.Contains(string(out), ".smarthole/config.toml:1") {
			t.Errorf("%s in the vault's file: %s", what, out)
		}
	}
	// Files that others can read cause a warning.
	cmd = command(t, h.vault, nil, "--offline", "config", "show")
	settings(cmd, "api_key = \"k-0123456789abcdef\"\n", 0o644)
	if out, err := cmd.CombinedOutput(); err != nil || !regexp.MustCompile(`config\.toml.*(read by others|others can read|chmod 600)`).Match(out) {
		t.Errorf("a file with a key that others can read: %v: %s", err, out)
	}
}

// With proxies in the environment, this computer is reached without them. A name that only looks like it is rejected
// before anything is sent, wherever the address is set.
func TestNoProxyForThisComputer(t *testing.T) {
	t.Parallel()
	key := newCanary("PROXY")
	var seen, keys atomic.Int32
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen.Add(1)
		if strings.Contains(r.Header.Get("Authorization"), string(key)) {
			keys.Add(1)
		}
		w.WriteHeader(http.StatusBadRequest)
	}))
	defer proxy.Close()
	proxies := []string{"CHATVAULT_MODEL=m", "OPENAI_API_KEY=" + string(key)}
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY"} {
		proxies = append(proxies, name+"="+proxy.URL)
	}
	h := newAskHome(t, map[string]string{"Home.md": "# Home\n"})
	run := func(settings string, env ...string) (status int, out string) {
		cmd := command(t, h.vault, append(proxies, env...), "ask", "hello")
		if settings != "" {
			if err := os.MkdirAll(filepath.Join(cmd.Dir, "c", "chatvault"), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(cmd.Dir, "c", "chatvault", "config.toml"), []byte(settings), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		b, _ := cmd.CombinedOutput()
		return cmd.ProcessState.ExitCode(), string(b)
	}
	srv := llmtest.New(t, llmtest.Reply("It says home.", llmtest.Forever()))
	at := func(host string) string { return strings.Replace(srv.URL(), "127.0.0.1", host, 1) }
	for _, host := range []string{"127.0.0.1", "localhost", "LOCALHOST", "[::ffff:127.0.0.1]"} {
		if status, out := run("", "OPENAI_BASE_URL="+at(host)); status != 0 || !strings.Contains(out, "It says home.") {
			t.Errorf("%s: exit status %d: %s", host, status, out)
		}
	}
	answered := len(srv.AllRequests())
	for _, host := range []string{"foo.localhost", "localhost.", "127.0.0.1.", "127.1", "0.0.0.0"} {
		for where, settings := range map[string]string{
			"the environment": "",
			"base_url":        fmt.Sprintf("base_url = %q\n", at(host)),
			"a provider":      fmt.Sprintf("[providers.own]\nbase_url = %q\nmodel = \"m\"\n", at(host)),
			"a preset's name": fmt.Sprintf("[providers.ollama]\nbase_url = %q\n", at(host)),
			"what takes over": fmt.Sprintf("base_url = \"http://127.0.0.1:1/v1\"\nfallback = [\"own/m\"]\n[providers.own]\nbase_url = %q\n", at(host)),
		} {
			var env []string
			if settings == "" {
				env = append(env, "OPENAI_BASE_URL="+at(host))
			}
			if status, out := run(settings, env...); status != 2 || !strings.Contains(out, "allow_insecure = true") {
				t.Errorf("%s, by %s: exit status %d: %s", host, where, status, out)
			}
		}
		hub := fmt.Sprintf("[smarthole]\nenabled = true\nurl = \"ws://%s:9\"\n", host)
		cmd := command(t, h.vault, proxies, "serve")
		if err := os.MkdirAll(filepath.Join(cmd.Dir, "c", "chatvault"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(cmd.Dir, "c", "chatvault", "config.toml"), []byte(hub), 0o600); err != nil {
			t.Fatal(err)
		}
		if out, _ := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != 2 || !strings.Contains(string(out), "must name this computer") {
			t.Errorf("a hub at %s: exit status %d: %s", host, cmd.ProcessState.ExitCode(), out)
		}
	}
	if n, m := len(srv.AllRequests())-answered, seen.Load(); n != 0 || m != 0 {
		t.Errorf("%d requests were sent to what was refused, %d to the proxy", n, m)
	}
	// Control: if its owner allows it, such a name is another computer's, and the proxy gets the key.
	if _, out := run("allow_insecure = true\n", "OPENAI_BASE_URL="+at("foo.localhost")); keys.Load() == 0 {
		t.Errorf("the proxy saw nothing of what was allowed: %s", out)
	}
}
