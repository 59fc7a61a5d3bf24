package tui

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"chatvault/agent/event"
	"chatvault/internal/app/session"
	"chatvault/internal/app/session/provider"
	"chatvault/tui/chat"
	"chatvault/tui/list"
	"chatvault/tui/phrase"
	"chatvault/tui/pickers"
	"chatvault/tui/theme"
)

// views are the lists that open above the chat.
type views struct {
	base       *pickers.Base
	changes    pickers.Changes
	lists      pickers.Lists
	models     pickers.Models
	settings   pickers.Settings
	themes     pickers.Themes
	trust      pickers.Trust
	unfinished pickers.Unfinished
}

// newViews returns the lists for the features in Options.
func newViews(m *Model) views {
	o, d := m.o, &pickers.Base{Chat: pickers.Chat{
		Ctx: m.ctx, Env: m.env, List: m.list, Dialogs: &m.dialogs, Composer: m.composer, Flash: m.flash, Say: m.appendItem, Announce: m.announce,
		Busy: m.busy,
	}}
	v := views{
		base:     d,
		changes:  pickers.Changes{Base: d, Log: o.Changes},
		models:   pickers.Models{Base: d, From: o.Models, Taken: m.useModel},
		settings: pickers.Settings{Base: d, Config: o.Settings, Counts: m.settingCounts},
		themes: pickers.Themes{
			Base: d, Config: o.Settings, Now: func() string { return m.o.Theme }, Restyle: m.restyle, Alike: o.colourless(),
		},
		trust:      pickers.Trust{Base: d, Brought: o.Trust},
		unfinished: pickers.Unfinished{Base: d, Inbox: o.Inbox, InHand: func(id string) bool { return slices.Contains(m.state.Turn.Messages, id) || m.findOutgoing(id) != nil }, Tried: m.tried, Elsewhere: m.runElsewhere, Back: m.takenFromInbox},
	}
	v.lists = pickers.Lists{Base: d, Column: m.talk.column, GoOn: m.goOn, Changes: &m.views.changes, Titled: func(p session.Past) {
		m.talk.conversationTitled(event.ConversationTitled{ID: p.ID, Title: p.Title, Summary: p.Summary})
	}}
	if o.EditDraft != nil {
		v.settings.Edit = m.editText
	}
	return v
}

// announce appends to the transcript and scrolls to it.
func (s *shared) announce(it list.Item) {
	s.welcome.Leave()
	s.appendItem(it)
	s.list.End()
}

// column returns a column with the items of a history.
func (t *talk) column(history []session.HistoryItem) *list.List {
	l := list.New(chat.Gap)
	l.Append(t.historyItems(history)...)
	return l
}

// goOn switches to the conversation or branch that an action returns.
func (g *revising) goOn(a session.Action) tea.Cmd {
	if a.Effect == session.EffectContinue {
		open := func(ctx context.Context) (session.Page, error) {
			done, err := a.Do(ctx, "")
			return done.Page, err
		}
		return g.switchTo(open, func() tea.Cmd { return g.flash("Your next message continues it", 2*quitWindow) })
	}
	g.base.Stop()
	return tea.Batch(g.leaveEditing(), g.move(func(ctx context.Context) (session.Moved, error) {
		done, err := a.Do(ctx, "")
		return done.Moved, err
	}, true))
}

// tried records a retried message, so that stopping it and pressing ↑ restore it.
func (m *Model) tried(u session.Unfinished) {
	m.received[u.Message.ID] = u.Message
	m.composer.Remember(typedIn(u.Message.Mode, u.Message.Text))
}

// takenFromInbox adds a message to the prompt history and, to edit it, to the composer.
func (m *Model) takenFromInbox(u session.Unfinished, edit bool) tea.Cmd {
	typed := typedIn(u.Message.Mode, u.Message.Text)
	if edit {
		m.composer.SetValue(below(typed, m.composer.Value()))
	}
	return m.remember(typed)
}

// engine tracks the model that answers, for the first screen and the header.
type engine struct {
	*shared
	examples []string            // example questions
	offline  bool                // the embedded engine answers
	next     *provider.ModelUsed // a selected model that is not shown yet, or nil
	route    session.RouteStatus // status of the connection
}

func (e *engine) routed(s session.RouteStatus) tea.Cmd {
	e.route = s
	return nil
}

// routeText returns the connection's status for the header.
func (e *engine) routeText() string {
	if e.route.State == "" {
		return ""
	}
	return "SmartHole " + string(e.route.State)
}

// forms returns the forms of the embedded engine's commands; none with a model.
func (e *engine) forms() []string {
	if !e.offline {
		return nil
	}
	return e.o.Forms
}

// chooseHint returns how to select another model, or why none can be selected.
func (e *engine) chooseHint() (choose, fixed string) {
	if e.o.Models == nil {
		return "", ""
	}
	if fixed = e.o.Models.Fixed(); fixed == "" {
		choose = "/model"
	}
	return choose, fixed
}

// useModel records the selected model and returns a message about when it takes effect.
func (e *engine) useModel(used provider.ModelUsed) string {
	e.next = &used
	if e.busy() {
		return "From the next turn on: " + phrase.Line(used.Name) + ". This one continues with " + phrase.Line(e.state.Provider)
	}
	e.takeModel()
	return "Model: " + phrase.Line(used.Name)
}

// takeModel shows the selected model once no turn is running.
func (e *engine) takeModel() {
	if e.next == nil || e.busy() || e.state.Provider == e.next.Name && e.offline == e.next.Offline {
		return
	}
	e.state.Provider, e.offline = e.next.Name, e.next.Offline
	e.welcome.Set(e.welcomeData())
}

// settingCounts applies a setting that takes effect immediately.
func (k *look) settingCounts(s session.Setting, typed *string, inVault bool) {
	switch {
	case s.Key == "hyperlinks": // Citing.Link depends on it, so everything is redrawn
		k.restyle(k.o.Theme)
	case typed == nil || s.Fixed != "" || s.ByVault && !inVault || !inVault && s.FixedIn(true) != "":
	case s.Key == "theme":
		k.restyle(*typed)
	case s.Key == "mouse":
		k.o.Mouse = *typed == "true"
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
