package offline

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"chatvault/agent/llm"
	"chatvault/agent/llm/offline/grammar"
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
