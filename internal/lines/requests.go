package lines

import (
	"fmt"
	"strings"
	"time"

	"chatvault/agent/event"
	"chatvault/internal/consent"
	"chatvault/internal/terminal"
)

// lineRequest is a shown request of a turn and the answer so far. The zero value means none.
type lineRequest struct {
	event.Request
	since time.Time // when it was shown
	taken []bool    // decisions on the parts of a change; nil unless they are being asked about
	part  int       // the next part
}

func (r *lineRequest) shown() bool { return !r.since.IsZero() }

// askRequest shows the oldest open request, unless one is shown.
func (l *lines) askRequest() {
	if len(l.state.Requests) == 0 || l.request.shown() || l.stopping {
		return
	}
	l.request = lineRequest{Request: l.state.Requests[0], since: time.Now()}
	if l.request.Kind == event.RequestSecret {
		l.keys.Hide()
	}
	l.print.say(strings.Trim(consent.RequestText(l.request.Request, l.width(), false), "\n"))
}

func (l *lines) hideRequest() {
	if l.request.shown() {
		l.keys.Restore()
	}
	l.request = lineRequest{}
}

// prompt returns the prompt for the answer.
func (r *lineRequest) prompt() string {
	switch {
	case r.taken != nil:
		return fmt.Sprintf("Accept part %d of %d? y, n, a, d, b or ?: ", r.part+1, len(r.taken))
	case r.Kind == event.RequestApproval && r.Change.Pick:
		return fmt.Sprintf("Allow this? y, n, p for part by part (%d), a for all of this kind, or no and why: ", len(r.Change.Prose.Hunks))
	case r.Kind == event.RequestApproval && consent.IsLong(r.Request):
		return "Allow this? y, n, s to see all of it, a for all of this kind, or no and why: "
	case r.Kind == event.RequestApproval:
		return "Allow this? y, n, a for all of this kind, or no and why: "
	case r.Kind == event.RequestSecret:
		return terminal.StrictLine(r.Name) + ", not shown, empty to do without: "
	}
	return terminal.StrictLine(r.Name) + ", empty to skip: "
}

// answerRequest takes a line as the answer to the shown request.
func (l *lines) answerRequest(line string) {
	r := &l.request
	if r.taken != nil {
		l.answerPart(r, line)
		return
	}
	var a event.Answer
	switch {
	case r.Kind != event.RequestApproval:
		a = consent.Providing(line, nil)
	case r.Change.Pick && consent.WantsParts(line):
		r.taken = make([]bool, len(r.Change.Prose.Hunks))
		l.showPart(r)
		return
	case consent.IsLong(r.Request) && consent.WantsAll(line):
		l.print.say(strings.Trim(consent.RequestText(r.Request, l.width(), true), "\n"))
		return
	default:
		var again string
		if a, again = consent.Parse(line); again != "" {
			l.print.say("Type y to allow it, a to allow everything of this kind in this conversation, n to deny it, or n and why.")
			return
		}
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

func (l *lines) showPart(r *lineRequest) {
	l.print.say(strings.Trim(consent.PartText(r.Change, r.part, l.width()), "\n"))
}

func (l *lines) answerPart(r *lineRequest, line string) {
	next, ok := consent.DecidePart(r.taken, r.part, line)
	if !ok {
		l.print.say(consent.PartsHelp + ".")
		return
	}
	if r.part = next; next < len(r.taken) {
		l.showPart(r)
		return
	}
	l.answer(consent.Taking(r.taken))
}
