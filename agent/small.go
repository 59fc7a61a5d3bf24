package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/history"
	"chatvault/agent/llm"
	"chatvault/agent/smallmodel"
	"chatvault/agent/written"
	"chatvault/conversation"
	"chatvault/internal/base/text"
	"chatvault/tools"
)

// PromptSize selects the size of the prompt and the number of tools.
type PromptSize string

// The prompt sizes.
const (
	PromptAuto    PromptSize = "auto" // compact for models that are small, as far as that is known
	PromptFull    PromptSize = "full"
	PromptCompact PromptSize = "compact"
)

// CompactFor reports whether a provider's model gets the compact prompt. The embedded engine never does: it
// reads no prompt.
func (s PromptSize) CompactFor(ctx context.Context, p llm.Provider) bool {
	if s == "" {
		return false
	}
	sized, ok := ready(ctx, p).(llm.Sized)
	if !ok {
		return false
	}
	size := sized.Size(ctx) // in any case: the server's window is known then, too
	return s == PromptCompact || s == PromptAuto && size.Small()
}

// ready connects a provider that connects late, and returns the connected one. It returns nil on an error, which the call
// will report.
func ready(ctx context.Context, p llm.Provider) llm.Provider {
	if late, ok := p.(interface {
		Ready(ctx context.Context) (llm.Provider, error)
	}); ok {
		found, err := late.Ready(ctx)
		if err != nil {
			return nil
		}
		return found
	}
	return p
}

// small is the additional state of a turn with the compact prompt.
type small struct {
	*run                                // set when it begins
	question  bool                      // the message is a question, for which no tools are offered
	talk      bool                      // it is not about notes
	system    string                    // the system prompt
	message   string                    // as typed
	english   string                    // message in English, if it was translated
	exact     string                    // complete answer of the index; the model is not called
	evidence  []smallmodel.Passage      // passages found for the message
	indexed   string                    // answer of the index in the prompt
	quotes    string                    // answer of the index, used if the model gives none
	listed    []string                  // notes that the index listed
	each      []string                  // notes that are all to be changed in the same way
	spread    bool                      // the change was made in all of each
	sources   []string                  // texts that an answer may rest on: the message and its context
	wishes    []smallmodel.Request      // requested changes
	choices   map[tools.Choice][]string // possible arguments of calls
	forms     []tools.Form              // of all tools for small models
	created   []string                  // notes created by the turn
	failed    string                    // error of the last call; empty if it succeeded
	changes   int                       // number of calls that changed something
	failures  int                       // number of failed calls
	succeeded map[string]bool           // IDs of successful calls
	reminded  bool                      // the model was reminded to call a tool
	again     string                    // prompt with fewer passages, for a second answer
	reminder  []llm.Message             // for the next call only: an answer without a call, and the reminder
}

