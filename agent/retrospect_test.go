package agent

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/llm"
	"chatvault/agent/memory"
	"chatvault/tools"
)

// lookingBack starts a processor that looks back at what ended.
func lookingBack(t *testing.T, root *os.Root, looks []reply, change func(*Options)) *talk {
	t.Helper()
	return talking(t, root, []reply{say("ok")}, nil, func(o *Options, b *behind) {
		o.Retrospection, o.RetrospectionPrompt = true, "What went well?"
		b.looks.replies = looks
		if change != nil {
			change(o)
		}
	})
}

func retrospections(t *testing.T, root *os.Root) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root.Name(), memory.File))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(data)
}

// askAndLook has a turn, and the look back that goes on beside it.
func (k *talk) askAndLook(text string) (look event.Retrospected) {
	k.t.Helper()
	k.send(text)
	var over, looked bool
	k.until(func(e event.Event) bool {
		switch e := e.(type) {
		case event.Retrospected:
			look, looked = e, true
		case event.TurnFinished:
			over = true
		}
		return over && looked
	})
	return look
}

const looked = "It went well.\n\nSeeds go to Seeds/.\n"

// However a conversation ends, it is looked back at where that is wanted: the newest section
// comes first.
func TestRetrospection(t *testing.T) {
	root := state(t)
	k := lookingBack(t, root, []reply{say(looked), say("Nothing to add.")}, nil)
	k.ask("water\nthe beds")
	if n := len(k.behind().looks.calls()); n != 0 {
		t.Errorf("%d looks back at what goes on", n)
	}
	k.NewConversation()
	e := k.askAndLook("second")
	ended := k.entry(0)
	if e.TurnID != "" || e.ConversationID != ended.ID || e.ConversationTitle != "water the beds" || e.Content != strings.TrimSpace(looked) {
		t.Errorf("%+v", e)
	}
	calls := k.behind().looks.calls()
	if len(calls) != 1 || len(calls[0].Tools) > 0 || calls[0].Purpose != llm.PurposeRetrospection {
		t.Fatalf("%+v", calls)
	}
	system, user := calls[0].Messages[0].Content, calls[0].Messages[1].Content
	if !strings.Contains(system, "Beds go to Beds/.") || !strings.Contains(user, "User: water\n  the beds") || !strings.HasSuffix(user, "What went well?") {
		t.Errorf("asked %q, %q", system, user)
	}
	k.NewConversation()
	if e := k.askAndLook("third"); e.Content != "Nothing to add." {
		t.Errorf("%+v", e)
	}
	k.settled()
	file := retrospections(t, root)
	first, second, ok := strings.Cut(file, "\nIt went well.")
	if !ok || !strings.Contains(first, "Nothing to add.") || !strings.Contains(first, ": second\n\nConversation "+k.entry(0).ID+"\n") || !strings.Contains(second, "Seeds go to Seeds/.") {
		t.Errorf("the file holds %q", file)
	}
	if !strings.HasPrefix(file, "## "+time.Now().Format("2006-01-02 ")) || strings.Count(file, "## ") != 2 {
		t.Errorf("the file holds %q", file)
	}
	if info, err := root.Stat(memory.File); err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info, err)
	}
	conv, _ := k.accounts.Today(ended.ID)
	if conv.Calls != 2 {
		t.Errorf("counted %d calls", conv.Calls)
	}
}

func (k *talk) behind() *behind { return k.model }

// A review is published as the model writes it, during a turn.
func TestRetrospectionStreams(t *testing.T) {
	root := state(t)
	wrote, turn := make(chan struct{}), make(chan struct{})
	k := lookingBack(t, root, []reply{func(_ context.Context, _ llm.Request, yield func(llm.Chunk, error) bool) {
		for _, text := range []string{"It went", " well."} {
			yield(llm.Chunk{Text: text}, nil)
		}
		<-wrote
		yield(llm.Chunk{Text: " Quite."}, nil)
		yield(llm.Chunk{Finish: llm.FinishLength}, nil)
	}}, nil)
	k.ask("one")
	k.model.replies = append(k.model.replies, func(ctx context.Context, r llm.Request, yield func(llm.Chunk, error) bool) {
		<-turn // the turn waits for the look back, which waits for nobody
		say("ok")(ctx, r, yield)
	})
	k.NewConversation()
	k.send("two")
	said := ""
	for said != "It went well." {
		d := wait[event.RetrospectionDelta](k.harness)
		if said += d.Text; d.TurnID != "" || d.ConversationID == "" || d.ConversationTitle != "one" {
			t.Fatalf("%+v", d)
		}
	}
	close(wrote)
	e := wait[event.Retrospected](k.harness)
	if e.Content != "It went well. Quite." || e.Cut != "the model's token limit was reached" {
		t.Errorf("%+v", e)
	}
	close(turn)
	wait[event.TurnFinished](k.harness)
	if file := retrospections(t, root); !strings.Contains(file, "\n\nIt went well. Quite.\n\n(Cut short: the model's token limit was reached.)\n\n") {
		t.Errorf("the file holds %q", file)
	}
}

