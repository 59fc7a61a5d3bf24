package offline

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"chatvault/agent/llm"
	"chatvault/agent/llm/offline/grammar"
	"chatvault/agent/llm/offline/retrieval"
)

// A task is carried out by a script: plain code that calls tools and asks questions as if they
// answered at once. The engine keeps no state between requests, so each request runs the
// script from its beginning; calls that the history holds return what they returned then,
// and the first one it does not hold stops the script and becomes the response. This is why a
// script must not depend on anything but the history and the notes as they were when the task
// began, which view gives.

// pauseError stops a script at calls that are still to be made.
type pauseError struct{ calls []llm.ToolCall }

func (*pauseError) Error() string { return "waiting for tools" }

// abandonError stops a script whose question was answered with a new request.
type abandonError struct{ turn int }

func (*abandonError) Error() string { return "the user went on to something else" }

var (
	errNoTool  = errors.New("the tool cannot be called now")
	errDiverge = errors.New("the history holds other calls than planned")
	errAsked   = errors.New("the user was asked")
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

// respond works out the response to a request.
func (e *Engine) respond(ctx context.Context, req llm.Request) (response, error) {
	history := turns(req.Messages)
	if len(history) == 0 {
		return response{text: "Ask me something about your notes, or say **help**."}, nil
	}
	if err := e.index.Refresh(ctx); err != nil {
		return response{}, fmt.Errorf("the notes could not be read: %w", err)
	}
	tools := map[string]bool{}
	for _, t := range req.Tools {
		tools[t.Name] = true
	}
	last := len(history) - 1
	root := taskRoot(history)
	for range len(history) + 1 {
		s := e.newScript(ctx, history, root, tools)
		err := s.run(history[root].text)
		var pause *pauseError
		var abandon *abandonError
		switch {
		case ctx.Err() != nil:
			return response{}, ctx.Err()
		case errors.As(err, &pause):
			return response{calls: pause.calls}, nil
		case errors.As(err, &abandon):
			root = abandon.turn
			continue
		case errors.Is(err, errNoTool):
			s.say(s.unfinished(len(tools) == 0))
		case errors.Is(err, errDiverge):
			s.out = []string{s.account(history[last].calls)}
		case errors.Is(err, errAsked):
			return response{text: strings.Join(s.out, "\n\n")}, nil
		case err != nil:
			return response{}, err
		case root != last && len(history[last].calls) == 0 && isContinue(history[last].text) && s.next == len(s.record):
			return response{text: "Nothing is left to do from your last request."}, nil
		}
		if len(s.out) == 0 {
			s.say("Done.")
		}
		return response{text: strings.Join(s.out, "\n\n")}, nil
	}
	return response{}, errors.New("the conversation could not be followed")
}

// taskRoot is the turn in which the task of the newest turn began: it reaches back over
// questions of ours that were answered, and over "continue".
func taskRoot(history []turn) int {
	i := len(history) - 1
	for i > 0 && (history[i-1].asked() || isContinue(history[i].text)) {
		i--
	}
	return i
}

func isContinue(text string) bool {
	c := grammar.Parse(text, time.Time{})
	return len(c) == 1 && c[0].Kind == grammar.Continue
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

// do carries out one command.
func (s *script) do(c grammar.Command) error {
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
	default:
		s.talk(c)
		return nil
	}
}

// unfinished is what is said when the script had to stop before its end.
func (s *script) unfinished(limit bool) string {
	if limit {
		return "That was as far as I got within the limit of steps for one message. Say **continue** and I go on with the rest."
	}
	return "I cannot do the rest here: the tool it needs is not available."
}

// account says what recorded calls did, where nothing better can be said.
func (s *script) account(calls []call) string {
	var lines []string
	for _, c := range calls {
		first, _, _ := strings.Cut(c.result, "\n")
		switch c.name {
		case "write_file", "edit_file", "move_file", "delete_file", "create_folder":
			lines = append(lines, "- "+first)
		}
	}
	if len(lines) == 0 {
		return "I could not follow this request to its end. Please ask again, in other words if you can."
	}
	return "This much was done:\n\n" + strings.Join(lines, "\n") + "\n\nPlease check it, and tell me what is still missing."
}

// refused adds what went wrong with a call to the answer.
func (s *script) refused(what string, c call) {
	s.sayf("%s: %s", what, reason(c.result))
}
