package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/llm"
	"chatvault/agent/repeat"
	"chatvault/agent/smallmodel"
	"chatvault/agent/toolless"
	"chatvault/agent/written"
	"chatvault/conversation"
	"chatvault/tools"
)

// smallRequest returns a request for a small model: calls and results as text, and, for a change, a reply restricted
// to one call by a schema if the endpoint supports that.
func (r *run) smallRequest(req llm.Request) llm.Request {
	s := r.small
	req = toolless.InWords(req)
	req.Messages, s.reminder = slices.Concat(req.Messages, s.reminder), nil
	if last := &req.Messages[len(req.Messages)-1]; s.changes > 0 && len(s.wishes) > 1 && last.Role == llm.RoleUser && r.ending == nil {
		last.Content += "\nRequest: " + s.wish().Text
	}
	_, free := r.unable.Load(noSchema + r.Provider.Name())
	req.Literal = !free
	req.MaxTokens = maxCallTokens
	if s.question {
		req.MaxTokens = maxAnswerTokens
	}
	if s.again != "" {
		req.Messages[len(req.Messages)-1].Content = s.again
	}
	if !s.question && r.ending == nil && !free {
		req.Schema = smallmodel.CallSchema(r.offered(), smallmodel.Narrowed(s.choices, s.wish().Text, s.listed, s.created), s.changes >= len(s.wishes))
	}
	return req
}

// Bounds of a reply: a very small model can repeat itself for ever.
const (
	maxAnswerTokens = 400
	maxCallTokens   = 2000 // a call can hold a note
)

// offered returns the forms of calls that can do what is still to be done.
func (r *run) offered() []tools.Form {
	s := r.small
	return smallmodel.Offered(s.forms, s.wish(), s.choices)
}

// wish returns the change that is to be done next.
func (s *small) wish() smallmodel.Request { return s.wishes[min(s.changes, len(s.wishes)-1)] }

