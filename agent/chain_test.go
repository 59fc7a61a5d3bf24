package agent_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"chatvault/agent"
	"chatvault/agent/event"
	"chatvault/agent/inbox"
	"chatvault/agent/llm"
	"chatvault/agent/llm/endpoint"
	"chatvault/agent/llm/openai"
	"chatvault/conversation"
	"chatvault/tools"
	"chatvault/vault"
)

// key is the provider's: no event, log or file may hold it.
const key = "sk-canary-0123456789abcdef"

// patience bounds the wait for what must come soon.
const patience = 30 * time.Second

// delays are the program's waits before the second, third and fourth attempt, 1 s as 1 ms.
var delays = []time.Duration{time.Millisecond, 2 * time.Millisecond, 4 * time.Millisecond}

// aliases are the tools as the corpus of stream faults calls them.
var aliases = map[string]string{
	"read_note": "read_file", "write_note": "write_file", "delete_note": "delete_file", "list_notes": "list_files",
}

// noteBox is a turn's real tools, under the corpus's names too.
type noteBox struct{ *tools.Turn }

type aliased struct {
	tools.Tool
	name string
}

func (a aliased) Name() string { return a.name }

func (b noteBox) Tools() []tools.Tool {
	all := b.Turn.Tools()
	for name := range aliases {
		if t, ok := b.Lookup(name); ok {
			all = append(all, t)
		}
	}
	return all
}

func (b noteBox) Lookup(name string) (tools.Tool, bool) {
	real, ok := aliases[name]
	if !ok {
		return b.Turn.Lookup(name)
	}
	t, ok := b.Turn.Lookup(real)
	return aliased{t, name}, ok
}

func (b noteBox) Call(ctx context.Context, name string, args json.RawMessage) tools.Result {
	if real, ok := aliases[name]; ok {
		name = real
	}
	return b.Turn.Call(ctx, name, args)
}

// logBuffer is a log that is written while it is read.
type logBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// chain is the whole loop on a vault of its own: processor, agent, provider, real tools.
type chain struct {
	dir    string
	root   *os.Root
	vault  *vault.Vault
	p      *agent.Processor
	sub    *event.Subscription
	model  llm.Provider
	log    logBuffer
	events []event.Event // all so far

	turns   map[string][]string // messages of the turns that were seen to start
	closers []func()            // of what else holds connections
}

// notes are the vault a chain begins with.
var notes = map[string]string{"a.md": "# A\nalpha\n", "b.md": "# B\nbeta\n", "notes/a.md": "# Note A\nnested\n"}

// newVault makes the notes, and the state folder, in dir.
func newVault(dir string) error {
	for name, text := range notes {
		name = filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
			return err
		}
	}
	return os.Mkdir(filepath.Join(dir, ".smarthole"), 0o700)
}

