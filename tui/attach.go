package tui

import (
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"chatvault/internal/session"
	"chatvault/tui/complete"
	"chatvault/tui/phrase"
	"chatvault/tui/safe"
)

// maxAttached is how many files and folders a message takes with it.
const maxAttached = 20

// attaching is what the text that is being written mentions with @: what it names goes with the
// message.
type attaching struct {
	revision int                          // of the composer's text that was looked at; the cursor's moves count
	names    []string                     // mentioned there, in order
	known    map[string]session.VaultFile // what was found, by mention
	missing  map[string]bool              // looked for, and not there
}

type attachedMsg struct {
	asked []string
	found map[string]session.VaultFile
	err   error
}

// lookAttached finds out about what is mentioned and not known yet, but for the one that is being
// typed: its letters so far name nothing yet, or another.
func (m *Model) lookAttached() tea.Cmd {
	a := &m.attaching
	if m.o.Completing.Find == nil || m.composer.Revision() == a.revision {
		return nil
	}
	a.revision = m.composer.Revision()
	a.names = nil
	if m.composer.Holds('@') {
		a.names = complete.Mentions(m.composer.Typed())
		a.names = a.names[:min(len(a.names), maxAttached)]
	}
	line, col, only := m.composer.Line()
	typing := complete.At(line, col, only)
	var ask []string
	for _, name := range a.names {
		if typing.Kind == complete.File && typing.Query == name {
			continue
		}
		if _, known := a.known[name]; !known && !a.missing[name] {
			ask = append(ask, name)
		}
	}
	if len(ask) == 0 {
		return nil
	}
	ctx, find := m.ctx, m.o.Completing.Find
	return func() tea.Msg {
		found, err := find(ctx, ask)
		return attachedMsg{ask, found, err}
	}
}

func (m *Model) foundAttached(msg attachedMsg) tea.Cmd {
	a := &m.attaching
	if msg.err != nil {
		return nil
	}
	if a.known == nil {
		a.known, a.missing = map[string]session.VaultFile{}, map[string]bool{}
	}
	for _, name := range msg.asked {
		if f, ok := msg.found[name]; ok {
			a.known[name] = f
		} else {
			a.missing[name] = true
		}
	}
	return nil
}

// forget is after a message was sent: the next one finds the vault as it is then.
func (a *attaching) forget() { a.known, a.missing = nil, nil }

// attached are the files and folders that the text names, in order, each once, also those that
// cannot go with it: the turn says so of them.
func (m *Model) attached() []session.VaultFile {
	var out []session.VaultFile
	for _, name := range m.attaching.names {
		f, ok := m.attaching.known[name]
		if ok && !slices.ContainsFunc(out, func(o session.VaultFile) bool { return o.Path == f.Path }) {
			out = append(out, f)
		}
	}
	return out
}

// attachments are the paths that go with a message of this text: what it mentions and is known to
// be there, and what was not looked up in time.
func (m *Model) attachments(text string) []string {
	if m.o.Completing.Find == nil || !strings.Contains(text, "@") {
		return nil
	}
	var out []string
	for _, name := range complete.Mentions(text) {
		f, known := m.attaching.known[name]
		switch {
		case known:
			name = f.Path
		case !slices.Contains(m.attaching.names, name), m.attaching.missing[name]:
			continue
		}
		if !slices.Contains(out, name) && len(out) < maxAttached {
			out = append(out, name)
		}
	}
	return out
}

// attachedLines are the rows above the composer that say what goes with the message, and of one file
// that is there and cannot go why not.
func (m *Model) attachedLines(width int) []string {
	if m.composer.Searching() {
		return nil
	}
	var out []string
	all := m.attached()
	for _, f := range all {
		if f.Why != "" {
			name, why := safe.Line(phrase.Head(f.Path, phrase.MaxLine)), ": "+f.Why
			name = ansi.Truncate(name, max(width-2-ansi.StringWidth(why), 8), "…")
			out = []string{ansi.Truncate(m.styles.Warn.Render("✗ "+name+why), width, "…")}
		}
	}
	all = slices.DeleteFunc(all, func(f session.VaultFile) bool { return f.Why != "" })
	if len(all) == 0 {
		return out
	}
	return append([]string{m.goesWith(all, width)}, out...)
}

// goesWith is the row that says what goes with the message.
func (m *Model) goesWith(all []session.VaultFile, width int) string {
	s := m.styles
	const gap = " · "
	line, used := s.Accent.Render("+")+" ", 2
	for i, f := range all {
		name, size := f.Path, phrase.Bytes(f.Size)
		if f.Folder {
			name, size = f.Path+"/", folderSize(f.Size)
		}
		name = safe.Line(phrase.Head(name, phrase.MaxLine))
		sep := ""
		if i > 0 {
			sep = gap
		}
		rest := ""
		if i < len(all)-1 {
			rest = fmt.Sprintf(" · %d more", len(all)-i-1)
		}
		room := width - used - ansi.StringWidth(sep) - ansi.StringWidth(size) - 1 - ansi.StringWidth(rest)
		if i > 0 && ansi.StringWidth(name) > room {
			return line + s.Muted.Render(fmt.Sprintf(" · %d more", len(all)-i))
		}
		if over := ansi.StringWidth(name) - max(room, 4); over > 0 {
			name = "…" + ansi.TruncateLeft(name, over+1, "")
		}
		line += s.Muted.Render(sep) + name + " " + s.Muted.Render(size)
		used += ansi.StringWidth(sep) + ansi.StringWidth(name) + 1 + ansi.StringWidth(size)
	}
	return ansi.Truncate(line, width, "…")
}
