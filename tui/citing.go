package tui

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"chatvault/internal/session"
	"chatvault/tui/chat"
	"chatvault/tui/markdown"
)

// Reference is what an answer refers to in the vault, as it is written there.
type Reference = markdown.Reference

// Destination is where a reference leads.
type Destination = chat.Destination

// Citation is a reference that leads to a file.
type Citation = chat.Citation

// Citing is how what answers refer to is followed. Without Resolve nothing is looked for; what
// else is nil is not offered.
type Citing struct {
	// Resolve says where references lead, one Destination for each.
	Resolve func(ctx context.Context, refs []Reference) ([]Destination, error)
	// Link is the URL by which the terminal opens a citation; "" where it is none. Nil: the
	// terminal has no links.
	Link func(Citation) string
	// Preview reads a citation's note.
	Preview func(ctx context.Context, c Citation) (session.Preview, error)
	// Edit is the user's editor, which takes the terminal, at a line of a note; 0: at its beginning.
	Edit func(ctx context.Context, path string, line int) (tea.ExecCommand, error)
	// Open opens a citation's note in Obsidian.
	Open func(ctx context.Context, c Citation) error
}

type (
	// foundMsg brings where references lead.
	citedMsg struct {
		refs  []Reference
		where []Destination
		err   error
	}
	askAgainMsg struct{ refs []Reference }
)

// resolveAgain is how long after a failure references are looked up again.
const resolveAgain = 5 * time.Second

// newCitations is the table of what is known of references; nil where they are not looked for.
func newCitations(o Citing) *chat.Citations {
	if o.Resolve == nil {
		return nil
	}
	c := chat.NewCitations()
	c.Link = o.Link
	return c
}

// cite looks up the references that were drawn and are not known.
func (m *Model) cite() tea.Cmd {
	if m.env.Citations == nil {
		return nil
	}
	refs := m.env.Citations.Wanted()
	if len(refs) == 0 {
		return nil
	}
	ctx, resolve := m.ctx, m.o.Citing.Resolve
	return func() tea.Msg {
		where, err := resolve(ctx, refs)
		return citedMsg{refs, where, err}
	}
}

// cited shows where references lead. What is being read stays in its place.
func (m *Model) cited(msg citedMsg) tea.Cmd {
	if msg.err != nil || len(msg.where) != len(msg.refs) {
		return m.tick(resolveAgain, func(time.Time) tea.Msg { return askAgainMsg{msg.refs} })
	}
	m.redraw(func() { m.env.Citations.Found(msg.refs, msg.where) })
	return nil
}

// citing routes what comes of citations.
func (m *Model) citing(msg tea.Msg) (cmd tea.Cmd, known bool) {
	switch msg := msg.(type) {
	case citedMsg:
		return m.cited(msg), true
	case askAgainMsg:
		m.env.Citations.Unanswered(msg.refs)
	case previewMsg:
		return m.showPreview(msg), true
	case editNoteMsg:
		return m.editNote(msg), true
	case editedNoteMsg:
		return m.editedNote(msg), true
	case openNoteMsg:
		return m.openNote(msg), true
	case stepMsg:
		return m.stepPreview(msg.n), true
	default:
		return nil, false
	}
	return nil, true
}