// open starts a processor on the vault at dir.
func open(dir string, provider func(*slog.Logger) (llm.Provider, error), change ...func(*agent.Options)) (*chain, error) {
	c := &chain{dir: dir, turns: map[string][]string{}}
	var err error
	if c.root, err = os.OpenRoot(filepath.Join(dir, ".smarthole")); err != nil {
		return nil, err
	}
	if c.vault, err = vault.Open(dir); err != nil {
		return nil, err
	}
	log := slog.New(slog.NewJSONHandler(&c.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	if c.model, err = provider(log); err != nil {
		return nil, err
	}
	if m, ok := c.model.(interface{ Close() }); ok {
		c.closers = append(c.closers, m.Close)
	}
	registry := tools.NewRegistry(c.vault, tools.Options{})
	opt := agent.Options{
		Root:          c.root,
		Tools:         func(m tools.Messenger) agent.Toolbox { return noteBox{registry.Turn(m)} },
		Conversations: conversation.NewManager(c.root, conversation.Options{IdleTimeout: time.Hour}),
		Agent:         agent.Agent{Provider: c.model, Log: log, MaxRounds: 10, Retry: llm.RetryPolicy(delays)},
	}
	for _, f := range change {
		f(&opt)
	}
	if c.p, err = agent.New(opt); err != nil {
		return nil, err
	}
	c.sub = c.p.Subscribe()
	return c, nil
}

// close ends the processor and takes the events that are left.
func (c *chain) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	err := c.p.Close(ctx)
	for err == nil {
		var more []event.Event
		if more, err = c.sub.Next(ctx); err == nil {
			c.events = append(c.events, more...)
		}
	}
	if errors.Is(err, event.ErrClosed) {
		err = nil
	}
	for _, f := range c.closers {
		f()
	}
	return errors.Join(err, c.vault.Close(), c.root.Close())
}

// await takes events until done holds of one.
func (c *chain) await(done func(event.Event) bool) (event.Event, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for {
		more, err := c.sub.Next(ctx)
		if err != nil {
			return nil, fmt.Errorf("the event did not come: %w; the last were %s", err, kinds(c.events))
		}
		c.events = append(c.events, more...)
		for _, e := range more {
			if done(e) {
				return e, nil
			}
		}
	}
}

// turn sends a message and takes events until its turn has ended; it returns the last.
func (c *chain) turn(text string) (event.Event, error) {
	m, err := c.p.Submit(context.Background(), event.Inbound{Text: text})
	if err != nil {
		return nil, err
	}
	return c.await(func(e event.Event) bool { return isLast(e) && e.Header().TurnID == m.ID })
}

func isLast(e event.Event) bool {
	switch e.(type) {
	case event.TurnFinished, event.TurnFailed, event.TurnStopped:
		return true
	}
	return false
}

func kinds(events []event.Event) string {
	var all []string
	for _, e := range events[max(0, len(events)-30):] {
		name := strings.TrimPrefix(fmt.Sprintf("%T", e), "event.")
		if s, ok := e.(event.StateChanged); ok {
			name += ":" + string(s.State)
		}
		all = append(all, name)
	}
	return strings.Join(all, " ")
}

// inbox are the ids of the messages that are not finished.
func (c *chain) inbox() (map[string]inbox.Entry, error) {
	entries, warnings, err := inbox.Open(c.root).List()
	if err == nil && len(warnings) > 0 {
		err = fmt.Errorf("inbox: %v", warnings)
	}
	all := map[string]inbox.Entry{}
	for _, e := range entries {
		all[e.ID] = e
	}
	return all, err
}

// record is what the conversation holds, read anew from disk.
func (c *chain) record() ([]conversation.Turn, error) {
	active, err := conversation.NewManager(c.root, conversation.Options{}).Active()
	if err != nil || active == nil {
		return nil, err
	}
	return active.Turns, nil
}

// leaks names what holds a key: events, log, files of the vault's state folder.
func (c *chain) leaks() []string {
	var where []string
	look := func(name, text string) {
		for _, secret := range []string{key, "sk-SECRET"} {
			if strings.Contains(text, secret) {
				where = append(where, name)
			}
		}
	}
	look("the log", c.log.String())
	for _, e := range c.events {
		look(fmt.Sprintf("a %T", e), fmt.Sprintf("%+v", e))
	}
	err := fs.WalkDir(os.DirFS(c.dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(c.dir, name))
		look(name, string(data))
		return err
	})
	if err != nil {
		where = append(where, err.Error())
	}
	return where
}

// model makes a provider at base, its waits as given.
func model(base string, firstByte, idle time.Duration, change ...func(*endpoint.Options)) func(*slog.Logger) (llm.Provider, error) {
	return func(log *slog.Logger) (llm.Provider, error) {
		opt := endpoint.Options{Name: "test", BaseURL: base, APIKey: key, Model: "m", FirstByte: firstByte, Idle: idle, Logger: log}
		for _, f := range change {
			f(&opt)
		}
		return openai.New(opt)
	}
}