// One that fails or is ended is told as far as it came, and why it came no further.
func TestTruncatedRetrospection(t *testing.T) {
	root := state(t)
	refused := failWith(llm.Error{Kind: llm.KindInvalidRequest, Message: "refused"})
	broken := failWith(llm.Error{Kind: llm.KindNetwork, Message: "gone"})
	k := lookingBack(t, root, []reply{refused, broken, say("It went well."), hang}, func(o *Options) { o.Retrospection = false })
	k.ask("one")
	cut := func(content, why string) {
		t.Helper()
		if e := wait[event.Retrospected](k.harness); e.Content != content || e.Cut != why {
			t.Errorf("%+v", e)
		}
	}
	look := func() {
		t.Helper()
		if err := k.Retrospect(); err != nil {
			t.Fatal(err)
		}
	}
	look()
	cut("half", "refused")
	if n := wait[event.Notice](k.harness); !strings.Contains(n.Text, "refused") {
		t.Errorf("%+v", n)
	}
	look()
	cut("half", "the model call failed and is retried")
	cut("It went well.", "")
	look()
	wait[event.RetrospectionDelta](k.harness)
	if err := k.Close(context.Background()); err != nil {
		t.Error(err)
	}
	cut("begun", "the program is ending")
	if n := strings.Count(retrospections(t, root), "## "); n != 1 {
		t.Errorf("%d were written", n)
	}
}

// It is off unless the configuration says otherwise.
func TestNoRetrospection(t *testing.T) {
	k := lookingBack(t, state(t), []reply{say(looked)}, func(o *Options) { o.Retrospection = false })
	k.ask("one")
	k.NewConversation()
	k.ask("two")
	k.settled()
	if n := len(k.behind().looks.calls()); n != 0 || retrospections(t, k.root) != "" {
		t.Errorf("%d looks back", n)
	}
}

// A failure is silent, and not tried again. A file that cannot be read stays as it is.
func TestRetrospectionFails(t *testing.T) {
	root := state(t)
	k := lookingBack(t, root, []reply{failWith(llm.Error{Kind: llm.KindInvalidRequest, Message: "no"}), say(" "), say(looked)}, nil)
	for _, text := range []string{"one", "two", "three"} {
		k.NewConversation()
		k.ask(text)
		k.settled()
	}
	if err := root.MkdirAll(memory.File, 0o700); err != nil {
		t.Fatal(err)
	}
	k.NewConversation()
	k.ask("four")
	k.settled()
	if info, err := root.Stat(memory.File); err != nil || !info.IsDir() {
		t.Error(info, err)
	}
	if n := len(k.behind().looks.calls()); n != 3 {
		t.Errorf("%d looks back", n)
	}
	if n := k.notices(); len(n) > 0 {
		t.Errorf("told %q", n)
	}
}

// On demand it is made whatever the configuration says, and what fails is told.
func TestRetrospectOnDemand(t *testing.T) {
	root := state(t)
	k := lookingBack(t, root, []reply{say("Active."), say("Last."), failWith(llm.Error{Kind: llm.KindInvalidRequest, Message: "refused"})}, func(o *Options) { o.Retrospection = false })
	if err := k.Retrospect(); err == nil || !strings.Contains(err.Error(), "no conversation") {
		t.Error(err)
	}
	k.ask("one")
	looks := func(want string) event.Retrospected {
		t.Helper()
		if err := k.Retrospect(); err != nil {
			t.Fatal(err)
		}
		e := wait[event.Retrospected](k.harness)
		if e.Content != want {
			t.Errorf("%+v, want %q", e, want)
		}
		return e
	}
	active := looks("Active.")
	if _, err := k.conversations.End(time.Now(), "command"); err != nil {
		t.Fatal(err)
	}
	if e := looks("Last."); e.ConversationID != active.ConversationID {
		t.Errorf("%+v", e)
	}
	if n := strings.Count(retrospections(t, root), "\nConversation "+active.ConversationID); n != 2 {
		t.Errorf("%d sections", n)
	}
	if err := k.Retrospect(); err != nil {
		t.Fatal(err)
	}
	if n := wait[event.Notice](k.harness); !strings.HasPrefix(n.Text, "Looking back at the conversation failed: ") || !strings.Contains(n.Text, "refused") {
		t.Errorf("%+v", n)
	}
	k.stop()
	if err := k.Retrospect(); err == nil {
		t.Error("it is closed")
	}
}