// smallTurn prepares the newest message of a turn for a small model and adds the passages found for it.
func (w *worker) smallTurn(t *turn, task *Task) *small {
	last := &task.Request[len(task.Request)-1]
	s := &small{succeeded: map[string]bool{}, system: task.System, message: last.Content, wishes: smallmodel.Requests(last.Content)}
	s.question = len(s.wishes) == 0
	for _, tool := range w.opt.Tools(nil).Tools() {
		s.forms = append(s.forms, tools.Forms(tool)...)
	}
	var answer string
	search := s.message
	if s.question && !smallmodel.Greets(s.message) && smallmodel.Foreign(s.message) {
		search = w.inEnglish(t, s.message)
		s.wishes = smallmodel.RequestsIn(s.message, search)
		s.question = len(s.wishes) == 0
	}
	if s.question {
		var kind smallmodel.Kind
		answer, kind = w.fromIndex(t, s.message, search)
		switch {
		case last.Attached != "": // it may be about that
		case kind == smallmodel.Exact:
			s.exact = answer
			return s
		case kind == smallmodel.Talk && !w.namesNote(t, s.message):
			s.talk = true
			last.Content += smallmodel.TalkPrompt(s.message)
			return s
		}
	} else {
		task.System += "\n" + smallmodel.Tools(s.forms)
		if answer = w.lookUp(t, s); s.exact != "" {
			return s
		}
	}
	found := smallmodel.Found{Passages: s.evidence}
	if w.opt.Found != nil {
		more := w.opt.Found(t.ctx, s.message, !s.question)
		found.Folders, found.Passages = more.Folders, append(found.Passages, more.Passages...)
		if search != s.message {
			found.Passages = smallmodel.Merge(w.opt.Found(t.ctx, search, false).Passages, found.Passages)
		}
	}
	if !s.question && (s.wishes[0].Wish == tools.WishCreate || s.wishes[0].Wish == tools.WishDaily) { // it names what it needs
		found.Passages = slices.DeleteFunc(found.Passages, func(p smallmodel.Passage) bool { return p.Full == "" })
	}
	s.evidence, s.quotes = found.Passages, answer
	if s.question && len(s.evidence) > 0 && s.evidence[0].Full != "" { // it is about a note that it names, not what the index quotes of others
		answer = ""
	}
	s.choices = smallmodel.Choices(found, s.message)
	s.indexed, s.listed = answer, smallmodel.Listed(answer)
	along := smallmodel.Along(answer, s.evidence)
	s.english = search
	if s.question && last.Attached == "" && len(task.Past) == 0 && len(task.Request) == 1 && search == s.message && smallmodel.Unanswered(search, along, s.evidence) {
		s.exact = smallmodel.NotInNotes(s.message, s.evidence)
		return s
	}
	s.sources = []string{s.message, last.Context, last.Attached, along, last.Time.Format("Monday 2 January 2006 2006-01-02")}
	last.Content = smallmodel.Prompt(s.asked(), along, text.Join("\n", last.Context, last.Attached), last.Time, s.question)
	last.Context, last.Attached, last.Time = "", "", time.Time{}
	return s
}

// fromIndex returns the index's answer to a question; search is the question in English.
func (w *worker) fromIndex(t *turn, message, search string) (answer string, kind smallmodel.Kind) {
	if smallmodel.Greets(message) {
		return "", smallmodel.Talk
	}
	return smallmodel.Indexed(search, w.indexAnswer(t, smallmodel.Query(search)))
}

// lookUp returns what the index knows about what a request says to find, count or list first. Notes that are all to
// be changed are in s.each and among the passages.
func (w *worker) lookUp(t *turn, s *small) string {
	var answers []string
	first, each := smallmodel.Lookups(s.message)
	for _, q := range append(first, each) {
		if q == "" {
			continue
		}
		answer, kind := smallmodel.Indexed(q, w.indexAnswer(t, q))
		if kind == smallmodel.Exact {
			answers = append(answers, answer)
		}
		if q == each {
			s.each = smallmodel.Listed(answer)
			s.exact = smallmodel.NotEach(answer, len(s.each))
		}
	}
	for _, path := range s.each {
		s.evidence = append(s.evidence, smallmodel.Passage{Path: path, Full: "\n"})
	}
	return strings.Join(answers, "\n\n")
}

// namesNote reports whether a message names a note.
func (w *worker) namesNote(t *turn, message string) bool {
	return !smallmodel.Greets(message) && w.opt.Found != nil &&
		slices.ContainsFunc(w.opt.Found(t.ctx, message, false).Passages, func(p smallmodel.Passage) bool { return p.Full != "" })
}

// asked returns the part of the message that is worked on.
func (s *small) asked() string {
	if len(s.wishes) > 1 {
		return s.wish().Text
	}
	return s.message
}

