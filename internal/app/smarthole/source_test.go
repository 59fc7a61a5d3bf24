package smarthole

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"go.uber.org/goleak"

	"chatvault/agent"
	"chatvault/agent/event"
	"chatvault/agent/inbox"
	"chatvault/agent/llm"
	"chatvault/conversation"
	"chatvault/internal/llmtest/hubtest"
	"chatvault/tools"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// echoModel is a model that answers with its input once it is released.
type echoModel struct {
	mu    sync.Mutex
	asked []string
	hold  chan struct{} // nil means it answers at once
	fail  bool

	options []string // of a question that it asks instead; nil means none
}

func (a *echoModel) Name() string { return "test/model" }

func (a *echoModel) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		last := req.Messages[len(req.Messages)-1].Content
		a.mu.Lock()
		a.asked = append(a.asked, last)
		hold, fail := a.hold, a.fail
		a.mu.Unlock()
		if hold != nil {
			select {
			case <-hold:
			case <-ctx.Done():
				yield(llm.Chunk{}, &llm.Error{Kind: llm.KindAborted, Err: ctx.Err()})
				return
			}
		}
		if fail {
			yield(llm.Chunk{}, &llm.Error{Kind: llm.KindAuth, Message: "no key"})
			return
		}
		if len(a.options) > 0 {
			args, _ := json.Marshal(map[string]any{"question": "Which one?", "options": a.options})
			if yield(llm.Chunk{ToolCall: &llm.ToolCallDelta{ID: "q", Name: "ask_user", Arguments: string(args)}}, nil) {
				yield(llm.Chunk{Finish: llm.FinishToolCalls}, nil)
			}
			return
		}
		if yield(llm.Chunk{Text: "You said: " + last}, nil) {
			yield(llm.Chunk{Finish: llm.FinishStop}, nil)
		}
	}
}

func (a *echoModel) count() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.asked)
}

// bench is a source with a processor and a hub.
type bench struct {
	*Source
	hub   *hubtest.Hub
	model *echoModel
	dir   string
	proc  *agent.Processor
}

func newBench(t *testing.T) *bench {
	t.Helper()
	hub, err := hubtest.Start()
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{hub: hub, model: &echoModel{}, dir: t.TempDir()}
	t.Cleanup(func() {
		b.end(t)
		hub.Close()
		for _, v := range hub.Violations() {
			t.Error("protocol violations: " + v)
		}
	})
	b.start(t)
	return b
}

func (b *bench) start(t *testing.T) {
	t.Helper()
	root, err := os.OpenRoot(b.dir)
	if err != nil {
		t.Fatal(err)
	}
	b.Source = New(Options{
		Root: root, URL: b.hub.URL(), Title: "Notes",
		Registration: Registration{Name: "chatvault", Description: "Notes", Version: "test", Capabilities: []string{"notes"}},
		Warn:         func(text string) { t.Log(text) },
		delay:        func(failed int) time.Duration { return reconnectDelay(failed) / 500 },
	})
	b.proc, err = agent.New(agent.Options{
		Root: root, Agent: agent.Agent{Provider: b.model}, Conversations: conversation.NewManager(root, conversation.Options{IdleTimeout: time.Hour}),
		Tools:  func(m tools.Messenger) agent.Toolbox { return tools.NewRegistry(nil, tools.Options{}).Turn(m) },
		Notify: b.Notify,
	})
	if err != nil {
		t.Fatal(err)
	}
	b.Attach(b.proc)
	if err := b.On(); err != nil {
		t.Fatal(err)
	}
}

func (b *bench) end(t *testing.T) {
	t.Helper()
	b.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := b.proc.Close(ctx); err != nil {
		t.Error(err)
	}
}

func (b *bench) connected(t *testing.T) {
	t.Helper()
	until(t, func() bool { return b.Status().State == Connected && b.hub.Connected() }, func() any { return b.Status() })
}

