package agent

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/llm"
	"chatvault/agent/spend"
	"chatvault/conversation"
)

// story is a random sequence of messages, time jumps, ends, forks, switches, continuations and
// restarts, and what should come of it.
type story struct {
	*talk
	t      *testing.T
	rand   *rand.Rand
	root   *os.Root
	log    []string
	sent   int
	calls  int       // that were made, of all processes
	good   int       // of turns, that went well
	active *toldConv // nil: none is active
	ended  []*toldConv
	isNew  bool // the next message begins another
	start  time.Time
}

// toldConv is a conversation as it should be stored.
type toldConv struct {
	path  []string // what the user said, on the active path
	last  time.Time
	asked time.Time // since when the question waits that does; zero: none does
	by    string    // how it ended
}

// TestStories compares what is stored with the model after each step, and at the end whether
// everything that ended was titled, looked back at and counted.
func TestStories(t *testing.T) {
	runs := 100
	if os.Getenv("CHATVAULT_STRESS") != "" {
		runs = 3000
	}
	for seed := range runs {
		synctest.Test(t, func(t *testing.T) {
			s := &story{t: t, rand: rand.New(rand.NewPCG(uint64(seed), 4)), root: state(t)}
			defer func() {
				if t.Failed() {
					t.Logf("story %d: %s", seed, strings.Join(s.log, ", "))
				}
			}()
			s.open()
			for range 5 + s.rand.IntN(25) {
				s.step()
				if t.Failed() {
					break
				}
			}
			s.finish()
		})
	}
}

// open starts a process.
func (s *story) open() {
	s.talk = talking(s.t, s.root, nil, []reply{titled}, func(o *Options, b *behind) {
		o.CatchUp, o.Retrospection = true, true
		b.looks.replies = []reply{say("Seen.")}
		if s.rand.IntN(3) == 0 { // a background that does not get anywhere
			b.titles.replies, b.looks.replies = []reply{hang}, []reply{failWith(llm.Error{Kind: llm.KindInvalidRequest, Message: "no"})}
		}
	})
	s.start = time.Now()
	if _, warnings, err := s.Recover(); err != nil || len(warnings) > 0 {
		s.t.Fatal(warnings, err)
	}
	if a := s.active; a != nil && !a.asked.IsZero() && time.Since(a.asked) > time.Hour {
		a.asked = time.Time{}
	}
	s.isNew = false
}

func (s *story) close() {
	s.stop()
	s.calls += len(s.model.calls()) + len(s.model.titles.calls()) + len(s.model.looks.calls())
}

func (s *story) note(format string, args ...any) { s.log = append(s.log, fmt.Sprintf(format, args...)) }

func (s *story) step() {
	switch n := s.rand.IntN(22); {
	case n < 9:
		s.message()
	case n < 13:
		d := []time.Duration{time.Minute, 20 * time.Minute, 31 * time.Minute, 62 * time.Minute, 80 * time.Minute}[s.rand.IntN(5)]
		s.note("%v", d)
		time.Sleep(d + 7*time.Second)
	case n < 14 && s.rand.IntN(2) == 0:
		s.note("new")
		s.NewConversation()
		s.isNew = true
	case n < 14:
		s.note("end")
		s.EndConversation()
		s.over(endedNew)
		s.isNew = false
	case n < 16:
		s.note("restart")
		s.close()
		s.open()
	case n < 18:
		s.fork()
	case n < 19:
		s.switchBranch()
	case n < 21:
		s.continueGoal()
	default:
		s.note("retrospect")
		all := s.ended
		if s.active != nil {
			all = append(slices.Clone(all), s.active)
		}
		some := slices.ContainsFunc(all, func(c *toldConv) bool { return len(c.path) > 0 })
		if err := s.Retrospect(); (err == nil) != some {
			s.t.Errorf("retrospect: %v", err)
		}
	}
	s.ticked()
	s.compare()
}

