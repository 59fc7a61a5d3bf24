package offline

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"chatvault/agent/llm"
	"chatvault/agent/llm/offline/grammar"
	"chatvault/agent/llm/offline/naming"
	"chatvault/agent/llm/offline/retrieval"
	"chatvault/internal/lazyregexp"
	"chatvault/internal/text"
)

// script carries out a task.
type script struct {
	ctx       context.Context
	engine    *Engine
	task      task
	purpose   llm.Purpose
	tools     map[string]bool // what may be called; empty: nothing
	stuck     string          // why no tool may be called although there are some
	now       time.Time
	past      []turn // the turns before the task
	record    []step
	next      int
	turn      int    // the turn that the next step stands in
	made      []call // calls replayed so far, for "it"
	ids       int    // calls in the whole history: the next call's id is one more
	all       []retrieval.Entry
	view      *naming.Names
	unit      string          // the unit under way
	ended     map[string]bool // units
	read      int             // messages understood so far
	queue     []request       // what is still to be carried out
	out       []string        // paragraphs of the answer
	bad       int             // what was refused or not there
	planned   bool            // the request under way is what the approved plan was made for
	chosen    bool            // the command under way acts on what the user just chose
	unsure    bool            // its words may mean something else: it is asked about before it is done
	searching bool            // what is searched for was no question
	sketch    *sketch         // planning: what would be changed; nil: changes are made
	left      []string
}

// request is a message with the commands it holds.
type request struct {
	message
	n        int // which message of the task it is
	commands []grammar.Command
	planned  bool // it is what the approved plan was made for
}

func (e *Engine) newScript(ctx context.Context, history []turn, purpose llm.Purpose, tools map[string]bool) *script {
	t := taskOf(history, purpose)
	s := &script{ended: map[string]bool{}, ctx: ctx, engine: e, task: t, purpose: purpose, tools: tools, past: history[:t.past], turn: t.root}
	s.record = recorded(history, t)
	for i := range history {
		s.ids += len(history[i].calls)
	}
	for _, c := range last(history).calls {
		if c.circles != "" {
			s.stuck, s.tools = c.circles, nil
		}
	}
	if s.now = history[t.root].time(); s.now.IsZero() {
		s.now = e.now()
	}
	s.all = e.index.Entries()
	s.view = naming.NamesOf(s.all)
	for i := len(s.record) - 1; i >= 0; i-- {
		s.apply(s.record[i].call, true)
	}
	if purpose == llm.PurposePlan {
		s.sketch = &sketch{text: map[string]string{}, drawn: map[string]bool{}}
	}
	return s
}

// run carries out all requests of the task.
func (s *script) run() {
	for i, m := range s.task.requests {
		s.queue = append(s.queue, s.understand(m, i < s.task.planned))
	}
	for {
		if len(s.queue) == 0 {
			s.pass()
		}
		if len(s.queue) == 0 {
			return
		}
		r := s.queue[0]
		s.queue = s.queue[1:]
		err := stopped(func() { s.carryOut(r) })
		if other, ok := errors.AsType[*abandonError](err); ok {
			s.enqueue(other.message)
			continue
		}
		endsCommand(err)
	}
}

// enqueue adds a message to what is to be carried out.
func (s *script) enqueue(m message) { s.queue = append(s.queue, s.understand(m, false)) }

// understand reads a message. planned says that an approved plan was made for it.
func (s *script) understand(m message, planned bool) request {
	r := request{message: m, n: s.read, planned: planned}
	s.read++
	if r.time.IsZero() {
		r.time = s.now
	}
	if isBinary(m.text) {
		return r
	}
	if r.commands = s.task.commands; r.commands == nil {
		r.commands = s.settle(grammar.Parse(m.text, r.time))
	}
	s.task.commands = nil
	return r
}

// carryOut does what a message asks for.
func (s *script) carryOut(r request) {
	s.now, s.planned = r.time, r.planned
	defer s.begun(fmt.Sprintf("u%d", r.n))()
	if r.commands == nil {
		s.failf("What you sent holds binary data, not text, so I did nothing with it. I can work with plain text only.")
		return
	}
	if s.sketch != nil && !changes(r.commands) {
		s.planToLook(r.commands)
		return
	}
	if s.sketch == nil && !s.planned {
		s.confirmPart(r.commands)
	}
	partly := len(r.commands) > 1 && changes(r.commands)
	for i, c := range r.commands {
		if err := s.ctx.Err(); err != nil {
			panic(stop{err})
		}
		if partly && notFollowed(c) {
			continue
		}
		unit := fmt.Sprintf("u%d_%d", r.n, i)
		err := stopped(func() { s.do(c, unit, len(r.commands) > 1) })
		if errors.Is(err, errLost) {
			s.lost(c, unit)
			continue
		}
		if errors.Is(err, errNoTool) && (len(s.tools) > 0 || s.next < len(s.record)) {
			s.failf("I cannot do “%s” now: %s.", clip(oneLine(c.Text), 120), missingTool(err))
			continue
		}
		if errors.Is(err, errNoTool) {
			s.leave(r.commands[i:])
		}
		endsCommand(err)
	}
}