// until waits for a condition.
func until(t *testing.T, cond func() bool, seen func() any) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !cond(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("the condition was not met: %+v", seen())
		}
	}
}

// answered waits for n responses of a kind to a message.
func (b *bench) answered(t *testing.T, id, kind string, n int) []hubtest.Response {
	t.Helper()
	var found []hubtest.Response
	if !b.hub.Await(5*time.Second, func(_ int, all []hubtest.Response) bool {
		found = nil
		for _, r := range all {
			if r.MessageID == id && r.Type == kind {
				found = append(found, r)
			}
		}
		return len(found) >= n
	}) {
		t.Fatalf("%d responses %q to %s, want %d: %+v", len(found), kind, id, n, b.hub.Responses())
	}
	return found
}

func (b *bench) send(t *testing.T, id, text string) {
	t.Helper()
	if err := b.hub.Send(id, text, "voice"); err != nil {
		t.Fatal(err)
	}
}

// TestRouted: a message is acknowledged, processed and answered.
func TestRouted(t *testing.T) {
	b := newBench(t)
	b.connected(t)
	b.send(t, "m/1 ü", "buy rye")
	b.answered(t, "m/1 ü", "ack", 1)
	n := b.answered(t, "m/1 ü", "notification", 1)[0].Payload
	if !strings.Contains(n.Body, "You said: buy rye") || n.Priority != "normal" || n.Title != "Notes" {
		t.Errorf("notified of %+v", n)
	}
}

// TestAckWhileBusy: a message is acknowledged during the turn of another.
func TestAckWhileBusy(t *testing.T) {
	b := newBench(t)
	b.model.hold = make(chan struct{})
	b.connected(t)
	b.send(t, "1", "one")
	b.send(t, "2", "two")
	b.answered(t, "2", "ack", 1)
	if entries, _, err := inbox.Open(b.opt.Root).List(); err != nil || len(entries) != 2 {
		t.Errorf("in the inbox: %+v, %v", entries, err)
	}
	close(b.model.hold)
	b.answered(t, "1", "notification", 1)
	b.answered(t, "2", "notification", 1)
	if n := b.model.count(); n != 2 {
		t.Errorf("%d model calls, want 2: routed messages are never merged", n)
	}
}

// TestPings: pings are answered, even during a turn.
func TestPings(t *testing.T) {
	b := newBench(t)
	b.model.hold = make(chan struct{})
	b.connected(t)
	b.send(t, "1", "one")
	until(t, func() bool { return b.model.count() == 1 }, func() any { return b.Status() })
	if err := b.hub.Ping(5 * time.Second); err != nil {
		t.Error(err)
	}
	close(b.model.hold)
	b.answered(t, "1", "notification", 1)
}

// TestDuplicateMessage: a message with the same ID is acknowledged again but processed once, also after a restart.
func TestDuplicateMessage(t *testing.T) {
	b := newBench(t)
	b.connected(t)
	b.send(t, "1", "one")
	b.answered(t, "1", "notification", 1)
	b.send(t, "1", "one")
	b.answered(t, "1", "ack", 2)
	b.end(t)
	b.start(t)
	b.connected(t)
	b.send(t, "1", "one")
	b.answered(t, "1", "ack", 3)
	b.proc.NewConversation()
	b.send(t, "2", "two")
	b.answered(t, "2", "notification", 1)
	b.send(t, "1", "one") // its conversation has ended
	b.answered(t, "1", "ack", 4)
	b.send(t, "3", "three")
	b.answered(t, "3", "notification", 1)
	if n := b.model.count(); n != 3 {
		t.Errorf("%d model calls, want 3", n)
	}
}

