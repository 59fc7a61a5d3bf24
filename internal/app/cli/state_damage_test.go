package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/adrg/xdg"

	"chatvault/agent/event"
	"chatvault/agent/inbox"
	"chatvault/conversation"
	"chatvault/internal/app/session"
	"chatvault/internal/app/session/home"
	"chatvault/vault"
)

// TestDamagedState truncates every state file at every byte, and flips every fourth byte, one file at a time (a
// sample of both unless CHATVAULT_STRESS is set). In each case the chat starts without a panic, loads the other
// files, accepts a message, and the damaged bytes are still on disk, in place or moved away.
func TestDamagedState(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long: make test runs it")
	}
	d := newDamaged(t)
	stressed := os.Getenv("CHATVAULT_STRESS") != ""
	random := rand.New(rand.NewPCG(7, uint64(time.Now().UnixNano())))
	d.talks = 5
	if stressed {
		d.talks = 200
	}
	for _, name := range d.names {
		whole := d.files[name]
		for cut := range len(whole) {
			if !stressed && random.IntN(max(len(whole)/3, 1)) > 0 {
				continue
			}
			d.check(name, fmt.Sprintf("cut at byte %d of %d", cut, len(whole)), whole[:cut])
		}
		for at := range len(whole) {
			if !stressed && random.IntN(max(len(whole)/3, 1)) > 0 || stressed && random.IntN(4) > 0 {
				continue
			}
			flipped := bytes.Clone(whole)
			flipped[at] ^= byte(1 + random.IntN(255))
			d.check(name, fmt.Sprintf("byte %d of %d flipped from %q to %q", at, len(whole), whole[at], flipped[at]), flipped)
		}
		if t.Failed() {
			return
		}
	}
	t.Logf("%d files, %d starts: %v", len(d.names), d.starts, d.names)
}

// damaged is a home with all kinds of state.
type damaged struct {
	t     *testing.T
	home  string
	vault string
	files map[string][]byte // undamaged content, by path below home
	names []string          // of the damaged ones, sorted

	starts int
	talks  int // a message is sent in every nth start
}

func (d *damaged) streams() Streams {
	env := map[string]string{"HOME": d.home, "CHATVAULT_KEYRING": "off", "CHATVAULT_LOCAL_SERVERS": "off"}
	return Streams{faults: &faults{}, In: strings.NewReader(""), LookupEnv: func(name string) (string, bool) {
		v, ok := env[name]
		return v, ok
	}}
}

func (d *damaged) must(err error) {
	d.t.Helper()
	if err != nil {
		d.t.Fatal(err)
	}
}

const leftOver, questioned = "a message that was left", "Which of the two?"

