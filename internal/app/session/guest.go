package session

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"chatvault/agent"
	"chatvault/agent/event"
	"chatvault/internal/app/session/home"
	"chatvault/internal/base/terminal"
	"chatvault/internal/base/text"
	"chatvault/tools"
	"chatvault/vault"
	"chatvault/vault/journal"
)

// SourceMCP is the journal's source of turns by agents of other programs.
const SourceMCP = "mcp"

// Guest is another program's agent. Within a Guest the rules of a turn apply: it cannot overwrite what has changed
// since it read it. It is safe for concurrent use.
//
// Consent is requested outside of Call: an Ask without an answer yet refuses, and the caller calls again with the
// answer. So no lock is held during the request.
type Guest struct {
	notes *Notes
	turn  *tools.Turn // its reads

	mu      sync.Mutex
	made    []string        // IDs of its turns that changed something, oldest first
	allowed map[string]bool // kinds of changes that need no more consent
}

const maxGuestName = 40 // in characters

// Guest returns a new guest.
func (n *Notes) Guest() *Guest {
	return &Guest{notes: n, turn: n.turn(), allowed: map[string]bool{}}
}

// Tools returns a guest's tools in a fixed order. Tools that send messages or read conversations are excluded.
func (g *Guest) Tools() []tools.Tool {
	return slices.DeleteFunc(g.turn.Tools(), func(t tools.Tool) bool { return tools.TraitsOf(t.Name()).Speaks })
}

// Ask requests consent for a change; why is the reason. It returns an error to refuse.
type Ask func(ctx context.Context, p tools.Proposal, why string) error

// Call runs a tool for the named client. Its changes form their own turn. ask is called if a change needs consent,
// and must not block.
func (g *Guest) Call(ctx context.Context, client, name string, args json.RawMessage, ask Ask) tools.Result {
	tool, ok := g.turn.Lookup(name)
	if !ok {
		return g.turn.Call(ctx, name, args) // lists the existing tools
	}
	if tool.ReadOnly() {
		return tool.Call(ctx, args)
	}
	id := journal.NewID(time.Now())
	c := &asking{ask: ask, guest: g}
	ctx = context.WithValue(tools.WithRequest(ctx, tools.Request{
		Turn: id, Source: SourceMCP,
		Title: GuestName(client) + ": " + strings.TrimSpace(name+" "+tools.Target(name, args)),
	}), askingKey{}, c)
	result := g.change(ctx, tool, args, c)
	if g.notes.s.journal.Has(id) {
		g.keep(id)
		g.notes.ended(id)
	}
	return result
}

// change runs a tool that changes the vault while no other guest does. A tool that only appends does not depend on
// what the guest has read.
func (g *Guest) change(ctx context.Context, tool tools.Tool, args json.RawMessage, c *asking) tools.Result {
	select {
	case g.notes.changing <- struct{}{}:
		defer func() { <-g.notes.changing }()
	case <-ctx.Done():
	}
	r := tool.Call(ctx, args) // reports the cancellation
	if tools.Overtaken(r) && tools.TraitsOf(tool.Name()).Adds && !c.asked {
		tool, _ = g.notes.turn().Lookup(tool.Name())
		r = tool.Call(ctx, args)
	}
	return r
}

// keep records a turn as this guest's.
func (g *Guest) keep(id string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.made = append(g.made, id)
}

// GuestName returns a client's name, sanitized and shortened.
func GuestName(client string) string {
	return cmp.Or(text.Clip(strings.TrimSpace(text.OneLine(terminal.StrictLine(client))), maxGuestName), "another program")
}

// askingKey is the context key of the consent for a guest's call.
type askingKey struct{}

type asking struct {
	ask   Ask
	guest *Guest
	asked bool
}

// Allow allows changes of the kind of p for as long as the guest exists. Destructive ones are a kind of their own.
func (g *Guest) Allow(p tools.Proposal) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.allowed[allowance(p)] = true
}

// allowance returns the key of Guest.allowed.
func allowance(p tools.Proposal) string {
	_, destructive := agent.Asks(event.ApprovalDestructive, p, 1)
	return fmt.Sprint(p.Kind, destructive)
}

// allows reports whether the user allowed changes like p.
func (g *Guest) allows(p tools.Proposal) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.allowed[allowance(p)]
}

// turn returns a tools.Turn for a guest.
func (n *Notes) turn() *tools.Turn { return n.registry.Turn(messenger{n.approval}) }

// messenger is the tools.Messenger of guests. It sends no messages: a guest talks to its user through its own
// program. Each call is a turn, and approval selects the changes that need consent.
type messenger struct{ approval event.Approval }

func (messenger) SendMessage(context.Context, string, bool) error {
	return errors.New("there is nobody to send it to")
}

// Consents implements tools.Approver.
func (m messenger) Consents() bool { return m.approval != "" && m.approval != event.ApprovalOff }

// Approve implements tools.Approver.
func (m messenger) Approve(ctx context.Context, p tools.Proposal) (tools.Consent, error) {
	why, asks := agent.Asks(m.approval, p, 1)
	if !asks {
		return tools.Consent{Unasked: true}, nil
	}
	c, ok := ctx.Value(askingKey{}).(*asking)
	switch {
	case !ok || c.ask == nil:
		return tools.Consent{}, agent.ErrUnattended
	case c.guest.allows(p):
		return tools.Consent{Unasked: true}, nil
	}
	c.asked = true
	return tools.Consent{}, c.ask(ctx, p, why)
}

