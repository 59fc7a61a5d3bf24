package tui

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"chatvault/agent/event"
	"chatvault/internal/session"
	"chatvault/tui/approval"
	"chatvault/tui/chat"
	"chatvault/tui/composer"
	"chatvault/tui/dialog"
	"chatvault/tui/keys"
	"chatvault/tui/list"
	"chatvault/tui/paging"
	"chatvault/tui/scrollback"
	"chatvault/tui/theme"
)

// Model is the chat screen. Only Update changes it.
type Model struct {
	ctx    context.Context
	o      Options
	styles *theme.Styles
	env    *chat.Env
	keys   keyMap
	bound  *keyMaps // all there are, keys among them
	clock
	display

	list    *list.List // the transcript
	printed *scrollback.Printer
	pages   *paging.Pages
	welcome *chat.Welcome
	dialogs dialog.Stack
	views   views
	exploring

	writing
	sending
	revising
	menu

	talk talk
	turn turn
	openQuestion
	offer    offer
	requests *approval.Requests
	goal     goal
	state    session.State

	engine
	hints
	notifier notifier
	held     held // keys that wait for another vault's chat
}

// New makes the screen. Options must be valid.
func New(ctx context.Context, o Options) *Model {
	now := o.Now
	if now == nil {
		now = time.Now
	}
	styles := stylesFor(o, o.Theme)
	env := chat.NewEnv(styles)
	env.Now, env.Citations = now, newCitations(o.Citing)
	m := &Model{
		ctx: ctx, o: o, styles: styles, env: env, clock: clock{now: now, tick: tickWithin(ctx)},
		list: list.New(chat.Gap), menu: menu{commands: commandsOf(o)}, engine: engine{provider: o.Provider, offline: o.Offline},
		sending: sending{received: map[string]event.Inbound{}},
		writing: writing{composer: composer.New(styles), draft: &draft{kept: o.Drafts}},
	}
	if o.Approval != nil {
		m.state.Approval = o.Approval.Approval()
	}
	if o.Routing != nil {
		m.routes = o.Routing.Changes(ctx)
	}
	m.printed = scrollback.New(m.list, styles)
	m.pages = paging.New(ctx, env, m.list, o.Conversation, transcript{m})
	m.bindKeys()
	m.composer.Waits(m.waits)
	m.views = newViews(m)
	m.requests = approval.New(overChat{m}, env, o.Processor)
	m.welcome = chat.NewWelcome(env, m.welcomeData())
	m.list.Append(m.welcome)
	return m
}

func (m *Model) welcomeData() chat.WelcomeData {
	choose, fixed := m.chooseHint()
	return chat.WelcomeData{
		Version: m.o.Version, VaultName: m.o.VaultName, VaultDir: m.o.VaultDir,
		Provider: m.provider, Offline: m.offline, Choose: choose, Fixed: fixed, Examples: m.talk.examples,
		Ask: m.askBy(), Undo: m.o.Changes != nil,
	}
}

// askBy is how to have the agent ask before it changes something.
func (m *Model) askBy() string {
	if m.o.Approval == nil {
		return ""
	}
	if key := keys.First(m.keys.Approval, ""); key != "" {
		return key
	}
	return "/approval"
}

// Init begins to listen to the processor.
func (m *Model) Init() tea.Cmd {
	return tea.Batch(m.nextEvents(0), m.nextProvider(), m.nextRoute(), m.pollExternal())
}
