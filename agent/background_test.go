package agent

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/llm"
	"chatvault/agent/prompts"
	"chatvault/agent/spend"
	"chatvault/agent/window"
	"chatvault/conversation"
	"chatvault/tools"
)

// behind answers what is asked in the background with replies of its own.
type behind struct {
	fakeModel
	titles, looks fakeModel
}

func (b *behind) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	switch req.Purpose {
	case llm.PurposeTitle:
		return b.titles.Stream(ctx, req)
	case llm.PurposeRetrospection:
		return b.looks.Stream(ctx, req)
	default:
		return b.fakeModel.Stream(ctx, req)
	}
}

// talk is a processor that does things in the background.
type talk struct {
	*harness
	model         *behind
	conversations *conversation.Manager
}

const idleTimeout = 30 * time.Minute

// talking starts one whose model answers turns, and is asked for titles.
func talking(t *testing.T, root *os.Root, turns, titles []reply, change func(*Options, *behind)) *talk {
	t.Helper()
	model := &behind{fakeModel: fakeModel{t: t, replies: turns}, titles: fakeModel{t: t, replies: titles}, looks: fakeModel{t: t}}
	opt := Options{
		Root: root, Vault: root, Agreed: agreeAll, Goals: Goals{GoalMaxTurns: 4}, Ended: Ended{Titles: len(titles) > 0},
		Tools:         endable(tool("read_file", true, "1: hello"), tool("write_file", false, "Created.")),
		Conversations: conversation.NewManager(root, conversation.Options{IdleTimeout: idleTimeout, Warn: func(text string) { t.Errorf("warned: %s", text) }}),
		Agent:         Agent{Provider: model, MaxRounds: 3, Retry: llm.RetryPolicy{time.Millisecond}},
		StateTimeout:  time.Hour,
		Vars: func(context.Context) prompts.Vars {
			return prompts.Vars{VaultName: "Garden", InformationArchitecture: "Beds go to Beds/."}
		},
	}
	if change != nil {
		change(&opt, model)
	}
	p, err := New(opt)
	if err != nil {
		t.Fatal(err)
	}
	h := &harness{Processor: p, t: t, root: root, model: &model.fakeModel, sub: p.Subscribe()}
	t.Cleanup(h.stop)
	return &talk{h, model, opt.Conversations}
}

// endable is a box of fake tools with end_conversation and the vault's own send_message.
func endable(list ...fakeTool) func(tools.Messenger) Toolbox {
	return func(m tools.Messenger) Toolbox {
		b, _ := box(list...)(m).(fakeBox)
		if e, ok := m.(tools.Ender); ok {
			b.list = append(b.list, fakeTool{name: endConversation, call: func(context.Context, json.RawMessage) tools.Result {
				e.EndConversation("done")
				return tools.Result{Text: "It ends after your answer."}
			}})
		}
		return b
	}
}

// ask sends a message and waits for the end of its turn.
func (k *talk) ask(text string) event.TurnFinished {
	k.t.Helper()
	k.send(text)
	return wait[event.TurnFinished](k.harness)
}

// settled waits until nothing is left to do in the background.
func (k *talk) settled() {
	k.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := k.Settle(ctx); err != nil {
		k.t.Fatalf("the background does not come to rest: %v", err)
	}
}

// entry is what the index knows of the conversation that ended last but n.
func (k *talk) entry(n int) conversation.Entry {
	k.t.Helper()
	list, err := k.conversations.Recent(n + 1)
	if err != nil || len(list) <= n {
		k.t.Fatal(list, err)
	}
	return list[n]
}

func (k *talk) notices() (out []string) {
	for _, e := range k.seen {
		if n, ok := e.(event.Notice); ok {
			out = append(out, n.Text)
		}
	}
	return out
}

var titled = say("TITLE: Watering the tomato beds\nSUMMARY: The person asked about water. It was explained.")

