package e2e

import (
	"cmp"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"chatvault/internal/llmtest"
)

// moment is a point at which Esc is pressed.
type moment struct {
	say   string // what is sent
	steps func(opts ...llmtest.Option) []llmtest.Step
	reach func(c chat, srv *llmtest.Server)
	ended string // what is seen after Esc; empty: "Stopped"
	quiet bool   // no turn runs by then: nothing is being stopped
}

// shown waits for a text.
func shown(text string) func(chat, *llmtest.Server) {
	return func(c chat, _ *llmtest.Server) { c.WaitFor(text, patience) }
}

// then does several things in order.
func then(do ...func(chat, *llmtest.Server)) func(chat, *llmtest.Server) {
	return func(c chat, srv *llmtest.Server) {
		for _, d := range do {
			d(c, srv)
		}
	}
}

func pause(chat, *llmtest.Server) { time.Sleep(settled) } // what came unasked takes keys by then

func typed(text string) func(chat, *llmtest.Server) {
	return func(c chat, _ *llmtest.Server) { c.Type(text) }
}

func one(step llmtest.Step) []llmtest.Step { return []llmtest.Step{step} }

// four returns four changes of a note, each of which needs approval.
func four(opts ...llmtest.Option) []llmtest.Step {
	var calls []llmtest.Option
	for _, to := range []string{"blue", "green", "teal", "cyan"} {
		calls = append(calls, llmtest.Call("edit_file", map[string]any{"path": "Home.md", "old_text": "red", "new_text": to}))
	}
	return one(llmtest.Say(append(calls, opts...)...))
}

func moments() map[string]moment {
	long := strings.Repeat("on and on ", 40)
	return map[string]moment{
		"before the first byte": {
			steps: func(opts ...llmtest.Option) []llmtest.Step { return one(llmtest.Say(append(opts, llmtest.Hang())...)) },
			reach: func(_ chat, srv *llmtest.Server) { srv.AwaitRequests(1, patience) },
		},
		"as it reasons": {
			steps: func(opts ...llmtest.Option) []llmtest.Step {
				return one(llmtest.Say(append(opts, llmtest.Reasoning(long), llmtest.Flush(), llmtest.Hang())...))
			},
			reach: shown("Thinking"),
		},
		"as it answers": {
			steps: func(opts ...llmtest.Option) []llmtest.Step {
				return one(llmtest.Reply(long, append(opts, llmtest.Flush(), llmtest.Hang())...))
			},
			reach: shown("on and on"),
		},
		"as it writes a call": {
			steps: func(opts ...llmtest.Option) []llmtest.Step {
				call := llmtest.Call("write_file", map[string]any{"path": "Home.md", "content": long})
				return one(llmtest.Say(append(opts, call, llmtest.Flush(), llmtest.NoFinish(), llmtest.Hang())...))
			},
			reach: shown("riting"),
		},
		"as it waits to try again": {
			steps: func(...llmtest.Option) []llmtest.Step {
				return one(llmtest.Fail(429, `{"error":{"message":"slow down"}}`, "Retry-After", "30"))
			},
			reach: shown("Too many requests"),
		},
		"in an approval, at once": {steps: four, reach: shown("Allow once")},
		"in an approval":          {steps: four, reach: then(shown("Allow once"), pause)},
		"in the reason of a denial": {
			steps: four, reach: then(shown("Allow once"), pause, typed("r"), shown("Why not?"), typed("because")),
		},
		"in a key prompt": {
			steps: func(...llmtest.Option) []llmtest.Step {
				return one(llmtest.Fail(401, `{"error":{"message":"Incorrect API key provided"}}`))
			},
			reach: then(shown("A key is needed"), pause, typed("sk-")),
		},
		"in a question": {
			steps: func(opts ...llmtest.Option) []llmtest.Step {
				return one(llmtest.ToolCall("ask_user", map[string]any{"question": "Which colour?", "options": []string{"blue", "green"}}, opts...))
			},
			reach: shown("or a number, or type"), ended: "Left unanswered", quiet: true,
		},
		"in a plan": {
			say:   "/plan paint it",
			steps: func(opts ...llmtest.Option) []llmtest.Step { return one(llmtest.Reply("1. Paint Home.md.", opts...)) },
			reach: shown("or a number, or type"), ended: "Left unanswered", quiet: true,
		},
		"in a look back": {
			steps: func(opts ...llmtest.Option) []llmtest.Step {
				return []llmtest.Step{llmtest.Reply("It is red."), llmtest.Reply(long, append(opts, llmtest.Flush(), llmtest.Hang())...)}
			},
			reach: func(c chat, srv *llmtest.Server) {
				c.WaitUntil("the turn over", patience, func(s string) bool { return strings.Contains(s, "It is red.") && strings.Contains(s, "Enter sends") })
				c.send("/retrospect ")
				c.WaitFor("Reviewing", patience)
				srv.AwaitRequests(2, patience)
			},
			ended: "The review was stopped", quiet: true,
		},
	}
}

