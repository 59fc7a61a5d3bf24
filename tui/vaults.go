package tui

import (
	"context"
	"reflect"
	"strings"

	tea "charm.land/bubbletea/v2"

	"chatvault/internal/session"
	"chatvault/tui/chat"
	"chatvault/tui/dialog"
	"chatvault/tui/keys"
	"chatvault/tui/loop"
	"chatvault/tui/phrase"
)

// Vaults are the other vaults this chat can go over to (/vault). Without List and Open: no such command.
type Vaults struct {
	List func(ctx context.Context) ([]session.Vault, error) // what was used last first
	// Open makes the chat of the vault in a folder ready to be shown; the one on the screen stays
	// as it is. The folder is as the user wrote it, or one of List's. Its error says in plain
	// words why it cannot be opened.
	Open func(ctx context.Context, dir string) (Options, error)
	// Make is Open of a vault that is made: its folder is not there yet. Nil: none can be made.
	Make func(ctx context.Context, dir string) (Options, error)
	// First says that no vault is open yet: they are offered at once.
	First bool
	// Taken, of what Open returns, is told once whether the screen shows that chat now: then the one
	// before has ended.
	Taken func(shown bool)
}

// vaultOpenedMsg says that the chat of another vault is ready, or why it is not.
type vaultOpenedMsg struct {
	options Options
	err     error
	opening *opening
}

// opening is the wait for another vault's chat.
type opening struct{ cancel context.CancelFunc }

// held are keys that were pressed while another vault's chat was made ready: they are for
// whichever chat comes of it.
type held struct {
	opening *opening // nil: none is being made ready
	loading bool     // this chat took the place of another and does not know its own draft yet
	keys    []tea.KeyPressMsg
}

// openVaults is /vault: a list to pick from.
func (m *Model) openVaults() tea.Cmd {
	if m.busy() {
		return m.flash(turnRuns, 2*quitWindow)
	}
	return loop.Then(m.ctx, m.o.Vaults.List, m.showVaults)
}

// vaultCommand is /vault with a folder after it.
func (m *Model) vaultCommand(dir string) tea.Cmd {
	return m.openVault(session.Vault{Name: dir, Dir: dir}, false)
}

func (m *Model) showVaults(all []session.Vault, err error) tea.Cmd {
	if err != nil {
		return m.flash("The vaults could not be listed: "+err.Error(), 3*quitWindow)
	}
	rows := make([]dialog.Row, len(all))
	for i, v := range all {
		rows[i] = dialog.Row{
			Label: phrase.Line(v.Name), Right: phrase.Join(v.About, phrase.Time(v.Last, m.now())), Below: []string{phrase.Line(v.Dir)}, Here: v.Here, Find: v.Dir,
			Result: loop.Now(func() tea.Cmd { return m.openVault(v, false) }),
		}
	}
	if m.o.Vaults.Make != nil {
		rows = append(rows, m.vaultRow("Another folder…", "Which folder holds the notes?", false), m.vaultRow("A new vault…", "Which folder is to be made for its notes?", true))
	}
	title := "Vaults"
	if m.o.Vaults.First {
		title = "There are no notes here. Which vault do you want to open?"
	}
	m.dialogs.Push(dialog.NewPicker(m.styles, title, "No other vault is known: /vault FOLDER opens one", rows, []string{
		"Type to filter · Enter to open one and its conversation · Esc to cancel", "Enter to open · Esc to cancel",
	}))
	return nil
}

// vaultRow asks for the folder of a vault that is none of the list.
func (m *Model) vaultRow(label, question string, isNew bool) dialog.Row {
	return dialog.Row{Label: label, Result: loop.Now(func() tea.Cmd {
		m.dialogs.Push(dialog.NewAsk(m.styles, strings.TrimSuffix(label, "…"), question+" A path, such as ~/Notes.", false, func(dir string) any {
			return loop.Now(func() tea.Cmd { return m.openVault(session.Vault{Name: dir, Dir: dir}, isNew) })
		}, loop.Do(m.openVaults), "Enter to open it · Esc to go back", "Enter opens · Esc back"))
		return nil
	})}
}

// openVault has another vault's chat made ready. What is typed meanwhile is held.
func (m *Model) openVault(v session.Vault, isNew bool) tea.Cmd {
	open := m.o.Vaults.Open
	if isNew {
		open = m.o.Vaults.Make
	}
	switch {
	case v.Here:
		return m.flash("That vault is already open", 2*quitWindow)
	case v.Missing:
		return m.flash("Its folder was not found: "+phrase.Line(v.Dir), 3*quitWindow)
	case m.busy():
		return m.flash(turnRuns, 2*quitWindow)
	}
	ctx, cancel := context.WithCancel(m.ctx)
	o := &opening{cancel}
	m.held.opening = o
	m.hintID++ // nothing takes the word away before it is open
	m.hint = "Opening " + phrase.Line(v.Name) + "… · Esc to cancel"
	return func() tea.Msg {
		defer cancel()
		options, err := open(ctx, v.Dir)
		return vaultOpenedMsg{options, err, o}
	}
}

