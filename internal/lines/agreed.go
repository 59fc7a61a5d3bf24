package lines

import (
	"chatvault/agent/event"
	"chatvault/internal/session"
	"chatvault/internal/terminal"
)

// architect works out what a proposal for where things go would change.
type architect interface {
	Architecture(text string) (session.SettingChange, error)
}

// acceptProposal shows what a look back proposes for where things go, and takes it where it was shown.
func (l *lines) acceptProposal(settings architect) {
	switch {
	case l.state.Architecture == "":
		l.print.say("No review proposes anything; /retrospect starts one.")
		return
	case l.proposed != nil:
		path, err := l.proposed.Path, l.proposed.Apply()
		l.proposed = nil // where it could not be written it is shown anew, as it is then
		if err != nil {
			l.print.say("Nothing was written: " + err.Error() + "\n/retrospect accept shows what it would change now.")
			return
		}
		l.state.Architecture = ""
		l.print.say("Written to " + path + "; it takes effect in the next conversation.")
		return
	}
	change, err := settings.Architecture(l.state.Architecture)
	switch {
	case err != nil:
		l.print.say("The proposal cannot be accepted: " + err.Error())
	case change.Diff == "":
		l.state.Architecture = ""
		l.print.say("It proposes what " + change.Path + " says already.")
	default:
		l.proposed = &change
		l.print.say("It would change " + change.Path + ":\n" + terminal.Strict(change.Diff) + "\nType /retrospect accept again to write it.")
	}
}

// reviewLine says that a look back ended: what it says is long, and in a file where it is whole.
func reviewLine(e event.Retrospected) string {
	if e.Cut != "" {
		return "Review: it was cut short (" + e.Cut + "). It says: " + terminal.Strict(e.Content)
	}
	return "Review: the agent reviewed the conversation; its notes are in .smarthole/retrospection.md."
}