// inEnglish returns the model's English translation of a question, or the question if that fails: the index knows
// English.
func (w *worker) inEnglish(t *turn, question string) string {
	a := w.agentFor(t.provider)
	a.Retry = nil
	task := Task{TurnID: t.id, Purpose: llm.PurposeCompact, Meter: w.accounts.Meter(t.conv.ID), Emit: w.publishCosts}
	resp, err := newRun(a, task).model.call(t.ctx, llm.Request{Purpose: task.Purpose, Messages: smallmodel.Translation(question), Literal: true, MaxTokens: maxAnswerTokens})
	if english := strings.TrimSpace(resp.Text); err == nil && english != "" && len(english) < 4*len(question)+100 {
		return english
	}
	return question
}

// indexAnswer returns the embedded engine's answer to a question, using read-only tools.
func (w *worker) indexAnswer(t *turn, message string) string {
	if w.opt.Engine == nil {
		return ""
	}
	box := readOnly{w.opt.Tools(nil)}
	a := Agent{Provider: w.opt.Engine, MaxRounds: smallmodel.MaxRounds, Log: w.opt.Log}
	out, err := a.Run(t.ctx, Task{
		TurnID: t.id, Purpose: llm.PurposeDelegate,
		Request: []llm.Message{{Role: llm.RoleUser, Content: message, Time: t.started}},
		Tools:   func(tools.Messenger) Toolbox { return box },
		Emit:    func(event.Event) {},
	})
	if err != nil || out.Question != "" {
		return ""
	}
	return out.Response
}

// request returns a request for a small model: calls and results as text, and, for a change, a reply restricted
// to one call by a schema if the endpoint supports that.
func (s *small) request(req llm.Request) llm.Request {
	req = history.InWords(req)
	req.Messages, s.reminder = slices.Concat(req.Messages, s.reminder), nil
	if last := &req.Messages[len(req.Messages)-1]; s.changes > 0 && len(s.wishes) > 1 && last.Role == llm.RoleUser && s.ending == nil {
		last.Content += "\nRequest: " + s.wish().Text
	}
	_, free := s.unable.Load(noSchema + s.Provider.Name())
	req.Literal = !free
	req.MaxTokens = maxCallTokens
	if s.question {
		req.MaxTokens = maxAnswerTokens
	}
	if s.again != "" {
		req.Messages[len(req.Messages)-1].Content = s.again
	}
	if !s.question && s.ending == nil && !free {
		req.Schema = smallmodel.CallSchema(s.offered(), smallmodel.Narrowed(s.choices, s.wish().Text, s.listed, s.created), s.changes >= len(s.wishes))
	}
	return req
}

// Limits of a reply, as very small models may repeat themselves endlessly.
const (
	maxAnswerTokens = 400
	maxCallTokens   = 2000 // a call can hold a note
)

// offered returns the forms of calls for the next change.
func (s *small) offered() []tools.Form {
	return smallmodel.Offered(s.forms, s.wish(), s.choices)
}

// wish returns the next change.
func (s *small) wish() smallmodel.Request { return s.wishes[min(s.changes, len(s.wishes)-1)] }

// readCalls puts the calls in a small model's answer in the place that calls have in a response, as calls of tools.
func (s *small) readCalls(req llm.Request, resp *llm.Response, ids map[string]bool) {
	if len(resp.ToolCalls) == 0 && !s.question && s.ending == nil {
		var short, own []llm.ToolSpec
		for _, f := range s.forms {
			if schema, err := json.Marshal(f.Schema(nil)); err == nil {
				short = append(short, llm.ToolSpec{Name: f.Name, Parameters: schema})
			}
		}
		for _, t := range s.box.Tools() {
			own = append(own, llm.ToolSpec{Name: t.Name(), Parameters: t.Schema()})
		}
		_ = readCalls(req, resp, short, ids) || readCalls(req, resp, own, ids)
	}
	for i, c := range resp.ToolCalls {
		for _, t := range s.box.Tools() {
			for _, f := range tools.Forms(t) {
				if f.Name == c.Name {
					resp.ToolCalls[i].Name, resp.ToolCalls[i].Arguments = t.Name(), string(f.Arguments(llm.Arguments(c.Arguments), s.textOfNote(c.Arguments)))
				}
			}
		}
	}
	if len(resp.ToolCalls) == 1 && !s.spread {
		if all := smallmodel.ForEach(resp.ToolCalls[0], s.each); len(all) > 0 {
			resp.ToolCalls, s.spread = all, true
		}
	}
}

