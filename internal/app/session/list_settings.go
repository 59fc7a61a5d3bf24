package session

import (
	"cmp"
	"context"
	"fmt"
	"strconv"

	"chatvault/internal/app/config"
	"chatvault/internal/base/terminal"
)

// SettingActions read and change settings.
type SettingActions interface {
	// List returns all settings with their current values, and the errors in the configuration.
	List(ctx context.Context) (list []Setting, wrong []string)
	// Set sets a setting to a typed value, or removes it if typed is nil, for all vaults or this one. said describes
	// where it is stored and which source overrides it; the error completes "KEY …".
	Set(ctx context.Context, key string, typed *string, inVault bool) (said string, err error)
}

// SettingChange is a setting that was set to a typed value or, with nil, removed.
type SettingChange struct {
	Setting
	Typed    *string
	ForVault bool // for this vault only
}

// ListSettings returns the list of settings, changed for all vaults or for this one.
func ListSettings(ctx context.Context, s SettingActions, inVault bool) *List {
	all, wrong := s.List(ctx)
	l := settingList{s, inVault}
	list := &List{
		Name: "settings", Title: "Settings · changes are for all vaults", Items: listItems(all, l.item), Main: "set",
		Warnings: wrong,
		Hints:    []string{"Tab: vault or all", "Del: default", "Enter to change"},
		Other:    func(ctx context.Context) (*List, error) { return ListSettings(ctx, s, !inVault), nil },
	}
	if inVault {
		list.Title = "Settings · changes are for this vault"
	}
	return list
}

// settingList lists settings; inVault reports whether the user changes those of this vault.
type settingList struct {
	SettingActions
	inVault bool
}

// toVault reports whether a setting is changed for this vault only.
func (l settingList) toVault(s Setting) bool { return s.InVault && (l.inVault || s.ByVault) }

func (l settingList) item(s Setting) Item {
	change := l.change(s)
	return Item{
		ID: s.Key, Group: s.Group, Name: s.Key, Value: cmp.Or(s.Shown, "not set"), Set: s.Set, Facts: []string{s.Origin}, Note: l.about(s), Find: s.About,
		Do: &change, Reset: l.set(s, nil),
	}
}

// about describes a setting, what determines its value, and when a change takes effect.
func (l settingList) about(s Setting) string {
	switch {
	case s.From.Kind > config.VaultFile:
		return s.About + " · the " + s.From.String() + " overrides it in this run"
	case s.Kind == config.KindFixed:
		return s.About
	case l.inVault && !s.InVault:
		return s.About + " · it cannot be set for one vault"
	case s.From.Kind == config.UserFile && !l.toVault(s), s.From.Kind == config.VaultFile:
		return s.About + " · the value from " + ShortPath(s.From.String()) + " overrides it"
	case s.ByVault && !l.inVault:
		return s.About + " · it is set for this vault, and so are changes"
	}
	return s.About + takesEffect(s, "applies at")
}

// takesEffect describes when a change takes effect; it is empty for immediately.
func takesEffect(s Setting, next string) string {
	if s.AtOnce {
		return ""
	}
	return " · " + next + " the next start"
}

// inFile describes where to change a setting that cannot be changed here.
func inFile(s Setting) string {
	return "Change " + s.Key + " in the configuration file: chatvault config path shows where it is"
}

// change returns the action that changes a setting in the way of its kind.
func (l settingList) change(s Setting) Action {
	if l.inVault && !s.InVault && s.Kind != config.KindFixed {
		return *l.set(s, &s.Value)
	}
	set := Action{Verb: "save", Do: func(ctx context.Context, typed string) (Done, error) { return l.save(ctx, s, &typed) }}
	switch s.Kind {
	case config.KindFixed, config.KindProse:
		return Action{Not: inFile(s)}
	case config.KindSwitch:
		on, _ := strconv.ParseBool(s.Value)
		value := strconv.FormatBool(!on)
		return *l.set(s, &value)
	case config.KindChoice:
		choices := &List{Title: s.Key, None: "There is nothing to choose", Once: true}
		for i, c := range s.Choices {
			it := Item{Name: c, Here: c == s.Value, Do: l.set(s, &c)}
			if i < len(s.Means) {
				it.Facts = []string{s.Means[i]}
			}
			choices.Items = append(choices.Items, it)
		}
		return Action{Choices: choices, Do: set.Do}
	}
	form := map[config.SettingKind]string{config.KindNumber: " A number.", config.KindList: " Separate values with commas."}
	set.Asks = &Asking{Title: s.Key, About: s.About + "." + form[s.Kind], Begin: s.Value}
	return set
}

// set returns the action that sets a setting or, with nil, removes it, unless a text is given instead.
func (l settingList) set(s Setting, typed *string) *Action {
	switch {
	case typed == nil && s.Kind == config.KindFixed:
		return &Action{Not: inFile(s)}
	case l.inVault && !s.InVault:
		return &Action{Not: s.Key + " cannot be set for one vault: Tab sets it for all"}
	}
	return &Action{Verb: "set", Do: func(ctx context.Context, text string) (Done, error) {
		value := typed
		if text != "" {
			value = &text
		}
		done, err := l.save(ctx, s, value)
		if err != nil {
			err = fmt.Errorf("%s %w", s.Key, err)
		}
		return done, err
	}}
}

func (l settingList) save(ctx context.Context, s Setting, typed *string) (Done, error) {
	change := &SettingChange{s, typed, l.toVault(s)}
	said, err := l.Set(ctx, s.Key, typed, change.ForVault)
	if err != nil {
		return Done{}, err
	}
	if typed != nil {
		said = terminal.Line(*typed) + ", " + said
	}
	return Done{Said: s.Key + ": " + said + takesEffect(s, "from"), Setting: change, Changed: true}, nil
}