// TestQuestion: a question is sent when it is asked, and not again at the end of the turn.
func TestQuestion(t *testing.T) {
	b := newBench(t)
	b.model.options = []string{"this", "that"}
	b.connected(t)
	b.send(t, "1", "rename it")
	if asked := b.answered(t, "1", "notification", 1)[0].Payload; asked.Priority != "high" || asked.Body != "Which one?\n1. this\n2. that" {
		t.Errorf("asked %+v", asked)
	}
	until(t, func() bool { return !b.proc.Busy() && b.ledger.waiting() == 0 }, func() any { return b.ledger.data })
	in := event.Inbound{ID: "in", Source: event.SourceWebSocket, Metadata: map[string]string{MetaID: "2"}}
	b.Notify(in, event.TurnFinished{Result: event.Result{Success: true, Response: "I found two. Which one?", IsWaitingForResponse: true}})
	b.answered(t, "2", "notification", 1)
	b.Notify(in, event.AgentMessage{Content: "Which?", IsQuestion: true, Options: strings.Split("abcdefghijk", "")})
	if asked := b.answered(t, "2", "notification", 2)[1].Payload; !strings.HasSuffix(asked.Body, "\n9. i\n10. j\n11. k") {
		t.Errorf("asked %+v", asked)
	}
	if n := len(b.hub.Responses()); n != 4 { // with the acknowledgment
		t.Errorf("told %+v", b.hub.Responses())
	}
}

// TestDrain: the running turn is completed, and waiting messages stay in the inbox.
func TestDrain(t *testing.T) {
	b := newBench(t)
	b.model.hold = make(chan struct{})
	b.connected(t)
	b.send(t, "1", "one")
	until(t, func() bool { return b.model.count() == 1 }, func() any { return b.model.asked })
	b.send(t, "2", "two")
	b.answered(t, "2", "ack", 1)
	b.proc.Drain()
	close(b.model.hold)
	b.answered(t, "1", "notification", 1)
	until(t, func() bool { return !b.proc.Busy() }, func() any { return "busy" })
	time.Sleep(50 * time.Millisecond)
	if entries, _, err := inbox.Open(b.opt.Root).List(); err != nil || len(entries) != 1 || entries[0].Text != "two" || b.model.count() != 1 {
		t.Errorf("in the inbox: %+v, %v; asked %q", entries, err, b.model.asked)
	}
}

// TestDisconnected: responses made while SmartHole is unavailable are sent when it is back, with their original time.
func TestDisconnected(t *testing.T) {
	b := newBench(t)
	b.model.hold = make(chan struct{})
	b.connected(t)
	b.send(t, "1", "one")
	b.answered(t, "1", "ack", 1)
	b.hub.Away()
	until(t, func() bool { return b.Status().State != Connected }, func() any { return b.Status() })
	close(b.model.hold)
	until(t, func() bool { return b.ledger.waiting() > 0 }, func() any { return b.Status() })
	b.end(t) // the response survives a restart, too
	b.start(t)
	if err := b.hub.Back(); err != nil {
		t.Fatal(err)
	}
	n := b.answered(t, "1", "notification", 1)[0].Payload
	if want := "[" + time.Now().Format("2 Jan 15:"); !strings.HasPrefix(n.Body, want) || !strings.Contains(n.Body, "You said: one") {
		t.Errorf("answered %q, want the prefix %q", n.Body, want)
	}
}

