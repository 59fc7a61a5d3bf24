package e2e

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"chatvault/internal/llmtest"
	"chatvault/internal/ptytest"
)

// TestChatAndCommandsAgree acts at random in the real chat: messages, questions, new conversations, edited messages,
// branches, continued conversations, restarts and kills. After each step, the chat shows the active conversation as
// `conversations show` and `export` print it.
func TestChatAndCommandsAgree(t *testing.T) {
	t.Parallel()
	seeds := []uint64{3, 9}
	if os.Getenv("CHATVAULT_STRESS") != "" {
		seeds = nil
		for i := range uint64(20) {
			seeds = append(seeds, i)
		}
	}
	for _, seed := range seeds {
		a := agreement{t: t, random: rand.New(rand.NewPCG(seed, 1)), h: newAskHome(t, map[string]string{"Home.md": "# Home\n"})}
		a.plan(24)
		a.srv = llmtest.New(t, a.steps...)
		a.open()
		for _, do := range a.ops {
			do()
			a.compare()
			if t.Failed() {
				t.Fatalf("seed %d: %s\n%s", seed, strings.Join(a.log, ", "), a.x.Screen())
			}
		}
		a.x.Kill()
		t.Log(strings.Join(a.log, ", "))
	}
}

// agreement is one sequence of operations, with the model's answers known in advance.
type agreement struct {
	t      *testing.T
	random *rand.Rand
	h      askHome
	srv    *llmtest.Server
	x      *ptytest.Terminal

	steps []llmtest.Step
	ops   []func()
	log   []string
}

func (a *agreement) open() {
	a.x = ptytest.Start(a.t, ptytest.Options{
		Path: chatvault(a.t), Args: []string{"--vault", a.h.vault}, Dir: a.h.dir, Env: ptytest.Env(a.env()...), Width: 100, Height: 300,
	})
	a.x.WaitFor("Ask about your notes", patience)
}

func (a *agreement) env() []string {
	url := ""
	if a.srv != nil {
		url = a.srv.URL()
	}
	return []string{
		"HOME=" + a.h.dir, "XDG_CONFIG_HOME=" + a.h.dir + "/c", "XDG_STATE_HOME=" + a.h.dir + "/s", "XDG_DATA_HOME=" + a.h.dir + "/d", "CHATVAULT_KEYRING=off", "CHATVAULT_LOCAL_SERVERS=off",
		"OPENAI_BASE_URL=" + url, "OPENAI_API_KEY=sk-env-0123456789abcdef", "CHATVAULT_MODEL=test-model", "PATH=" + os.Getenv("PATH"),
	}
}

// plan generates the operations. It tracks the state that they depend on: the turns of the active path, branches, ended
// conversations.
func (a *agreement) plan(n int) {
	type spoken struct {
		turns, branches int
		said            bool
	}
	var now spoken
	var ended []spoken // newest first
	sent := 0
	end := func() {
		if now.said {
			ended = slices.Insert(ended, 0, now)
		}
		now = spoken{}
	}
	answered := func() (text, shown string) { // and by what
		sent++
		text, shown = fmt.Sprintf("question-%d", sent), fmt.Sprintf("answer-%d", sent)
		switch a.random.IntN(4) {
		case 0:
			a.steps = append(a.steps, llmtest.ToolCall("read_file", map[string]any{"path": "Home.md"}), llmtest.Reply(shown+"."))
		case 1:
			shown = fmt.Sprintf("which-%d", sent)
			a.steps = append(a.steps, llmtest.ToolCall("ask_user", map[string]any{"question": shown + "?", "options": []string{"one", "two"}}))
		default:
			a.steps = append(a.steps, llmtest.Reply(shown+"."))
		}
		return text, shown
	}
	add := func(what string, do func()) {
		a.log = append(a.log, what)
		a.ops = append(a.ops, do)
	}
	for len(a.ops) < n {
		switch k := a.random.IntN(16); {
		case k < 6:
			text, shown := answered()
			add(text, func() { a.send(text, shown) })
			now.turns, now.said = now.turns+1, true
		case k < 8 && now.said:
			add("new", func() {
				a.x.Type("/new")
				a.x.Press("enter")
				a.x.WaitUntil("a new conversation", patience, func(s string) bool { return len(tokens(afterBoundary(s))) == 0 })
			})
			end()
		case k < 10 && now.turns > 0:
			back := a.random.IntN(now.turns)
			text, shown := answered()
			add(fmt.Sprintf("edit %d turns back: %s", back+1, text), func() { a.edit(back, text, shown) })
			now.turns, now.branches = now.turns-back, now.branches+1
		case k < 11 && now.branches > 0:
			add("switch", a.change)
			now.turns = 0 // it is not known how many there are: none is edited before others are sent
		case k < 13 && len(ended) > 0:
			i, active := a.random.IntN(len(ended)), now.said
			add(fmt.Sprintf("continue %d", i), func() { a.goOn(i, active) })
			again := ended[i]
			ended = slices.Delete(ended, i, i+1)
			end()
			now = again
		case k < 15:
			kill := k == 14
			add(map[bool]string{true: "kill", false: "quit"}[kill], func() { a.restart(kill) })
		}
	}
}

