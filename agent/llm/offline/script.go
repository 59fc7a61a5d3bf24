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
	"chatvault/agent/llm/offline/retrieval"
)

// script carries out a task.
type script struct {
	ctx     context.Context
	engine  *Engine
	task    task
	purpose llm.Purpose
	tools   map[string]bool // what may be called; empty: nothing
	stuck   string          // why no tool may be called although there are some
	now     time.Time
	past    []turn // the turns before the task
	record  []step
	next    int
	turn    int    // the turn that the next step stands in
	newest  int    // the newest turn
	made    []call // calls replayed so far, for "it"
	ids     int    // calls in the whole history: the next call's id is one more
	all     []retrieval.Entry
	view    *names
	unit    string          // the unit under way
	ended   map[string]bool // units
	read    int             // messages understood so far
	queue   []request       // what is still to be carried out
	out     []string        // paragraphs of the answer
	good    int             // what was done or found so far
	bad     int             // what was refused or not there
	planned bool            // the request under way is what the approved plan was made for
	chosen  bool            // the command under way acts on what the user just chose
	steps   checklist
	sketch  *sketch // planning: what would be changed; nil: changes are made
	left    []string
}

// request is a message with the commands it holds.
type request struct {
	message
	n        int // which message of the task it is
	commands []grammar.Command
	items    int  // its first item in the checklist
	planned  bool // it is what the approved plan was made for
}

func (e *Engine) newScript(ctx context.Context, history []turn, purpose llm.Purpose, tools map[string]bool) *script {
	t := taskOf(history, purpose)
	s := &script{ended: map[string]bool{}, ctx: ctx, engine: e, task: t, purpose: purpose, tools: tools, past: history[:t.past], turn: t.root, newest: len(history) - 1}
	s.record = recorded(history, t)
	for i := range history {
		s.ids += len(history[i].calls)
	}
	newest := &history[s.newest]
	for _, c := range newest.calls {
		if c.circles != "" {
			s.stuck, s.tools = c.circles, nil
		}
		if c.name == taskList && c.ours() {
			s.steps.sent = c.args
		}
	}
	if s.now = history[t.root].time(); s.now.IsZero() {
		s.now = e.now()
	}
	s.all = e.index.Entries()
	s.view = namesOf(s.all)
	for i := len(s.record) - 1; i >= 0; i-- {
		s.apply(s.record[i].call, true)
	}
	if purpose == llm.PurposePlan {
		s.sketch = newSketch()
	}
	return s
}

// say adds a paragraph to the answer.
func (s *script) say(text string) {
	if text = strings.TrimSpace(text); text != "" {
		s.out = append(s.out, text)
	}
}

func (s *script) sayf(format string, a ...any) { s.say(fmt.Sprintf(format, a...)) }

// didf says what was done. A plan leaves it out: its steps say what would be.
func (s *script) didf(format string, a ...any) {
	s.good++
	if s.sketch == nil {
		s.sayf(format, a...)
	}
}

// foundf says what was looked up.
func (s *script) foundf(format string, a ...any) {
	s.good++
	s.sayf(format, a...)
}

// failf says what could not be done.
func (s *script) failf(format string, a ...any) {
	s.bad++
	s.sayf(format, a...)
}

// refused says what went wrong with a call; what, what was not done: "I could not …".
func (s *script) refused(what string, c call) {
	if why, ok := denial(c); ok {
		s.failf("I did not%s: %s", strings.TrimPrefix(what, "I could not"), why)
		return
	}
	s.failf("%s: %s", what, reason(c.result))
}

// denial says, for the user, that a change was not allowed, and whether that is so.
func denial(c call) (why string, denied bool) {
	text, _, _ := strings.Cut(c.result, " Nothing was changed.")
	switch {
	case !c.failed:
	case strings.HasPrefix(text, "Error: Not allowed: "):
		return strings.TrimPrefix(text, "Error: Not allowed: "), true
	case strings.HasPrefix(text, "Error: The user denied this change and said: "):
		return "you denied it, and said " + clip(oneLine(strings.TrimPrefix(text, "Error: The user denied this change and said: ")), 400), true
	case strings.HasPrefix(text, "Error: The user denied this change"):
		return "you denied it.", true
	}
	return "", false
}

