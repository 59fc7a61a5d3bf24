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
	"chatvault/internal/session/home"
	"chatvault/internal/terminal"
	"chatvault/internal/text"
	"chatvault/tools"
	"chatvault/vault"
	"chatvault/vault/journal"
)

// SourceMCP is where a turn of another program's agent comes from, in the journal.
const SourceMCP = "mcp"

// Guest is an agent of another program at work on the notes. What it read it is held to, as our own
// agent is within a turn: it does not write over what somebody else changed since. It is safe for
// concurrent use.
//
// Consent is asked for outside of Call: an Ask that does not know the answer refuses, and the call is made
// again with the answer. So nothing is held while somebody is asked.
type Guest struct {
	notes *Notes

	mu      sync.Mutex
	turn    *tools.Turn // holds what it has read
	changes int         // made with turn
	made    []string    // its turns that changed something, oldest first
}

// Bounds of what is kept of a guest.
const (
	maxMade      = 1000
	maxTurn      = 10_000 // changes, after which what was read before is forgotten
	maxGuestName = 40     // bytes
)

// Guest is a new one.
func (n *Notes) Guest() *Guest {
	return &Guest{notes: n, turn: n.turn()}
}

// Tools are those that a guest has, always in the same order: none that speaks or is about conversations.
func (g *Guest) Tools() []tools.Tool {
	return slices.DeleteFunc(g.current().Tools(), func(t tools.Tool) bool { return tools.TraitsOf(t.Name()).Speaks })
}

func (g *Guest) current() *tools.Turn {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.turn
}

// Ask shows a change to whoever may allow it, with why it is asked about. Its error is the refusal.
type Ask func(ctx context.Context, p tools.Proposal, why string) error

// Call runs a tool for the client of this name. What it changes is a turn of its own. ask is called
// where the change waits for consent, and must not wait itself.
func (g *Guest) Call(ctx context.Context, client, name string, args json.RawMessage, ask Ask) tools.Result {
	turn := g.current()
	tool, ok := turn.Lookup(name)
	if !ok {
		return turn.Call(ctx, name, args) // says which tools there are
	}
	if tool.ReadOnly() {
		return tool.Call(ctx, args)
	}
	id := journal.NewID(time.Now())
	c := &asking{ask: ask}
	ctx = context.WithValue(tools.WithRequest(ctx, tools.Request{
		Turn: id, Source: SourceMCP,
		Title: GuestName(client) + ": " + strings.TrimSpace(name+" "+tools.Target(name, args)),
	}), askingKey{}, c)
	result := g.change(ctx, tool, args, c)
	if c.changed {
		g.keep(id)
		g.notes.ended(id)
	}
	return result
}

// change calls a tool that changes something, when no other guest's call does. What only adds to a note does
// not depend on what the guest had read of it before.
func (g *Guest) change(ctx context.Context, tool tools.Tool, args json.RawMessage, c *asking) tools.Result {
	select {
	case g.notes.changing <- struct{}{}:
		defer func() { <-g.notes.changing }()
	case <-ctx.Done():
	}
	r := tool.Call(ctx, args) // says that it was stopped
	if tools.Overtaken(r) && tools.TraitsOf(tool.Name()).Adds && !c.asked {
		tool, _ = g.notes.turn().Lookup(tool.Name())
		r = tool.Call(ctx, args)
	}
	return r
}

// keep keeps that a turn is this guest's own.
func (g *Guest) keep(id string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.changes++; g.changes >= maxTurn {
		g.turn, g.changes = g.notes.turn(), 0
	}
	if g.made = append(g.made, id); len(g.made) > maxMade {
		g.made = slices.Delete(g.made, 0, len(g.made)-maxMade)
	}
}

// GuestName is how a client calls itself, safe and short.
func GuestName(client string) string {
	return cmp.Or(text.Clip(strings.TrimSpace(text.OneLine(terminal.StrictLine(client))), maxGuestName), "another program")
}

// askingKey is for the consent that a call of a guest may need.
type askingKey struct{}

type asking struct {
	ask     Ask
	asked   bool
	changed bool // something was about to change
}

// turn is a turn of a guest.
func (n *Notes) turn() *tools.Turn { return n.registry.Turn(messenger{n.approval}) }

// messenger is what the tools of a guest talk to. It says nothing: a guest speaks to its user through its own
// program. Each call of a guest is a turn of its own, and its changes wait for consent where approval says so.
type messenger struct{ approval event.Approval }

func (messenger) SendMessage(context.Context, string, bool) error {
	return errors.New("there is nobody to send it to")
}

// BeforeChange implements tools.Recorder.
func (messenger) BeforeChange(ctx context.Context, _ tools.Effect) error {
	if c, ok := ctx.Value(askingKey{}).(*asking); ok {
		c.changed = true
	}
	return nil
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
	if !ok || c.ask == nil {
		return tools.Consent{}, errors.New("this change needs the user's consent, and nobody can be asked here")
	}
	c.asked = true
	return tools.Consent{}, c.ask(ctx, p, why)
}

// ended ends the turn of a call, and prunes the journal now and then: nobody does where no chat is open.
func (n *Notes) ended(id string) {
	n.s.turnEnded(id)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := home.PruneSeldom(ctx, n.s.vault, n.s.journal, n.s.config); err != nil {
		n.s.Log().Warn("the journal was not pruned", "error", err)
	}
}

// Turns are the turns that changed something, newest first, as a guest may know them: nothing of what is
// private, and of what was asked for in the chat only that it was.
func (n *Notes) Turns(ctx context.Context, limit int) ([]ChangedTurn, error) {
	turns, err := n.s.vault.ChangedTurns(ctx, 0)
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
		if c := changedTurn(&t); len(out) < limit {
			if hidden || !notAgents(t.Source) {
				c.Title = ""
			}
			c.Source = t.Source
			out = append(out, c)
		}
	}
	return out, nil
}

// notAgents says whether a turn was none of our own agent's: a guest may know what was asked for in it, and our
// agent, which knows nothing of it, is not told when it is undone.
func notAgents(source string) bool { return source == SourceMCP || source == "tool" }

// private says whether a turn changed anything that is private now.
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

// Undo takes a turn back, by its id or the beginning of it; "": the last one of this guest's own that
// was not taken back yet. ask is called where changes wait for consent.
func (g *Guest) Undo(ctx context.Context, id string, ask Ask) (Undone, error) {
	n := g.notes
	turns, err := n.s.vault.ChangedTurns(ctx, 0)
	if err != nil {
		return Undone{}, err
	}
	t, err := g.toUndo(turns, strings.TrimSpace(id))
	if err != nil {
		return Undone{}, err
	}
	if a := n.approval; (messenger{a}).Consents() {
		p := tools.Proposal{Tool: "undo", Kind: tools.ChangeEdit, Path: t.Turn, Detail: strings.Join(changedTurn(&t).Back, "; "), Destructive: true}
		if err := ask(ctx, p, fmt.Sprintf("Taking changes back waits for your consent (approval = %s).", a)); err != nil {
			return Undone{}, err
		}
	}
	return n.Changes.Undo(ctx, t.Turn)
}

// toUndo is the turn that a guest means.
func (g *Guest) toUndo(turns []journal.Turn, id string) (journal.Turn, error) {
	if id != "" {
		t, err := vault.FindTurn(turns, id)
		if err == nil && g.notes.private(&t) {
			_, err = vault.FindTurn(nil, id) // as if there were none
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