// textOfNote returns the text of the note that a call names; empty if the note is not in the evidence.
func (s *small) textOfNote(arguments string) string {
	var a struct {
		Path string `json:"path"`
	}
	_ = json.Unmarshal([]byte(arguments), &a) // invalid arguments name no note
	for _, p := range s.evidence {
		if p.Path == a.Path || smallmodel.Name(p.Path) == smallmodel.Name(a.Path) {
			return p.Full
		}
	}
	return ""
}

// shows turns a small model's response without calls into the answer to show and record. It returns false if the model
// is to be called again.
func (s *small) shows(resp *llm.Response) bool {
	answer := strings.TrimSpace(resp.Text)
	switch {
	case s.exact != "":
		answer = s.exact
	case s.ending != nil:
	case s.talk && smallmodel.Broken(answer, s.system):
		answer = smallmodel.Abilities
	case s.talk:
	case s.question && smallmodel.Broken(answer, s.system):
		answer = cmp.Or(s.quotes, smallmodel.NotInNotes(s.message, s.evidence))
	case s.question:
		if s.narrowed(answer) {
			return false
		}
		wrong := smallmodel.Unsupported(answer, s.message, s.sources...)
		switch {
		case len(wrong) > 0 && s.indexed != "" && smallmodel.SaysNothing(wrong, s.message):
			answer = s.indexed
		case len(wrong) > 0:
			s.Log.Info("an answer that the notes do not support", "turn", s.TurnID, "words", strings.Join(wrong, " "))
			answer = smallmodel.NotInNotes(s.message, s.evidence)
		default:
			answer = smallmodel.WithSource(answer, s.message, s.evidence)
		}
	case len(s.box.Changes()) > 0: // describe the actual changes, not the model's words
		answer = smallmodel.Done(s.box.Changes())
	case s.failed != "" && s.failures >= maxFailures:
		answer = smallmodel.NotDone(s.failed)
	case !s.reminded:
		s.reminded = true
		s.reminder = []llm.Message{{Role: llm.RoleAssistant, Content: answer}, {Role: llm.RoleUser, Content: smallmodel.Reminder(written.Name(answer), s.offered())}}
		return false
	case len(s.succeeded) > 0: // calls that only read
	case !strings.HasSuffix(answer, "?"):
		answer = smallmodel.NotDone(s.failed)
	}
	resp.Text = answer
	s.Emit(event.TextDelta{Meta: s.meta(), Text: answer})
	s.Emit(event.TextDone{Meta: s.meta(), Text: answer})
	return true
}

// narrowed reports whether an answer rests on passages about another subject. The model is then called again without
// them.
func (s *small) narrowed(answer string) bool {
	on := smallmodel.OnSubject(s.english, s.evidence)
	if len(on) == len(s.evidence) {
		return false
	}
	along := smallmodel.Along("", on)
	sources := []string{s.message, along, time.Now().Format("Monday 2 January 2006 2006-01-02")}
	if len(smallmodel.Unsupported(answer, s.message, sources...)) == 0 {
		return false
	}
	s.evidence, s.sources, s.indexed = on, sources, ""
	s.again = smallmodel.Prompt(s.message, along, "", time.Now(), true)
	return true
}

// maxFailures is the number of calls that fail before a turn of a small model ends.
const maxFailures = 4