// Two processes that write at the same time lose nothing of each other.
func TestRetrospectionsDoNotRace(t *testing.T) {
	root := state(t)
	if err := root.Mkdir(".smarthole", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root.Name(), memory.File), []byte("Old.\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			r := memory.Retrospection{Conversation: "c", Name: "n", Text: strings.Repeat("x", i+1), Time: noon}
			if err := memory.Prepend(root, root, r); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	file := retrospections(t, root)
	if strings.Count(file, "## ") != 20 || !strings.HasPrefix(file, "## ") || !strings.HasSuffix(file, "\n\nOld.\r\n") {
		t.Errorf("the file holds %q", file)
	}
	for i := range 20 {
		if !strings.Contains(file, "\n"+strings.Repeat("x", i+1)+"\n") {
			t.Errorf("section %d is lost", i)
		}
	}
}

// The file is ours to prepend to only where it is a file that can be read.
func TestUnreadableRetrospectionFileIsKept(t *testing.T) {
	root := state(t)
	path := filepath.Join(root.Name(), memory.File)
	if err := root.Mkdir(".smarthole", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(t.TempDir(), "elsewhere"), path); err != nil {
		t.Fatal(err)
	}
	if err := memory.Prepend(root, root, memory.Retrospection{Conversation: "c", Time: noon}); err == nil {
		t.Error("a link was followed or replaced")
	}
	if _, err := os.Readlink(path); err != nil {
		t.Error(err)
	}
	if os.Getuid() == 0 {
		return // may read everything
	}
	_ = os.Remove(path)
	if err := os.WriteFile(path, []byte("mine"), 0o200); err != nil {
		t.Fatal(err)
	}
	if err := memory.Prepend(root, root, memory.Retrospection{Conversation: "c", Time: noon}); err == nil {
		t.Error("it cannot be read")
	}
}

// Nothing that a look back says runs a tool: a call in it is no answer.
func TestRetrospectionRunsNoTools(t *testing.T) {
	k := lookingBack(t, state(t), []reply{use("write_file", `{"path":"a.md"}`)}, func(o *Options) {
		o.Tools = endable(fakeTool{name: "write_file", call: func(context.Context, json.RawMessage) tools.Result {
			t.Error("a tool ran")
			return tools.Result{}
		}})
	})
	k.ask("one")
	k.NewConversation()
	k.ask("two")
	k.settled()
	if n := len(k.behind().looks.calls()); n != 1 || retrospections(t, k.root) != "" {
		t.Errorf("%d calls came to %q", n, retrospections(t, k.root))
	}
}

// A look back that the user stops is over: nothing is written down.
func TestRetrospectionIsStopped(t *testing.T) {
	root := state(t)
	asked := make(chan struct{}, 1)
	slow := func(ctx context.Context, req llm.Request, yield func(llm.Chunk, error) bool) {
		asked <- struct{}{}
		hang(ctx, req, yield)
	}
	k := lookingBack(t, root, []reply{slow, slow}, nil)
	k.ask("one")
	if err := k.Retrospect(); err != nil {
		t.Fatal(err)
	}
	<-asked
	k.Stop()
	if e := wait[event.RetrospectionEnded](k.harness); !e.Stopped {
		t.Errorf("%+v", e)
	}
	k.settled()
	k.NewConversation()
	k.ask("two")
	<-asked
	k.Stop()
	if e := wait[event.RetrospectionEnded](k.harness); !e.Stopped {
		t.Errorf("%+v", e)
	}
	k.settled()
	if got := retrospections(t, root); got != "" || len(k.notices()) > 0 {
		t.Errorf("written %q, told %q", got, k.notices())
	}
	k.stop()
}
