package cli

import (
	"context"

	completion "chatvault/tui/complete"
)

// attachments are the files and folders that a message names with @ and that are there, and says
// which go with it.
func (l *lines) attachments(ctx context.Context, text string) []string {
	if l.o.Completing.Find == nil {
		return nil
	}
	paths, err := completion.Attached(ctx, l.o.Completing.Find, text)
	if err != nil && ctx.Err() == nil {
		l.print.say("Nothing is attached: " + err.Error())
	}
	var out []string
	for _, f := range paths {
		out = append(out, f.Path)
		if f.Why == "" { // else the turn says so
			l.print.say("With it goes " + f.Path + ".")
		}
	}
	return out
}
