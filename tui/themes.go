package tui

import (
	"cmp"
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"chatvault/internal/app/config"
	"chatvault/internal/app/session"
	"chatvault/tui/dialog"
	"chatvault/tui/loop"
	"chatvault/tui/phrase"
	"chatvault/tui/theme"
)

// themeAuto follows the terminal's background.
const themeAuto = "auto"

// theme handles /theme: it keeps the theme with a name or lists the themes. The marked theme is previewed, and Esc
// restores the former one.
func (s *shared) theme(name string) tea.Cmd {
	if name = strings.ToLower(name); name != "" {
		if name != themeAuto && !slices.ContainsFunc(theme.Looks, func(l theme.Look) bool { return l.Name == name }) {
			return s.flash("There is no theme "+phrase.Line(name)+"; /theme lists them", 3*quitWindow)
		}
		return s.keepTheme(name)
	}
	before := cmp.Or(s.o.Theme, themeAuto)
	rows := []dialog.Row{{Label: themeAuto, Right: "dark or light, like the terminal"}}
	for _, l := range theme.Looks {
		rows = append(rows, dialog.Row{Label: l.Name, Right: l.About})
	}
	for i := range rows {
		r := &rows[i]
		r.Here, r.Result = r.Label == before, loop.Do(func() tea.Cmd { return s.keepTheme(r.Label) })
	}
	p := dialog.NewPicker(s.styles, "Theme", "No matches", rows, []string{"↑ ↓ preview", "Enter to keep", "Esc to go back"})
	p.Previews(s.restyle, loop.Do(func() tea.Cmd {
		s.restyle(before)
		return nil
	}))
	s.dialogs.Push(p)
	return nil
}

// keepTheme switches to a theme and saves it.
func (s *shared) keepTheme(name string) tea.Cmd {
	s.restyle(name)
	if s.o.Settings == nil {
		return s.flash("Theme: "+name+", until chatvault ends", 2*quitWindow)
	}
	keep := func(ctx context.Context) (string, error) { return s.o.Settings.Set(ctx, "theme", &name, false) }
	return fetch(s, "The theme was not saved and lasts for this session only: theme ", keep, func(said string) tea.Cmd {
		return s.flash("Theme: "+name+", "+said, 3*quitWindow)
	})
}

// settingCounts applies a setting that takes effect immediately.
func (s *shared) settingCounts(c *session.SettingChange) {
	switch {
	case c.Key == "hyperlinks": // Citing.Link depends on it, so everything is redrawn
		s.restyle(s.o.Theme)
	case c.Typed == nil || c.From.Kind > config.VaultSettings || !c.ForVault && c.From.Kind > config.SettingsFile: // overridden
	case c.Key == "theme":
		s.restyle(*c.Typed)
	case c.Key == "keys":
		s.composer.SetVi(*c.Typed == "vi")
	case c.Key == "mouse":
		s.o.Mouse = *c.Typed == "true"
	}
}

// stylesFor returns the styles of the configured theme.
func stylesFor(o Options, configured string) *theme.Styles {
	name := theme.Choose(configured, o.Background.Color != nil && !o.Background.IsDark(), o.NoColor)
	profile := o.ColorProfile
	if profile <= colorprofile.ASCII {
		// Marks must remain visible; reverse is not a colour.
		name, profile = theme.None, colorprofile.ANSI
	}
	return theme.New(name, profile)
}

// restyle switches to another theme and redraws everything.
func (s *shared) restyle(configured string) {
	s.o.Theme = configured
	*s.styles = *stylesFor(s.o, configured)
	s.list.Redraw(s.env.Restyled)
}
