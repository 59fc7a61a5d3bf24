package conversation

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// modelConversation is the expected state of a conversation. Turns are numbered from 1; 0 is the position before the
// first.
type modelConversation struct {
	id      string
	started time.Time
	nodes   []modelTurn
	head    int
	moved   time.Time
	ended   time.Time
	title   string
	dropped map[string]bool
	torn    bool // a line of its file is unreadable
}

type modelTurn struct {
	id               string
	parent           int
	when             time.Time
	failed, question bool
}

// path returns the turns from the first to the given one.
func (c *modelConversation) path(to int) []int {
	var p []int
	for ; to > 0; to = c.nodes[to-1].parent {
		p = append(p, to)
	}
	slices.Reverse(p)
	return p
}

func (c *modelConversation) names(path []int) string {
	var out []string
	for _, n := range path {
		out = append(out, c.nodes[n-1].id)
	}
	return strings.Join(out, " ")
}

func (c *modelConversation) turns() string { return c.names(c.path(c.head)) }

// branches returns "fork: turns" for each leaf that is not on the active path, sorted.
func (c *modelConversation) branches() string {
	followed := map[int]bool{}
	for i := range c.nodes {
		followed[c.nodes[i].parent] = true
	}
	active := c.path(c.head)
	var out []string
	for n := 1; n <= len(c.nodes); n++ {
		if followed[n] || slices.Contains(active, n) {
			continue
		}
		p := c.path(n)
		i := 0
		for i < len(p) && slices.Contains(active, p[i]) {
			i++
		}
		fork := ""
		if i > 0 {
			fork = c.nodes[p[i-1]-1].id
		}
		out = append(out, fork+": "+c.names(p[i:]))
	}
	sort.Strings(out)
	return strings.Join(out, "; ")
}

func (c *modelConversation) last() time.Time {
	last := c.started
	if c.head > 0 {
		last = c.nodes[c.head-1].when
	}
	if c.moved.After(last) {
		return c.moved
	}
	return last
}

// asked returns the turn whose question awaits an answer, 0 if none. A message dated before the question, by a clock
// that was set back, is no answer.
func (c *modelConversation) asked() int {
	var later []modelTurn
	for n := c.head; n > 0; n = c.nodes[n-1].parent {
		t := c.nodes[n-1]
		if t.question && !t.failed {
			answered := slices.ContainsFunc(later, func(l modelTurn) bool { return !l.failed && !l.when.Before(t.when) })
			if !answered && c.ended.IsZero() && !c.dropped[t.id] {
				return n
			}
			return 0
		}
		later = append(later, t)
	}
	return 0
}

func (c *modelConversation) answered(id string) bool {
	return slices.ContainsFunc(c.nodes, func(t modelTurn) bool { return t.id == id && !t.failed })
}

// String returns everything that is compared.
func (c *modelConversation) String() string {
	asks := ""
	if n := c.asked(); n > 0 {
		asks = c.nodes[n-1].id
	}
	return describe(c.turns(), c.branches(), c.title, asks, c.ended)
}

func describe(turns, branches, title, asks string, ended time.Time) string {
	return fmt.Sprintf("[%s] {%s} %q asks %q ended %v", turns, branches, title, asks, ended.UTC())
}

func described(c *Conversation) string {
	var branches []string
	for _, b := range c.Branches() {
		branches = append(branches, b.Fork+": "+ids(&Conversation{Turns: b.Turns}))
	}
	sort.Strings(branches)
	asks := ""
	if p := c.PendingQuestion(); p != nil {
		asks = p.MessageID
	}
	return describe(ids(c), strings.Join(branches, "; "), c.Title, asks, c.Ended)
}

// machine drives the managers of two processes and the model.
type machine struct {
	*rapid.T
	dir      string
	root     *os.Root
	now      time.Time
	managers []*Manager
	all      []*modelConversation // in order of creation
	open     *modelConversation
	turn     int
	ends     time.Duration
}

const (
	modelTimeout = 30 * time.Minute
	modelStale   = 60 * time.Minute
)

func (m *machine) newManager() *Manager {
	n := NewManager(m.root, Options{IdleTimeout: modelTimeout})
	n.now = func() time.Time { return m.now }
	return n
}

func (m *machine) pick() *Manager { return m.managers[rapid.IntRange(0, 1).Draw(m.T, "process")] }

