package complete

import (
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"chatvault/internal/app/session"
	"chatvault/internal/base/cells"
	"chatvault/internal/base/terminal"
	"chatvault/internal/base/text"
	"chatvault/tui/composer"
	"chatvault/tui/loop"
	"chatvault/tui/phrase"
	"chatvault/tui/theme"
)

// maxAttached is the maximum number of files and folders attached to a message.
const maxAttached = 20

// Attaching holds the files and folders that the draft mentions with @; they are sent with the message.
type Attaching struct {
	ctx      context.Context
	text     *composer.Model
	vault    Vault
	revision int                          // revision of the text that was scanned; moving the cursor changes it too
	names    []string                     // mentioned in the draft
	looked   []string                     // names of the last look-up
	known    map[string]session.VaultFile // files found, by mention
}

// NewAttaching returns an Attaching. If vault is nil, nothing is looked up.
func NewAttaching(ctx context.Context, text *composer.Model, vault Vault) *Attaching {
	return &Attaching{ctx: ctx, text: text, vault: vault}
}

// Look looks up the mentioned names, except the one being typed, which may still be incomplete.
func (a *Attaching) Look() tea.Cmd {
	if a.vault == nil || a.text.Revision() == a.revision {
		return nil
	}
	a.revision = a.text.Revision()
	a.names = Mentions(a.text.Value())
	a.names = a.names[:min(len(a.names), maxAttached)]
	typing := At(a.text.Line())
	ask := slices.DeleteFunc(slices.Clone(a.names), func(name string) bool { return typing.Kind == File && typing.Query == name })
	if len(ask) == 0 || slices.Equal(ask, a.looked) {
		return nil
	}
	a.looked = ask
	find := func(ctx context.Context) (map[string]session.VaultFile, error) { return a.vault.Find(ctx, ask) }
	return loop.Then(a.ctx, find, func(found map[string]session.VaultFile, err error) tea.Cmd {
		if err == nil && slices.Equal(ask, a.looked) {
			a.known = found
		}
		return nil
	})
}

// Forget clears the results after a message was sent.
func (a *Attaching) Forget() { a.known, a.looked = nil, nil }

// attached returns the named files and folders that were found, sorted as named, without duplicates, including those
// that cannot be attached: the turn reports them.
func attached(names []string, found map[string]session.VaultFile) []session.VaultFile {
	var out []session.VaultFile
	for _, name := range names {
		if f, ok := found[name]; ok {
			out = appendUnique(out, f)
		}
	}
	return out
}

// appendUnique appends the files that are not in out yet.
func appendUnique(out []session.VaultFile, files ...session.VaultFile) []session.VaultFile {
	for _, f := range files {
		if !slices.ContainsFunc(out, func(o session.VaultFile) bool { return o.Path == f.Path }) {
			out = append(out, f)
		}
	}
	return out
}

// Attached returns the files and folders mentioned in a text and found by find, sorted as mentioned, without
// duplicates, up to maxAttached.
func Attached(ctx context.Context, find func(context.Context, []string) (map[string]session.VaultFile, error), text string) ([]session.VaultFile, error) {
	named := Mentions(text)
	if len(named) == 0 {
		return nil, nil
	}
	found, err := find(ctx, named)
	out := attached(named, found)
	return out[:min(len(out), maxAttached)], err
}

// Paths returns the paths to attach to a message: mentions that were found, and those not looked up in time.
func (a *Attaching) Paths(text string) []string {
	if a.vault == nil || !strings.Contains(text, "@") {
		return nil
	}
	var out []string
	for _, name := range Mentions(text) {
		if f, known := a.known[name]; known {
			name = f.Path
		} else if !slices.Contains(a.names, name) || a.known != nil && slices.Contains(a.looked, name) {
			continue
		}
		if !slices.Contains(out, name) && len(out) < maxAttached {
			out = append(out, name)
		}
	}
	return out
}

// Lines returns the rows above the text that list the attachments, or the reason why a file cannot be attached.
func (a *Attaching) Lines(s *theme.Styles, width int) []string {
	var out []string
	var all []session.VaultFile
	for _, f := range attached(a.names, a.known) {
		all = appendUnique(appendUnique(all, f), f.With...) // embedded pictures are attached too
	}
	for _, f := range all {
		if f.Why != "" {
			name, why := terminal.Line(text.Head(f.Path, phrase.MaxLine)), ": "+f.Why
			name = cells.Truncate(name, max(width-2-cells.Width(why), 8), "…")
			out = []string{cells.Truncate(s.Warn.Render("✗ "+name+why), width, "…")}
		}
	}
	all = slices.DeleteFunc(all, func(f session.VaultFile) bool { return f.Why != "" })
	if len(all) == 0 {
		return out
	}
	return append([]string{goesWith(s, all, width)}, out...)
}

// goesWith returns the row that names the attachments with their sizes, as many as fit.
func goesWith(s *theme.Styles, all []session.VaultFile, width int) string {
	parts := text.Of(all, func(f session.VaultFile) string {
		name, size := f.Path, phrase.Bytes(f.Size)
		switch {
		case f.Folder:
			name, size = f.Path+"/", folderSize(f.Size)
		case f.Media != nil:
			size += ", " + f.Media.About()
		}
		name = terminal.Line(text.Head(name, phrase.MaxLine))
		if over := cells.Width(name) - width/2; over > 0 {
			name = cells.TruncateLeft(name, over+1, "…")
		}
		return name + " " + s.Muted.Render(size)
	})
	return cells.Truncate(s.Accent.Render("+")+" "+strings.Join(parts, s.Muted.Render(" · ")), width, "…")
}
