package offline_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"chatvault/agent"
	"chatvault/agent/event"
	"chatvault/agent/llm/offline"
	"chatvault/agent/llm/offline/retrieval"
	"chatvault/conversation"
	"chatvault/tools"
	"chatvault/vault"
)

// program is the agent itself, with the engine for a model: what the agent tells beside
// messages is not ours to make up.
type program struct {
	t      *testing.T
	dir    string
	p      *agent.Processor
	events <-chan event.Event
	answer func(event.Request) event.Answer // to what is requested
	alone  bool                             // nobody answers requests

	// of the last turn
	calls     []string
	requested []event.Request
	tasks     []event.TaskList
	nested    int
	said      []event.AgentMessage
}

func newProgram(t *testing.T, change func(*agent.Options)) *program {
	t.Helper()
	dir := newChat(t, rigged()).dir
	v, err := vault.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	state := filepath.Join(dir, ".smarthole")
	if err := os.MkdirAll(state, 0o700); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(state)
	if err != nil {
		t.Fatal(err)
	}
	registry := tools.NewRegistry(v, tools.Options{})
	opt := agent.Options{
		Root: root, Attended: true,
		Agent: agent.Agent{
			Provider:  offline.New(retrieval.NewIndex(vaultCorpus{v})),
			MaxRounds: 10, Log: slog.New(slog.DiscardHandler),
		},
		Tools:         func(m tools.Messenger) agent.Toolbox { return registry.Turn(m) },
		Conversations: conversation.NewManager(root, conversation.Options{}),
	}
	if change != nil {
		change(&opt)
	}
	p, err := agent.New(opt)
	if err != nil {
		t.Fatal(err)
	}
	events := make(chan event.Event, 1000)
	sub := p.Subscribe()
	go func() {
		defer close(events)
		for {
			list, err := sub.Next(context.Background())
			if err != nil {
				return
			}
			for _, e := range list {
				events <- e
			}
		}
	}()
	x := &program{t: t, dir: dir, p: p, events: events, alone: !opt.Attended}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		if err := p.Close(ctx); err != nil {
			t.Error(err)
		}
		for range events { // until the subscription has ended
			continue
		}
		if err := errors.Join(v.Close(), root.Close()); err != nil {
			t.Error(err)
		}
	})
	return x
}

func (x *program) file(p string) string {
	b, err := os.ReadFile(filepath.Join(x.dir, filepath.FromSlash(p)))
	if err != nil {
		return ""
	}
	return string(b)
}

// until takes events until one for which it is so, and returns that.
func (x *program) until(end func(event.Event) bool) event.Event {
	x.t.Helper()
	timeout := time.After(20 * time.Second)
	for {
		select {
		case e, ok := <-x.events:
			if !ok {
				x.t.Fatal("the processor ended")
			}
			x.note(e)
			if end(e) {
				return e
			}
		case <-timeout:
			x.t.Fatalf("no end; called %v", x.calls)
		}
	}
}

func (x *program) note(e event.Event) {
	switch e := e.(type) {
	case event.ToolStarted:
		if e.Name != "task_list" {
			x.calls = append(x.calls, strings.TrimSpace(e.Name+" "+e.Target))
		}
		if !json.Valid(e.Arguments) {
			x.t.Errorf("%s: %s", e.Name, e.Arguments)
		}
	case event.Requested:
		x.requested = append(x.requested, e.Request)
		if x.alone {
			return
		}
		a := event.Answer{Decision: event.AllowOnce}
		if x.answer != nil {
			a = x.answer(e.Request)
		}
		if err := x.p.Answer(e.Request.ID, a); err != nil {
			x.t.Error(err)
		}
	case event.TaskList:
		x.tasks = append(x.tasks, e)
	case event.Nested:
		x.nested++
	case event.AgentMessage:
		x.said = append(x.said, e)
	case event.TurnFailed:
		x.t.Errorf("the turn failed: %s", e.Text)
	}
}