func (m *machine) must(err error) {
	m.Helper()
	if err != nil {
		m.Fatal(err)
	}
}

// begin begins a turn and ends an idle conversation.
func (m *machine) begin(p *Manager) string {
	if o := m.open; o != nil && len(o.nodes) > 0 && o.asked() == 0 && m.now.Sub(o.last()) > modelTimeout {
		m.end()
	}
	c, _, err := p.Begin("", m.now)
	m.must(err)
	want := ""
	if m.open != nil {
		want = m.open.turns()
	}
	if got := ids(c); got != want {
		m.Fatalf("the turn sees %q, want %q", got, want)
	}
	return c.ID
}

// message records a turn; a retry has the ID of the failed one.
func (m *machine) message(t modelTurn) {
	p := m.pick()
	id := m.begin(p)
	if t.id == "" {
		m.turn++
		t.id = fmt.Sprintf("t%d", m.turn)
	}
	m.ends++
	t.when = m.now.Add(m.ends) // times are unique, because a branch is identified by its last turn
	record := turn(t.id, t.when)
	record.Started = m.now
	if t.failed {
		record.Failed, record.Error = true, "no network"
	}
	if t.question {
		record.Question = "Which?"
	}
	m.must(p.Append(id, record))
	if m.open == nil {
		m.open = &modelConversation{id: id, started: m.now, dropped: map[string]bool{}}
		m.all = append(m.all, m.open)
	}
	t.parent = m.open.head
	m.open.nodes = append(m.open.nodes, t)
	m.open.head = len(m.open.nodes)
}

// fork edits a message on the active path.
func (m *machine) fork() {
	if m.open == nil || m.open.head == 0 {
		m.Skip()
	}
	path := m.open.path(m.open.head)
	id := m.open.nodes[rapid.SampledFrom(path).Draw(m.T, "edited")-1].id
	m.must(m.pick().Fork(m.open.id, id))
	for n := m.open.head; ; n = m.open.nodes[n-1].parent {
		if m.open.nodes[n-1].id == id {
			for m.open.head = n; m.open.head > 0 && m.open.nodes[m.open.head-1].id == id; {
				m.open.head = m.open.nodes[m.open.head-1].parent
			}
			break
		}
	}
	m.open.moved = m.now
}

// switchBranch switches to a branch of a conversation.
func (m *machine) switchBranch() {
	var some []*modelConversation
	for _, c := range m.all {
		if c.branches() != "" {
			some = append(some, c)
		}
	}
	if len(some) == 0 {
		m.Skip()
	}
	model := rapid.SampledFrom(some).Draw(m.T, "conversation")
	p := m.pick()
	c, err := p.Get(model.id)
	m.must(err)
	branch := rapid.SampledFrom(c.Branches()).Draw(m.T, "branch")
	m.must(p.Switch(model.id, branch.ID))
	for n := 1; n <= len(model.nodes); n++ {
		if model.nodes[n-1].when.Equal(branch.Ended) && strings.HasSuffix(" "+model.names(model.path(n)), " "+ids(&Conversation{Turns: branch.Turns})) {
			model.head, model.moved = n, m.now
			return
		}
	}
	m.Fatalf("unexpected branch %+v of %v", branch, model)
}

// end ends the active conversation.
func (m *machine) end() {
	if m.open != nil {
		m.open.ended = m.now
	}
	m.open = nil
}

// reopen makes an ended conversation active again.
func (m *machine) reopen() {
	if len(m.all) == 0 {
		return
	}
	source := rapid.SampledFrom(m.all).Draw(m.T, "conversation")
	if source == m.open {
		return
	}
	p := m.newManager()
	_, err := p.End(m.now, "new")
	m.must(err)
	m.end()
	c, err := p.Open(source.id, m.now)
	m.must(err)
	if !c.Ended.IsZero() || p.ID() != source.id {
		m.Fatalf("opened %+v", c)
	}
	source.ended, source.moved = time.Time{}, m.now
	m.open = source
}

func (m *machine) dropStale() {
	dropped, err := m.pick().DropStale(m.now, modelStale)
	m.must(err)
	want := ""
	if m.open != nil {
		if n := m.open.asked(); n > 0 && passed(m.open.nodes[n-1].when, m.now) > modelStale && passed(m.open.moved, m.now) > modelStale {
			want = m.open.nodes[n-1].id
			m.open.dropped[want] = true
		}
	}
	got := ""
	if dropped != nil {
		got = dropped.MessageID
	}
	if got != want {
		m.Fatalf("dropped %q, want %q", got, want)
	}
}