// lost says of a command that what the history holds of it ends early, since a tool could not be
// called at its time, or what it rests on is otherwise now.
func (s *script) lost(c grammar.Command, unit string) {
	what := clip(oneLine(c.Text), 120)
	if slices.ContainsFunc(s.made, func(m call) bool { return m.changes() && !m.failed && strings.HasPrefix(m.unit+"_", unit+"_") }) {
		s.failf("I lost track at “%s”: please check what became of it.", what)
		return
	}
	s.failf("“%s” was not done when its turn came. Please ask for it again.", what)
}

// leave notes down what is still to be done.
func (s *script) leave(commands []grammar.Command) {
	for _, r := range s.queue {
		commands = append(commands, r.commands...)
	}
	s.left = text.Of(commands, func(c grammar.Command) string { return clip(oneLine(c.Text), 120) })
}

// changes says whether any of some commands changes the vault.
func changes(commands []grammar.Command) bool {
	return slices.ContainsFunc(commands, grammar.Command.Changes)
}

// begun begins a unit; what it returns ends it.
func (s *script) begun(unit string) (end func()) {
	before := s.unit
	s.unit = unit
	return func() {
		s.ended[unit] = true
		s.unit = before
	}
}

// do carries out one command, a unit, on each of the notes it names; several: it is one of several of its
// message.
func (s *script) do(c grammar.Command, unit string, several bool) {
	defer s.begun(unit)()
	s.chosen = false
	list := []grammar.Command{c}
	switch c.Kind {
	case grammar.Delete, grammar.Move, grammar.Show, grammar.Summarise, grammar.Add:
		list = s.eachOf(c)
	}
	for i, one := range list {
		s.chosen = false
		s.doPart(one, fmt.Sprintf("%s_%d", unit, i), several)
	}
}

// doPart carries out a command on one note, a unit of its own.
func (s *script) doPart(c grammar.Command, unit string, several bool) {
	defer s.begun(unit)()
	switch {
	case s.purpose == llm.PurposeDelegate && c.Changes(): // a sub-agent reads only
		s.failf("I only read here, so “%s” was not done.", clip(oneLine(c.Text), 120))
		return
	case s.sketch != nil && !c.Changes() && !isTalk(c.Kind):
		s.lookUp(c)
		return
	case c.Kind == grammar.Question && several:
		s.sayf("**%s**", clip(oneLine(c.Text), 160))
	}
	s.unsure = c.Unsure
	err := stopped(func() { s.doOne(c) })
	if errors.Is(err, errNotNamed) {
		err = stopped(func() { s.searchInstead(c, "") })
	}
	endsCommand(err)
}

// carriers carry out the commands; what none is for is talk.
var carriers map[grammar.Kind]func(*script, grammar.Command)

func init() { // some of them carry out others
	carriers = map[grammar.Kind]func(*script, grammar.Command){
		grammar.Show: (*script).show, grammar.List: (*script).list, grammar.Count: (*script).list, grammar.Recent: (*script).recent,
		grammar.Tasks: (*script).tasks, grammar.Tick: (*script).tick, grammar.Summarise: (*script).summarise, grammar.Tags: (*script).tags,
		grammar.Create: (*script).create, grammar.Add: (*script).add, grammar.Replace: (*script).replace, grammar.Remove: (*script).removeText,
		grammar.Move: (*script).move, grammar.Rename: (*script).rename, grammar.Delete: (*script).delete, grammar.MakeFolder: (*script).makeFolder,
		grammar.Find: (*script).find, grammar.Links: (*script).links, grammar.Outline: (*script).outline, grammar.Info: (*script).info,
		grammar.Question: (*script).question, grammar.Undo: (*script).undo, grammar.More: (*script).more, grammar.Follow: (*script).follow,
	}
}

func (s *script) doOne(c grammar.Command) {
	switch carry := carriers[c.Kind]; {
	case carry != nil:
		carry(s, c)
	case c.Kind == grammar.Unclear && len(c.Others) == 0:
		panic(stop{errNotNamed})
	default:
		s.talk(c)
	}
}

// isTalk says whether a command is about the conversation, not the notes.
func isTalk(k grammar.Kind) bool { return carriers[k] == nil }

// change makes a change of the vault. what says it as an order, on one line: it is the step of
// a plan.
func (s *script) change(tool string, a args, what string) call {
	if (s.planned || s.sketch != nil) && slices.Contains(s.task.dropped, what) {
		panic(stop{errLeft})
	}
	if s.sketch != nil {
		return s.sketched(tool, a, what)
	}
	if s.planned && !s.chosen && !slices.Contains(s.task.approved, what) {
		s.yes(fmt.Sprintf("The plan you approved does not include this: %s. Shall I do it anyway?", what), "Not done, because it was not in the plan: "+what+".")
	}
	if s.unsure && !s.chosen && !s.planned {
		s.yes(fmt.Sprintf("Nothing was changed yet. I would do this: %s. Shall I?", what), unchanged)
		s.unsure = false
	}
	c := s.call(tool, a)
	if m := partlyRE().FindStringSubmatch(c.result); m != nil && !c.failed {
		s.sayf("Of my change to %s you accepted %s of %s parts; the others are unchanged.", cite(c.place(), 0), m[1], m[2])
	}
	return c
}

// partlyRE is what a tool says where the user took a part of a change only.
var partlyRE = lazyregexp.New(`^The user accepted (\d+) of the (\d+) parts of this change\.`)
