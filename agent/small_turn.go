package agent

import (
	"context"
	"slices"
	"strings"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/llm"
	"chatvault/agent/smallmodel"
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
	if late, ok := p.(interface {
		Ready(ctx context.Context) (llm.Provider, error)
	}); ok {
		found, err := late.Ready(ctx)
		if err != nil {
			return false // the call reports the error
		}
		p = found
	}
	sized, ok := p.(llm.Sized)
	if !ok {
		return false
	}
	size := sized.Size(ctx) // in any case: the server's window is known then, too
	return s == PromptCompact || s == PromptAuto && size.Small()
}

// small is the additional state of a turn with the compact prompt.
type small struct {
	*run                                // set when it begins
	question  bool                      // the message asks, and no tools are offered
	talk      bool                      // it is not about notes
	system    string                    // the system prompt
	message   string                    // what the person typed
	english   string                    // the same in English, as far as that was needed
	exact     string                    // the index's complete answer, which needs no model
	evidence  []smallmodel.Passage      // what was found
	indexed   string                    // what the index answered
	quotes    string                    // the index's answer, used if the model has none
	listed    []string                  // notes that the index listed for it
	each      []string                  // notes of which every one is to be changed in one way
	spread    bool                      // they were
	sources   []string                  // what an answer may rest on: the message and what went along with it
	wishes    []smallmodel.Request      // the changes that it asks for
	choices   map[tools.Choice][]string // what arguments of calls can be
	forms     []tools.Form              // of all tools for small models
	created   []string                  // notes, by the turn
	failed    string                    // why the last call failed; "" if it did not
	changes   int                       // calls that changed something
	failures  int                       // calls that failed
	succeeded map[string]bool           // IDs of calls that did not
	reminded  bool                      // the model was reminded to call a tool
	again     string                    // the question with fewer passages, for a second answer
	reminder  []llm.Message             // of the next call alone: an answer without a call, and the reminder
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
	last.Content = smallmodel.Prompt(s.asked(), along, joinLines(last.Context, last.Attached), last.Time, s.question)
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
