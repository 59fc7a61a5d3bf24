package lines

import (
	"context"
)

// attachments are the files and folders that a message names with @ and that are there, and says
// which go with it.
func (l *lines) attachments(ctx context.Context, text string) []string {
	paths, err := l.o.Attached(ctx, text)
	if err != nil && ctx.Err() == nil {
		l.print.say("Nothing attached: " + err.Error())
	}
	var out []string
	for _, f := range paths {
		out = append(out, f.Path)
		if f.Why == "" { // else the turn says so
			l.print.say("Attached: " + f.Path + ".")
		}
	}
	return out
}
