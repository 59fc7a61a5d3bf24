package lines

import (
	"chatvault/internal/session"
	"chatvault/internal/terminal"
)

// architect provides the change that would accept a proposal for information_architecture.
type architect interface {
	Architecture(text string) (session.SettingChange, error)
}

// acceptProposal shows the proposal of a review for information_architecture, and accepts it if it was shown before.
func (l *lines) acceptProposal(settings architect) {
	switch {
	case l.state.Architecture == "":
		l.print.say("No review proposes anything; /retrospect starts one.")
		return
	case l.proposed != nil:
		path, err := l.proposed.Path, l.proposed.Apply()
		l.proposed = nil // if the write failed, it is shown again in its current state
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