// readSmall puts the calls in a small model's answer in the place that calls have in a response, as calls of tools.
func (r *run) readSmall(req llm.Request, resp *llm.Response, ids map[string]bool) {
	s := r.small
	if len(resp.ToolCalls) == 0 && !s.question && r.ending == nil {
		var short, own []llm.ToolSpec
		for _, f := range s.forms {
			if schema, err := json.Marshal(f.Schema(nil)); err == nil {
				short = append(short, llm.ToolSpec{Name: f.Name, Parameters: schema})
			}
		}
		for _, t := range r.box.Tools() {
			own = append(own, llm.ToolSpec{Name: t.Name(), Parameters: t.Schema()})
		}
		_ = readCalls(req, resp, short, ids) || readCalls(req, resp, own, ids)
	}
	for i, c := range resp.ToolCalls {
		for _, t := range r.box.Tools() {
			for _, f := range tools.Forms(t) {
				if f.Name == c.Name {
					resp.ToolCalls[i].Name, resp.ToolCalls[i].Arguments = t.Name(), string(f.Arguments(llm.Arguments(c.Arguments), r.textOfNote(c.Arguments)))
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

// textOfNote returns the text of the note that a call names; "" if the message did not.
func (r *run) textOfNote(arguments string) string {
	var a struct {
		Path string `json:"path"`
	}
	_ = json.Unmarshal([]byte(arguments), &a) // invalid arguments name no note
	for _, p := range r.small.evidence {
		if p.Path == a.Path || smallmodel.Name(p.Path) == smallmodel.Name(a.Path) {
			return p.Full
		}
	}
	return ""
}

// withoutSchema reports whether a call failed because the endpoint takes no schema of a response, or no temperature,
// and is made again without them.
func (r *run) withoutSchema(req *llm.Request, err error) bool {
	e, ok := errors.AsType[*llm.Error](err)
	if !ok || req.Schema == nil && !req.Literal || e.Kind != llm.KindInvalidRequest || e.Reason != "" {
		return false
	}
	req.Schema, req.Literal = nil, false
	r.unable.Store(noSchema+r.Provider.Name(), true)
	return true
}

// noSchema marks a model whose endpoint does not support schemas or temperatures in learned.unable.
const noSchema = "schema "

// answerSmall makes of a response of a small model without calls the answer that is shown and recorded, and
// reports whether there is one: if not, the model is asked once more.
func (r *run) answerSmall(resp *llm.Response) bool {
	s := r.small
	answer := strings.TrimSpace(resp.Text)
	switch {
	case s.exact != "":
		answer = s.exact
	case r.ending != nil:
	case s.talk && smallmodel.Broken(answer, s.system):
		answer = smallmodel.Abilities
	case s.talk:
	case s.question && smallmodel.Broken(answer, s.system):
		answer = cmp.Or(s.quotes, smallmodel.NotInNotes(s.message, s.evidence))
	case s.question:
		if r.narrowed(answer) {
			return false
		}
		wrong := smallmodel.Unsupported(answer, s.message, s.sources...)
		switch {
		case len(wrong) > 0 && s.indexed != "" && smallmodel.SaysNothing(wrong, s.message):
			answer = s.indexed
		case len(wrong) > 0:
			r.Log.Info("an answer that the notes do not support", "turn", r.TurnID, "words", strings.Join(wrong, " "))
			answer = smallmodel.NotInNotes(s.message, s.evidence)
		default:
			answer = smallmodel.WithSource(answer, s.message, s.evidence)
		}
	case len(r.box.Changes()) > 0: // describe the actual changes, not the model's words
		answer = smallmodel.Done(r.box.Changes())
	case s.failed != "" && s.failures >= maxFailures:
		answer = smallmodel.NotDone(s.failed)
	case !s.reminded:
		s.reminded = true
		s.reminder = []llm.Message{{Role: llm.RoleAssistant, Content: answer}, {Role: llm.RoleUser, Content: smallmodel.Reminder(written.Name(answer), r.offered())}}
		return false
	case r.succeeded(): // it only read
	case !strings.HasSuffix(answer, "?"):
		answer = smallmodel.NotDone(s.failed)
	}
	resp.Text = answer
	r.Emit(event.TextDelta{Meta: r.meta(), Text: answer})
	r.Emit(event.TextDone{Meta: r.meta(), Text: answer})
	return true
}

// narrowed reports whether an answer rests on passages about something else than the question, and is asked for again
// without them.
func (r *run) narrowed(answer string) bool {
	s := r.small
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

// endsSmall ends the run if a small model's calls did what the message asks for or failed too often, and reports
// whether it did.
func (r *run) endsSmall(resp llm.Response, called []conversation.Message) bool {
	s := r.small
	if s == nil {
		return false
	}
	for _, m := range called {
		if m.Role == conversation.RoleTool && m.IsError {
			s.failures++
			if m.Content == s.failed { // the same mistake again
				s.failures = maxFailures
			}
			s.failed = m.Content
		} else if m.Role == conversation.RoleTool {
			s.failed = ""
			if r.alters(m.ToolName) {
				s.changes++
			}
		}
	}
	if s.failures < maxFailures && (s.failed != "" || s.changes < len(s.wishes) || smallmodel.Several(s.message) && !s.spread) {
		return false
	}
	r.to(event.StateThinking)
	r.answerSmall(&resp)
	resp.ToolCalls = nil
	r.recordAnswer(resp)
	r.finish(resp, repeat.Complete)
	return true
}

// succeeded reports whether a call of the run succeeded.
func (r *run) succeeded() bool {
	return slices.ContainsFunc(r.out.Record, func(m conversation.Message) bool { return m.Role == conversation.RoleTool && !m.IsError })
}

// refuseSmall returns why a small model's call must not run; empty if it may. It refuses placeholders as arguments,
// changes of notes that neither the user nor a result named, and repeated calls.
func (r *run) refuseSmall(ctx context.Context, c llm.ToolCall) string {
	if r.small == nil {
		return ""
	}
	var args map[string]any
	_ = json.Unmarshal(llm.Arguments(c.Arguments), &args) // what is no object is refused elsewhere
	for name, v := range args {
		if value, ok := v.(string); ok && smallmodel.IsPlaceholder(value) {
			return fmt.Sprintf("Error: %q is a placeholder. Call %s again with the real value of %s.", value, c.Name, name)
		}
	}
	if !r.alters(c.Name) {
		return ""
	}
	if kind := tools.TraitsOf(c.Name).Kind; (kind == tools.CallDeletes || kind == tools.CallMoves) && !r.asksFor(c.Name) {
		return fmt.Sprintf("Error: The request does not ask for %s. Do only what it asks for.", c.Name)
	}
	known := slices.Clone(r.small.sources)
	for _, m := range r.History {
		if m.Role == llm.RoleUser || m.Role == llm.RoleAssistant {
			known = append(known, m.Content)
		}
	}
	for _, m := range r.out.Record {
		if m.Role == conversation.RoleTool {
			known = append(known, m.Content)
		}
	}
	if value, ok := args["value"].(string); ok && !smallmodel.ValueGiven(value, r.small.message) {
		return fmt.Sprintf("Error: %q is not a value that the request gives. Call %s again with its words.", value, c.Name)
	}
	if r.doneInTurn(c) {
		return "Error: This very call was made before in this turn, and it worked. Do not repeat it: tell the user what was done."
	}
	if note, _ := args["path"].(string); tools.TraitsOf(c.Name).Whole && note != "" && !slices.Contains(r.small.created, note) {
		if r.box.Exists(ctx, note) {
			return fmt.Sprintf("Error: There is a note %q already. Add lines to it, or replace a part of its text.", note)
		}
		r.small.created = append(r.small.created, note)
	}
	for _, name := range []string{"path", "source"} {
		if note, _ := args[name].(string); note != "" && !smallmodel.Named(note, known...) {
			return fmt.Sprintf("Error: %q was named neither by the user nor in a note. Use the name that the user gave, or ask which note is meant.", note)
		}
	}
	return ""
}

// asksFor reports whether a change that the message asks for can be made by a tool, or is of no kind that is known.
func (r *run) asksFor(tool string) bool {
	t, _ := r.box.Lookup(tool)
	return slices.ContainsFunc(r.small.wishes, func(w smallmodel.Request) bool {
		return w.Wish == smallmodel.Unclear || slices.ContainsFunc(tools.Forms(t), func(f tools.Form) bool { return slices.Contains(f.For, w.Wish) })
	})
}

// doneInTurn reports whether the run made the same call before, and it succeeded.
func (r *run) doneInTurn(c llm.ToolCall) bool {
	failed := map[string]bool{}
	for _, m := range r.out.Record {
		if m.Role == conversation.RoleTool {
			failed[m.ToolCallID] = m.IsError
		}
	}
	for _, m := range r.out.Record {
		for _, earlier := range m.ToolCalls {
			if bad, ran := failed[earlier.ID]; ran && !bad && earlier.Name == c.Name && canonical(earlier.Arguments) == canonical(c.Arguments) {
				return true
			}
		}
	}
	return false
}