// send sends a message and returns how its turn ended.
func (x *program) send(m event.Inbound) event.TurnFinished {
	x.t.Helper()
	x.calls, x.requested, x.tasks, x.nested, x.said = nil, nil, nil, 0, nil
	if _, err := x.p.Submit(context.Background(), m); err != nil {
		x.t.Fatal(err)
	}
	return x.finished()
}

func (x *program) finished() event.TurnFinished {
	x.t.Helper()
	return x.until(func(e event.Event) bool {
		switch e.(type) {
		case event.TurnFinished, event.TurnFailed, event.TurnStopped:
			return true
		}
		return false
	}).(event.TurnFinished)
}

func (x *program) say(text string) string {
	x.t.Helper()
	return x.send(event.Inbound{Text: text}).Response
}

// called holds that these calls were made, in this order.
func (x *program) called(want ...string) {
	x.t.Helper()
	if !slices.Equal(x.calls, want) {
		x.t.Errorf("called %q, want %q", x.calls, want)
	}
}

func TestProgramDecisions(t *testing.T) {
	x := newProgram(t, nil)
	end := x.send(event.Inbound{Text: "delete Lena"})
	if end.StopReason != event.StopWaiting || len(x.said) != 1 || len(x.said[0].Options) != 2 {
		t.Fatalf("ended %s, said %v", end.StopReason, x.said)
	}
	second := x.said[0].Options[1]
	_, path, _ := strings.Cut(strings.TrimSuffix(second, ")"), " (")
	x.say("2")
	x.called("delete_file " + path)
	if x.file(path) != "" {
		t.Error(path + " is still there")
	}
	x.say("delete the Recipes folder")
	if got := x.say("No"); !strings.Contains(got, "nothing was changed") {
		t.Error(got)
	}
}

func TestProgramPlan(t *testing.T) {
	x := newProgram(t, nil)
	plan := x.send(event.Inbound{Text: "move Knee to Archive, delete Gran and then delete the Recipes folder", Mode: event.ModePlan})
	if plan.StopReason != event.StopWaiting || len(x.said) != 1 || x.said[0].Content != "Carry out this plan?" {
		t.Fatalf("ended %s, said %v", plan.StopReason, x.said)
	}
	if want := "1. Move [[Knee]] (Health/Knee.md) to `Archive/`\n2. Move [[Gran]] (People/Gran.md) to the trash\n3. Move the folder `Recipes/` with 3 items in it to the trash"; !strings.Contains(plan.Response, want) {
		t.Fatalf("the plan is %s", plan.Response)
	}
	x.called("list_files ** in Recipes/")
	if got := x.say("without step 2"); steps(got) != "Move [[Knee]] (Health/Knee.md) to `Archive/`\nMove the folder `Recipes/` with 3 items in it to the trash" {
		t.Fatal(got)
	}
	if x.file("Health/Knee.md") == "" {
		t.Fatal("a plan moved a note")
	}
	got := x.say("Carry it out")
	x.called("move_file Health/Knee.md → Archive/Knee.md", "list_files ** in Recipes/", "delete_file Recipes")
	if x.file("People/Gran.md") == "" || x.file("Recipes/Rye bread.md") != "" || strings.Contains(got, "Gran") {
		t.Error(got)
	}
	if got := x.say("continue"); !strings.Contains(got, "Nothing is left") {
		t.Error(got)
	}
	// a plan that is left is not carried out by what comes after
	x.send(event.Inbound{Text: "delete Gran", Mode: event.ModePlan})
	x.say("Leave it")
	x.say("continue")
	if x.called(); x.file("People/Gran.md") == "" {
		t.Error("the note is gone")
	}
	x.send(event.Inbound{Text: "delete Gran", Mode: event.ModePlan})
	if got := x.send(event.Inbound{Text: "delete Garden", Mode: event.ModePlan}); steps(got.Response) != "Move [[Garden]] (Projects/Garden.md) to the trash" {
		t.Error(got.Response)
	}
}

