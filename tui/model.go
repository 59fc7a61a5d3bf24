// Package tui implements the chat screen: a full-height terminal program in which
// the user talks with the agent about a vault.
//
// Guarantees:
//
//   - The first frame waits for nothing: Options.Load reads the conversation so
//     far, unfinished messages and examples afterwards.
//   - Only Update changes the model, and only changes are drawn: an idle screen
//     writes no byte, and a frame costs the same at any transcript length.
//   - Typed text is not lost: text cleared by Ctrl+C or stopped by Esc is in the
//     prompt history, and messages sent while a turn runs are queued visibly,
//     with their destination.
//   - Esc stops the running turn in every state, and nothing else does. Quitting
//     keeps the turn's message for the next start.
//   - Keys typed ahead never consent, submit a key or pick an option: a request
//     ignores keys in its first half second, and Enter only confirms a marked
//     choice. Typed API keys are never shown.
//   - Going back in a conversation loses nothing: the turns left become a branch,
//     their changes of the vault are reported as kept, and the composer's draft
//     is restored.
//   - A reference in an answer is a link only if the program found its target in
//     the vault; neither notes nor models can create links.
//   - Changes are undone only while nothing runs, and changes that remain are
//     listed.
//   - All text from outside (model, notes, tools, errors, names) is sanitized
//     before it is drawn, and the drawn frame is filtered again.
//   - The terminal is restored on every exit, including panics.
//
// The package reaches the agent only through Processor and Events. It does not know
// providers or vaults, and of tools only their traits. Its view of what is running
// comes from events alone.
package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"chatvault/agent/event"
	"chatvault/internal/app/session"
	"chatvault/tui/chat"
	"chatvault/tui/composer"
	"chatvault/tui/keys"
	"chatvault/tui/list"
)

// Model is the chat screen. Only Update changes it.
type Model struct {
	*shared
	display

	talk talk
	turn turn
	sending
	questions
	engine

	writing
	revising
	menu
	preview
	pointer pointer
	lists   lists
	job
	requests *requests
	asked    doublePress
	leader   string // the first key of gg while something is selected
	backward bool   // the last search of vi began with ?
	begun    bool   // the last key was a command of vi that begins to insert
}

// New returns the screen. Options must be valid.
func New(ctx context.Context, o Options) *Model {
	now := o.Now
	if now == nil {
		now = time.Now
	}
	styles := stylesFor(o, o.Theme)
	env := chat.NewEnv(styles)
	env.Now = now
	if o.Citing.Resolve != nil {
		env.Citations = chat.NewCitations()
		env.Citations.Link = o.Citing.Link
	}
	common := &shared{
		ctx: ctx, o: o, styles: styles, env: env, clock: clock{now: now, tick: tickWithin(ctx)},
		list: list.New(chat.Gap), composer: composer.New(styles), state: session.State{Provider: o.Provider},
	}
	m := &Model{shared: common, turn: turn{shared: common}}
	m.busy = m.underWay
	m.questions = questions{shared: common}
	m.menu = menu{shared: common, questions: &m.questions}
	m.talk = talk{shared: common, questions: &m.questions, boundaries: map[string]*chat.Boundary{}}
	m.sending = sending{
		shared: common, questions: &m.questions, talk: &m.talk, turn: &m.turn, onPost: m.stopShowing, received: map[string]event.Inbound{},
	}
	m.revising = revising{shared: common, sending: &m.sending, talk: &m.talk, turn: &m.turn, lists: &m.lists}
	m.writing = writing{
		shared: common, questions: &m.questions, menu: &m.menu, sending: &m.sending, revising: &m.revising, draft: newDraft(o.Drafts),
	}
	m.job, m.preview = job{shared: common, notifier: notifier{shared: common}}, preview{shared: common}
	m.pointer = pointer{shared: common, talk: &m.talk, preview: &m.preview}
	m.engine = engine{shared: common, offline: o.Offline}
	if o.Approval != nil {
		m.state.Approval = o.Approval.Approval()
	}
	m.bindKeys()
	m.composer.SetVi(o.KeyStyle == "vi")
	m.lists = lists{shared: common, talk: &m.talk, sending: &m.sending, revising: &m.revising, engine: &m.engine}
	m.shows = m.viewsOf()
	m.commands = m.builtIn()
	m.requests = &requests{shared: common, stop: m.stopTurn, answered: map[string]bool{}}
	m.welcome = chat.NewWelcome(env, m.welcomeData())
	m.list.Append(m.welcome)
	return m
}

func (e *engine) welcomeData() chat.WelcomeData {
	d := chat.WelcomeData{
		Version: e.o.Version, VaultName: e.o.VaultName, VaultDir: e.o.VaultDir,
		Provider: e.state.Provider, Examples: e.examples,
		Undo: e.o.Changes != nil && !e.o.ReadOnly, ReadOnly: e.o.ReadOnly,
	}
	if e.o.Approval != nil && !e.o.ReadOnly {
		d.Ask = keys.First(e.keys.Approval, "/approval")
	}
	switch m := e.o.Models; {
	case e.offline:
		d.WithoutModel[0], d.WithoutModel[1] = session.WithoutModel(m, e.o.ReadOnly, e.lacks)
	case m != nil && m.Fixed() == "":
		d.Choose = "/model"
	}
	return d
}

// Init starts listening for events and queries the terminal's background colour if necessary.
func (m *Model) Init() tea.Cmd {
	o, cmds := m.o, []tea.Cmd{m.nextEvents(0), listen(m.ctx, m.o.ProviderChanges, m.providerFound)}
	if (o.Theme == "" || o.Theme == "auto") && !o.NoColor && o.ColorProfile > colorprofile.ASCII && o.Background.Color == nil {
		cmds = append(cmds, tea.RequestBackgroundColor)
	}
	if o.Routing != nil {
		cmds = append(cmds, listen(m.ctx, o.Routing.Changes(m.ctx), m.routed))
	}
	if o.Terminal != nil {
		cmds = append(cmds, listen(m.ctx, o.Terminal.Continued(), m.continued))
	}
	return tea.Batch(cmds...)
}