func newDamaged(t *testing.T) *damaged {
	d := &damaged{t: t, home: memoryFolder(t), files: map[string][]byte{}}
	d.vault = filepath.Join(d.home, "Notes")
	t.Setenv("HOME", d.home)
	for name, sub := range map[string]string{"XDG_STATE_HOME": "s", "XDG_CONFIG_HOME": "c", "XDG_DATA_HOME": "d"} {
		t.Setenv(name, filepath.Join(d.home, sub))
	}
	xdg.Reload()
	t.Cleanup(xdg.Reload)
	d.must(os.MkdirAll(d.vault, 0o755))
	// Enough notes for the vault to be known by their names when a flipped byte makes its record name another folder.
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		d.must(os.WriteFile(filepath.Join(d.vault, name+".md"), []byte("# A\n"), 0o644))
	}
	for _, prompt := range []string{"add a line to a.md: hello", "make a note called Bees with the text: they dance"} {
		if status := Main([]string{"--vault", d.vault, "--offline", "ask", prompt}, d.streams()); status != 0 {
			t.Fatalf("%q ended with %d", prompt, status)
		}
	}
	state, err := home.Open(d.vault)
	d.must(err)
	now := time.Now()
	m := conversation.NewManager(state, conversation.Options{})
	_, err = m.End(now, "new")
	d.must(err)
	c, _, err := m.Begin("", now)
	d.must(err)
	d.must(m.Append(c.ID, conversation.Turn{
		ID: "asked", Started: now, Ended: now, Question: questioned, Options: []string{"this", "that"},
		Messages: []conversation.Message{{ID: "asked", Role: conversation.RoleUser, Content: "tidy up", Time: now}, {Role: conversation.RoleAgent, Content: questioned, IsQuestion: true, Time: now}},
	}))
	a := d.open()
	a.Drafts.Load()
	a.Drafts.Save("half a thought")
	a.Prompts.Append("an earlier prompt")
	a.Close()
	for i, text := range []string{leftOver, "another one"} {
		d.must(inbox.Open(state).Save(inbox.Entry{
			Inbound: event.Inbound{ID: fmt.Sprintf("20261121-10000%d.000000-abcdef", i), Text: text, Source: event.SourceDirect, Time: now},
			Owner:   "1-dead", Attempts: 1, Deaths: 1, ToolsRan: true, Changes: []string{"created x.md"}, LastTried: now,
		}))
	}
	d.must(os.WriteFile(filepath.Join(stateOf(d.t, d.vault), "smarthole.json"),
		[]byte(`{"schema":1,"seen":["m1","m2"],"kept":[{"message_id":"m1","time":"2026-11-21T10:00:00Z","key":"end m1","what":{"title":"T","body":"B","priority":"low"}}]}`+"\n"), 0o600))
	d.must(os.WriteFile(filepath.Join(stateOf(d.t, d.vault), "state.json"),
		[]byte(`{"schema":1,"stops":[{"text":"stopped once","time":"2026-11-21T10:00:00Z","changes":["created y.md"]}]}`+"\n"), 0o600))
	d.must(state.Close())
	d.cutChange()

	d.must(filepath.WalkDir(d.home, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		name, _ := filepath.Rel(d.home, path)
		data, err := os.ReadFile(path)
		d.files[name] = data
		if len(data) > 0 && (strings.HasSuffix(name, ".json") || strings.HasSuffix(name, ".jsonl") || strings.Contains(name, "drafts/") && strings.HasSuffix(name, ".txt")) {
			d.names = append(d.names, name)
		}
		return err
	}))
	slices.Sort(d.names)
	for _, want := range []string{"inbox/", "conversations/", "conversations/index.json", "journal/turns/", "journal/open/", "state.json", "usage.json", "drafts/1.txt", "smarthole.json", "history.jsonl", "vault.json", "s/chatvault/vaults.json"} {
		if !slices.ContainsFunc(d.names, func(n string) bool { return strings.Contains(n, want) }) {
			t.Errorf("there is no %s among %v", want, d.names)
		}
	}
	return d
}

// cutChange leaves an interrupted change in the journal.
func (d *damaged) cutChange() {
	v, err := vault.Open(d.vault)
	d.must(err)
	j := home.KeepJournal(v, func(text string) { d.t.Error(text) })
	ctx := vault.WithOrigin(context.Background(), vault.Origin{Turn: "cut", Source: "chat", Title: "cut"})
	_, err = v.Do(ctx, vault.Request{Op: vault.OpWrite, Path: "cut.md", Data: []byte("cut\n")}, nil)
	d.must(err)
	d.must(j.Close())
	d.must(v.Close())
}

func (d *damaged) open() *session.Session {
	d.t.Helper()
	s := d.streams()
	g := &globals{vault: d.vault}
	root := newRoot(s)
	d.must(root.ParseFlags(nil))
	g.flags = root.Flags()
	a, err := open(s, g, session.Options{Name: "chat"})
	if err != nil {
		d.t.Fatalf("it does not start: %v", err)
	}
	return a
}

// restore restores the undamaged home.
func (d *damaged) restore() {
	d.must(filepath.WalkDir(d.home, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		name, _ := filepath.Rel(d.home, path)
		if _, ok := d.files[name]; !ok {
			return os.Remove(path)
		}
		return nil
	}))
	for name, data := range d.files {
		path := filepath.Join(d.home, name)
		if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, data) {
			continue
		}
		d.must(os.MkdirAll(filepath.Dir(path), 0o700))
		d.must(os.WriteFile(path, data, 0o600))
	}
}

