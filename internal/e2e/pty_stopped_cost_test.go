package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"chatvault/internal/llmtest"
)

// A call that Esc stopped is counted, over each API, even if the model had not answered yet: the reported usage, plus
// an estimate of the rest, which the screen marks.
func TestStoppedCallsAreCounted(t *testing.T) {
	// Prompt tokens that were reported before the stop; zero means none.
	for name, c := range map[string]int{"chat": 0, "messages": 77700, "responses": 0} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := llmtest.New(t,
				llmtest.Say(llmtest.Usage(77700, 1), llmtest.Text("There are three things to "), llmtest.Flush(), llmtest.Hang()),
				llmtest.Say(llmtest.Hang()),
			)
			home := t.TempDir()
			config := "model = \"x/gpt-6-sol\"\n[providers.x]\nbase_url = \"" + srv.URL() + "\"\napi = \"" + name + "\"\n"
			for file, text := range map[string]string{"c/chatvault/config.toml": config, "Notes/Home.md": "# Home\n"} {
				if err := os.MkdirAll(filepath.Dir(filepath.Join(home, file)), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(home, file), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			x := reopenChat(t, chatOptions{bare: true, env: []string{"X_API_KEY=sk-test-0123456789abcdef"}}, home, filepath.Join(home, "Notes"))
			used := func() (calls, prompt, completion int) {
				t.Helper()
				data, err := os.ReadFile(filepath.Join(x.state(), "usage.json"))
				if err != nil {
					return 0, 0, 0
				}
				var u struct {
					Conversations map[string]struct {
						Calls        int
						PromptTokens int  `json:"prompt_tokens"`
						Completion   int  `json:"completion_tokens"`
						Estimated    bool `json:"estimated"`
					}
				}
				if err := json.Unmarshal(data, &u); err != nil {
					t.Fatal(err)
				}
				for _, c := range u.Conversations {
					calls, prompt, completion = calls+c.Calls, prompt+c.PromptTokens, completion+c.Completion
					if !c.Estimated {
						t.Error("it is not marked as estimated")
					}
				}
				return calls, prompt, completion
			}
			stop := func(call int) (prompt, completion int) {
				t.Helper()
				x.Press("esc")
				for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
					if calls, prompt, completion := used(); calls == call {
						return prompt, completion
					}
					if time.Now().After(end) {
						t.Fatalf("the stopped call %d is not counted\n%s", call, x.Screen())
					}
				}
			}
			x.send("what matters this week?")
			x.WaitFor("There are three things to", patience)
			prompt, completion := stop(1)
			if prompt < 1000 || c > 0 && prompt != c || completion < 5 {
				t.Errorf("%d and %d tokens", prompt, completion)
			}
			x.WaitFor("~", patience)
			x.WaitFor("Stopped", patience)
			x.Press("ctrl+u")
			x.send("and next week?")
			if !srv.AwaitRequests(2, patience) {
				t.Fatal("no second call")
			}
			if more, _ := stop(2); more < prompt+1000 {
				t.Errorf("%d tokens after %d", more, prompt)
			}
		})
	}
}