// A conversation that ended is titled when no turn runs, at the cost of one call without tools
// that counts for it.
func TestTitles(t *testing.T) {
	k := talking(t, state(t), []reply{use("read_file", `{"path":"Beds.md"}`), say("Every second day."), say("Hello.")}, []reply{titled}, nil)
	k.ask("how often do the tomatoes need water?")
	if n := len(k.model.titles.calls()); n != 0 {
		t.Errorf("%d titles for a conversation that goes on", n)
	}
	k.NewConversation()
	k.ask("hello")
	e := wait[event.ConversationTitled](k.harness)
	got := k.entry(0)
	if e.ID != got.ID || e.TurnID != "" || e.Title != "Watering the tomato beds" || got.Title != e.Title || got.Summary != e.Summary || e.Summary == "" {
		t.Errorf("%+v, stored %+v", e, got)
	}
	calls := k.model.titles.calls()
	if len(calls) != 1 || len(calls[0].Tools) > 0 || len(calls[0].Messages) != 2 {
		t.Fatalf("%d calls: %+v", len(calls), calls)
	}
	for _, want := range []string{"<conversation>\nUser: how often", `Call: read_file {"path":"Beds.md"}`, "Assistant: Every second day.", titleWords} {
		if !strings.Contains(calls[0].Messages[1].Content, want) {
			t.Errorf("%q is not in %q", want, calls[0].Messages[1].Content)
		}
	}
	if !strings.Contains(calls[0].Messages[0].Content, "“Garden”") {
		t.Error(calls[0].Messages[0].Content)
	}
	k.settled()
	conv, day := k.accounts.Today(e.ID)
	if conv.Calls != 3 || day.Calls != 4 {
		t.Errorf("counted %d calls of the conversation and %d of the day", conv.Calls, day.Calls)
	}
	onDisk, err := spend.Load(k.root)
	if err != nil || onDisk.Conversations[e.ID].Calls != 3 {
		t.Errorf("on disk: %+v, %v", onDisk, err)
	}
	for _, e := range k.seen { // what is used behind says nothing of the conversation that goes on
		if u, ok := e.(event.UsageReported); ok && u.TurnID == "" {
			t.Errorf("reported: %+v", u)
		}
	}
}

// Where no title comes of it the first words serve, nobody is told, and the next start tries
// again: the newest few, and those alone.
func TestTitlesThatFail(t *testing.T) {
	root := state(t)
	refused := failWith(llm.Error{Kind: llm.KindInvalidRequest, Message: "no"})
	k := talking(t, root, []reply{say("a"), say("b"), say("c")}, []reply{refused, say("…"), refused}, nil)
	for _, text := range []string{"first", "second", "third"} {
		k.NewConversation()
		k.ask(text)
		k.settled()
	}
	if e := k.entry(0); e.Title != "" || e.Name() != "second" {
		t.Errorf("%+v", e)
	}
	if n := k.notices(); len(n) > 0 {
		t.Errorf("told %q", n)
	}
	k.stop()

	// A process that answers once does not try.
	once := talking(t, root, nil, []reply{titled}, nil)
	once.settled()
	once.stop()
	if n := len(once.model.titles.calls()); n != 0 {
		t.Errorf("%d calls", n)
	}
	again := talking(t, root, nil, []reply{titled}, func(o *Options, _ *behind) { o.CatchUp = true })
	again.settled() // what it told may have been told before anybody listened
	calls := again.model.titles.calls()
	if len(calls) != 2 {
		t.Fatalf("%d calls", len(calls))
	}
	for i, want := range []string{"second", "first"} {
		if !strings.Contains(told(calls[i]), want) {
			t.Errorf("call %d is told %q, want %s", i, told(calls[i]), want)
		}
	}
	list, err := again.conversations.List()
	named := 0
	for _, e := range list {
		if e.Title == "Watering the tomato beds" {
			named++
		}
	}
	if err != nil || named != 2 {
		t.Errorf("%d of %d are titled, %v", named, len(list), err)
	}
}