func (m *machine) rename() {
	if len(m.all) == 0 {
		m.Skip()
	}
	c := rapid.SampledFrom(m.all).Draw(m.T, "conversation")
	c.title = fmt.Sprintf("Title %d", rapid.IntRange(0, 9).Draw(m.T, "title"))
	m.must(m.pick().SetTitle(c.id, c.title, "What it is about."))
}

// prune deletes an ended conversation, or those beyond a limit.
func (m *machine) prune() {
	var ended []*modelConversation
	for _, c := range m.all {
		if !c.ended.IsZero() {
			ended = append(ended, c)
		}
	}
	if len(ended) == 0 {
		m.Skip()
	}
	if rapid.Bool().Draw(m.T, "one") {
		c := rapid.SampledFrom(ended).Draw(m.T, "conversation")
		m.must(m.pick().Delete(c.id))
		m.all = slices.DeleteFunc(m.all, func(d *modelConversation) bool { return d == c })
		return
	}
	sort.Slice(ended, func(i, j int) bool {
		a, b := ended[i], ended[j]
		if !a.ended.Equal(b.ended) {
			return a.ended.Before(b.ended)
		}
		if !a.started.Equal(b.started) {
			return a.started.Before(b.started)
		}
		return a.id < b.id
	})
	kept := rapid.IntRange(1, len(ended)).Draw(m.T, "kept")
	gone := ended[:len(ended)-kept]
	n, err := m.pick().Retain(kept)
	if err != nil || n != len(gone) {
		m.Fatalf("%d removed, want %d: %v", n, len(gone), err)
	}
	m.all = slices.DeleteFunc(m.all, func(d *modelConversation) bool { return slices.Contains(gone, d) })
}

// check compares all conversations as seen by one of the processes or a new one.
func (m *machine) check() {
	m.Helper()
	some := append(slices.Clone(m.managers), m.newManager())
	i := rapid.IntRange(0, len(some)-1).Draw(m.T, "looks")
	for _, p := range some[i : i+1] {
		c, err := p.Active()
		m.must(err)
		switch {
		case (c == nil) != (m.open == nil):
			m.Fatalf("process %d: active is %v, want %v", i, c, m.open)
		case c != nil && (c.ID != m.open.id || described(c) != m.open.String()):
			m.Fatalf("process %d: active is\n%s, want\n%s", i, described(c), m.open)
		}
		list, err := p.List()
		m.must(err)
		if len(list) != len(m.all) {
			m.Fatalf("process %d: %d listed, want %d", i, len(list), len(m.all))
		}
		for _, want := range m.all {
			k := slices.IndexFunc(list, func(e Entry) bool { return e.ID == want.id })
			if k < 0 {
				m.Fatalf("process %d: %v is not listed", i, want)
			}
			e := list[k]
			if e.Turns != len(want.path(want.head)) || e.Title != want.title || !e.Ended.Equal(want.ended) || e.Branches != strings.Count(want.branches(), ":") {
				m.Fatalf("process %d: listed as %+v, want %v", i, e, want)
			}
		}
	}
}

// reload compares every file with the model.
func (m *machine) reload() {
	for _, want := range m.all {
		c, err := m.newManager().Get(want.id)
		m.must(err)
		if got := described(c); got != want.String() {
			m.Fatalf("stored is\n%s, want\n%s", got, want)
		}
		for i := range m.turn {
			if id := fmt.Sprintf("t%d", i+1); c.Has(id) != want.answered(id) {
				m.Fatalf("Has(%s) is %v in\n%s", id, c.Has(id), want)
			}
		}
	}
}

// TestAgainstModel drives the managers of two processes through messages, failures, retries, stops, questions, forks,
// branches, ends, continuations, time jumps, titles, deletions, restarts, torn lines and index damage, and compares
// the stored state with a small model after each step.
func TestAgainstModel(t *testing.T) {
	for _, half := range []string{"one", "two"} { // one per processor
		t.Run(half, func(t *testing.T) {
			t.Parallel()
			base := memory(t)
			runs := 0
			rapid.Check(t, func(t *rapid.T) {
				runs++
				dir := filepath.Join(base, fmt.Sprint(runs))
				if err := os.Mkdir(dir, 0o700); err != nil {
					t.Fatal(err)
				}
				defer func() { _ = os.RemoveAll(dir) }()
				drive(t, dir)
			})
		})
	}
}

