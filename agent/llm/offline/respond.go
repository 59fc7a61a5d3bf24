package offline

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"chatvault/agent/llm"
)

// respond works out the response to a request.
func (e *Engine) respond(ctx context.Context, req llm.Request) (response, error) {
	if ctx.Err() != nil {
		return response{}, ctx.Err()
	}
	history := turns(req.Messages)
	if len(history) == 0 {
		return response{text: "Ask me something about your notes, or say **help**."}, nil
	}
	if text, ok := aside(req); ok {
		return response{text: text}, nil
	}
	if err := e.index.Refresh(ctx); err != nil {
		return response{}, fmt.Errorf("the notes could not be read: %w", err)
	}
	if req.Purpose == llm.PurposeGoalCheck {
		return response{text: e.checkGoal(req.Messages)}, nil
	}
	if done, ok := last(history).leftOut(); ok {
		return response{text: "I cannot continue this request: its earlier steps were left out to save room (`context_window` is small for it). This much was done:\n\n" + done + "\n\nPlease check it, and ask for what is missing."}, nil
	}
	tools := map[string]bool{}
	for _, t := range req.Tools {
		if !req.NoCalls {
			tools[t.Name] = true
		}
	}
	s := e.newScript(ctx, history, req.Purpose, tools)
	if len(s.task.requests) == 0 {
		return response{text: s.atTheEnd(last(history))}, nil
	}
	err := stopped(s.run)
	pause, paused := errors.AsType[*pauseError](err)
	switch {
	case ctx.Err() != nil:
		return response{}, ctx.Err()
	case paused:
		return s.respondWith(pause.calls, pause.unit), nil
	case errors.Is(err, errNoTool) && s.sketch != nil:
		s.sayf("I could not look any further: %s. There may be more.", s.whyNoTool(err))
	case errors.Is(err, errNoTool):
		s.say(s.unfinished())
	case errors.Is(err, errDiverge):
		s.out = []string{account(last(history).calls)}
	case errors.Is(err, errAsked):
	case err != nil:
		return response{}, err
	case s.nothingLeft(history):
		return response{text: s.atTheEnd(last(history))}, nil
	}
	if s.sketch != nil && !errors.Is(err, errDiverge) {
		return response{text: s.planText()}, nil
	}
	if len(s.out) == 0 {
		s.say("Done.")
	}
	return response{text: strings.Join(s.out, "\n\n")}, nil
}

// respondWith makes a response of calls, numbered on from those of the history.
func (s *script) respondWith(list []planned, unit string) response {
	var r response
	if asksUser(list[0].name) { // what was done before a question is not said after it
		r.text = strings.Join(s.out, "\n\n")
	}
	for i, p := range list {
		r.calls = append(r.calls, toolCall(s.ids+i+1, unit, p.name, p.args))
	}
	return r
}

// nothingLeft says whether the newest turn says to go on where there is nothing to go on with.
func (s *script) nothingLeft(history []turn) bool {
	newest := last(history)
	return s.task.root < len(history)-1 && repeats(newest.messages[0]) && len(newest.calls) == 0 && len(s.out) == 0
}

// atTheEnd is what is said where there is nothing to go on with.
func (s *script) atTheEnd(newest *turn) string {
	switch {
	case newest.towardGoal():
		if _, why, ok := strings.Cut(newest.messages[0].text, " Not met yet: "); ok {
			return "I cannot get any further toward the goal: " + strings.TrimSuffix(why, ".") + "."
		}
		return "I cannot get any further toward the goal: what I understand of it is done, or could not be done."
	case s.bad > 0:
		return "There is nothing more I can do for your last request: what is not done could not be done."
	}
	return "Nothing is left to do from your last request."
}

// whyNoTool says in half a sentence why a tool could not be called.
func (s *script) whyNoTool(err error) string {
	switch {
	case s.stuck != "":
		return "I went round in circles (" + s.stuck + ")"
	case len(s.tools) == 0:
		return "no more tools can be called now"
	}
	return missingTool(err)
}

// missingTool names the tool that an error says is missing.
func missingTool(err error) string {
	return "the tool " + strings.TrimPrefix(err.Error(), errNoTool.Error()+": ") + " is not offered at this step"
}

// unfinished is what is said when the script had to stop before its end.
func (s *script) unfinished() string {
	why, left := "That is as far as I got within the step limit for one message.", " "
	if s.stuck != "" {
		why = "I stopped, since I went round in circles: " + s.stuck + "."
	}
	if len(s.left) > 1 {
		left = " Not done yet:\n\n- " + strings.Join(s.left, "\n- ") + "\n\n"
	}
	return why + left + "Say **continue** and I will go on with the rest."
}

// account says what recorded calls did, where nothing better can be said.
func account(calls []call) string {
	var lines []string
	for _, c := range calls {
		first, _, _ := strings.Cut(c.result, "\n")
		if c.changes() && !c.failed {
			lines = append(lines, "- "+first)
		}
	}
	if len(lines) == 0 {
		return "I could not finish this request. Please ask again, in other words if you can."
	}
	return "This much was done:\n\n" + strings.Join(lines, "\n") + "\n\nPlease check it, and tell me what is still missing."
}
