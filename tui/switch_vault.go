package tui

import (
	"context"
	"reflect"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
)

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

// ours is the path that the packages of this program begin with.
const ours = "chatvault/"

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

// goOver puts another chat in the place of the one on the screen: the terminal stays as it is,
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
	o.Attention, o.AltScreen = old.o.Attention, old.o.AltScreen
	if old.pointer.switched {
		o.Mouse = old.o.Mouse
	}
	o.Terminal, o.Input, o.Output, o.Now = old.o.Terminal, old.o.Input, old.o.Output, old.o.Now
	old.draft.set(old.written())
	old.draft.flush()
	g.end()
	old.o.Events.Close()

	ctx, cancel := context.WithCancel(g.ctx)
	g.end = cancel
	g.chat++
	g.Model = New(ctx, o)
	g.tick, g.pointer = old.tick, old.pointer
	g.screen, g.full = old.screen, old.full
	if old.printed.Active() {
		g.printed.TakeOver(old.printed, old.unprinted())
	}
	g.notifier.away, g.notifier.last = old.notifier.away, old.notifier.last
	g.held = held{loading: o.Load != nil, keys: old.held.keys}
	if o.Taken != nil {
		o.Taken(true)
	}
	cmds := []tea.Cmd{g.Model.Init()}
	g.tellMouse(g.o.Mouse)
	if old.width > 0 {
		_, cmd := g.Model.Update(tea.WindowSizeMsg{Width: old.width, Height: old.height})
		cmds = append(cmds, cmd)
	}
	if o.Load == nil {
		cmds = append(cmds, g.replayKeys())
	}
	return tea.Batch(cmds...)
}
