package tui

import (
	"context"
	"slices"

	"chatvault/internal/session"
	"chatvault/tui/complete"
)

// Attachments are the files and folders that a text names with @ and that find finds, in order, each
// once, at most as many as a message takes.
func Attachments(ctx context.Context, find func(context.Context, []string) (map[string]session.VaultFile, error), text string) ([]session.VaultFile, error) {
	named := complete.Mentions(text)
	if len(named) == 0 {
		return nil, nil
	}
	found, err := find(ctx, named)
	var out []session.VaultFile
	for _, name := range named {
		f, ok := found[name]
		if ok && len(out) < maxAttached && !slices.ContainsFunc(out, func(o session.VaultFile) bool { return o.Path == f.Path }) {
			out = append(out, f)
		}
	}
	return out, err
}
