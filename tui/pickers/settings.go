package pickers

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

// Settings is the list of settings.
type Settings struct {
	*Base
	Config Configuration
	// Counts applies a change that takes effect immediately.
	Counts func(s session.Setting, typed *string, inVault bool)
	// Edit opens a text in the user's editor and passes the result to then. It is nil if there is no editor.
	Edit func(text string, then func(edited string, err error) tea.Cmd) tea.Cmd

	dialog  *dialog.Picker // nil until opened
	list    []session.Setting
	inVault bool
}

// toVault reports whether a setting is changed for this vault only.
func (v *Settings) toVault(s session.Setting) bool { return s.InVault && (v.inVault || s.ByVault) }

// Open handles /settings.
func (v *Settings) Open() tea.Cmd { return v.read(true) }

func (v *Settings) read(open bool) tea.Cmd {
	return func() tea.Msg {
		all, wrong := v.Config.List(v.Ctx)
		return loop.Do(func() tea.Cmd { return v.show(all, wrong, open) })
	}
}

func (v *Settings) show(all []session.Setting, wrong []string, open bool) tea.Cmd {
	if open {
		v.inVault = false
		v.dialog = dialog.NewPicker(v.Env.Styles, "", "", nil, []string{
			"Tab: vault or all", "Del: default", "Enter to change", "Esc to close",
		})
		v.dialog.On(map[string]func(dialog.Row) any{
			"delete": func(r dialog.Row) any {
				i := slices.IndexFunc(v.list, func(s session.Setting) bool { return s.Key == r.ID })
				return v.setting(v.list[i], nil)
			},
			"tab": func(dialog.Row) any {
				v.inVault = !v.inVault
				v.fill()
				return nil
			},
		})
		v.Dialogs.Push(v.dialog)
	}
	v.list = all
	v.fill()
	if open && len(wrong) > 0 {
		return v.Flash(phrase.Line(wrong[0]), long)
	}
	return nil
}

// fill updates the rows of the list.
func (v *Settings) fill() {
	rows := make([]dialog.Row, len(v.list))
	for i, s := range v.list {
		rows[i] = dialog.Row{
			ID: s.Key, Group: s.Group, Label: s.Key, Value: cmp.Or(s.Shown, "–"), Set: s.Set, Right: s.Origin, Note: v.about(s), Find: s.About,
			Result: loop.Do(func() tea.Cmd { return v.change(s) }), Stays: true,
		}
	}
	v.dialog.Refresh(rows)
	target := "changes are for all vaults"
	if v.inVault {
		target = "changes are for this vault"
	}
	v.dialog.Title("Settings · " + target)
}

// about describes a setting, what determines its value, and when a change takes effect.
func (v *Settings) about(s session.Setting) string {
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
func (v *Settings) change(s session.Setting) tea.Cmd {
	if fixed := s.FixedIn(v.toVault(s)); fixed != "" {
		return v.Flash(s.Key+" "+fixed, long)
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
		p := dialog.NewPicker(v.Env.Styles, s.Key, "There is nothing to choose", rows, []string{"Enter to select", "Esc back"})
		p.MarkHere()
		v.Dialogs.Push(p)
		return nil
	}
	v.ask(s, s.Value, "")
	return nil
}

// inFile shows where to change a setting that cannot be changed here.
func (v *Settings) inFile(key string) tea.Cmd {
	return v.Flash("Change "+key+" in the configuration file: chatvault config path shows where it is", long)
}

// editProse opens a multi-line setting in the user's editor and saves it if it changed.
func (v *Settings) editProse(s session.Setting) tea.Cmd {
	if v.Edit == nil {
		return v.inFile(s.Key)
	}
	return v.Edit(s.Value, func(edited string, err error) tea.Cmd {
		switch text := strings.TrimSpace(edited); {
		case err != nil:
			return v.Flash("The editor failed, so "+s.Key+" is unchanged: "+err.Error(), long)
		case text == "" || text == strings.TrimSpace(s.Value):
			return v.Flash(s.Key+" is unchanged", sentence)
		}
		return v.set(s, &edited)
	})
}

// ask asks for a setting's value; wrong is the error of the previous attempt.
func (v *Settings) ask(s session.Setting, value, wrong string) {
	about := s.About + "."
	switch s.Kind {
	case session.SettingNumber:
		about += " A whole number."
	case session.SettingAmount:
		about += " Dollars, such as 0.50."
	case session.SettingList:
		about += " Separate values with commas."
	}
	ask := dialog.NewAsk(v.Env.Styles, s.Key, about, false, func(value string) any { return v.setting(s, &value) }, nil, "Enter to save", "Esc to cancel")
	ask.Begin(value)
	if wrong != "" {
		ask.Say(text.Capital(wrong))
	}
	v.Dialogs.Push(ask)
}

// setting returns a loop.Do that saves a value.
func (v *Settings) setting(s session.Setting, typed *string) loop.Do {
	return func() tea.Cmd { return v.set(s, typed) }
}

// set saves a value; nil removes it.
func (v *Settings) set(s session.Setting, typed *string) tea.Cmd {
	switch {
	case typed == nil && s.Kind == session.SettingFixed:
		return v.inFile(s.Key)
	case v.inVault && !s.InVault:
		return v.Flash(s.Key+" cannot be set for one vault: Tab sets it for all", long)
	}
	inVault := v.toVault(s)
	set := func(ctx context.Context) (string, error) { return v.Config.Set(ctx, s.Key, typed, inVault) }
	return loop.Then(v.Ctx, set, func(said string, err error) tea.Cmd { return v.saved(s, typed, said, err) })
}

// saved shows the result. After an invalid value it asks again.
func (v *Settings) saved(s session.Setting, typed *string, said string, err error) tea.Cmd {
	if err != nil {
		switch s.Kind {
		case session.SettingText, session.SettingNumber, session.SettingAmount, session.SettingList:
			if typed != nil {
				v.ask(s, *typed, err.Error())
				return nil
			}
		}
		return v.Flash(s.Key+" "+err.Error(), long)
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
	v.Counts(s, typed, v.toVault(s))
	return tea.Batch(v.Flash(said, long), v.read(false))
}
