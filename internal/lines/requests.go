package lines

import (
	"strings"
	"time"

	"chatvault/agent/event"
	"chatvault/internal/consent"
)

// lineRequest is a shown request of a turn. The zero value means none.
type lineRequest struct {
	*consent.Dialog
	since time.Time // when it was shown
}

func (r *lineRequest) shown() bool { return r.Dialog != nil }

// askRequest shows the oldest open request, unless one is shown.
func (l *lines) askRequest() {
	if len(l.state.Requests) == 0 || l.request.shown() || l.stopping {
		return
	}
	l.request = lineRequest{consent.NewDialog(l.state.Requests[0], l.width()), time.Now()}
	if l.request.Kind == event.RequestSecret {
		l.keys.Hide()
	}
	l.print.say(strings.Trim(l.request.Text(), "\n"))
}

func (l *lines) hideRequest() {
	if l.request.shown() {
		l.keys.Restore()
	}
	l.request = lineRequest{}
}

// answerRequest takes a line as the answer to the shown request.
func (l *lines) answerRequest(line string) {
	if a, done, text := l.request.Take(line); done {
		l.answer(a)
	} else {
		l.print.say(strings.Trim(text, "\n"))
	}
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
