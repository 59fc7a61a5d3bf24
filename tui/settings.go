package tui

import (
	"context"
	"fmt"
	"strconv"

	tea "github.com/charmbracelet/bubbletea"

	"chatvault/internal/session"
	"chatvault/tui/chat"
	"chatvault/tui/dialog"
	"chatvault/tui/phrase"
)

// Settings is the configuration as it can be seen and changed (/settings). Without both: no such
// command.
type Settings struct {
	// List are all settings as they are now, and what is wrong with the configuration.
	List func(ctx context.Context) (list []session.Setting, wrong []string)
	// Set gives a setting a value, as it was typed, or with nil takes it out of the file: the
	// vault's or the user's. said says where it is kept and what counts more; the error, what is
	// wrong with the value, without its key.
	Set func(ctx context.Context, key string, typed *string, inVault bool) (said string, err error)
}

type (
	settingsMsg struct {
		list  []session.Setting
		wrong []string
		open  bool // the list is to be opened
	}
	// changeSettingMsg is the wish to change a setting, setSettingMsg its value; nil: none.
	changeSettingMsg struct{ key string }
	setSettingMsg    struct {
		key   string
		typed *string
	}
	// settingSetMsg says what became of it.
	settingSetMsg struct {
		setSettingMsg
		said string
		err  error
	}
	// turnSettingsMsg is the wish that changes go to the other file.
	turnSettingsMsg struct{}
)

// settingsView is the list of settings while it is open.
type settingsView struct {
	dialog  *dialog.Settings
	list    []session.Setting
	inVault bool
}

func (v *settingsView) find(key string) (session.Setting, bool) {
	for _, s := range v.list {
		if s.Key == key {
			return s, true
		}
	}
	return session.Setting{}, false
}

// toVault says whether a change of a setting goes to the vault's file.
func (v *settingsView) toVault(s session.Setting) bool { return s.InVault && (v.inVault || s.ByVault) }

// listSettings reads the settings.
func (m *Model) listSettings(open bool) tea.Cmd {
	ctx, list := m.ctx, m.o.Settings.List
	return func() tea.Msg {
		all, wrong := list(ctx)
		return settingsMsg{all, wrong, open}
	}
}

// openSettings is /settings.
func (m *Model) openSettings() tea.Cmd { return m.listSettings(true) }

// configured routes what comes of the settings.
func (m *Model) configured(msg tea.Msg) (cmd tea.Cmd, known bool) {
	switch msg := msg.(type) {
	case settingsMsg:
		return m.showSettings(msg), true
	case turnSettingsMsg:
		m.settings.inVault = !m.settings.inVault
		m.fillSettings()
		return nil, true
	case changeSettingMsg:
		return m.changeSetting(msg.key), true
	case setSettingMsg:
		return m.setSetting(msg), true
	case settingSetMsg:
		return m.settingSet(msg), true
	}
	return m.prosed(msg)
}

func (m *Model) showSettings(msg settingsMsg) tea.Cmd {
	if msg.open {
		m.settings = &settingsView{dialog: dialog.NewSettings(m.styles, "Settings", []string{
			"Enter changes it · Del takes it out of the file · Tab: the other file · Esc closes",
			"Enter changes · Del: default · Tab: file · Esc", "Enter · Del · Tab · Esc closes",
		})}
		m.dialogs.Push(m.settings.dialog)
	}
	m.settings.list = msg.list
	m.fillSettings()
	if msg.open && len(msg.wrong) > 0 {
		return m.pass(phrase.Line(msg.wrong[0]), 3*quitWindow)
	}
	return nil
}

// fillSettings puts the rows into the list.
func (m *Model) fillSettings() {
	v := m.settings
	rows := make([]dialog.SettingRow, len(v.list))
	for i, s := range v.list {
		rows[i] = dialog.SettingRow{
			Group: s.Group, Label: s.Key, Value: s.Shown, Origin: s.Origin, Quiet: !s.Set, About: v.about(s),
			Change: changeSettingMsg{s.Key}, Reset: setSettingMsg{s.Key, nil},
		}
	}
	v.dialog.Rows(rows)
	target := "changes go to your file"
	if v.inVault {
		target = "changes go to this vault's file"
	}
	v.dialog.Target(target, turnSettingsMsg{})
}

// about says of a setting what it is, what decides about it and when a change counts.
func (v *settingsView) about(s session.Setting) string {
	text := s.About
	switch {
	case s.Fixed != "":
		text += " · the " + s.Fixed + " decides in this run"
	case s.Kind == session.SettingFixed:
	case v.inVault && !s.InVault:
		text += " · a vault's file may not set it"
	case s.ByVault && !v.inVault:
		text += " · this vault's file decides, so a change goes there"
	case s.Until != "":
		text += " · " + s.Until
	case !s.AtOnce:
		text += " · a change counts from the next start"
	}
	return text
}

