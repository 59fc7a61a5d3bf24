package lines

import (
	"strings"
	"time"

	"chatvault/agent/event"
	"chatvault/internal/app/consent"
)

// lineRequest is a shown request of a turn. The zero value means none.
type lineRequest struct {
	consent.Question
	since time.Time // when it was shown
}

func (r *lineRequest) shown() bool { return !r.since.IsZero() }

// askRequest shows the oldest open request, unless one is shown.
func (l *lines) askRequest() {
	if len(l.state.Requests) == 0 || l.request.shown() || l.stopping {
		return
	}
	l.request = lineRequest{consent.Question{Request: l.state.Requests[0]}, time.Now()}
	if l.request.Kind == event.RequestSecret {
		if err := l.keys.Hide(); err != nil {
			l.print.say(consent.NotHidden)
			l.answer(event.Answer{Decision: event.Deny})
			return
		}
	}
	l.print.say(strings.Trim(consent.RequestText(l.request.Request, l.o.Out.Width(), false), "\n"))
}

func (l *lines) hideRequest() {
	if l.request.shown() {
		l.keys.Restore()
	}
	l.request = lineRequest{}
}

// answerRequest takes a line as the answer to the shown request.
func (l *lines) answerRequest(line string) {
	a, say := l.request.Answer(line, l.o.Out.Width())
	if say != "" {
		l.print.say(strings.Trim(say, "\n"))
		return
	}
	l.answer(a)
}

func (l *lines) answer(a event.Answer) {
	id := l.request.ID
	l.hideRequest()
	if err := l.o.Answer(id, a); err != nil {
		l.print.say("Not accepted: " + err.Error() + ".")
		if a.Decision != event.Deny { // it is still open, and shown again
			return
		}
	}
	l.state.Apply(event.RequestEnded{ID: id})
}
