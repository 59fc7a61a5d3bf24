package chat

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"chatvault/internal/terminal"
	"chatvault/tui/markdown"
	"chatvault/tui/theme"
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
	Offline                                bool
	// Choose is the command that selects another model, "/model", or empty.
	Choose string
	// Fixed is the hint for starting with another model if none can be selected now; it may be empty.
	Fixed    string
	Examples []string
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
	return w.paint(width, w.draw)
}

// model describes the model's abilities and how to select another, briefly on a narrow screen.
func (d WelcomeData) model(room int) string {
	if !d.Offline {
		if d.Choose == "" {
			return ""
		}
		return d.Choose + " chooses another"
	}
	if room < smallScreen {
		text := "Rule-based, not a model."
		if d.Choose != "" {
			text += " " + d.Choose + " has language models"
		} else if d.Fixed != "" {
			text += " For a language model, " + d.Fixed
		}
		return text
	}
	text := "Needs no key and no network. Not a language model. It searches, quotes and changes your notes by fixed rules, and asks when unsure."
	if d.Choose != "" {
		text += " For a language model: " + d.Choose + ", which takes a key or finds a model on this machine."
	} else if d.Fixed != "" {
		text += " For a language model, " + d.Fixed + "."
	}
	return text
}

// changes describes how changes are reverted and how to be asked first.
func (d WelcomeData) changes(room int) string {
	if d.ReadOnly {
		return "This vault is read-only: its notes cannot be changed."
	}
	var said []string
	if d.Undo {
		said = append(said, "/undo reverts changes.")
	}
	switch {
	case d.Ask == "":
	case room < smallScreen:
		said = append(said, d.Ask+": ask first.")
	default:
		said = append(said, d.Ask+" has it ask you first, or plan.")
	}
	return strings.Join(said, " ")
}

// smallScreen is the width, in cells, below which the text is shortened so that it fits.
const smallScreen = 50

// smallExamples is the number of lines for examples on a small screen.
const smallExamples = 4

func (w *Welcome) draw(s *theme.Styles, room int) []string {
	d := w.data
	muted := theme.Open(s.Muted)
	title := s.AccentBold.Render("chatvault")
	if d.Version != "" {
		title += s.Muted.Render(" " + ansi.Truncate(terminal.Line(d.Version), max(room-10, 1), "…"))
	}
	lines := []string{title, ""}
	small := room < smallScreen
	if small {
		lines = nil
	}
	field := func(name, value, rest string) {
		const label = 8
		head := s.Muted.Render(name + strings.Repeat(" ", label-len(name)))
		var values []string
		values = append(values, markdown.Wrap(value, theme.Open(s.Bold), max(room-label, 1))...)
		if rest != "" {
			values = append(values, markdown.Wrap(rest, muted, max(room-label, 1))...)
		}
		lines = append(lines, marked(head, strings.Repeat(" ", label), values)...)
	}
	dir := shorten(terminal.Line(d.VaultDir), max(room-8, 8))
	if small {
		dir = ""
	}
	field("Vault", terminal.Line(d.VaultName), dir)
	if d.Provider != "" { // empty if no vault is open
		field("Model", terminal.Line(d.Provider), d.model(room))
	}
	if !small || len(d.Examples) == 0 {
		lines = append(lines, "")
		ask := "Ask about your notes, or say what to write, change, move or delete."
		if d.ReadOnly {
			ask = "Ask about your notes."
		}
		lines = append(lines, markdown.Wrap(ask+" You see every step, Esc stops it, and a message is never lost.", "", room)...)
	}
	if text := d.changes(room); text != "" {
		lines = append(lines, markdown.Wrap(text, "", room)...)
	}
	if len(d.Examples) > 0 {
		lines = append(lines, "", s.Muted.Render(ansi.Truncate("Examples (Tab inserts one)", room, "…")))
		rows := 0
		for _, e := range d.Examples {
			example := markdown.Wrap(terminal.Line(e), "", max(room-2, 1))
			if rows += len(example); small && rows > smallExamples {
				break
			}
			lines = append(lines, marked(s.Accent.Render("›")+" ", "  ", example)...)
		}
	}
	return marked("  ", "  ", lines)
}
