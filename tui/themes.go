package tui

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"

	"chatvault/tui/chat"
	"chatvault/tui/dialog"
	"chatvault/tui/list"
	"chatvault/tui/phrase"
	"chatvault/tui/theme"
)

// themeAuto is the theme that goes by the terminal's background.
const themeAuto = "auto"

type (
	// themeMsg is the choice of a theme.
	themeMsg struct{ name string }
	// themeLeftMsg says that none was chosen.
	themeLeftMsg struct{ before string }
	// themeKeptMsg says what became of keeping one.
	themeKeptMsg struct {
		said string
		err  error
	}
)

// stylesFor are the styles of a theme as it is configured.
func stylesFor(o Options, configured string) *theme.Styles {
	name := theme.Choose(configured, o.Background == BackgroundLight, o.NoColor)
	profile := theme.Profile(o.ColorProfile)
	if profile == termenv.Ascii {
		// A full screen needs a cursor that can be seen: reverse is no colour.
		name, profile = theme.None, termenv.ANSI
	}
	return theme.New(name, profile)
}

// themes are the names that can be chosen.
func themes() []string {
	names := []string{themeAuto}
	for _, l := range theme.Looks() {
		names = append(names, l.Name)
	}
	return names
}

// restyle draws everything in another theme from here on.
func (m *Model) restyle(configured string) {
	m.o.Theme = configured
	*m.styles = *stylesFor(m.o, configured)
	m.list.Redraw(func() {
		m.env.Restyled()
		m.list.Each(func(it list.Item) {
			if r, ok := it.(chat.Restyler); ok {
				r.Restyle()
			}
		})
	})
	m.composer.Restyle()
	m.plainRuleWidth, m.stops = -1, ""
}

// openThemes is /theme: a list in which the marked theme is seen at once.
func (m *Model) openThemes() tea.Cmd {
	before := m.theme()
	rows := []dialog.Row{{Label: themeAuto, Right: m.autoAbout(), Here: before == themeAuto, Result: themeMsg{themeAuto}}}
	for _, l := range theme.Looks() {
		rows = append(rows, dialog.Row{Label: l.Name, Right: l.About, Here: before == l.Name, Result: themeMsg{l.Name}})
	}
	p := dialog.NewPicker(m.styles, "Theme", "There is none", rows, []string{
		"↑ ↓ show it · Enter keeps it · Esc goes back", "Enter keeps it · Esc goes back",
	})
	p.MarkHere()
	m.dialogs.Push(dialog.NewLive(p, func(result any) {
		if t, ok := result.(themeMsg); ok {
			m.restyle(t.name)
		}
	}, themeLeftMsg{before}))
	return m.colourless()
}

// theme is the configured one's name.
func (m *Model) theme() string {
	if m.o.Theme == "" {
		return themeAuto
	}
	return m.o.Theme
}

// autoAbout says what auto comes to here.
func (m *Model) autoAbout() string {
	switch m.o.Background {
	case BackgroundLight:
		return "as the terminal is: light"
	case BackgroundDark:
		return "as the terminal is: dark"
	}
	return "as the terminal is, at the next start"
}

// colourless says why themes look alike here.
func (m *Model) colourless() tea.Cmd {
	switch {
	case m.o.NoColor:
		return m.pass("NO_COLOR is set: every theme is without colour here", 3*quitWindow)
	case theme.Profile(m.o.ColorProfile) == termenv.Ascii:
		return m.pass("This terminal has no colours: every theme is without here", 3*quitWindow)
	}
	return nil
}

// themeCommand is /theme with a name after it.
func (m *Model) themeCommand(name string) tea.Cmd {
	name = strings.ToLower(name)
	if !slices.Contains(themes(), name) {
		return m.pass("There is no theme "+phrase.Line(name)+"; there are "+strings.Join(themes(), ", "), 3*quitWindow)
	}
	return m.keepTheme(name)
}

// keepTheme takes a theme and has it kept.
func (m *Model) keepTheme(name string) tea.Cmd {
	m.restyle(name)
	keep := m.o.KeepTheme
	if keep == nil {
		return m.pass("Theme: "+name+", until chatvault ends", 2*quitWindow)
	}
	return func() tea.Msg {
		said, err := keep(name)
		return themeKeptMsg{said, err}
	}
}

// themed routes what comes of choosing a theme.
func (m *Model) themed(msg tea.Msg) (cmd tea.Cmd, known bool) {
	switch msg := msg.(type) {
	case themeMsg:
		return m.keepTheme(msg.name), true
	case themeLeftMsg:
		if msg.before != m.theme() {
			m.restyle(msg.before)
		}
		return nil, true
	case themeKeptMsg:
		if msg.err != nil {
			m.say(chat.NewError(m.env, "The theme is not kept, it goes with this session: "+msg.err.Error()))
			return nil, true
		}
		return m.pass(msg.said, 3*quitWindow), true
	}
	return nil, false
}

// beside draws a dialog at the lower edge of the transcript, which stays in sight above it.
func (m *Model) beside(height int) []string {
	const least = 6 // of the dialog
	lines := m.dialogs.Lines(m.lay.width, min(max(height*3/5, least), height), m.now())
	lines = lines[:min(len(lines), height)]
	above := m.list.Lines()
	if room := height - len(lines); len(above) > room {
		if m.list.Following() && !m.welcome.Shown() {
			above = above[len(above)-room:]
		}
		above = above[:room]
	}
	out := make([]string, height)
	copy(out, above)
	copy(out[height-len(lines):], lines)
	return out
}
