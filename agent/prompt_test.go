package agent

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/prompts"
)

// The vault's own system prompt sees what changes from turn to turn; the built-in one stays the
// same to the byte.
func TestPromptsOfTurns(t *testing.T) {
	root := state(t)
	asked, zone := 0, ""
	h, _ := toward(t, root, []reply{say("one"), say("two"), use(sendMessage, `{"message":"Which?","is_question":true}`), say("four"), say("five"), say("six")}, []reply{hang}, func(o *Options) {
		o.Vars = func(context.Context) prompts.Vars {
			asked++
			return prompts.Vars{VaultName: "Garden", UserName: "Ines", Notes: asked, TimeZone: zone}
		}
	})
	turn := func(text string) string {
		t.Helper()
		h.send(text)
		wait[event.TurnFinished](h)
		calls := h.model.calls()
		return calls[len(calls)-1].Messages[0].Content
	}
	builtin, err := prompts.Builtin(prompts.System, prompts.Vars{VaultName: "Garden", UserName: "Ines", MaxRounds: 3})
	if err != nil || !strings.Contains(builtin, "The person is Ines.") {
		t.Fatal(builtin, err)
	}
	if got := turn("first"); got != builtin {
		t.Errorf("built in: %q", got)
	}
	writePrompt(t, root, "system.tmpl", `{{.VaultName}}, {{.UserName}}, {{.Notes}}, {{.Time}}. {{range .Tools}}{{.Name}}: {{.About}}{{if .ReadOnly}} (reads){{end}}; {{end}}{{with .Question}}Asked: {{.}}{{end}}`)
	now := prompts.Time(time.Now())
	if got := turn("second"); got != "Garden, Ines, 1, "+now+". write_file: does write_file; send_message: does send_message;" && now == prompts.Time(time.Now()) {
		t.Errorf("own: %q", got)
	}
	turn("third")
	if got := turn("fourth"); !strings.HasSuffix(got, "Asked: Which?") {
		t.Errorf("with a question: %q", got)
	}
	writePrompt(t, root, "system.tmpl", "Hello\n{{.Nobody}}")
	for range 2 {
		if got := turn("fifth"); got != builtin {
			t.Errorf("a broken one: %q", got)
		}
	}
	if asked != 1 {
		t.Errorf("the variables were asked for %d times in a conversation", asked)
	}
	var told []string
	for _, e := range h.seen {
		if n, ok := e.(event.Notice); ok {
			told = append(told, n.Text)
		}
	}
	if len(told) != 1 || !strings.HasPrefix(told[0], ".smarthole/prompts/system.tmpl cannot be used, so the built-in prompt is used: system.tmpl:2:") {
		t.Errorf("told %q", told)
	}
	h.NewConversation()
	zone = "Europe/Lisbon"
	if got := turn("sixth"); got == builtin || !strings.Contains(got, "time zone is Europe/Lisbon.") || asked != 2 {
		t.Errorf("in a new conversation, asked %d times: %q", asked, got)
	}
}

// What the owner tells agents counts from the next message on: agreed to in a running chat, and taken back
// in it. Between, the prompt stays the same to the byte.
func TestOwnersNoteAppliesToTheNextTurn(t *testing.T) {
	root := state(t)
	instructions := ""
	h, _ := toward(t, root, []reply{say("one"), say("two"), say("three"), say("four")}, []reply{hang}, func(o *Options) {
		o.Steer = func(v *prompts.Vars) {
			if instructions != "" {
				v.InstructionsFile, v.Instructions = "AGENTS.md", instructions
				v.Skills = []prompts.Skill{{Name: "plants", About: "Knows plants."}}
			}
		}
	})
	turn := func() string {
		t.Helper()
		h.send("go on")
		wait[event.TurnFinished](h)
		calls := h.model.calls()
		return calls[len(calls)-1].Messages[0].Content
	}
	before := turn()
	instructions = "Answer in verse."
	agreed := turn()
	if !strings.Contains(agreed, "<instructions>\nAnswer in verse.\n</instructions>") || !strings.Contains(agreed, "- plants: Knows plants.") || strings.Contains(before, "verse") {
		t.Errorf("%q", agreed)
	}
	if again := turn(); again != agreed {
		t.Errorf("it changed: %q", again)
	}
	instructions = ""
	if after := turn(); after != before {
		t.Errorf("taken back: %q", after)
	}
}

// What a template says of goal and plan can be replaced as well.
func TestPromptsOfGoalAndPlan(t *testing.T) {
	root := state(t)
	writePrompt(t, root, "goal.tmpl", "{{.GoalTurn}}/{{.GoalMaxTurns}} {{.Goal}} {{.GoalWhy}}")
	writePrompt(t, root, "goal_check.tmpl", "Is {{.Goal}} met, {{.VaultName}}?")
	writePrompt(t, root, "plan.tmpl", "Plan{{if .Revising}} anew{{end}} with {{range .Tools}}{{.Name}} {{end}}")
	h, model := toward(t, root, []reply{write, say("a"), write, say("b"), say("1. x"), say("1. y")}, []reply{say("NOT MET: no"), say("MET")}, nil)
	h.set("tag all")
	h.goal(event.GoalMet)
	if got := model.checks.calls()[0].Messages[0].Content; got != "Is tag all met, Test?" {
		t.Errorf("the check is told %q", got)
	}
	if got := context1(model.calls()[2]); got != "2/4 tag all no" {
		t.Errorf("the turn is told %q", got)
	}
	h.plan("more")
	h.send("shorter")
	wait[event.TurnFinished](h)
	if calls := model.calls(); context1(calls[4]) != "Plan with send_message" || context1(calls[5]) != "Plan anew with send_message" {
		t.Errorf("the plan is told %q and %q", context1(calls[4]), context1(calls[5]))
	}
}

// A sub-agent's and any other prompt of a run without a processor is the built-in one.
func TestPromptOfASingleRun(t *testing.T) {
	r := &run{}
	text, err := r.prompt(promptSubagent, func(v *prompts.Vars) { v.Tools = []prompts.Tool{{Name: "read_file", About: "Reads."}} })
	if err != nil || !strings.Contains(text, "- read_file: Reads.") {
		t.Errorf("%q, %v", text, err)
	}
}

// A look at the vault that was cut short counts for that turn alone.
func TestTruncatedPromptVariables(t *testing.T) {
	count := 0
	c := &core{opt: Options{Vars: func(context.Context) prompts.Vars { count++; return prompts.Vars{Notes: count} }}}
	cut, cancel := context.WithCancel(context.Background())
	cancel()
	for i, look := range []struct {
		ctx  context.Context
		conv string
		want int
	}{{cut, "a", 1}, {context.Background(), "a", 2}, {context.Background(), "a", 2}, {cut, "a", 2}, {context.Background(), "b", 3}} {
		if got := c.baseVars(look.ctx, look.conv); got.Notes != look.want {
			t.Errorf("look %d: %d notes, want %d", i+1, got.Notes, look.want)
		}
	}
}

// writePrompt puts a prompt of the vault's own into its place.
func writePrompt(t *testing.T, root *os.Root, name, text string) {
	t.Helper()
	if err := errors.Join(root.MkdirAll(".smarthole/prompts", 0o700), root.WriteFile(".smarthole/prompts/"+name, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
}