// What a chat takes up at its start is bounded.
func TestBacklogIsBounded(t *testing.T) {
	root := state(t)
	m := conversation.NewManager(root, conversation.Options{})
	for i := range backlogTitles + 3 {
		c, _, err := m.Begin("", time.Now())
		if err != nil {
			t.Fatal(err)
		}
		id := newMessageID(time.Now().Add(time.Duration(i) * time.Second))
		err = m.Append(c.ID, conversation.Turn{ID: id, Started: time.Now(), Ended: time.Now(), Messages: []conversation.Message{{ID: id, Role: conversation.RoleUser, Content: "x"}}})
		if _, endErr := m.End(time.Now(), "new"); errors.Join(err, endErr) != nil {
			t.Fatal(err, endErr)
		}
	}
	k := talking(t, root, nil, []reply{titled}, func(o *Options, _ *behind) { o.CatchUp = true })
	k.settled()
	if n := len(k.model.titles.calls()); n != backlogTitles {
		t.Errorf("%d calls", n)
	}
}

// A message comes first: a title that is being made is cut short and made later.
func TestTurnsPrecedeBackgroundTasks(t *testing.T) {
	begun := make(chan struct{}, 10)
	hangs := func(ctx context.Context, req llm.Request, yield func(llm.Chunk, error) bool) {
		begun <- struct{}{}
		hang(ctx, req, yield)
	}
	k := talking(t, state(t), []reply{say("one"), say("two"), say("three"), say("four"), say("five")}, []reply{hangs, titled}, nil)
	k.ask("1")
	k.NewConversation()
	k.ask("2")
	<-begun
	start := time.Now()
	if f := k.ask("3"); f.Response != "three" || time.Since(start) > 2*time.Second {
		t.Errorf("%+v after %v", f, time.Since(start))
	}
	wait[event.ConversationTitled](k.harness)
	if n := len(k.model.titles.calls()); n != 2 {
		t.Errorf("%d calls for titles", n)
	}
}

// Closing does not wait for the background, and leaves nothing of it running.
func TestCloseStopsBackgroundTasks(t *testing.T) {
	begun := make(chan struct{})
	k := talking(t, state(t), []reply{say("one"), say("two")}, []reply{func(ctx context.Context, req llm.Request, yield func(llm.Chunk, error) bool) {
		close(begun)
		hang(ctx, req, yield)
	}}, nil)
	k.ask("1")
	k.NewConversation()
	k.ask("2")
	<-begun
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Millisecond)
	defer cancel()
	if err := k.Settle(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("settled: %v", err)
	}
	start := time.Now()
	k.stop()
	if d := time.Since(start); d > time.Second {
		t.Errorf("closing took %v", d)
	}
	if err := k.Settle(context.Background()); err != nil {
		t.Error(err)
	}
}

// A title the user gave meanwhile stays, a conversation that was removed is left alone, and a
// fault in the background ends nothing else.
func TestUserTitleIsKept(t *testing.T) {
	var k *talk
	var calls atomic.Int32
	title := func(ctx context.Context, req llm.Request, yield func(llm.Chunk, error) bool) {
		id := k.entry(0).ID
		switch calls.Add(1) {
		case 1:
			if err := k.conversations.SetTitle(id, "Mine", ""); err != nil {
				t.Error(err)
			}
		case 2:
			if err := k.conversations.Delete(id); err != nil {
				t.Error(err)
			}
		case 3:
			panic("a fault")
		}
		titled(ctx, req, yield)
	}
	k = talking(t, state(t), []reply{say("ok")}, []reply{title}, nil)
	for i := range 5 {
		k.NewConversation()
		k.ask(strings.Repeat("x", i+1))
		k.settled()
		if i == 1 && k.entry(0).Title != "Mine" {
			t.Errorf("%+v", k.entry(0))
		}
	}
	if e := wait[event.ConversationTitled](k.harness); e.ID != k.entry(0).ID {
		t.Errorf("titled %+v", e)
	}
	if list, err := k.conversations.Untitled(0); err != nil || len(list) != 1 || list[0].Name() != "xxx" {
		t.Errorf("%+v, %v", list, err)
	}
}

// The oldest conversations beyond the limit go after one ended, and at start.
func TestRetention(t *testing.T) {
	root := state(t)
	k := talking(t, root, []reply{say("ok")}, nil, func(o *Options, _ *behind) { o.MaxConversations = 2 })
	for _, text := range []string{"a", "b", "c", "d"} {
		k.NewConversation()
		k.ask(text)
	}
	k.settled()
	names := func(m *conversation.Manager) (s string) {
		list, err := m.Recent(0)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range list {
			s += e.Name()
		}
		return s
	}
	if got := names(k.conversations); got != "cb" {
		t.Errorf("kept %q", got)
	}
	k.stop()
	again := talking(t, root, nil, nil, func(o *Options, _ *behind) { o.MaxConversations = 1 })
	again.settled()
	if got := names(again.conversations); got != "c" {
		t.Errorf("kept %q", got)
	}
}

