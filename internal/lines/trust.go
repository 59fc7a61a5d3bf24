package lines

import (
	"context"
	"strings"
)

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
