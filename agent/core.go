package agent

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/history"
	"chatvault/agent/llm"
	"chatvault/agent/pending"
	"chatvault/agent/prompts"
	"chatvault/agent/spend"
	"chatvault/conversation"
	"chatvault/tools"
)

// core is the state that the parts of a processor share. It is safe for concurrent use.
type core struct {
	*schedule
	opt      Options
	bus      event.Bus
	owner    string        // lock.Owner.Name of this process
	accounts *spend.Ledger // usage of model calls
	prompts  *prompts.Files
	step     func(string) // called after each step of the pipeline, in tests
	learned

	guard    sync.Mutex
	provider llm.Provider
	chosen   time.Time // time of the last SetProvider; zero if none

	asking sync.Mutex
	varsOf string       // the conversation of vars
	vars   prompts.Vars // asked once a conversation, so that a provider can cache the prefix
}

// Subscribe returns a subscription to all events from now on.
func (c *core) Subscribe() *event.Subscription { return c.bus.Subscribe() }

// Tell publishes a notice outside any turn.
func (c *core) Tell(line string) { c.notice(event.Meta{Time: time.Now()}, line) }

func (c *core) notice(m event.Meta, text string) {
	c.bus.Publish(event.Notice{Meta: m, Text: text})
}

// warn logs and publishes an internal failure that does not fail the turn.
func (c *core) warn(m event.Meta, what string, err error) {
	c.opt.Log.Error("internal failure", "what", what, "turn", m.TurnID, "error", err)
	c.notice(m, fmt.Sprintf("%s: %v", what, err))
}

// publishCosts publishes the usage and the notices of a model call outside any turn.
func (c *core) publishCosts(e event.Event) {
	switch e.(type) {
	case event.UsageReported, event.Notice:
		c.bus.Publish(e)
	}
}

// report reports to a message's source what comes of it. A panic there does not fail the turn.
func (c *core) report(in event.Inbound, e event.Event) {
	if c.opt.Notify == nil {
		return
	}
	defer func() {
		if v := recover(); v != nil {
			c.warn(e.Header(), "The message's source could not be told how it ended", panicked(c.opt.Log, in.ID, v))
		}
	}()
	c.opt.Notify(in, e)
}

// loadNotes returns the notes, and reports a problem with them: reading sets invalid notes aside, so that it is found once.
func (c *core) loadNotes() pending.Notes {
	n, err := pending.Load(c.opt.Root)
	if err != nil {
		c.Tell(err.Error())
	}
	return n
}

// SetProvider changes the model, from the next turn on. That turn calls it, even if another answered in its place.
func (c *core) SetProvider(m llm.Provider) {
	c.guard.Lock()
	defer c.guard.Unlock()
	c.provider, c.chosen = m, time.Now()
}

// answering returns the provider of the next turn.
func (c *core) answering() llm.Provider {
	c.guard.Lock()
	defer c.guard.Unlock()
	return c.provider
}

// Sees returns the answering model and whether it accepts a media type, if known.
func (c *core) Sees(mediaType string) (model string, sees, known bool) {
	provider := c.answering()
	sees, known = c.sees(provider, mediaType)
	return provider.Name(), sees, known
}

// agentFor returns the agent that calls a provider, or its fallbacks.
func (c *core) agentFor(provider llm.Provider) Agent {
	order, a := c.providerOrder(provider), c.opt.Agent
	a.Provider, a.Fallback, a.windowOf, a.learned = order[0], order[1:], provider, &c.learned
	return a
}

// providerOrder returns a provider and its fallbacks in the order in which they are tried: those that failed permanently
// within standInFor come last. Choosing a provider again makes it first again.
func (c *core) providerOrder(provider llm.Provider) []llm.Provider {
	c.guard.Lock()
	chosen := c.chosen
	c.guard.Unlock()
	var up, down []llm.Provider
	for i, p := range append([]llm.Provider{provider}, c.opt.Fallback...) {
		at, failed := c.outages.Load(p.Name())
		if failed && time.Since(at.(time.Time)) < standInFor && (i > 0 || chosen.Before(at.(time.Time))) {
			down = append(down, p)
		} else {
			up = append(up, p)
		}
	}
	return append(up, down...)
}

// sendable returns a conversation without what is withheld from models.
func (c *core) sendable(conv *conversation.Conversation) *conversation.Conversation {
	return history.Withheld(conv, c.opt.Withhold())
}

// toolsNow returns the tools of the next turn.
func (c *core) toolsNow() []tools.Tool {
	if c.opt.Tools == nil {
		return nil
	}
	return c.opt.Tools(messenger{&run{}}).Tools()
}

// baseVars returns the variables that are constant in a conversation. With an empty conversation, it returns the known
// ones, if there are any.
func (c *core) baseVars(ctx context.Context, conv string) prompts.Vars {
	c.asking.Lock()
	defer c.asking.Unlock()
	if c.varsOf == conv && conv != "" || conv == "" && c.varsOf != "" || c.opt.Vars == nil {
		return c.vars
	}
	v := c.opt.Vars(ctx)
	if ctx.Err() == nil { // else it was cut short
		c.varsOf, c.vars = conv, v
	}
	return v
}

// prompt renders a prompt of a conversation, which may be empty; fill adds variables. It uses the vault's own version if
// that works, else a notice reports the problem.
func (c *core) prompt(ctx context.Context, m event.Meta, conv, name string, fill func(*prompts.Vars)) (string, error) {
	v := c.baseVars(ctx, conv)
	v.Time, v.MaxRounds = prompts.Time(m.Time), c.opt.MaxRounds
	if c.opt.Steer != nil {
		c.opt.Steer(&v)
	}
	if fill != nil {
		fill(&v)
	}
	text, _, problem, err := c.prompts.Render(name, v)
	if problem != "" {
		c.notice(m, problem)
	}
	return text, err
}

// panicked logs a panic in a turn and returns an error for it.
func panicked(log *slog.Logger, turn string, v any) error {
	log.Error("panic in a turn", "turn", turn, "panic", v, "stack", string(debug.Stack()))
	return fmt.Errorf("internal error: %v (details are in the log, chatvault.log in the vault's state folder)", v)
}

// caught makes an error of a panic in the function that defers it.
func caught(log *slog.Logger, turn string, err *error) {
	if v := recover(); v != nil {
		*err = panicked(log, turn, v)
	}
}