func TestProgramPlanAtALimit(t *testing.T) {
	x := newProgram(t, func(o *agent.Options) { o.MaxRounds = 1 })
	x.send(event.Inbound{Text: "add 'a' to Knee, then delete Gran", Mode: event.ModePlan})
	x.send(event.Inbound{Text: "add 'a' to Knee, add 'b' to Garden, then delete Gran", Mode: event.ModePlan})
	for _, word := range []string{"weiter", "continue", "carry on"} {
		if x.say(word); x.file("People/Gran.md") == "" || strings.Contains(x.file("Health/Knee.md"), "- a") {
			t.Fatalf("%q carried the plan out: %v", word, x.calls)
		}
	}
}

func TestProgramApproval(t *testing.T) {
	x := newProgram(t, func(o *agent.Options) { o.Approval = event.ApprovalWrites })
	x.answer = func(r event.Request) event.Answer {
		if r.Change.Kind == tools.ChangeDelete {
			return event.Answer{Decision: event.Deny, Note: "not her"}
		}
		return event.Answer{Decision: event.AllowOnce}
	}
	got := x.say("delete Gran, then add 'x' to Knee")
	if len(x.requested) != 2 || !strings.Contains(got, "I did not delete “Gran”: you denied it, and said “not her”") || !strings.Contains(got, "Added to [[Knee]]") {
		t.Errorf("requested %v: %s", x.requested, got)
	}
	x.called("delete_file People/Gran.md", "read_file Health/Knee.md", "edit_file Health/Knee.md")
	if got := x.say("continue"); len(x.calls) > 0 {
		t.Errorf("tried again: %v, %s", x.calls, got)
	}
	// nobody to ask
	y := newProgram(t, func(o *agent.Options) { o.Approval, o.Attended = event.ApprovalWrites, false })
	if got := y.say("delete Gran"); !strings.Contains(got, "I did not delete “Gran”: this change needs the user's consent") {
		t.Error(got)
	}
}

func TestProgramGoal(t *testing.T) {
	x := newProgram(t, func(o *agent.Options) { o.MaxRounds = 1 })
	const goal = "move Knee to Archive, then move Gran to Archive, then delete Garden"
	if _, err := x.p.SetGoal(goal); err != nil {
		t.Fatal(err)
	}
	x.say(goal)
	met := x.until(func(e event.Event) bool {
		g, ok := e.(event.GoalChanged)
		return ok && (g.Goal.Status == event.GoalMet || g.Goal.Status == event.GoalPaused)
	}).(event.GoalChanged)
	if met.Goal.Status != event.GoalMet || met.Goal.Turns < 2 {
		t.Errorf("%+v", met.Goal)
	}
	x.called("move_file Health/Knee.md → Archive/Knee.md", "move_file People/Gran.md → Archive/Gran.md", "delete_file Projects/Garden.md")

	y := newProgram(t, nil)
	if _, err := y.p.SetGoal("every note in the Inbox is filed"); err != nil {
		t.Fatal(err)
	}
	y.say("every note in the Inbox is filed")
	paused := y.until(func(e event.Event) bool {
		g, ok := e.(event.GoalChanged)
		return ok && g.Goal.Status != event.GoalActive && g.Goal.Status != event.GoalChecking
	}).(event.GoalChanged)
	if paused.Goal.Status != event.GoalPaused || !strings.Contains(paused.Goal.Why, "cannot judge") || paused.Goal.Turns > 4 {
		t.Errorf("%+v", paused.Goal)
	}
	if got := y.say("delete Gran"); !strings.Contains(got, "Deleted “Gran”") {
		t.Error(got)
	}
}