// run carries out all requests of the task.
func (s *script) run() error {
	for i, m := range s.task.requests {
		s.enqueue(m)
		s.queue[i].planned = i < s.task.planned
	}
	for {
		if len(s.queue) == 0 {
			s.pass()
		}
		if len(s.queue) == 0 {
			return s.finishSteps()
		}
		r := s.queue[0]
		s.queue = s.queue[1:]
		err := s.carryOut(r)
		var other *abandonError
		if errors.As(err, &other) {
			s.enqueue(other.message)
			continue
		}
		if err != nil {
			return err
		}
	}
}

// enqueue adds a message to what is to be carried out.
func (s *script) enqueue(m message) { s.queue = append(s.queue, s.understand(m)) }

// understand reads a message.
func (s *script) understand(m message) request {
	r := request{message: m, n: s.read}
	s.read++
	if r.time.IsZero() {
		r.time = s.now
	}
	if isBinary(m.text) {
		return r
	}
	if r.commands = s.task.commands; r.commands == nil {
		r.commands = s.settleLines(grammar.Parse(m.text, r.time))
	}
	s.task.commands = nil
	r.items = s.steps.add(s, r.commands)
	return r
}

// carryOut does what a message asks for.
func (s *script) carryOut(r request) error {
	s.now = r.time
	defer s.begun(fmt.Sprintf("u%d", r.n))()
	if r.commands == nil {
		s.say("What you sent holds binary data, not text, so I did nothing with it. I can work with plain text only.")
		return nil
	}
	if n := changes(r.commands); n > 3 && s.sketch == nil && !s.steps.shown(s) {
		if err := s.progress("I work through %d steps, one after the other.", n); err != nil {
			return err
		}
	}
	if s.sketch != nil && changes(r.commands) == 0 {
		s.planToLook(r.commands)
		return nil
	}
	if done, err := s.delegated(r.commands); done || err != nil {
		return err
	}
	s.planned = r.planned
	item := r.items
	for i, c := range r.commands {
		if err := s.ctx.Err(); err != nil {
			return err
		}
		n := s.steps.count(item)
		err := s.do(c, standing{r.n, i, item, len(r.commands) > 1})
		item += n
		if errors.Is(err, errLost) {
			s.lost(c, fmt.Sprintf("u%d_%d", r.n, i))
			continue
		}
		if errors.Is(err, errNoTool) && (len(s.tools) > 0 || s.next < len(s.record)) {
			s.failf("I cannot do “%s” now: %s.", clip(oneLine(c.Text), 120), missingTool(err))
			continue
		}
		if errors.Is(err, errNoTool) {
			s.leave(r.commands[i:])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// lost says of a command that what the history holds of it ends early, since a tool could not be
// called at its time, or what it rests on is otherwise now.
func (s *script) lost(c grammar.Command, unit string) {
	what := clip(oneLine(c.Text), 120)
	if slices.ContainsFunc(s.made, func(m call) bool { return m.changes() && !m.failed && strings.HasPrefix(m.unit+"_", unit+"_") }) {
		s.failf("I lost the thread at “%s”: please check what became of it.", what)
		return
	}
	s.failf("“%s” was not done when its turn came. Please ask for it again.", what)
}

// leave notes down what is still to be done.
func (s *script) leave(commands []grammar.Command) {
	for _, c := range commands {
		s.left = append(s.left, clip(oneLine(c.Text), 120))
	}
	for _, r := range s.queue {
		for _, c := range r.commands {
			s.left = append(s.left, clip(oneLine(c.Text), 120))
		}
	}
}

func changes(commands []grammar.Command) int {
	n := 0
	for _, c := range commands {
		if c.Changes() {
			n++
		}
	}
	return n
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

// standing is where a command stands in a task.
type standing struct {
	request, command int
	item             int  // its first in the checklist
	several          bool // it is one of several of its message
}

// unit is the unit of a command.
func (p standing) unit() string { return fmt.Sprintf("u%d_%d", p.request, p.command) }

// do carries out one command, on each of the notes it names.
func (s *script) do(c grammar.Command, at standing) error {
	defer s.begun(at.unit())()
	list := []grammar.Command{c}
	switch c.Kind {
	case grammar.Delete, grammar.Move, grammar.Show, grammar.Summarise, grammar.Add:
		var ok bool
		var err error
		if list, ok, err = s.eachOf(c); err != nil || !ok {
			return ended(err)
		}
	}
	item := at.item
	ticks := s.steps.count(item) == len(list)
	good, bad := s.good, s.bad
	for i, one := range list {
		before, failed := s.good, s.bad
		s.chosen = false
		if err := s.doPart(one, at, i); err != nil {
			return err
		}
		if ticks && s.good > before && s.bad == failed {
			s.steps.tick(item+i, 1)
		}
	}
	if !ticks && s.good > good && s.bad == bad {
		s.steps.tick(item, s.steps.count(item))
	}
	return nil
}

// doPart carries out a command on one note, a unit of its own.
func (s *script) doPart(c grammar.Command, at standing, part int) error {
	defer s.begun(fmt.Sprintf("%s_%d", at.unit(), part))()
	return ended(s.doOne(c, at.several))
}

// ended is an error of a command, but for those that only end the command.
func ended(err error) error {
	if errors.Is(err, errLeft) {
		return nil
	}
	return err
}

func (s *script) doOne(c grammar.Command, several bool) error {
	if s.readOnly() && c.Changes() {
		s.failf("I only read here, so “%s” was not done.", clip(oneLine(c.Text), 120))
		return nil
	}
	if s.sketch != nil && !c.Changes() && !isTalk(c.Kind) {
		s.lookUp(c)
		return nil
	}
	switch c.Kind {
	case grammar.Show:
		return s.show(c)
	case grammar.List:
		return s.list(c)
	case grammar.Count:
		return s.count(c)
	case grammar.Tags:
		return s.tags()
	case grammar.Recent:
		return s.recent(c)
	case grammar.Tasks:
		return s.tasks(c)
	case grammar.Tick:
		return s.tick(c)
	case grammar.Summarise:
		return s.summarise(c)
	case grammar.Create:
		return s.create(c)
	case grammar.Add:
		return s.add(c)
	case grammar.Replace:
		return s.replace(c)
	case grammar.Remove:
		return s.removeText(c)
	case grammar.Move:
		return s.move(c)
	case grammar.Rename:
		return s.rename(c)
	case grammar.Delete:
		return s.delete(c)
	case grammar.MakeFolder:
		return s.makeFolder(c)
	case grammar.Find:
		return s.find(c)
	case grammar.Links:
		return s.links(c)
	case grammar.Info:
		return s.info(c)
	case grammar.Question:
		if several {
			s.sayf("**%s**", clip(oneLine(c.Text), 160))
		}
		return s.question(c)
	default:
		s.talk(c)
		return nil
	}
}

// isTalk says whether a command is about the conversation, not the notes.
func isTalk(k grammar.Kind) bool {
	switch k {
	case grammar.Help, grammar.About, grammar.Greet, grammar.Thanks, grammar.Continue, grammar.Cancel, grammar.Undo, grammar.Unclear:
		return true
	}
	return false
}

// readOnly says whether nothing may be changed, whatever is asked.
func (s *script) readOnly() bool { return s.purpose == llm.PurposeDelegate }

// change makes a change of the vault. what says it as an order, on one line: it is the step of
// a plan. The error is errLeft where the command ends here.
func (s *script) change(tool string, a args, what string) (call, error) {
	if (s.planned || s.sketch != nil) && s.task.leavesOut(what) {
		return call{}, errLeft
	}
	if s.sketch != nil {
		return s.sketched(tool, a, what)
	}
	if s.planned && !s.chosen && !slices.Contains(s.task.approved, what) {
		yes, err := s.yesOrNo(fmt.Sprintf("The plan you approved does not say this: %s. Shall I do it all the same?", what))
		if err != nil {
			return call{}, err
		}
		if !yes {
			s.sayf("Left undone, since the plan did not say it: %s.", what)
			return call{}, errLeft
		}
	}
	return s.call(tool, a)
}