// TestBadFrames: after any invalid frame or broken connection, the next valid message is processed.
func TestBadFrames(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(t *testing.T, b *bench)
	}{
		{"closed in the middle of a frame", func(_ *testing.T, b *bench) { b.hub.Cut() }},
		{"garbage", func(_ *testing.T, b *bench) {
			for _, g := range []string{"", "{", "null", "[]", `"x"`, `{"type":5}`, `{"type":"message"}`, `{"type":"message","payload":{"text":"x"}}`, `{"type":"\u0000"}`, "\xff\xfe"} {
				_ = b.hub.Raw(websocket.MessageBinary, []byte(g))
				_ = b.hub.Raw(websocket.MessageText, []byte(strings.ToValidUTF8(g, "?")))
			}
		}},
		{"an oversize frame", func(_ *testing.T, b *bench) {
			_ = b.hub.Raw(websocket.MessageText, []byte(`{"type":"message","payload":{"id":"big","text":"`+strings.Repeat("x", maxFrame)+`"}}`))
		}},
		{"away", func(t *testing.T, b *bench) {
			b.hub.Away()
			time.Sleep(30 * time.Millisecond)
			if err := b.hub.Back(); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t)
			b.connected(t)
			c.do(t, b)
			until(t, func() bool { // messages sent into a connection that just broke are lost, so send again
				_ = b.hub.Send("good", "fine", "text")
				return b.hub.Await(100*time.Millisecond, func(_ int, all []hubtest.Response) bool {
					return slices.ContainsFunc(all, func(r hubtest.Response) bool { return r.Type == "notification" && r.MessageID == "good" })
				})
			}, func() any { return b.hub.Responses() })
			if b.model.count() != 1 {
				t.Errorf("asked: %q", b.model.asked)
			}
		})
	}
}

// TestFlood: many simultaneous messages are all accepted, in order, each once.
func TestFlood(t *testing.T) {
	b := newBench(t)
	b.connected(t)
	const n = 40
	for i := range n {
		b.send(t, "m"+string(rune('a'+i/26/26))+string(rune('a'+i/26%26))+string(rune('a'+i%26)), "message")
	}
	var acks, answers int
	if !b.hub.Await(20*time.Second, func(_ int, all []hubtest.Response) bool {
		acks, answers = 0, 0
		for _, r := range all {
			switch r.Type {
			case "ack":
				acks++
			case "notification":
				answers++
			}
		}
		return acks == n && answers == n
	}) {
		t.Fatalf("%d acknowledged, %d answered of %d", acks, answers, n)
	}
}

// TestRefused: a refused registration is retried.
func TestRefused(t *testing.T) {
	hub, err := hubtest.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer hub.Close()
	hub.Refuse(hubtest.Refusal{Code: "DUPLICATE_NAME"}, hubtest.Refusal{Code: "ALREADY_REGISTERED"}, hubtest.Refusal{Code: "INVALID_NAME", Message: "too odd"})
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = root.Close() }()
	s := New(Options{
		Root: root, URL: hub.URL(), Title: "x",
		Registration: Registration{Name: "chatvault", Description: "d", Version: "1", Capabilities: []string{}},
		Warn:         func(text string) { t.Log(text) },
		delay: func(failed int) time.Duration {
			if failed == 3 {
				return time.Hour
			}
			return time.Millisecond
		},
	})
	p, err := agent.New(agent.Options{Root: root, Agent: agent.Agent{Provider: &echoModel{}}, Conversations: conversation.NewManager(root, conversation.Options{}), Notify: s.Notify})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = p.Close(context.Background()) }()
	s.Attach(p)
	if err := s.On(); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	until(t, func() bool { return strings.Contains(s.Status().Reason, "too odd") }, func() any { return s.Status() })
	time.Sleep(20 * time.Millisecond)
	if n := len(hub.Dials()); n != 3 {
		t.Errorf("%d connections, want 3", n)
	}
	if err := s.On(); err != nil { // the user may have fixed the cause
		t.Fatal(err)
	}
	until(t, func() bool { return s.Status().State == Connected }, func() any { return s.Status() })
}

// TestConnectRetriesAtOnce: switching the source on while it waits for the next attempt retries at once.
func TestConnectRetriesAtOnce(t *testing.T) {
	b := newBench(t)
	b.connected(t)
	b.Off()
	b.opt.delay = func(int) time.Duration { return time.Hour }
	b.hub.Away()
	if err := b.On(); err != nil {
		t.Fatal(err)
	}
	until(t, func() bool { return b.Status().State == Disconnected }, func() any { return b.Status() })
	if err := b.hub.Back(); err != nil {
		t.Fatal(err)
	}
	if err := b.On(); err != nil {
		t.Fatal(err)
	}
	b.connected(t)
}

