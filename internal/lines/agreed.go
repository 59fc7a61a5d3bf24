package lines

import (
	"context"
	"strings"

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

// trustCommand is /trust.
func (l *lines) trustCommand(ctx context.Context, words string) {
	t := l.o.Trust
	switch words {
	case "agree", "refuse":
		if !l.trustShown {
			l.print.say("/trust shows it first.")
			return
		}
		l.trustShown = false
		l.tell(t.Answer(words == "agree"))
		return
	case "":
	default:
		l.print.say("/trust shows what this vault brings; /trust agree and /trust refuse answer.")
		return
	}
	what, whole, err := t.Look(ctx)
	switch {
	case err != nil:
		l.print.say("What this vault brings cannot be read: " + err.Error())
	case whole == "":
		l.print.say("This vault brings nothing that you have not agreed to.")
	default:
		l.trustShown = true
		l.print.say("This vault brings " + what + ", which is not used until you agree:\n" + addedLines(whole) +
			"\nType /trust agree to let it steer the agent, or /trust refuse.")
	}
}

// addedLines are the lines that a diff adds.
func addedLines(diff string) string {
	var out []string
	for line := range strings.Lines(diff) {
		if text, added := strings.CutPrefix(line, "+"); added && !strings.HasPrefix(line, "+++ ") {
			out = append(out, strings.TrimSuffix(text, "\n"))
		}
	}
	return strings.Join(out, "\n")
}
