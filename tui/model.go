package tui

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"chatvault/agent/event"
	"chatvault/internal/session"
	"chatvault/internal/session/provider"
	"chatvault/tui/chat"
	"chatvault/tui/complete"
	"chatvault/tui/composer"
	"chatvault/tui/dialog"
	"chatvault/tui/frame"
	"chatvault/tui/list"
	"chatvault/tui/paint"
	"chatvault/tui/scrollback"
	"chatvault/tui/selection"
	"chatvault/tui/status"
	"chatvault/tui/theme"
	"chatvault/tui/usage"
)

// Model is the chat screen. Only Update changes it.
type Model struct {
	ctx      context.Context
	o        Options
	now      func() time.Time
	tick     func(time.Duration, func(time.Time) tea.Msg) tea.Cmd
	styles   *theme.Styles
	env      *chat.Env
	keys     keyMap
	bound    *keyMaps // all there are, keys among them
	commands []session.Command
	state    session.State

	width, height int
	list          *list.List
	composer      *composer.Model
	dialogs       dialog.Stack
	welcome       *chat.Welcome

	provider  string
	nextModel *provider.ModelUsed // the model that was chosen here; nil: none was
	route     session.RouteStatus
	offline   bool
	examples  []string
	example   int // the next one Tab puts in
	views     views

	outbox   []*outgoing // sent and not yet taken into a turn, in order
	handing  bool        // a message is being made durable
	received map[string]event.Inbound
	turn     turn
	question *chat.Message // not answered yet
	pick     *pick         // its options
	askedAt  time.Time     // when it was asked
	requests requests      // what the turn waits for
	goal     goal
	usage    usage.Usage
	ended    status.End // how the turn before ended
	talk     talk
	editing  *editing  // an earlier message; nil: none is
	moving   moving    // to another place in the conversation
	pages    []*paging // where messages are missing, from the top
	missed   bool      // another process changed the conversation, which is not shown yet

	selection *selection.Selection // in the transcript
	halted    halted               // what was said last, where its turn was stopped
	exploring
	shownNote previewing // the note that is shown

	compacting compacting

	palette      *dialog.Picker
	openedHelp   *dialog.Help // the one opened last
	recent       []string     // commands, the one used last first
	customFaults []string     // that were told

	hasDetails bool // something in the transcript has details to show

	hint    string // a passing word in the status line
	hintID  int
	asked   asked
	leaving bool
	spinner spinner
	ages    ages
	pace    pace
	title   string
	telling telling
	printed *scrollback.Printer

	completion *complete.Completion // of a name that is being written
	attaching  *complete.Attaching  // what the text mentions
	lastPaste  lastPaste
	toldFolded bool // how a long paste is shown whole

	held        held // keys that wait for another vault's chat
	draft       *draft
	draftTimed  bool
	loadStarted bool
	loaded      bool

	screen   *paint.Screen // nil: none, and View is what is looked at
	full     *paint.Full   // the same, where it is the terminal's whole one
	awaited  bool          // a key was pressed, and is to be seen
	frame    string        // what View returns
	dirty    bool
	lay      frame.Layout
	finisher frame.Finisher
	ruled    frame.Rule
	stops    string // so is what says that Esc stops
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
		ctx: ctx, o: o, now: now, tick: tickWithin(ctx), styles: styles, env: env,
		commands: commandsOf(o),
		list:     list.New(chat.Gap), composer: composer.New(styles),
		provider: o.Provider, offline: o.Offline,
		received: map[string]event.Inbound{}, draft: &draft{save: o.SaveDraft, saveFolds: o.SaveFolds},
	}
	m.printed = scrollback.New(m.list, styles)
	m.bindKeys()
	m.composer.Waits(m.waits)
	m.views = newViews(m)
	m.welcome = chat.NewWelcome(env, m.welcomeData())
	m.list.Append(m.welcome)
	return m
}

func (m *Model) welcomeData() chat.WelcomeData {
	choose, fixed := m.chooseHint()
	return chat.WelcomeData{
		Version: m.o.Version, VaultName: m.o.VaultName, VaultDir: m.o.VaultDir,
		Provider: m.provider, Offline: m.offline, Choose: choose, Fixed: fixed, Examples: m.examples,
	}
}

// Init begins to listen to the processor.
func (m *Model) Init() tea.Cmd {
	return tea.Batch(m.nextEvents(0), m.nextProvider(), m.nextRoute(), m.watchElsewhere())
}