// drive runs one random sequence.
func drive(t *rapid.T, dir string) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = root.Close() }()
	m := &machine{T: t, dir: dir, root: root, now: noon}
	m.managers = []*Manager{m.newManager(), m.newManager()}
	for range rapid.IntRange(1, 25).Draw(t, "steps") {
		m.step(filepath.Join(dir, indexFile))
		m.check()
	}
	m.reload()
}

func (m *machine) step(index string) {
	t := m.T
	switch what := rapid.SampledFrom([]string{
		"message", "message", "message", "failure", "retry", "question", "stopped", "compaction", "fork", "fork", "switch", "end", "continue", "continue",
		"time passes", "time passes", "stale", "title", "prune", "restart", "index lost", "index broken", "turn without index", "torn line",
	}).Draw(t, "what"); what {
	case "message":
		m.message(modelTurn{})
	case "failure":
		m.message(modelTurn{failed: true})
	case "retry":
		if m.open == nil {
			return
		}
		for _, n := range m.open.nodes {
			if n.failed && !m.open.answered(n.id) && (m.open.asked() > 0 || m.now.Sub(m.open.last()) <= modelTimeout) {
				m.message(modelTurn{id: n.id, failed: rapid.Bool().Draw(t, "again")})
				return
			}
		}
	case "question":
		m.message(modelTurn{question: true})
	case "stopped":
		m.begin(m.pick())
	case "compaction":
		m.compaction()
	case "fork":
		if m.open != nil && m.open.head > 0 {
			m.fork()
		}
	case "switch":
		if slices.ContainsFunc(m.all, func(c *modelConversation) bool { return c.branches() != "" }) {
			m.switchBranch()
		}
	case "end":
		_, err := m.pick().End(m.now, "new")
		m.must(err)
		m.end()
	case "continue":
		m.reopen()
	case "time passes":
		m.now = m.now.Add(time.Duration(rapid.IntRange(-5, 70).Draw(t, "minutes"))*time.Minute + time.Second)
	case "stale":
		m.dropStale()
	case "title":
		if len(m.all) > 0 {
			m.rename()
		}
	case "prune":
		if slices.ContainsFunc(m.all, func(c *modelConversation) bool { return !c.ended.IsZero() }) {
			m.prune()
		}
	case "restart":
		m.managers[rapid.IntRange(0, 1).Draw(t, "which")] = m.newManager()
	case "index lost":
		_ = os.Remove(index)
	case "index broken":
		if data, err := os.ReadFile(index); err == nil {
			m.must(os.WriteFile(index, data[:rapid.IntRange(0, len(data)-2).Draw(t, "cut")], 0o600))
		}
	case "turn without index": // killed between file and index
		before, err := os.ReadFile(index)
		m.message(modelTurn{})
		if err == nil {
			m.must(os.WriteFile(index, before, 0o600))
		} else {
			m.must(os.Remove(index))
		}
	case "torn line": // killed while appending
		if m.open != nil {
			m.tear(m.open.id)
		}
	}
}

func (m *machine) tear(id string) {
	m.open.torn = true
	f, err := os.OpenFile(filepath.Join(m.dir, file(id)), os.O_APPEND|os.O_WRONLY, 0)
	m.must(err)
	_, err = f.WriteString(`{"type":"turn","turn":{"id":"torn","mess`)
	m.must(err)
	m.must(f.Close())
}

// compaction compacts the active conversation, which changes nothing that other steps compare.
func (m *machine) compaction() {
	if m.open == nil || m.open.head == 0 {
		return
	}
	p := m.pick()
	c, err := p.Active()
	m.must(err)
	turns := c.Turns
	through := rapid.SampledFrom(turns).Draw(m.T, "through")
	x := Compaction{Through: through.ID, Summary: "up to " + through.ID, Time: m.now.Add(24 * time.Hour)}
	m.must(p.Compact(c.ID, x))
	for _, p := range m.managers {
		if c, err := p.Active(); err != nil || c.Compaction == nil || *c.Compaction != x {
			m.Fatalf("compacted %+v, %v", c, err)
		}
	}
}