// ended records the end of a call's turn and occasionally prunes the journal, which otherwise only happens in a chat.
func (n *Notes) ended(id string) {
	n.s.turnEnded(id)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := home.PruneSeldom(ctx, n.s.vault, n.s.journal, n.s.config); err != nil {
		n.s.Log().Warn("the journal was not pruned", "error", err)
	}
}

// Turns returns the turns that changed something, newest first, as far as a guest may see them: without private files
// and without the user's requests in the chat.
func (n *Notes) Turns(ctx context.Context, limit int) ([]ChangedTurn, error) {
	turns, err := n.s.vault.History.Turns(ctx, 0)
	if err != nil {
		return nil, err
	}
	var out []ChangedTurn
	for i := range turns {
		t := turns[i]
		hidden := n.private(&t)
		t.Changes = slices.DeleteFunc(slices.Clone(t.Changes), func(c journal.Change) bool { return n.privateChange(&c) })
		if len(t.Changes) == 0 {
			continue
		}
		if c := ChangedTurnOf(&t); len(out) < limit {
			if hidden || !notOurAgent(t.Source) {
				c.Title = ""
			}
			c.Source = t.Source
			out = append(out, c)
		}
	}
	return out, nil
}

// notOurAgent reports whether a turn was not made by our own agent. Guests may read the request of such a turn, and our
// agent is not told when it is undone.
func notOurAgent(source string) bool { return source == SourceMCP || source == "tool" }

// private reports whether a turn changed a file that is private now.
func (n *Notes) private(t *journal.Turn) bool {
	return slices.ContainsFunc(t.Changes, func(c journal.Change) bool { return n.privateChange(&c) })
}

func (n *Notes) privateChange(c *journal.Change) bool {
	if n.s.vault.Private(c.Path) || c.NewPath != "" && n.s.vault.Private(c.NewPath) {
		return true
	}
	return slices.ContainsFunc(c.Files, func(f journal.File) bool {
		return n.s.vault.Private(f.Path) || n.s.vault.Private(f.At())
	})
}

// Undo undoes a turn by its ID or an ID prefix. An empty id means the guest's own last turn that has not been undone.
// ask is called if changes need consent.
func (g *Guest) Undo(ctx context.Context, id string, ask Ask) (Undone, error) {
	n := g.notes
	turns, err := n.s.vault.History.Turns(ctx, 0)
	if err != nil {
		return Undone{}, err
	}
	t, err := g.toUndo(turns, strings.TrimSpace(id))
	if err == nil {
		err = n.askUndo(ctx, "the turn "+t.Turn, ChangedTurnOf(&t).Back, ask)
	}
	if err != nil {
		return Undone{}, err
	}
	return n.Changes.Undo(ctx, t.Turn)
}

// askUndo requests consent for undoing what, if that is needed.
func (n *Notes) askUndo(ctx context.Context, what string, back []string, ask Ask) error {
	if !(messenger{n.approval}).Consents() {
		return nil
	}
	p := tools.Proposal{Tool: "undo", Kind: tools.ChangeEdit, Path: what, Detail: strings.Join(back, "; "), Destructive: true}
	return ask(ctx, p, fmt.Sprintf("Taking changes back waits for your consent (approval = %s).", n.approval))
}

// UndoSince undoes the turns since a time, see SinceTime, except those that changed private files. ask is as for Undo.
func (g *Guest) UndoSince(ctx context.Context, since string, ask Ask) (all Undone, err error) {
	from, err := SinceTime(since, time.Now())
	if err != nil {
		return all, err
	}
	turns, err := g.notes.s.vault.History.Turns(ctx, 0)
	list := slices.DeleteFunc(vault.Since(turns, from), func(t journal.Turn) bool { return g.notes.private(&t) })
	if err == nil && len(list) == 0 {
		err = errors.New("nothing that can be undone was changed since then")
	}
	if err == nil {
		var back []string // without the user's requests
		for i := range list {
			back = append(back, ChangedTurnOf(&list[i]).Back...)
		}
		err = g.notes.askUndo(ctx, sinceTitle(len(list), from), back, ask)
	}
	for i := 0; i < len(list) && err == nil; i++ {
		var u Undone
		u, err = g.notes.Changes.Undo(ctx, list[i].Turn)
		all.Lines, all.Left = append(all.Lines, u.Lines...), append(all.Left, u.Left...)
	}
	return all, err
}

// toUndo returns the turn for Undo.
func (g *Guest) toUndo(turns []journal.Turn, id string) (journal.Turn, error) {
	if id != "" {
		t, err := vault.FindTurn(turns, id)
		if err == nil && g.notes.private(&t) {
			_, err = vault.FindTurn(nil, id) // the error of an unknown turn
		}
		return t, err
	}
	g.mu.Lock()
	own := slices.Clone(g.made)
	g.mu.Unlock()
	for i := range turns {
		if t := &turns[i]; slices.Contains(own, t.Turn) && !t.Undone && !g.notes.private(t) {
			return *t, nil
		}
	}
	return journal.Turn{}, errors.New("this client changed nothing in this session that can be undone; give the id of a turn, from changes")
}