// ticked drops the question that was looked at when it was stale.
func (s *story) ticked() {
	if s.active == nil || s.active.asked.IsZero() {
		return
	}
	for at := s.start.Add(staleEvery); !at.After(time.Now()); at = at.Add(staleEvery) {
		if at.Sub(s.active.asked) > time.Hour {
			s.active.asked = time.Time{}
			return
		}
	}
}

// message sends one, to be answered in some way.
func (s *story) message() {
	s.sent++
	text := fmt.Sprint("m", s.sent)
	if a := s.active; a != nil {
		if time.Since(a.asked) > time.Hour {
			a.asked = time.Time{}
		}
		end := s.isNew || a.asked.IsZero() && time.Since(a.last) > idleTimeout
		if end {
			s.over(map[bool]string{true: endedNew, false: "idle"}[s.isNew])
		}
	}
	s.isNew = false
	kinds := map[string][]reply{
		"say": {say("ok " + text)}, "ask": {asksWhich}, "bye": {goodbye, say("bye")}, "stop": {hang},
		"fail": {failWith(llm.Error{Kind: llm.KindInvalidRequest, Message: "no"})}, "tool": {use("read_file", `{"path":"a.md"}`), say("done")},
	}
	names := []string{"say", "say", "say", "ask", "bye", "stop", "fail", "tool"}
	kind := names[s.rand.IntN(len(names))]
	s.note("%s (%s)", text, kind)
	s.model.mu.Lock()
	n := len(s.model.requests)
	s.model.replies = append(make([]reply, n), kinds[kind]...)
	s.model.mu.Unlock()
	s.send(text)
	if kind == "stop" {
		wait[event.TextDelta](s.harness)
		s.Stop()
		wait[event.TurnStopped](s.harness)
		return
	}
	if kind == "fail" {
		f := wait[event.TurnFailed](s.harness)
		if err := s.Drop(f.MessageIDs[0]); err != nil {
			s.t.Error(err)
		}
	} else {
		wait[event.TurnFinished](s.harness)
		s.good += len(kinds[kind])
	}
	if s.active == nil {
		s.active = &toldConv{}
	}
	a := s.active
	a.path, a.last = append(slices.Clone(a.path), text), time.Now()
	switch kind {
	case "ask":
		a.asked = time.Now()
	case "bye":
		s.over(endedAgent)
	case "fail": // has answered nothing
	default:
		a.asked = time.Time{}
	}
}

// over ends what is active.
func (s *story) over(by string) {
	if a := s.active; a != nil {
		a.by = by
		s.ended = append(s.ended, a)
	}
	s.active = nil
}

// continueGoal continues one that ended.
func (s *story) continueGoal() {
	list, err := s.conversations.Recent(0)
	if err != nil {
		s.t.Fatal(err)
	}
	if len(list) == 0 {
		return
	}
	e := list[s.rand.IntN(len(list))]
	source, err := s.conversations.Get(e.ID)
	if err != nil {
		s.t.Fatal(err)
	}
	s.note("continue %q", said1(source))
	path := said1(source)
	i := slices.IndexFunc(s.ended, func(c *toldConv) bool { return slices.Equal(c.path, path) })
	if len(path) == 0 || i < 0 {
		return
	}
	if err := s.Continue(e.ID); err != nil {
		s.t.Error(err)
	}
	again := s.ended[i]
	s.ended = slices.Delete(s.ended, i, i+1)
	s.over(endedNew)
	s.isNew, s.active = false, again
	s.adopt(path)
}

// fork goes back to before some message.
func (s *story) fork() {
	c, err := s.conversations.Active()
	if err != nil {
		s.t.Fatal(err)
	}
	if c == nil || len(c.Turns) == 0 {
		return
	}
	i := s.rand.IntN(len(c.Turns))
	for i > 0 && c.Turns[i-1].ID == c.Turns[i].ID {
		i--
	}
	s.note("fork before %s", c.Turns[i].Messages[0].Content)
	err = s.Fork(c.Turns[i].ID)
	if (err == nil) == s.isNew {
		s.t.Errorf("fork: %v", err)
	}
	if err != nil {
		return
	}
	s.adopt(s.active.path[:i])
}