// TestEscStopsAtEveryMoment presses Esc once at each point of a turn, with a quick model and a slow one. The turn ends,
// nothing else changes, no other question is asked, and the next message is not taken for an answer.
func TestEscStopsAtEveryMoment(t *testing.T) {
	t.Parallel()
	for name, m := range moments() {
		for speed, opts := range map[string][]llmtest.Option{"fast": nil, "slow": {llmtest.Pace(60 * time.Millisecond)}} {
			t.Run(name+", "+speed, func(t *testing.T) {
				t.Parallel()
				next := llmtest.Reply("Going on.", llmtest.Expect(`user not contains "approved the plan"`), llmtest.Expect(`user not contains "You had asked the user"`), llmtest.When(`user contains "and now?"`))
				more := edit("Home.md", "red", "wrong", llmtest.Forever())
				srv := llmtest.New(t, append(m.steps(opts...), next, more)...)
				c := openChat(t, chatOptions{server: srv, notes: map[string]string{"Home.md": "# Home\nred\n"}, env: []string{"CHATVAULT_APPROVAL=writes"}})
				c.send(cmp.Or(m.say, "paint it"))
				m.reach(c, srv)
				srv.AwaitRequests(1, patience) // the screen says that it thinks before it is asked
				asked := len(srv.Requests())
				c.Press("esc")
				c.WaitFor(cmp.Or(m.ended, "Stopped"), patience)
				c.WaitUntil("nothing is asked or runs", patience, func(s string) bool {
					return !strings.Contains(s, "Allow once") && !strings.Contains(s, "A key is needed") && !strings.Contains(s, "Esc stops")
				})
				time.Sleep(settled) // in which what must not come might
				screen := c.Screen()
				if strings.Contains(screen, "Allow once") || strings.Contains(screen, "A key is needed") || strings.Contains(screen, "Esc stops") {
					t.Errorf("it went on:\n%s", screen)
				}
				if got := len(srv.Requests()); got != asked && !m.quiet {
					t.Errorf("the model was asked %d times more", got-asked)
				}
				if got := c.note(t, "Home.md"); got != "# Home\nred\n" {
					t.Errorf("the note is %q", got)
				}
				if got := c.note(t, filepath.Join(".smarthole", "retrospection.md")); got != "" {
					t.Errorf("a review was written: %q", got)
				}
				c.Press("ctrl+c") // what came back into the composer
				c.send("and now?")
				c.WaitFor("Going on.", patience)
			})
		}
	}
}

// The approval mode can be switched in the chat, by key and by command, and applies at once. Both are shown on the
// first screen and in the status line.
func TestChatApprovalMode(t *testing.T) {
	t.Parallel()
	gate := make(chan struct{})
	srv := llmtest.New(t,
		edit("Home.md", "red", "blue"), llmtest.Reply("Not done.", llmtest.Expect(`tool result contains "denied"`)),
		llmtest.Say(llmtest.Text("On it."), llmtest.Flush(), llmtest.Gate(gate), llmtest.Call("edit_file", map[string]any{"path": "Home.md", "old_text": "red", "new_text": "green"})),
		llmtest.Reply("Green it is.", llmtest.Expect(`tool result contains "Replaced"`)),
		llmtest.Reply("1. Paint Home.md teal.", llmtest.Expect(`user contains "calls that change a note are refused"`)),
		edit("Home.md", "green", "teal"), llmtest.Reply("Teal it is."),
	)
	c := openChat(t, chatOptions{server: srv, notes: map[string]string{"Home.md": "# Home\n\nThe fence is red.\n"}})
	c.WaitFor("/undo reverts changes. F3 makes it ask before changing anything.", patience)
	c.Press("f3", "f3")
	c.WaitFor("every change waits for you", patience)
	c.send("paint it")
	c.WaitFor("asks first: writes", patience)
	c.WaitFor("Allow once", patience)
	time.Sleep(settled)
	c.Type("n")
	c.WaitFor("Not done.", patience)
	c.send("paint it again")
	c.WaitFor("On it.", patience)
	c.send("/approval autonomous")
	c.WaitFor("changes happen at once", patience)
	close(gate)
	c.WaitFor("Green it is.", patience)
	c.send("/approval plan")
	c.WaitFor("nothing changes; you get a plan", patience)
	c.send("now teal")
	c.WaitFor("Carry out this plan?", patience)
	c.WaitFor("plan only", patience)
	if got := c.note(t, "Home.md"); got != "# Home\n\nThe fence is green.\n" {
		t.Errorf("the note is %q", got)
	}
	time.Sleep(settled)
	c.Press("enter")
	c.WaitFor("Teal it is.", patience)
	if got := c.note(t, "Home.md"); got != "# Home\n\nThe fence is teal.\n" {
		t.Errorf("the note is %q", got)
	}
	c.quit(t)
}