func TestProgramAnswerGoal(t *testing.T) {
	x := newProgram(t, nil)
	if _, err := x.p.SetGoal("when was Lotte born?"); err != nil {
		t.Fatal(err)
	}
	x.say("when was Lotte born?")
	met := x.until(func(e event.Event) bool {
		g, ok := e.(event.GoalChanged)
		return ok && g.Goal.Status != event.GoalActive && g.Goal.Status != event.GoalChecking
	}).(event.GoalChanged)
	if met.Goal.Status != event.GoalMet || met.Goal.Turns != 1 || !strings.Contains(met.Goal.Why, "answered from Gran") {
		t.Errorf("%+v", met.Goal)
	}
}

func TestProgramStepsAndSummary(t *testing.T) {
	x := newProgram(t, nil)
	x.say("make a folder New, then move Knee to New, then delete Gran")
	got := x.say("what do I know about the nectarine tart? who is Heron? when did I run without pain?")
	if !strings.Contains(got, "Ran five kilometres") || !strings.Contains(got, "Karin's birthday") {
		t.Error(got)
	}
	if err := x.p.Compact(); err != nil {
		t.Fatal(err)
	}
	e := x.until(func(e event.Event) bool {
		switch e.(type) {
		case event.Compacted, event.CompactFailed, event.Notice:
			return true
		}
		return false
	})
	c, ok := e.(event.Compacted)
	if !ok || c.After >= c.Before || !strings.Contains(c.Summary, "“make a folder New") || !strings.Contains(c.Summary, "Moved \"Health/Knee.md\"") {
		t.Fatalf("%#v", e)
	}
	if got := x.say("continue"); len(x.calls) > 0 {
		t.Errorf("called %v: %s", x.calls, got)
	}
	if got := x.say("show Knee"); !strings.Contains(got, "Better since") {
		t.Error(got)
	}
}

func TestProgramLimit(t *testing.T) {
	x := newProgram(t, func(o *agent.Options) { o.MaxRounds = 2 })
	end := x.send(event.Inbound{Text: "delete Gran, delete Garden, make a folder New, make a folder Newer"})
	if end.StopReason != event.StopToolLimit || !strings.Contains(end.Response, "- make a folder New\n- make a folder Newer") {
		t.Errorf("%s: %s", end.StopReason, end.Response)
	}
	if got := x.say("continue"); strings.Contains(got, "Gran") || !strings.Contains(got, "Created the folder `Newer/`") {
		t.Error(got)
	}
	x.called("create_folder New", "create_folder Newer")
}

func TestProgramLoop(t *testing.T) {
	x := newProgram(t, nil)
	for i := range 7 {
		if err := os.WriteFile(filepath.Join(x.dir, string(rune('A'+i))+"note.md"), []byte("x\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	end := x.send(event.Inbound{Text: "move Anote, Bnote, Cnote, Dnote, Enote, Fnote and Gnote to .obsidian"})
	if len(x.calls) != 5 || !strings.Contains(end.Response, "move_file has failed 5 times in a row") || !strings.Contains(end.Response, "**continue**") {
		t.Errorf("%s after %v: %s", end.StopReason, x.calls, end.Response)
	}
}

func TestProgramFolding(t *testing.T) {
	x := newProgram(t, func(o *agent.Options) { o.Approval = event.ApprovalWrites })
	x.answer = func(event.Request) event.Answer {
		if len(x.requested) == 1 { // while the first change waits
			if _, err := x.p.Submit(context.Background(), event.Inbound{Text: "and delete Garden"}); err != nil {
				t.Error(err)
			}
		}
		return event.Answer{Decision: event.AllowOnce}
	}
	got := x.say("move Knee to Archive, then move Gran to Archive")
	x.called("move_file Health/Knee.md → Archive/Knee.md", "move_file People/Gran.md → Archive/Gran.md", "delete_file Projects/Garden.md")
	for _, want := range []string{"Moved “Knee”", "Moved “Gran”", "Deleted “Garden”"} {
		if !strings.Contains(got, want) {
			t.Errorf("lacks %q: %s", want, got)
		}
	}
}