func (a *agreement) idle(what string, shown func(string) bool) {
	a.x.WaitUntil(what, patience, func(s string) bool {
		return shown(s) && (strings.Contains(s, "Enter sends ·") || strings.Contains(s, "or a number, or type") || strings.Contains(s, "Waiting for your answer"))
	})
}

func (a *agreement) send(text, shown string) {
	a.x.Type(text)
	a.x.Press("enter")
	a.idle("the answer "+shown, func(s string) bool { return strings.Contains(s, shown) })
}

func (a *agreement) edit(back int, text, shown string) {
	a.x.Type("/edit")
	a.x.Press("enter")
	a.x.WaitFor("Edit an earlier message", patience)
	for range back {
		a.x.Press("down")
	}
	a.x.Press("enter")
	a.x.WaitFor("Enter to send as a new branch", patience)
	a.x.Press("ctrl+u")
	a.send(text, shown)
}

func (a *agreement) change() {
	before := afterBoundary(a.x.Screen())
	a.x.Type("/branches")
	a.x.Press("enter")
	a.x.WaitFor("Branches of this conversation", patience)
	a.x.Press("down")
	a.x.Press("enter")
	a.x.WaitFor("Switch to it", patience)
	a.x.Press("enter")
	a.idle("the branch", func(s string) bool {
		return strings.Contains(s, "Switched to another branch") && !slices.Equal(tokens(afterBoundary(s)), tokens(before))
	})
}

func (a *agreement) goOn(i int, active bool) {
	a.x.Type("/conversations")
	a.x.Press("enter")
	a.x.WaitFor("to search all messages", patience)
	if active {
		i++
	}
	for range i {
		a.x.Press("down")
	}
	a.x.Press("enter")
	a.x.WaitFor("Continue it", patience)
	a.x.Press("down")
	a.x.Press("enter")
	a.x.WaitFor("Your next message continues it", patience)
}

func (a *agreement) restart(kill bool) {
	if kill {
		a.x.Kill()
	} else {
		a.x.Press("ctrl+c")
		a.x.WaitFor("again", patience)
		a.x.Press("ctrl+c")
		a.x.Wait(patience)
	}
	a.open()
}

// compare compares what the chat shows with what the commands print.
func (a *agreement) compare() {
	a.t.Helper()
	var want []string
	if out, ok := a.command("show", "active", "--json"); ok {
		want = recordedTokens(a.t, out)
		note, _ := a.command("show", "active")
		_, note, _ = strings.Cut(note, "\n# ")
		_, note, _ = strings.Cut(note, "\n") // below its title
		if got := tokens(note); !slices.Equal(got, want) {
			a.t.Errorf("show prints %v, recorded is %v\n%s", got, want, note)
		}
	}
	var got []string
	deadline := 0
	for {
		if got = tokens(strings.ReplaceAll(afterBoundary(a.x.Screen()), "✓ read Home", "read_file")); slices.Equal(got, want) || deadline > 20 {
			break
		}
		deadline++
		a.x.WaitIdle(50*time.Millisecond, patience)
	}
	if !slices.Equal(got, want) {
		a.t.Errorf("the chat shows %v, recorded is %v", got, want)
	}
}

func (a *agreement) command(args ...string) (string, bool) {
	cmd := exec.Command(chatvault(a.t), append([]string{"--vault", a.h.vault, "conversations"}, args...)...)
	cmd.Env = a.env()
	out, err := cmd.Output()
	return string(out), err == nil
}

var (
	tokenPattern    = regexp.MustCompile(`(?:question|answer|which)-\d+|read_file`)
	boundaryPattern = regexp.MustCompile(`(?m)^.*(?:New conversation ·|· Before: ).*$`)
)

// tokens returns the parts of a conversation in a text, in order.
func tokens(text string) []string { return tokenPattern.FindAllString(text, -1) }

// afterBoundary returns the active conversation's part of a screen.
func afterBoundary(screen string) string {
	if all := boundaryPattern.FindAllStringIndex(screen, -1); len(all) > 0 {
		return screen[all[len(all)-1][1]:]
	}
	return screen
}

// recordedTokens returns the recorded parts of a conversation.
func recordedTokens(t *testing.T, data string) (out []string) {
	t.Helper()
	type turn struct {
		Messages []struct{ Role, Content, ToolName string } `json:"messages"`
	}
	var d struct {
		Turns []turn `json:"turns"`
	}
	data = strings.ReplaceAll(data, `"tool_name"`, `"toolname"`)
	if err := json.Unmarshal([]byte(data), &d); err != nil {
		t.Fatal(err)
	}
	for _, x := range d.Turns {
		for _, m := range x.Messages {
			switch {
			case m.Role != "tool":
				out = append(out, tokens(m.Content)...)
			case m.ToolName == "read_file":
				out = append(out, "read_file")
			}
		}
	}
	return out
}
