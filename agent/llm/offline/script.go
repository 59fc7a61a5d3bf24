package offline

import (
	"context"
	"fmt"
	"strings"
	"time"

	"chatvault/agent/llm/offline/grammar"
	"chatvault/agent/llm/offline/retrieval"
)

// step is a recorded step of a task: a tool call, or what the user answered to a question.
type step struct {
	call   call
	answer string
	turn   int // the turn it stands in
	isCall bool
}

// script carries out a task.
type script struct {
	ctx    context.Context
	engine *Engine
	tools  map[string]bool // what may be called; empty: nothing
	now    time.Time
	past   []turn // the turns before the task
	done   string // what an earlier attempt at this request had done, "" mostly
	record []step
	next   int
	made   []call // calls replayed so far, for "it"
	ids    int    // calls in the whole history: the next call's id is one more
	all    []retrieval.Entry
	view   *names
	out    []string // paragraphs of the answer
}

func (e *Engine) newScript(ctx context.Context, history []turn, root int, tools map[string]bool) *script {
	s := &script{ctx: ctx, engine: e, tools: tools, past: history[:root]}
	for _, t := range history {
		s.ids += len(t.calls)
	}
	last := len(history) - 1
	for i := root; i <= last; i++ {
		if i > root && !isContinue(history[i].text) {
			s.record = append(s.record, step{answer: history[i].text, turn: i})
		}
		for _, c := range history[i].calls {
			if !c.ours() && !c.changes() {
				continue // a model looked around before it gave up; what it changed ends the script
			}
			s.record = append(s.record, step{call: c, turn: i, isCall: true})
		}
	}
	s.now = history[root].time
	if s.now.IsZero() {
		s.now = e.now()
	}
	s.done = earlierAttempt(history[last].context)
	s.all = e.index.Entries()
	s.view = namesOf(s.all)
	for i := len(s.record) - 1; i >= 0; i-- {
		s.apply(s.record[i], true)
	}
	return s
}

// earlierAttempt returns what an attempt of this request that ended early had done, which the
// agent notes beside the message: one line of changes.
func earlierAttempt(context string) string {
	_, rest, ok := strings.Cut(context, "It had already done this: ")
	if !ok {
		return ""
	}
	rest, _, _ = strings.Cut(rest, " Do not repeat it.")
	return rest
}

// apply brings the effect of a recorded call on names into the view, or takes it out again.
func (s *script) apply(st step, undo bool) {
	c := st.call
	if !st.isCall || c.failed || c.pending {
		return
	}
	switch c.name {
	case "write_file":
		if strings.HasPrefix(c.result, "Created") {
			if undo {
				s.view.remove(c.arg("path"))
			} else {
				s.view.add(c.arg("path"))
			}
		}
	case "move_file":
		from, to := c.arg("source"), c.arg("destination")
		if undo {
			from, to = to, from
		}
		s.view.move(from, to)
	case "delete_file":
		if p := c.arg("path"); undo && isNote(p) {
			s.view.add(p)
		} else if undo {
			s.view.folders[p] = true // what was in it, no later step can need
		} else {
			s.view.remove(p)
		}
	case "create_folder":
		if !undo {
			s.view.folders[c.arg("path")] = true
		}
	}
}

// say adds a paragraph to the answer.
func (s *script) say(text string) {
	if text = strings.TrimSpace(text); text != "" {
		s.out = append(s.out, text)
	}
}

func (s *script) sayf(format string, a ...any) { s.say(fmt.Sprintf(format, a...)) }

// args of a tool call.
type args map[string]any

// call runs a tool: it returns the recorded result, or stops the script.
func (s *script) call(name string, a args) (call, error) {
	out, err := s.calls([]planned{{name, a}})
	if err != nil {
		return call{}, err
	}
	return out[0], nil
}

// planned is a call to be made.
type planned struct {
	name string
	args args
}

// calls runs several tools in one response; they must not depend on each other.
func (s *script) calls(list []planned) ([]call, error) {
	var out []call
	for s.next < len(s.record) && len(out) < len(list) {
		st := s.record[s.next]
		if !st.isCall || st.call.name != list[len(out)].name {
			return nil, errDiverge
		}
		if st.call.pending {
			break
		}
		s.next++
		s.apply(st, false)
		s.made = append(s.made, st.call)
		out = append(out, st.call)
	}
	if len(out) == len(list) {
		return out, nil
	}
	if s.next < len(s.record) {
		return nil, errDiverge
	}
	pause := &pauseError{}
	for i, p := range list[len(out):] {
		if !s.tools[p.name] {
			return nil, fmt.Errorf("%w: %s", errNoTool, p.name)
		}
		c, err := toolCall(s.ids+i+1, p.name, p.args)
		if err != nil {
			return nil, err
		}
		pause.calls = append(pause.calls, c)
	}
	return nil, pause
}

// progress tells the user at once what goes on. Without the tool for it nothing is said.
func (s *script) progress(format string, a ...any) error {
	recorded := s.next < len(s.record) && s.record[s.next].isCall && s.record[s.next].call.name == "send_message"
	if !recorded && (!s.tools["send_message"] || s.next < len(s.record)) {
		return nil
	}
	_, err := s.call("send_message", args{"message": fmt.Sprintf(format, a...), "is_question": false})
	return err
}

// ask asks the user and returns the answer. Where nothing can be asked by the tool, the
// question becomes the answer's text.
func (s *script) ask(question string) (answer string, turn int, err error) {
	if !s.tools["send_message"] && s.next >= len(s.record) {
		s.say(question)
		return "", 0, errAsked
	}
	if _, err := s.call("send_message", args{"message": question, "is_question": true}); err != nil {
		return "", 0, err
	}
	if s.next >= len(s.record) {
		return "", 0, errAsked // the loop ends the turn here and does not come back before the answer
	}
	st := s.record[s.next]
	if st.isCall {
		return "", 0, errDiverge
	}
	s.next++
	return strings.TrimSpace(st.answer), st.turn, nil
}

// run carries out all commands of a message.
func (s *script) run(text string) error {
	if isBinary(text) {
		s.say("What you sent holds binary data, not text, so I did nothing with it. I can work with plain text only.")
		return nil
	}
	commands := grammar.Parse(text, s.now)
	if n := changes(commands); n > 3 {
		if err := s.progress("I work through %d steps, one after the other.", n); err != nil {
			return err
		}
	}
	for _, c := range commands {
		if err := s.ctx.Err(); err != nil {
			return err
		}
		if err := s.do(c); err != nil {
			return err
		}
	}
	return nil
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

// do carries out one command, on each of the notes it names.
func (s *script) do(c grammar.Command) error {
	switch c.Kind {
	case grammar.Delete, grammar.Move, grammar.Show, grammar.Summarise, grammar.Add:
		list, ok, err := s.eachOf(c)
		if err != nil || !ok {
			return err
		}
		for _, one := range list {
			if err := s.doOne(one); err != nil {
				return err
			}
		}
		return nil
	}
	return s.doOne(c)
}

func (s *script) doOne(c grammar.Command) error {
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
		return s.question(c)
	case grammar.Unclear:
		s.unclear(c)
		return nil
	default:
		s.talk(c)
		return nil
	}
}
