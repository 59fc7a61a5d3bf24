package tui

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"chatvault/internal/app/session"
	"chatvault/internal/base/text"
	"chatvault/tui/dialog"
	"chatvault/tui/loop"
	"chatvault/tui/phrase"
)

// Configuration reads and changes settings (/settings).
type Configuration interface {
	// List returns all settings with their current values, and the errors in the configuration.
	List(ctx context.Context) (list []session.Setting, wrong []string)
	// Set sets a setting to a typed value, or removes it if typed is nil, for all vaults or this one. said describes
	// where it is stored and which source overrides it; the error completes "KEY …".
	Set(ctx context.Context, key string, typed *string, inVault bool) (said string, err error)
	// KeepTheme saves a theme for the next start; said describes where it is stored and which source overrides it.
	KeepTheme(name string) (said string, err error)
}

// settings is the list of settings.
type settings struct {
	*shared
	look *look
	// edit opens a text in the user's editor and passes the result to then. It is nil if there is no editor.
	edit func(text string, then func(edited string, err error) tea.Cmd) tea.Cmd

	picker  *dialog.Picker // nil until opened
	all     []session.Setting
	inVault bool
}

// toVault reports whether a setting is changed for this vault only.
func (v *settings) toVault(s session.Setting) bool { return s.InVault && (v.inVault || s.ByVault) }

// open handles /settings.
func (v *settings) open() tea.Cmd { return v.read(true) }

func (v *settings) read(opens bool) tea.Cmd {
	return func() tea.Msg {
		all, wrong := v.o.Settings.List(v.ctx)
		return loop.Do(func() tea.Cmd { return v.show(all, wrong, opens) })
	}
}

func (v *settings) show(all []session.Setting, wrong []string, opens bool) tea.Cmd {
	if opens {
		v.inVault = false
		v.picker = dialog.NewPicker(v.styles, "", "", nil, []string{
			"Tab: vault or all", "Del: default", "Enter to change", "Esc to close",
		})
		v.picker.On(map[string]func(dialog.Row) any{
			"delete": func(r dialog.Row) any {
				i := slices.IndexFunc(v.all, func(s session.Setting) bool { return s.Key == r.ID })
				return v.setting(v.all[i], nil)
			},
			"tab": func(dialog.Row) any {
				v.inVault = !v.inVault
				v.fill()
				return nil
			},
		})
		v.dialogs.Push(v.picker)
	}
	v.all = all
	v.fill()
	if opens && len(wrong) > 0 {
		return v.flash(phrase.Line(wrong[0]), 3*quitWindow)
	}
	return nil
}

// fill updates the rows of the list.
func (v *settings) fill() {
	rows := make([]dialog.Row, len(v.all))
	for i, s := range v.all {
		rows[i] = dialog.Row{
			ID: s.Key, Group: s.Group, Label: s.Key, Value: cmp.Or(s.Shown, "–"), Set: s.Set, Right: s.Origin, Note: v.about(s), Find: s.About,
			Result: loop.Do(func() tea.Cmd { return v.change(s) }), Stays: true,
		}
	}
	v.picker.Refresh(rows)
	target := "changes are for all vaults"
	if v.inVault {
		target = "changes are for this vault"
	}
	v.picker.Title("Settings · " + target)
}

// about describes a setting, what determines its value, and when a change takes effect.
func (v *settings) about(s session.Setting) string {
	text := s.About
	switch {
	case s.Fixed != "":
		text += " · the " + s.Fixed + " overrides it in this run"
	case s.Kind == session.SettingFixed:
	case v.inVault && !s.InVault:
		text += " · it cannot be set for one vault"
	case s.FixedIn(v.toVault(s)) != "":
		text += " · it " + s.FixedIn(v.toVault(s))
	case s.ByVault && !v.inVault:
		text += " · it is set for this vault, and so are changes"
	case s.Until != "":
		text += " · " + s.Until
	case !s.AtOnce:
		text += " · applies at the next start"
	}
	return text
}

