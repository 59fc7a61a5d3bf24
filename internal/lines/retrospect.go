package lines

import (
	"chatvault/agent/event"
	"chatvault/internal/session"
	"chatvault/internal/terminal"
)

// lineProposal is what a look back proposes for where things go.
type lineProposal struct {
	text   string                 // empty: nothing is proposed
	change *session.SettingChange // as it was shown; nil: it was not
}

func (l *lines) acceptProposal() {
	p := &l.proposal
	switch {
	case p.text == "":
		l.print.say("No look back proposes anything; /retrospect asks for one.")
		return
	case p.change != nil:
		err := p.change.Apply()
		if err != nil {
			p.change = nil // it is shown anew, as it is then
			l.print.say("Nothing was written: " + err.Error() + "\n/retrospect accept shows what it would change now.")
			return
		}
		l.print.say("Written to " + p.change.Path + "; it counts from the next conversation on.")
		*p = lineProposal{}
		return
	}
	change, err := l.o.Settings.Architecture(p.text)
	switch {
	case err != nil:
		l.print.say("The proposal cannot be taken: " + err.Error())
	case change.Diff == "":
		l.print.say("It proposes what " + change.Path + " says already.")
		*p = lineProposal{}
	default:
		p.change = &change
		l.print.say("It would change " + change.Path + ":\n" + terminal.Strict(change.Diff) + "\nType /retrospect accept again to write it.")
	}
}

// lookedBack keeps what a look back proposes; the newest counts.
func (l *lines) lookedBack(e event.Retrospected) {
	if e.Architecture == "" {
		return
	}
	l.proposal = lineProposal{text: e.Architecture}
	l.print.say("It proposes a change of where things go: /retrospect accept shows it.")
}
