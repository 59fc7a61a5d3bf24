package tui

import (
	"cmp"
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"chatvault/internal/app/session"
	"chatvault/tui/dialog"
	"chatvault/tui/loop"
	"chatvault/tui/phrase"
	"chatvault/tui/theme"
)

// themeAuto follows the terminal's background.
const themeAuto = "auto"

// openThemes handles /theme. The marked theme is previewed, and Esc restores the former one.
func (k *look) openThemes() tea.Cmd {
	before := cmp.Or(k.o.Theme, themeAuto)
	rows := []dialog.Row{{Label: themeAuto, Right: "dark or light, like the terminal"}}
	for _, l := range theme.Looks {
		rows = append(rows, dialog.Row{Label: l.Name, Right: l.About})
	}
	for i := range rows {
		r := &rows[i]
		r.Here, r.Result = r.Label == before, loop.Do(func() tea.Cmd { return k.keepTheme(r.Label) })
	}
	p := dialog.NewPicker(k.styles, "Theme", "No matches", rows, []string{"↑ ↓ preview", "Enter to keep", "Esc to go back"})
	p.MarkHere()
	p.Previews(k.restyle, loop.Do(func() tea.Cmd {
		k.restyle(before)
		return nil
	}))
	k.dialogs.Push(p)
	if why := k.o.colourless(); why != "" {
		return k.flash(why, 3*quitWindow)
	}
	return nil
}

// themeNamed handles /theme with a name.
func (k *look) themeNamed(name string) tea.Cmd {
	name = strings.ToLower(name)
	names := []string{themeAuto}
	for _, l := range theme.Looks {
		names = append(names, l.Name)
	}
	if !slices.Contains(names, name) {
		return k.flash("There is no theme "+phrase.Line(name)+"; there are "+strings.Join(names, ", "), 3*quitWindow)
	}
	return k.keepTheme(name)
}

// keepTheme switches to a theme and saves it.
func (k *look) keepTheme(name string) tea.Cmd {
	k.restyle(name)
	if k.o.Settings == nil {
		return k.flash("Theme: "+name+", until chatvault ends", 2*quitWindow)
	}
	keep := func(context.Context) (string, error) { return k.o.Settings.KeepTheme(name) }
	return fetch(k.shared, "The theme was not saved and lasts for this session only: ", keep, func(said string) tea.Cmd { return k.flash(said, 3*quitWindow) })
}

// settingCounts applies a setting that takes effect immediately.
func (k *look) settingCounts(s *session.SettingChange) {
	switch {
	case s.Key == "hyperlinks": // Citing.Link depends on it, so everything is redrawn
		k.restyle(k.o.Theme)
	case s.Typed == nil || s.Fixed != "" || s.ByVault && !s.ForVault || !s.ForVault && s.FixedIn(true) != "":
	case s.Key == "theme":
		k.restyle(*s.Typed)
	case s.Key == "mouse":
		k.o.Mouse = *s.Typed == "true"
	}
}

// look handles themes.
type look struct{ *shared }

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
func (k *look) restyle(configured string) {
	k.o.Theme = configured
	*k.styles = *stylesFor(k.o, configured)
	k.list.Redraw(k.env.Restyled)
}

// colourless explains why all themes look the same here, or is empty.
func (o Options) colourless() string {
	switch {
	case o.NoColor:
		return "NO_COLOR is set, so themes have no colours"
	case o.ColorProfile <= colorprofile.ASCII:
		return "This terminal has no colours, so themes have none"
	}
	return ""
}
