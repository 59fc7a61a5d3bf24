package pickers

import (
	"cmp"
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"chatvault/tui/dialog"
	"chatvault/tui/loop"
	"chatvault/tui/phrase"
	"chatvault/tui/theme"
)

// themeAuto follows the terminal's background.
const themeAuto = "auto"

// Themes is the list of themes, with a live preview of the marked one.
type Themes struct {
	*Base
	Now     func() string     // returns the configured theme; empty for themeAuto
	Restyle func(name string) // switches the screen to a theme
	Config  Configuration     // saves the choice; nil if it cannot be saved
	Alike   string            // why all themes look the same here; may be empty
}

// Open handles /theme. The marked theme is previewed, and Esc restores the former one.
func (t *Themes) Open() tea.Cmd {
	before := cmp.Or(t.Now(), themeAuto)
	rows := []dialog.Row{{Label: themeAuto, Right: "dark or light, like the terminal"}}
	for _, l := range theme.Looks {
		rows = append(rows, dialog.Row{Label: l.Name, Right: l.About})
	}
	for i := range rows {
		r := &rows[i]
		r.Here, r.Result = r.Label == before, loop.Do(func() tea.Cmd { return t.keep(r.Label) })
	}
	p := dialog.NewPicker(t.Env.Styles, "Theme", "No matches", rows, []string{"↑ ↓ preview", "Enter to keep", "Esc to go back"})
	p.MarkHere()
	p.Previews(t.Restyle, do(func() { t.Restyle(before) }))
	t.Dialogs.Push(p)
	if t.Alike != "" {
		return t.Flash(t.Alike, long)
	}
	return nil
}

// Named handles /theme with a name.
func (t *Themes) Named(name string) tea.Cmd {
	name = strings.ToLower(name)
	names := []string{themeAuto}
	for _, l := range theme.Looks {
		names = append(names, l.Name)
	}
	if !slices.Contains(names, name) {
		return t.Flash("There is no theme "+phrase.Line(name)+"; there are "+strings.Join(names, ", "), long)
	}
	return t.keep(name)
}

// keep switches to a theme and saves it.
func (t *Themes) keep(name string) tea.Cmd {
	t.Restyle(name)
	if t.Config == nil {
		return t.Flash("Theme: "+name+", until chatvault ends", sentence)
	}
	keep := func(context.Context) (string, error) { return t.Config.KeepTheme(name) }
	return fetch(t.Base, "The theme was not saved and lasts for this session only: ", keep, func(said string) tea.Cmd { return t.Flash(said, long) })
}