// check starts with one damaged file.
func (d *damaged) check(name, how string, data []byte) {
	t := d.t
	d.restore()
	path := filepath.Join(d.home, name)
	d.must(os.WriteFile(path, data, 0o600))
	fail := func(format string, args ...any) {
		t.Errorf("%s, %s: %s", name, how, fmt.Sprintf(format, args...))
	}
	defer func() {
		if v := recover(); v != nil {
			fail("panic: %v", v)
		}
	}()

	a := d.open()
	defer a.Close()
	l, err := a.Load(context.Background())
	if err != nil {
		fail("%v", err)
	}
	_ = a.Prompts.Load()

	// The other files are loaded.
	if other := !strings.Contains(name, "/inbox/"); other && len(l.Unfinished) != 2 || len(l.Unfinished) == 0 {
		fail("%d unfinished messages are offered: %v", len(l.Unfinished), l.Notices)
	}
	if list, err := a.Conversations.List(context.Background()); err != nil || len(list) < 2 || !strings.Contains(name, "/conversations/") && len(list) != 3 {
		fail("%d conversations, %v", len(list), err)
	}
	if !strings.Contains(name, "/drafts/") && l.Draft != "half a thought" {
		fail("the draft is %q", l.Draft)
	}
	if !strings.Contains(name, "/conversations/") {
		if items, err := a.Conversations.History(context.Background()); err != nil || len(items) != 2 || a.Conversations.Question() == nil || items[1].Content != questioned {
			fail("the active conversation is not what it was: %v", err)
		}
	}
	if turns, err := a.Changes.List(context.Background()); err != nil || len(turns) < 2 {
		fail("%d turns in the journal, %v", len(turns), err)
	}
	_, _, _ = a.Usage()
	if d.starts++; d.starts%d.talks != 0 {
		return
	}

	// A new message does not overwrite what could not be read.
	sub := a.Subscribe()
	defer sub.Close()
	if _, err := a.Submit(context.Background(), event.Inbound{Text: "hello"}); err != nil {
		fail("a message is refused: %v", err)
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	for done := false; !done; {
		events, err := sub.Next(ctx)
		if err != nil {
			fail("the turn does not end: %v", err)
			return
		}
		for _, e := range events {
			switch e := e.(type) {
			case event.TurnFinished:
				done = true
			case event.TurnFailed:
				done = true
				fail("the turn failed: %s", e.Text)
			}
		}
	}
	if !d.kept(name, data) {
		fail("what was in it is neither there nor set aside")
	}
}

// kept reports whether the bytes of an invalid file still exist somewhere. Valid ones may have been changed normally;
// the index is rebuilt from the conversations.
func (d *damaged) kept(name string, data []byte) bool {
	base := filepath.Base(name)
	if len(bytes.TrimSpace(data)) == 0 || json.Valid(data) || strings.HasSuffix(base, ".txt") {
		return true
	}
	dir := filepath.Dir(filepath.Join(d.home, name))
	dirs := []string{dir}
	if filepath.Base(dir) == "open" { // a turn of the journal that has ended since is in turns
		dirs = append(dirs, filepath.Join(filepath.Dir(dir), "turns"))
	}
	all := ""
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		d.must(err)
		for _, e := range entries {
			now, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				continue
			}
			if strings.HasPrefix(e.Name(), strings.TrimSuffix(base, filepath.Ext(base))) && bytes.Contains(now, bytes.TrimRight(data, "\n")) {
				return true
			}
			all += string(now)
		}
	}
	if strings.HasSuffix(base, ".jsonl") { // valid lines stay; the others are moved away one by one
		for line := range bytes.Lines(data) {
			if json.Valid(line) && !utf8.Valid(line) {
				continue // still valid, and rewritten with U+FFFD in that place
			}
			if filepath.Base(dir) == "open" && !bytes.HasPrefix(data, line) && !bytes.HasSuffix(line, []byte("\n")) {
				continue // the torn end of a log, which a kill leaves: recovery reads the rest and looks at the note
			}
			if !strings.Contains(all, string(bytes.TrimRight(line, "\n"))) {
				return false
			}
		}
		return true
	}
	return false
}

// memoryFolder returns a folder in memory if the machine has one.
func memoryFolder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "chatvault-state-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}
