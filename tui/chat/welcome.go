package chat

import (
	"fmt"
	"strings"

	"chatvault/internal/base/cells"
	"chatvault/internal/base/terminal"
)

// Welcome is the first screen: the vault, the model, and example questions. It disappears when the conversation
// begins.
type Welcome struct {
	data WelcomeData
	gone bool
	next int // index of the next example
	card
}

// WelcomeData is the content of the first screen.
type WelcomeData struct {
	Version, VaultName, VaultDir, Provider string
	// Choose is the command that selects another model, "/model", or empty.
	Choose string
	// WithoutModel is what the embedded engine does and how to add a model; empty with one.
	WithoutModel [2]string
	Examples     []string
	// Ask is the key that switches to asking before changes, "F3", or empty. Undo reports whether /undo can revert
	// them.
	Ask  string
	Undo bool
	// ReadOnly reports whether notes cannot be changed.
	ReadOnly bool
}

// NewWelcome returns the first screen.
func NewWelcome(env *Env, d WelcomeData) *Welcome { return &Welcome{card: card{env: env}, data: d} }

// Set replaces the content.
func (w *Welcome) Set(d WelcomeData) {
	w.data = d
	w.touch()
}

// Leave hides the screen.
func (w *Welcome) Leave() {
	w.gone = true
	w.touch()
}

// Shown reports whether the screen is visible.
func (w *Welcome) Shown() bool { return !w.gone }

// Example returns the next example, wrapping around, or an empty string if there is none or the screen is hidden.
func (w *Welcome) Example() string {
	if w.gone || len(w.data.Examples) == 0 {
		return ""
	}
	w.next++
	return w.data.Examples[(w.next-1)%len(w.data.Examples)]
}

// Lines implements list.Item.
func (w *Welcome) Lines(width int) []string {
	if w.gone {
		return nil
	}
	return w.paint(width, nil, w.draw)
}

// changes describes how changes are reverted and how to be asked first.
func (d WelcomeData) changes() string {
	undo, ask := "", ""
	if d.Undo {
		undo = "/undo reverts changes."
	}
	if d.Ask != "" {
		ask = d.Ask + " makes it ask before changing anything."
	}
	return strings.TrimSpace(undo + " " + ask)
}

// On a screen narrower than smallScreen cells only smallExamples examples are shown, and less text.
const (
	smallScreen   = 50
	smallExamples = 2
)

func (w *Welcome) draw(p *page) string {
	d, small := w.data, p.room < smallScreen
	dir := shorten(terminal.Line(d.VaultDir), max(p.room-8, 8))
	if small {
		dir = ""
	} else {
		p.lines = []string{p.AccentBold.Render("chatvault") + p.Muted.Render(cells.Truncate(" "+terminal.Line(d.Version), max(p.room-9, 1), "…")), ""}
	}
	about := []string{"Chat with your notes: ask, or say what to write, change, move or delete."}
	if d.ReadOnly {
		about = []string{"Chat with your notes.", "This vault is read-only: its notes cannot be changed."}
	}
	model := "Works by fixed rules, not a language model."
	if d.WithoutModel[0] != "" {
		about = append(about, d.WithoutModel[:]...)
	} else {
		about = append(about, "You see every step, Esc stops it, and a message is never lost.", d.changes())
		if model = ""; d.Choose != "" {
			model = d.Choose + " chooses another"
		}
	}
	if small && len(d.Examples) > 0 {
		about = about[1:]
	}
	for _, line := range about {
		p.text(p.Text, line)
	}
	p.lines = append(p.lines, "")
	p.field("Vault", terminal.Line(d.VaultName), dir)
	if d.Provider != "" { // empty if no vault is open
		p.field("Model", terminal.Line(d.Provider), model)
	}
	if len(d.Examples) > 0 {
		p.lines = append(p.lines, "")
		p.line(p.Muted, "Examples (Tab inserts one)")
		examples := d.Examples
		if small {
			examples = examples[:min(len(examples), smallExamples)]
		}
		p.list(p.Accent.Render("›"), examples)
	}
	return " "
}

// field adds a value and a remark, which may be empty, after a label.
func (p *page) field(label, value, remark string) {
	const width = 8
	in := page{Styles: p.Styles, room: max(p.room-width, 1)}
	in.text(p.Bold, value)
	in.text(p.Muted, remark)
	p.lines = append(p.lines, marked(p.Muted.Render(fmt.Sprintf("%-*s", width, label)), strings.Repeat(" ", width), in.lines)...)
}
