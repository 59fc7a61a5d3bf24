package lines

import (
	"context"

	"chatvault/internal/session"
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
		for _, f := range append([]session.VaultFile{f}, f.With...) {
			switch {
			case f.Why != "": // the turn says so
			case f.Media != nil:
				l.print.say("Attached: " + f.Path + " · " + session.MediaLine(*f.Media) + ".")
			default:
				l.print.say("Attached: " + f.Path + ".")
			}
		}
	}
	return out
}
