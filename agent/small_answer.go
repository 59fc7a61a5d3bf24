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
	"chatvault/tools"
)

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

// Bounds of a reply: a very small model can repeat itself for ever.
const (
	maxAnswerTokens = 400
	maxCallTokens   = 2000 // a call can hold a note
)

// offered returns the forms of calls that can do what is still to be done.
func (s *small) offered() []tools.Form {
	return smallmodel.Offered(s.forms, s.wish(), s.choices)
}

// wish returns the change that is to be done next.
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

// textOfNote returns the text of the note that a call names; "" if the message did not.
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

// shows makes of a response of a small model without calls the answer that is shown and recorded, and
// reports whether there is one: if not, the model is asked once more.
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
	case len(s.succeeded) > 0: // it only read
	case !strings.HasSuffix(answer, "?"):
		answer = smallmodel.NotDone(s.failed)
	}
	resp.Text = answer
	s.Emit(event.TextDelta{Meta: s.meta(), Text: answer})
	s.Emit(event.TextDone{Meta: s.meta(), Text: answer})
	return true
}

// narrowed reports whether an answer rests on passages about something else than the question, and is asked for again
// without them.
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
	_ = json.Unmarshal(llm.Arguments(c.Arguments), &args) // what is no object is refused elsewhere
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

// asksFor reports whether a change that the message asks for can be made by a tool, or is of no kind that is known.
func (s *small) asksFor(tool string) bool {
	t, _ := s.box.Lookup(tool)
	return slices.ContainsFunc(s.wishes, func(w smallmodel.Request) bool {
		return w.Wish == smallmodel.Unclear || slices.ContainsFunc(tools.Forms(t), func(f tools.Form) bool { return slices.Contains(f.For, w.Wish) })
	})
}

// doneInTurn reports whether the run made the same call before, and it succeeded.
func (s *small) doneInTurn(c llm.ToolCall) bool {
	same := func(arguments string) string { return tools.Arguments(llm.Arguments(arguments)) }
	return slices.ContainsFunc(s.out.Messages, func(m conversation.Message) bool {
		return slices.ContainsFunc(m.ToolCalls, func(earlier conversation.ToolCall) bool {
			return s.succeeded[earlier.ID] && earlier.Name == c.Name && same(earlier.Arguments) == same(c.Arguments)
		})
	})
}