// holdKey keeps a key for the chat that comes; Esc and Ctrl+C stay in this one.
func (m *Model) holdKey(k tea.KeyPressMsg) (taken bool, cmd tea.Cmd) {
	switch {
	case m.held.opening == nil && !m.held.loading:
		return false, nil
	case m.held.opening != nil && keys.Matches(k, m.keys.Stop, m.keys.Clear):
		m.held.opening.cancel()
		return true, m.cancelSwitch()
	}
	m.held.keys = append(m.held.keys, k)
	return true, nil
}

// cancelSwitch ends the wait for another vault: what was held is for this chat.
func (m *Model) cancelSwitch() tea.Cmd {
	m.held.opening, m.hint = nil, ""
	return m.replayKeys()
}

// replayKeys acts on the keys that were held.
func (m *Model) replayKeys() tea.Cmd {
	pressed := m.held.keys
	m.held.keys, m.held.loading = nil, false
	var cmds []tea.Cmd
	for _, k := range pressed {
		cmds = append(cmds, m.key(k))
	}
	return tea.Batch(cmds...)
}

// vaultOpened goes over to the other vault's chat, unless the user stays or a turn began here
// meanwhile, which was routed here.
func (m *Model) vaultOpened(msg vaultOpenedMsg) tea.Cmd {
	switch {
	case msg.opening != m.held.opening:
		msg.options.leave()
		return nil
	case msg.err != nil:
		m.say(chat.NewError(m.env, chat.Sentence(msg.err.Error())))
		m.list.End()
		if m.o.Vaults.First { // the list covers what is said of it
			return tea.Batch(m.cancelSwitch(), m.openVaults(), m.flash(chat.Sentence(msg.err.Error()), 5*quitWindow))
		}
		return m.cancelSwitch()
	case m.busy():
		msg.options.leave()
		return tea.Batch(m.cancelSwitch(), m.flash(turnRuns, 2*quitWindow))
	}
	return func() tea.Msg { return switchVaultMsg{msg.options, msg.opening} }
}

// leave says that a chat that was made ready is not shown after all.
func (o Options) leave() {
	if o.Vaults.Taken != nil {
		o.Vaults.Taken(false)
	}
}

// switchVaultMsg takes the screen over to another vault's chat.
type switchVaultMsg struct {
	options Options
	opening *opening
}

// sentMsg is a message of ours with the chat it is for. What commands of a chat bring that is
// not on the screen any more is nobody's.
type sentMsg struct {
	chat int
	msg  tea.Msg
}

// ours is what the paths of this program's packages begin with, whatever its module is called.
var ours = strings.TrimSuffix(reflect.TypeFor[sentMsg]().PkgPath(), "tui")

// addressed puts the chat on messages of ours; those of Bubble Tea are the program's own.
func addressed(chat int, msg tea.Msg) tea.Msg {
	if msg == nil || !strings.HasPrefix(reflect.TypeOf(msg).PkgPath(), ours) {
		return msg
	}
	if _, fault := msg.(faultMsg); fault {
		return msg // whichever chat it happened in
	}
	return sentMsg{chat, msg}
}

// switchVault puts another chat in the place of the one on the screen: the terminal stays as it is,
// the keys that were pressed meanwhile are the other chat's, and what stood in the composer is
// kept as this chat's draft.
func (g *guard) switchVault(msg switchVaultMsg) tea.Cmd {
	old := g.Model
	if msg.opening != old.held.opening {
		msg.options.leave()
		return nil
	}
	if old.busy() || msg.options.check() != nil {
		msg.options.leave()
		return old.cancelSwitch()
	}
	o := msg.options
	o.Attention = old.o.Attention
	if old.pointer.switched {
		o.Mouse = old.o.Mouse
	}
	o.Terminal, o.Input, o.Output, o.Now, o.Background = old.o.Terminal, old.o.Input, old.o.Output, old.o.Now, old.o.Background
	old.draft.set(old.written())
	old.draft.flush()
	g.end()
	old.o.Events.Close()

	ctx, cancel := context.WithCancel(g.ctx)
	g.end = cancel
	g.chat++
	g.Model = New(ctx, o)
	g.tick, g.pointer = old.tick, old.pointer
	g.notifier.away, g.notifier.last = old.notifier.away, old.notifier.last
	g.held = held{loading: o.Load != nil, keys: old.held.keys}
	if o.Vaults.Taken != nil {
		o.Vaults.Taken(true)
	}
	cmds := []tea.Cmd{g.Model.Init()}
	if old.width > 0 {
		_, cmd := g.Model.Update(tea.WindowSizeMsg{Width: old.width, Height: old.height})
		cmds = append(cmds, cmd)
	}
	if o.Load == nil {
		cmds = append(cmds, g.replayKeys())
	}
	return tea.Batch(cmds...)
}
