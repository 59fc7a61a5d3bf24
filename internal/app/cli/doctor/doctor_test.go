package doctor

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"chatvault/agent/llm"
	"chatvault/internal/app/session/provider"
)

// TestAdvice checks that doctor suggests a fix for every failure, worded for a check.
func TestAdvice(t *testing.T) {
	anthropic := provider.Endpoint{Name: "anthropic", BaseURL: "https://api.anthropic.com/v1"}
	own := provider.Endpoint{Name: "host.example", BaseURL: "https://host.example/v1"}
	for _, c := range []struct {
		err  llm.Error
		at   provider.Endpoint
		want string
	}{
		{llm.Error{Kind: llm.KindAuth}, anthropic, "type it with /model in the chat, or set ANTHROPIC_API_KEY in the environment, or write below [providers.anthropic] in /own.toml: api_key_command = \"pass show anthropic\""},
		{llm.Error{Kind: llm.KindAuth}, own, "api_key_env"},
		{llm.Error{Kind: llm.KindRateLimit}, own, "wait a minute"},
		{llm.Error{Kind: llm.KindRateLimit, Reason: llm.ReasonQuota}, own, "add credit"},
		{llm.Error{Kind: llm.KindInvalidRequest}, own, "settings of this provider"},
		{llm.Error{Kind: llm.KindInvalidRequest, Reason: llm.ReasonModelNotFound}, own, "--model"},
		{llm.Error{Kind: llm.KindInvalidRequest, Reason: llm.ReasonToolsOff, Message: "tools param requires --jinja flag"}, own, "llama-server with --jinja;\nthen run chatvault doctor again"},
		{llm.Error{Kind: llm.KindNetwork}, own, "the server runs"},
		{llm.Error{Kind: llm.KindNetwork, Status: 503}, own, "the provider has a problem"},
		{llm.Error{Kind: llm.KindNetwork, Reason: llm.ReasonNotAnAPI}, own, "check base_url (most end in /v1)"},
		{llm.Error{Kind: llm.KindNetwork, Reason: llm.ReasonCertificate}, own, "certificates"},
	} {
		got := advice(&c.err, c.at, "/own.toml")
		if !strings.Contains(got, c.want) || strings.Contains(got, "message") || strings.Contains(got, "inbox") {
			t.Errorf("%+v: %q, want %q", c.err, got, c.want)
		}
	}
}

func TestFindingIsAligned(t *testing.T) {
	f := finding{area: "provider", text: "one\ntwo\nreason", todo: "do this,\nor that"}
	const want = `FAIL  provider      one
                    two
                    reason
                    → do this,
                      or that
`
	if got := f.lines(0); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if got := (finding{area: "state", text: "fine"}).lines(0); got != "ok    state         fine\n" {
		t.Errorf("%q", got)
	}
}

// Long text wraps between words and stays in its column at any width.
func TestFindingFits(t *testing.T) {
	f := finding{area: "provider", text: strings.Repeat("words that go on ", 9) + "\n" + strings.Repeat("a reason ", 20), todo: "set it with --an-option-that-is-long in /a/rather/long/path/of/a/file/config.toml,\nor " + strings.Repeat("do so ", 30)}
	for _, width := range []int{60, 80, 120} {
		for i, line := range strings.Split(strings.TrimSuffix(f.lines(width), "\n"), "\n") {
			if n := ansi.StringWidth(line); n >= width {
				t.Errorf("%d: %d cells: %q", width, n, line)
			}
			if i > 0 && !strings.HasPrefix(line, "      ") {
				t.Errorf("%d: %q stands out of its column", width, line)
			}
			for _, word := range strings.Fields(line) {
				if !strings.Contains(f.text+f.todo+"FAIL provider →", word) {
					t.Errorf("%d: %q is broken", width, word)
				}
			}
		}
	}
}