// changeSetting begins to change a setting, in the way of its kind.
func (m *Model) changeSetting(key string) tea.Cmd {
	v := m.settings
	s, ok := v.find(key)
	if !ok {
		return nil
	}
	set := func(value string) any { return setSettingMsg{key, &value} }
	switch s.Kind {
	case session.SettingProse:
		return m.editProse(s)
	case session.SettingFixed:
		return m.pass(key+" is changed in the file: chatvault config path names it", 3*quitWindow)
	case session.SettingSwitch:
		on, _ := strconv.ParseBool(s.Value)
		value := strconv.FormatBool(!on)
		return m.setSetting(setSettingMsg{key, &value})
	case session.SettingChoice:
		rows := make([]dialog.Row, len(s.Choices))
		for i, c := range s.Choices {
			rows[i] = dialog.Row{Label: c, Here: c == s.Value, Result: set(c)}
			if i < len(s.Means) {
				rows[i].About = s.Means[i]
			}
		}
		p := dialog.NewPicker(m.styles, key, "There is nothing to choose", rows, []string{"Enter takes it · Esc goes back"})
		p.MarkHere()
		m.dialogs.Push(p)
		return nil
	}
	m.askSetting(s, s.Value, "")
	return nil
}

// askSetting asks for a setting's value; wrong is what was wrong with the one before.
func (m *Model) askSetting(s session.Setting, value, wrong string) {
	about := s.About + "."
	switch s.Kind {
	case session.SettingNumber:
		about += " A whole number."
	case session.SettingAmount:
		about += " Dollars, such as 0.50."
	case session.SettingList:
		about += " With commas between."
	}
	ask := dialog.NewAsk(m.styles, s.Key, about, false, func(value string) any { return setSettingMsg{s.Key, &value} }, nil)
	ask.Begin(value)
	ask.Foot("Enter takes it · Esc leaves it as it is")
	if wrong != "" {
		ask.Say(chat.Sentence(wrong))
	}
	m.dialogs.Push(ask)
}

// setSetting has a value written.
func (m *Model) setSetting(msg setSettingMsg) tea.Cmd {
	v := m.settings
	s, ok := v.find(msg.key)
	if !ok {
		return nil
	}
	if msg.typed == nil && (s.Kind == session.SettingFixed) {
		return m.pass(msg.key+" is changed in the file: chatvault config path names it", 3*quitWindow)
	}
	ctx, set, inVault := m.ctx, m.o.Settings.Set, v.toVault(s)
	if v.inVault && !s.InVault {
		return m.pass("A vault's file may not set "+s.Key+": Tab has changes go to your own", 3*quitWindow)
	}
	return func() tea.Msg {
		said, err := set(ctx, msg.key, msg.typed, inVault)
		return settingSetMsg{msg, said, err}
	}
}

// settingSet tells what came of it; a value that is refused is asked for again.
func (m *Model) settingSet(msg settingSetMsg) tea.Cmd {
	s, ok := m.settings.find(msg.key)
	if !ok {
		return nil
	}
	if msg.err != nil {
		switch s.Kind {
		case session.SettingText, session.SettingNumber, session.SettingAmount, session.SettingList:
			if msg.typed != nil {
				m.askSetting(s, *msg.typed, msg.err.Error())
				return nil
			}
		}
		return m.pass(s.Key+" "+msg.err.Error(), 3*quitWindow)
	}
	said := msg.said
	switch {
	case s.Until != "":
		said += " · " + s.Until
	case !s.AtOnce:
		said += " · from the next start"
	}
	if msg.typed != nil {
		value := ": " + phrase.Line(*msg.typed)
		if s.Kind == session.SettingProse {
			value = ""
		}
		said = fmt.Sprintf("%s%s, %s", s.Key, value, said)
	} else {
		said = s.Key + ": " + said
	}
	return tea.Batch(m.pass(said, 3*quitWindow), m.settingCounts(s, msg.typed), m.listSettings(false))
}

// settingCounts has a change count that does so at once.
func (m *Model) settingCounts(s session.Setting, typed *string) tea.Cmd {
	if s.Key == "hyperlinks" { // Citing.Link asks for it; what was drawn is drawn anew
		m.restyle(m.o.Theme)
		return nil
	}
	if typed == nil || s.Fixed != "" || s.ByVault && !m.settings.toVault(s) {
		return nil
	}
	switch s.Key {
	case "theme":
		m.restyle(*typed)
	case "mouse":
		m.o.Mouse = *typed == "true"
		m.tellMouse()
	}
	return nil
}