// A model that does not answer for long is not waited for.
func TestBackgroundTasksAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := talking(t, state(t), []reply{say("ok")}, []reply{hang}, nil)
		k.ask("1")
		k.NewConversation()
		k.ask("2")
		time.Sleep(taskTime + time.Second)
		k.settled()
		if e := k.entry(0); e.Title != "" {
			t.Errorf("%+v", e)
		}
		k.stop()
	})
}

// Of a long conversation, the model gets a part.
func TestTitleOfALongConversation(t *testing.T) {
	k := talking(t, state(t), []reply{say("ok")}, []reply{titled}, nil)
	for range 12 {
		k.ask(strings.Repeat("and another thing; ", 500))
	}
	k.NewConversation()
	k.ask("hello")
	wait[event.ConversationTitled](k.harness)
	calls := k.model.titles.calls()
	if len(calls) != 1 {
		t.Fatalf("%d calls", len(calls))
	}
	if n := window.RequestTokens(calls[0]); n > titleInput+1000 {
		t.Errorf("told %d tokens", n)
	}
}

// TestSaveAfterTitle: a conversation that ended is saved with its title, and one whose title fails without;
// what cannot be saved is told once.
func TestSaveAfterTitle(t *testing.T) {
	var saved []string
	k := talking(t, state(t), []reply{say("one"), say("two"), say("three")}, []reply{say("TITLE: The first\nSUMMARY: It."), failWith(llm.Error{Kind: llm.KindInvalidRequest})}, func(o *Options, _ *behind) {
		m := o.Conversations
		o.CatchUp = true
		o.Save = func(_ context.Context, id string) error {
			title := "what was left"
			if id != "" {
				c, err := m.Get(id)
				if err != nil {
					return err
				}
				title = c.Title
			}
			saved = append(saved, title)
			return errors.New("no room")
		}
	})
	k.settled()
	for _, text := range []string{"a", "b", "c"} {
		k.ask(text)
		k.NewConversation()
		k.settled()
	}
	if got := strings.Join(saved, ", "); got != "what was left, The first, " {
		t.Errorf("saved: %q", got)
	}
	told := 0
	for _, e := range k.seen {
		if n, ok := e.(event.Notice); ok && n.Text == "A conversation that ended is not saved as a note: no room" {
			told++
		}
	}
	if told != 1 {
		t.Errorf("told %d times", told)
	}
}

// When the processor ends, the current background task ends and no other begins: a later start does them.
func TestCloseBeginsNoTask(t *testing.T) {
	for name, end := range map[string]func(*Processor, context.Context){
		"Finish": func(p *Processor, ctx context.Context) { p.Finish(ctx) },
		"Close":  func(p *Processor, ctx context.Context) { _ = p.Close(ctx) },
	} {
		t.Run(name, func(t *testing.T) {
			asked, answer := make(chan bool), make(chan bool)
			slow := func(ctx context.Context, req llm.Request, yield func(llm.Chunk, error) bool) {
				asked <- true
				<-answer
				titled(ctx, req, yield)
			}
			var saved atomic.Int32
			k := talking(t, state(t), []reply{say("Yes.")}, []reply{slow}, func(o *Options, _ *behind) {
				o.Save = func(context.Context, string) error {
					saved.Add(1)
					return nil
				}
			})
			k.ask("one")
			k.EndConversation()
			<-asked
			ended := make(chan bool)
			go func() {
				end(k.Processor, context.Background())
				close(ended)
			}()
			<-k.ctx.Done()
			close(answer)
			<-ended
			if n := saved.Load(); n != 0 || k.entry(0).Title == "" {
				t.Errorf("%d conversations were saved after the end; the title is %q", n, k.entry(0).Title)
			}
		})
	}
}