// TestOneProcess: of two processes on one vault, only one connects.
func TestOneProcess(t *testing.T) {
	b := newBench(t)
	b.connected(t)
	second := New(Options{Root: b.opt.Root, URL: b.hub.URL(), Title: "x", Registration: b.opt.Registration, Warn: b.opt.Warn, delay: func(int) time.Duration { return time.Millisecond }})
	second.Attach(b.proc)
	if err := second.On(); err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	until(t, func() bool { return strings.Contains(second.Status().Reason, "another chatvault") }, func() any { return second.Status() })
}

// TestFailedTurn: a failed turn is answered with its error.
func TestFailedTurn(t *testing.T) {
	b := newBench(t)
	b.model.fail = true
	b.connected(t)
	b.send(t, "1", "one")
	if n := b.answered(t, "1", "notification", 1)[0].Payload; n.Priority != "high" || !strings.Contains(n.Body, "This failed") {
		t.Errorf("told %+v", n)
	}
}

// TestStoppedAndDropped: the sender is informed when the user stops its turn or drops its message, even if it was
// disconnected at the time.
func TestStoppedAndDropped(t *testing.T) {
	b := newBench(t)
	b.model.hold = make(chan struct{})
	b.connected(t)
	b.send(t, "m1", "write a poem")
	until(t, func() bool { return b.model.count() == 1 }, func() any { return b.model.count() })
	b.proc.Stop()
	expectAnswer := func(id, want string) {
		t.Helper()
		if got := b.answered(t, id, "notification", 1); !strings.HasSuffix(got[0].Payload.Body, want) {
			t.Errorf("%s: %+v", id, got)
		}
	}
	expectAnswer("m1", "The user stopped this before it finished.")

	left := func(id string) {
		t.Helper()
		in := event.Inbound{ID: inboundID(id), Text: "left", Source: event.SourceWebSocket, Time: time.Now(), Metadata: map[string]string{MetaID: id}}
		root, err := os.OpenRoot(b.dir)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = root.Close() }()
		if err := inbox.For(root, "gone").Save(inbox.Entry{Inbound: in, Owner: "gone"}); err != nil {
			t.Fatal(err)
		}
	}
	left("m2")
	if err := b.proc.Drop(inboundID("m2")); err != nil {
		t.Fatal(err)
	}
	expectAnswer("m2", "The user dropped this; nothing more will be done about it.")

	root, err := os.OpenRoot(b.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = root.Close() }()
	in := event.Inbound{ID: inboundID("m3"), Source: event.SourceWebSocket, Metadata: map[string]string{MetaID: "m3"}}
	if err := TellDropped(root, "Notes", in); err == nil || !strings.Contains(err.Error(), "another chatvault") {
		t.Errorf("the connected process does not hold the ledger: %v", err)
	}
	b.end(t)
	if err := TellDropped(root, "Notes", in); err != nil {
		t.Fatal(err)
	}
	if err := TellDropped(root, "Notes", event.Inbound{ID: "typed", Source: event.SourceDirect}); err != nil {
		t.Error(err)
	}
	b.start(t)
	b.connected(t)
	expectAnswer("m3", "The user dropped this; nothing more will be done about it.")
}

func TestEmptyMessage(t *testing.T) {
	b := newBench(t)
	b.connected(t)
	b.send(t, "1", "  ")
	if r := b.answered(t, "1", "reject", 1)[0]; r.Payload.Reason == "" {
		t.Errorf("rejected without a reason")
	}
}