func (s *story) switchBranch() {
	c, err := s.conversations.Active()
	if err != nil {
		s.t.Fatal(err)
	}
	if c == nil || len(c.Branches()) == 0 || s.isNew {
		return
	}
	list := c.Branches()
	b := list[s.rand.IntN(len(list))]
	s.note("switch to %s", b.Turns[len(b.Turns)-1].Messages[0].Content)
	if err := s.Switch(b.ID); err != nil {
		s.t.Error(err)
	}
	var path []string
	for _, t := range c.Turns {
		if b.Fork == "" {
			break
		}
		path = append(path, t.Messages[0].Content)
		if t.ID == b.Fork {
			break
		}
	}
	for _, t := range b.Turns {
		path = append(path, t.Messages[0].Content)
	}
	s.adopt(path)
}

// adopt makes a path the active one. Whether a question is open on it, the store knows.
func (s *story) adopt(path []string) {
	s.active.path, s.active.last, s.active.asked = path, time.Now(), time.Time{}
	c, err := s.conversations.Active()
	if err != nil || c == nil {
		s.t.Fatal(c, err)
	}
	if q := c.PendingQuestion(); q != nil { // perhaps an old one: it is waited for again from now on
		s.active.asked = time.Now()
	}
}

func said1(c *conversation.Conversation) (texts []string) {
	for _, t := range c.Turns {
		texts = append(texts, t.Messages[0].Content)
	}
	return texts
}

// compare looks at what is stored.
func (s *story) compare() {
	c, err := s.conversations.Active()
	if err != nil {
		s.t.Fatal(err)
	}
	switch {
	case (c == nil) != (s.active == nil):
		s.t.Errorf("active is %+v, want %+v", c, s.active)
	case c != nil && !slices.Equal(said1(c), s.active.path):
		s.t.Errorf("active is %q, want %q", said1(c), s.active.path)
	case c != nil && (c.PendingQuestion() == nil) != s.active.asked.IsZero():
		s.t.Errorf("pending is %+v, want one since %v", c.PendingQuestion(), s.active.asked)
	}
	list, err := s.conversations.Recent(0)
	if err != nil || len(list) != len(s.ended) {
		s.t.Fatalf("%d ended, want %d: %v", len(list), len(s.ended), err)
	}
	if ids := s.inboxIDs(); len(ids) > 0 {
		s.t.Errorf("inbox: %v", ids)
	}
}

// finish lets the background do all it has to, in a process whose model answers.
func (s *story) finish() {
	s.close()
	for range 4 { // of the newest, some at each start
		s.talk = talking(s.t, s.root, []reply{say("ok")}, []reply{titled}, func(o *Options, b *behind) {
			o.CatchUp, o.Retrospection = true, true
			b.looks.replies = []reply{say("Seen.")}
		})
		s.settled()
		s.close()
	}
	list, err := s.conversations.Recent(0)
	if err != nil {
		s.t.Fatal(err)
	}
	var paths, want []string
	for i, e := range list {
		c, err := s.conversations.Get(e.ID)
		if err != nil {
			s.t.Fatal(err)
		}
		paths = append(paths, strings.Join(said1(c), " "))
		if e.Title == "" && i < 4*backlogTitles {
			s.t.Errorf("%q has no title", said1(c))
		}
	}
	for _, e := range s.ended {
		want = append(want, strings.Join(e.path, " "))
	}
	slices.Sort(paths)
	slices.Sort(want)
	if !slices.Equal(paths, want) {
		s.t.Errorf("ended are %q, want %q", paths, want)
	}
	used, err := spend.Load(s.root)
	if err != nil {
		s.t.Fatal(err)
	}
	counted := 0
	for _, d := range used.Days {
		counted += d.Calls
	}
	if counted < s.good || counted > s.calls {
		s.t.Errorf("%d calls were counted of %d, of which %d in turns went well", counted, s.calls, s.good)
	}
}