// change starts changing a setting in the way of its kind.
func (v *settings) change(s session.Setting) tea.Cmd {
	if fixed := s.FixedIn(v.toVault(s)); fixed != "" {
		return v.flash(s.Key+" "+fixed, 3*quitWindow)
	}
	switch s.Kind {
	case session.SettingProse:
		return v.editProse(s)
	case session.SettingFixed:
		return v.inFile(s.Key)
	case session.SettingSwitch:
		on, _ := strconv.ParseBool(s.Value)
		value := strconv.FormatBool(!on)
		return v.set(s, &value)
	case session.SettingChoice:
		rows := make([]dialog.Row, len(s.Choices))
		for i, c := range s.Choices {
			rows[i] = dialog.Row{Label: c, Here: c == s.Value, Result: v.setting(s, &c)}
			if i < len(s.Means) {
				rows[i].About = s.Means[i]
			}
		}
		p := dialog.NewPicker(v.styles, s.Key, "There is nothing to choose", rows, []string{"Enter to select", "Esc back"})
		p.MarkHere()
		v.dialogs.Push(p)
		return nil
	}
	v.ask(s, s.Value, "")
	return nil
}

// inFile shows where to change a setting that cannot be changed here.
func (v *settings) inFile(key string) tea.Cmd {
	return v.flash("Change "+key+" in the configuration file: chatvault config path shows where it is", 3*quitWindow)
}

// editProse opens a multi-line setting in the user's editor and saves it if it changed.
func (v *settings) editProse(s session.Setting) tea.Cmd {
	if v.edit == nil {
		return v.inFile(s.Key)
	}
	return v.edit(s.Value, func(edited string, err error) tea.Cmd {
		switch text := strings.TrimSpace(edited); {
		case err != nil:
			return v.flash("The editor failed, so "+s.Key+" is unchanged: "+err.Error(), 3*quitWindow)
		case text == "" || text == strings.TrimSpace(s.Value):
			return v.flash(s.Key+" is unchanged", 2*quitWindow)
		}
		return v.set(s, &edited)
	})
}

// ask asks for a setting's value; wrong is the error of the previous attempt.
func (v *settings) ask(s session.Setting, value, wrong string) {
	about := s.About + "."
	switch s.Kind {
	case session.SettingNumber:
		about += " A whole number."
	case session.SettingAmount:
		about += " Dollars, such as 0.50."
	case session.SettingList:
		about += " Separate values with commas."
	}
	ask := dialog.NewAsk(v.styles, s.Key, about, false, func(value string) any { return v.setting(s, &value) }, nil, "Enter to save", "Esc to cancel")
	ask.Begin(value)
	if wrong != "" {
		ask.Say(text.Capital(wrong))
	}
	v.dialogs.Push(ask)
}

// setting returns a loop.Do that saves a value.
func (v *settings) setting(s session.Setting, typed *string) loop.Do {
	return func() tea.Cmd { return v.set(s, typed) }
}

// set saves a value; nil removes it.
func (v *settings) set(s session.Setting, typed *string) tea.Cmd {
	switch {
	case typed == nil && s.Kind == session.SettingFixed:
		return v.inFile(s.Key)
	case v.inVault && !s.InVault:
		return v.flash(s.Key+" cannot be set for one vault: Tab sets it for all", 3*quitWindow)
	}
	inVault := v.toVault(s)
	set := func(ctx context.Context) (string, error) { return v.o.Settings.Set(ctx, s.Key, typed, inVault) }
	return loop.Then(v.ctx, set, func(said string, err error) tea.Cmd { return v.saved(s, typed, said, err) })
}

// saved shows the result. After an invalid value it asks again.
func (v *settings) saved(s session.Setting, typed *string, said string, err error) tea.Cmd {
	if err != nil {
		switch s.Kind {
		case session.SettingText, session.SettingNumber, session.SettingAmount, session.SettingList:
			if typed != nil {
				v.ask(s, *typed, err.Error())
				return nil
			}
		}
		return v.flash(s.Key+" "+err.Error(), 3*quitWindow)
	}
	switch {
	case s.Until != "":
		said += " · " + s.Until
	case !s.AtOnce:
		said += " · from the next start"
	}
	switch {
	case typed == nil:
		said = s.Key + ": " + said
	case s.Kind == session.SettingProse:
		said = s.Key + ", " + said
	default:
		said = fmt.Sprintf("%s: %s, %s", s.Key, phrase.Line(*typed), said)
	}
	v.look.settingCounts(s, typed, v.toVault(s))
	return tea.Batch(v.flash(said, 3*quitWindow), v.read(false))
}