// TestReasons: of a broken connection, the status shows the cause alone.
func TestReasons(t *testing.T) {
	for err, want := range map[error]string{
		fmt.Errorf("failed to read frame header: %w", io.ErrUnexpectedEOF): "the connection broke (unexpected EOF)",
		net.ErrClosed: "the connection broke (use of closed network connection)",
	} {
		if got := reasonOf(err); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// panicking is a processor that fails at each message.
type panicking struct{ *agent.Processor }

func (panicking) Submit(context.Context, event.Inbound) (event.Inbound, error) { panic("odd") }

// TestPanic: an internal error ends the connection and leaves nothing running. The next one is made as after any failure.
func TestPanic(t *testing.T) {
	before := goleak.IgnoreCurrent()
	b := newBench(t)
	b.connected(t)
	b.Attach(panicking{b.proc})
	b.send(t, "1", "one")
	until(t, func() bool { return strings.Contains(b.Status().Reason, "internal error") }, func() any { return b.Status() })
	b.Attach(b.proc)
	b.connected(t)
	b.send(t, "2", "two")
	b.answered(t, "2", "notification", 1)
	b.end(t)
	b.hub.Close()
	goleak.VerifyNone(t, before)
}

func TestDelays(t *testing.T) {
	for failed, want := range map[int]time.Duration{1: 1, 2: 2, 3: 4, 4: 8, 5: 16, 6: 30, 60: 30} {
		if got := reconnectDelay(failed); got != want*time.Second {
			t.Errorf("after %d: %v, want %v s", failed, got, int(want))
		}
	}
}

func TestChecks(t *testing.T) {
	for url, ok := range map[string]bool{
		DefaultURL: true, "ws://localhost:1": true, "ws://[::1]:9473": true, "ws://127.8.9.1:1/x": true,
		"ws://example.org": false, "http://127.0.0.1": false, "wss://127.0.0.1": false, "ws://192.168.1.2:9473": false, "": false, "ws://127.0.0.1.example.org": false,
		"ws://LOCALHOST:1": true, "ws://foo.localhost:1": false, "ws://localhost.:1": false, "ws://0.0.0.0:1": false,
	} {
		if err := CheckURL(url); (err == nil) != ok {
			t.Errorf("%q: %v", url, err)
		}
	}
}

// TestDamagedLedger: a damaged ledger is set aside, and messages waiting elsewhere are processed.
func TestDamagedLedger(t *testing.T) {
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = root.Close() }()
	whole := newLedger(t, root)
	whole.put(kept{MessageID: "1", Time: time.Now(), What: Notification{Title: "t", Body: "b", Priority: Normal}})
	whole.take("1")
	whole.close()
	data, err := root.ReadFile(ledgerFile)
	if err != nil {
		t.Fatal(err)
	}
	for cut := range data {
		if err := root.WriteFile(ledgerFile, data[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		var warned string
		l, err := openLedger(root, func(text string) { warned = text })
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		l.close()
		if _, err := root.Stat(ledgerFile); warned == "" && cut < len(data)-1 || warned != "" && !errors.Is(err, os.ErrNotExist) {
			t.Fatalf("cut at %d: warned %q, then %v (%d kept)", cut, warned, err, l.waiting())
		}
	}
	aside, err := filepath.Glob(filepath.Join(root.Name(), "*.corrupt-*"))
	if err != nil || len(aside) < len(data)-2 {
		t.Errorf("%d set aside, %v", len(aside), err)
	}
}

func newLedger(t *testing.T, root *os.Root) *ledger {
	t.Helper()
	l, err := openLedger(root, func(text string) { t.Error(text) })
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestMetadata: what SmartHole says about a message is kept, and nothing else.
func TestMetadata(t *testing.T) {
	var m Message
	if err := json.Unmarshal([]byte(`{"id": "7", "metadata": {"sender": "Ana", "inputMethod": "voice", "confidence": 0.5}}`), &m); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{MetaID: "7", event.MetaSender: "Ana", event.MetaInput: "voice"}
	if got := metadata(m); !maps.Equal(got, want) {
		t.Errorf("%v", got)
	}
}
