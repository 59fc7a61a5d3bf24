package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"chatvault/internal/llmtest"
)

// TestReport puts a unique name, text or key into every possible place. doctor --report prints none of them, and with
// --with-names prints names only. It prints the version, settings, findings, the last errors, and where the program
// crashed.
func TestReport(t *testing.T) {
	t.Parallel()
	var names, texts []string
	name := func() string {
		names = append(names, fmt.Sprintf("Qname%02dx", len(names)))
		return names[len(names)-1]
	}
	words := func() string {
		texts = append(texts, fmt.Sprintf("Qtext%02dx", len(texts)))
		return texts[len(texts)-1]
	}
	key := newCanary("REPORT")
	note := name() + ".md"
	h := newAskHome(t, map[string]string{
		note:                                    "# " + words() + "\n" + words() + " #" + words() + "\n- [ ] " + words() + "\n",
		name() + "/" + name() + ".md":           "---\n" + words() + ": " + words() + "\n---\n[[" + words() + "]]\n",
		"AGENTS.md":                             words(),
		".obsidian/app.json":                    `{"userIgnoreFilters": ["/(?=` + name() + `)/"]}`,
		".smarthole/config.toml":                "private = [\"" + name() + "/\"]\ninformation_architecture = \"" + words() + "\"\n",
		".smarthole/prompts/system.tmpl":        "{{." + name() + "}}",
		".smarthole/commands/" + name() + ".md": words(),
		".smarthole/conversations/" + name() + ".jsonl": words(),
		name() + "/.obsidian/app.json":                  "{}",
	})
	srv := llmtest.New(t,
		llmtest.ToolCall("read_file", map[string]any{"path": note}), llmtest.Reply(words(), llmtest.Text(words())),
		llmtest.Fail(400, `{"error":{"message":"`+words()+" "+string(key)+`"}}`), llmtest.Fail(401, `{"error":{"message":"`+words()+`"}}`),
	)
	attic := strings.ToLower(name())
	settings := fmt.Sprintf("base_url = %q\napi_key = %q\nmodel = %q\nprivate = [%q]\nuser_name = %q\nretrospection_prompt = %q\nfallback = [\"%s/%s\"]\ntheme = \"paper\"\n"+
		"budget_tokens = 500000\nbudget_usd = 3.5\nlog_level = \"debug\"\n[providers.%s]\nbase_url = \"https://%s.invalid/v1\"\napi_key = %q\n"+
		"[mcp.%s]\ncommand = %q\nargs = [%q]\nenv = { %s = %q }\nenabled = false\n[prices.%q]\ninput = 1.0\noutput = 1.0\n",
		srv.URL(), key, name(), name()+"/", name(), words(), attic, name(), attic, strings.ToLower(name()), string(key), strings.ToLower(name()), name(), words(), name(), string(key), name())
	file := filepath.Join(h.dir, "c", "chatvault", "config.toml")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) string {
		cmd := exec.Command(chatvault(t), append([]string{"--vault", h.vault}, args...)...)
		cmd.Dir = h.dir
		cmd.Env = []string{
			"HOME=" + h.dir, "PATH=" + os.Getenv("PATH"), "TZ=UTC", "CHATVAULT_KEYRING=off", "CHATVAULT_LOCAL_SERVERS=off", "USER=" + names[0], "LOGNAME=" + names[0],
			"XDG_CONFIG_HOME=" + h.dir + "/c", "XDG_STATE_HOME=" + h.dir + "/s", "XDG_DATA_HOME=" + h.dir + "/d",
		}
		out, _ := cmd.CombinedOutput()
		return string(out)
	}
	for range 3 {
		t.Log(run("ask", "read "+words()))
	}
	state := h.state()
	crash := "chatvault 1.2.3\n\nruntime error: index out of range [5] with length 3 (" + words() + ")\n\ngoroutine 1 [running]:\n" +
		"chatvault/agent.(*Agent).act(0xc000, {0x1, 0x2})\n\t/home/" + name() + "/src/agent/act.go:150 +0x1d\n"
	log := `{"time":"2026-01-02T03:04:05Z","level":"WARN","msg":"` + words() + `"}` + "\n" +
		`{"time":"2026-01-02T03:04:05Z","level":"ERROR","msg":"turn failed","form":1,"code":"rate_limit","kind":"permission denied","error":"open ` + name() + `: permission denied","` + words() + `":"` + words() + `","path":"` + name() + `"}` + "\n"
	for file, text := range map[string]string{
		"crash-20260102-030405.txt": crash, "inbox/" + name() + ".json.corrupt-1": words(), "drafts/" + name() + ".txt": words(), "conversations/" + name() + ".jsonl": words(),
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(state, file)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(state, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f, err := os.OpenFile(filepath.Join(state, "chatvault.log"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(log); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}

	found := func(report string, marks []string) (in []string) {
		for _, m := range marks {
			if strings.Contains(strings.ToLower(report), strings.ToLower(m)) {
				in = append(in, m)
			}
		}
		return in
	}
	report := run("doctor", "--report")
	named := run("doctor", "--report", "--with-names")
	for what, in := range map[string][]string{
		"names in the report": found(report, append(slices.Clone(names), h.dir)), "texts in the report": found(report, texts),
		"texts beside names": found(named, texts), "the key": found(report+named, []string{string(key)}),
	} {
		if len(in) > 0 {
			t.Errorf("%s: %v", what, in)
		}
	}
	if where := key.in([]byte(report + named)); where != "" {
		t.Error("the key is in a report, " + where)
	}
	if len(found(named, names)) < 5 || !strings.Contains(named, h.vault) {
		t.Errorf("names that were wanted are missing: there are %v", found(named, names))
	}
	for _, want := range []string{
		`(?m)^chatvault \S+ \(go1\.\S+, \w+/\w+\)$`, `(?m)^theme = paper$`, `(?m)^budget_tokens = 500000$`, `(?m)^retrospection_prompt = …$`, `(?m)^providers = …\nmcp = …$`,
		`(?m)^note  inbox +\d unfinished$`, `(?m)^note  provider +… at … answers \(…\); calls go over the chat completions API$`, `(?m)^\S+ WARN model call failed \(invalid_request\)$`,
		`(?m)turn failed \(permission denied\)$`, `crash-20260102-030405\.txt, chatvault 1\.2\.3\n    agent\.\(\*Agent\)\.act act\.go:150`,
		`Nothing was sent\. Read this before you send it`,
	} {
		if !regexp.MustCompile(want).MatchString(report) {
			t.Errorf("the report lacks %s", want)
		}
	}
	if t.Failed() {
		t.Logf("%s\n\nwith names:\n%s", report, named)
	}
}