// ends ends the run if a small model's calls did what the message asks for or failed too often, and reports
// whether it did.
func (s *small) ends(resp llm.Response, called []conversation.Message) bool {
	for _, m := range called {
		if m.Role == conversation.RoleTool && m.IsError {
			s.failures++
			if m.Content == s.failed { // the same mistake again
				s.failures = maxFailures
			}
			s.failed = m.Content
		} else if m.Role == conversation.RoleTool {
			s.failed, s.succeeded[m.ToolCallID] = "", true
			if s.view.alters(m.ToolName) {
				s.changes++
			}
		}
	}
	if s.failures < maxFailures && (s.failed != "" || s.changes < len(s.wishes) || smallmodel.Several(s.message) && !s.spread) {
		return false
	}
	s.to(event.StateThinking)
	s.shows(&resp)
	resp.ToolCalls = nil
	s.recordAnswer(resp)
	s.conclude(resp, false)
	return true
}

// refuses returns why a small model's call must not run; empty if it may. It refuses placeholders as arguments,
// changes of notes that neither the user nor a result named, and repeated calls.
func (s *small) refuses(ctx context.Context, c llm.ToolCall) string {
	var args map[string]any
	_ = json.Unmarshal(llm.Arguments(c.Arguments), &args) // other values than objects are refused elsewhere
	for name, v := range args {
		if value, ok := v.(string); ok && smallmodel.IsPlaceholder(value) {
			return fmt.Sprintf("Error: %q is a placeholder. Call %s again with the real value of %s.", value, c.Name, name)
		}
	}
	if !s.view.alters(c.Name) {
		return ""
	}
	if kind := tools.TraitsOf(c.Name).Kind; (kind == tools.CallDeletes || kind == tools.CallMoves) && !s.asksFor(c.Name) {
		return fmt.Sprintf("Error: The request does not ask for %s. Do only what it asks for.", c.Name)
	}
	known := slices.Clone(s.sources)
	for _, m := range slices.Concat(history.Join(s.Past), s.Request) {
		if m.Role == llm.RoleUser || m.Role == llm.RoleAssistant {
			known = append(known, m.Content)
		}
	}
	for _, m := range s.out.Messages {
		if m.Role == conversation.RoleTool {
			known = append(known, m.Content)
		}
	}
	if value, ok := args["value"].(string); ok && !smallmodel.ValueGiven(value, s.message) {
		return fmt.Sprintf("Error: %q is not a value that the request gives. Call %s again with its words.", value, c.Name)
	}
	if s.doneInTurn(c) {
		return "Error: This very call was made before in this turn, and it worked. Do not repeat it: tell the user what was done."
	}
	if note, _ := args["path"].(string); tools.TraitsOf(c.Name).Whole && note != "" && !slices.Contains(s.created, note) {
		if s.box.Exists(ctx, note) {
			return fmt.Sprintf("Error: There is a note %q already. Add lines to it, or replace a part of its text.", note)
		}
		s.created = append(s.created, note)
	}
	for _, name := range []string{"path", "source"} {
		if note, _ := args[name].(string); note != "" && !smallmodel.Named(note, known...) {
			return fmt.Sprintf("Error: %q was named neither by the user nor in a note. Use the name that the user gave, or ask which note is meant.", note)
		}
	}
	return ""
}

// asksFor reports whether a tool can make one of the requested changes, or one of them is of an unknown kind.
func (s *small) asksFor(tool string) bool {
	t, _ := s.box.Lookup(tool)
	return slices.ContainsFunc(s.wishes, func(w smallmodel.Request) bool {
		return w.Wish == smallmodel.Unclear || slices.ContainsFunc(tools.Forms(t), func(f tools.Form) bool { return slices.Contains(f.For, w.Wish) })
	})
}

// doneInTurn reports whether the run has made the same call successfully.
func (s *small) doneInTurn(c llm.ToolCall) bool {
	same := func(arguments string) string { return tools.Arguments(llm.Arguments(arguments)) }
	return slices.ContainsFunc(s.out.Messages, func(m conversation.Message) bool {
		return slices.ContainsFunc(m.ToolCalls, func(earlier conversation.ToolCall) bool {
			return s.succeeded[earlier.ID] && earlier.Name == c.Name && same(earlier.Arguments) == same(c.Arguments)
		})
	})
}
