package e2e

import (
	"strings"
	"testing"

	"chatvault/internal/llmtest"
	"chatvault/internal/ptytest"
)

// dialectScript answers the messages of TestDialects. The gates delay an answer until more is typed.
func dialectScript(first, second <-chan struct{}) []llmtest.Step {
	read := func(user, thought string, opts ...llmtest.Option) llmtest.Step {
		return llmtest.Say(append([]llmtest.Option{
			llmtest.When(`user contains "` + user + `"`), llmtest.When("no result yet"), llmtest.Reasoning(thought), llmtest.Call("read_file", `{"path": "a.md"}`),
		}, opts...)...)
	}
	reply := func(user, text string, opts ...llmtest.Option) llmtest.Step {
		return llmtest.Reply(text, append([]llmtest.Option{llmtest.When(`user contains "` + user + `"`)}, opts...)...)
	}
	return []llmtest.Step{
		llmtest.Say(llmtest.When(`user contains "read both"`), llmtest.When("no result yet"),
			llmtest.Reasoning("two notes < one"), llmtest.Text("I look."), llmtest.Flush(), llmtest.Gate(first),
			llmtest.Call("read_file", `{"path": "a.md"}`), llmtest.Call("read_file", `{"path":"b.md"}`)),
		llmtest.Say(llmtest.When(`user contains "be brief"`), llmtest.Expect(`all messages contains "HELLO"`),
			llmtest.Reasoning("short then"), llmtest.Text("Working"), llmtest.Flush(), llmtest.Gate(second), llmtest.Text(" done briefly.")),
		llmtest.Say(llmtest.When(`user contains "held two"`), llmtest.When("no result yet"), llmtest.Expect(`user contains "held one"`),
			llmtest.Reasoning("which one is open?"), llmtest.Call("get_active_note", `{}`)),
		reply("held two", "Both noted."),
		llmtest.Say(llmtest.When(`user contains "take long"`), llmtest.Reasoning("hm"), llmtest.Text("A long story "), llmtest.Flush(), llmtest.Hang()),
		read("after the stop", "let me see"), reply("after the stop", "Going on."),
		read("after the restart", "where was I?"), reply("after the restart", "Back again.", llmtest.Expect(`all messages contains "held two"`)),
		llmtest.Reply("SUMMARY: they had two notes read.", llmtest.When("no tools"), llmtest.When(`user contains "held two"`)),
		read("after the summary", "so far so good", llmtest.Expect(`all messages contains "had two notes read"`)), reply("after the summary", "It fits."),
		refusesKey(`user contains "into the other"`),
		read("and back", "here again"), reply("and back", "From the first again."),
	}
}

// refusesKey returns an error that leads to the next provider.
func refusesKey(when string) llmtest.Step {
	s := llmtest.Fail(401, `{"error":{"message":"Incorrect API key provided"}}`)
	llmtest.When(when)(&s)
	return s
}

func TestDialects(t *testing.T) {
	for i := range llmtest.Endpoints {
		e := &llmtest.Endpoints[i]
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			dialectStory(t, e)
		})
	}
}

// dialectStory plays a conversation with one provider, through the real binary in a terminal, at a server as strict as
// the provider's: parallel tools after reasoning, a message added while they run, two queued ones, a stop, a restart, a
// summary, and fallback to another provider and back.
func dialectStory(t *testing.T, e *llmtest.Endpoint) {
	t.Helper()
	first, second := make(chan struct{}), make(chan struct{})
	srv := llmtest.NewWith(t, llmtest.Options{Endpoint: e}, dialectScript(first, second)...)
	other := llmtest.EndpointOf("mistral")
	if e == other {
		other = llmtest.EndpointOf("deepseek")
	}
	backup := llmtest.NewWith(t, llmtest.Options{Endpoint: other},
		llmtest.Say(llmtest.When(`user contains "into the other"`), llmtest.When("no result yet"), llmtest.Reasoning("my turn"), llmtest.Call("read_file", `{"path":"b.md"}`)),
		llmtest.Reply("From the other.", llmtest.When(`user contains "into the other"`)),
		refusesKey(`user contains "and back"`),
	)
	const full = "prompt = \"full\"\n" // some of the models are small
	settings := providerAt(e.Name, srv, e.Model) + providerAt(other.Name, backup, other.Model)
	a := newAsker(t, full+settings, map[string]string{"a.md": "hello\n", "b.md": "HELLO\n"})
	model := e.Name + "/" + e.Model
	open := func() chat {
		term := ptytest.Start(t, ptytest.Options{Path: chatvault(t), Args: []string{"--vault", a.vault, "--model", model}, Dir: a.home, Env: append(ptytest.Env(), a.env()...)})
		term.WaitFor("Ask about your notes", patience)
		return chat{term, a.vault}
	}
	idle := func(c chat, answer string) {
		c.WaitUntil(answer, patience, func(s string) bool { return strings.Contains(s, answer) && strings.Contains(s, "Enter sends") })
	}

	c := open()
	c.send("read both")
	c.WaitFor("I look.", patience)
	c.send("and be brief")
	c.WaitFor("→ ", patience)
	close(first)
	c.WaitFor("Working", patience)
	c.send("held one")
	c.send("held two")
	c.WaitUntil("both queued", patience, func(s string) bool { return strings.Contains(s, "↳ held one") && strings.Contains(s, "↳ held two") })
	close(second)
	idle(c, "Both noted.")
	c.send("take long")
	c.WaitFor("A long story", patience)
	c.Press("esc")
	c.WaitFor("Stopped", patience)
	c.send("after the stop")
	idle(c, "Going on.")
	c.quit(t)

	c = open()
	c.send("after the restart")
	idle(c, "Back again.")
	c.send("/compact")
	c.WaitFor("Summarised: ", patience)
	c.send("after the summary")
	idle(c, "It fits.")
	c.quit(t)

	a.settings(full + "fallback = [\"" + other.Name + "/" + other.Model + "\"]\n" + settings)
	if got := a.ask("-c", "--model", model, "into the other"); got.response != "From the other." {
		t.Errorf("into the other: %+v", got)
	}
	a.settings(full + "fallback = [\"" + model + "\"]\n" + settings)
	if got := a.ask("-c", "--model", other.Name+"/"+other.Model, "and back"); got.response != "From the first again." {
		t.Errorf("and back: %+v", got)
	}
	for _, s := range []*llmtest.Server{srv, backup} {
		if n := s.Unserved(); n > 0 {
			t.Errorf("%d answers were not asked for", n)
		}
	}
}
