package agent

import (
	"context"
	"sync"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/prompts"
	"chatvault/tools"
)

// promptMaker makes the prompts of a processor.
type promptMaker struct {
	files *prompts.Files

	mu     sync.Mutex
	varsOf string       // the conversation that vars are of
	vars   prompts.Vars // what is known of vault and person; asked once a conversation, so that a provider can cache the prefix
}

// base are the variables that stay the same while a conversation lasts.
func (p *promptMaker) base(ctx context.Context, conv string, ask func(context.Context) prompts.Vars) prompts.Vars {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.varsOf == conv || ask == nil {
		return p.vars
	}
	v := ask(ctx)
	if ctx.Err() == nil { // else it was cut short
		p.varsOf, p.vars = conv, v
	}
	return v
}

// known are those of the last conversation they were asked for. A look beside any conversation,
// where there was none yet, is no conversation's.
func (p *promptMaker) known(ctx context.Context, ask func(context.Context) prompts.Vars) prompts.Vars {
	p.mu.Lock()
	v, asked := p.vars, p.varsOf != ""
	p.mu.Unlock()
	if asked || ask == nil {
		return v
	}
	return ask(ctx)
}

// prompt makes a prompt, the vault's own where there is one that works. A problem with that is
// told to the user, as of the turn of m.
func (p *Processor) prompt(ctx context.Context, m event.Meta, conv, name string, fill func(*prompts.Vars)) (string, error) {
	v := p.prompts.base(ctx, conv, p.opt.Vars)
	v.Time, v.MaxRounds = prompts.Time(time.Now()), p.opt.MaxRounds
	if p.opt.Steer != nil {
		p.opt.Steer(&v)
	}
	return p.rendered(m, name, v, fill)
}

// backgroundPrompt makes a prompt of what is known of vault and person, which a look at the vault
// for it would not be worth.
func (p *Processor) backgroundPrompt(ctx context.Context, name string, fill func(*prompts.Vars)) (string, error) {
	now := time.Now()
	v := p.prompts.known(ctx, p.opt.Vars)
	v.Time = prompts.Time(now)
	return p.rendered(event.Meta{Time: now}, name, v, fill)
}

func (p *Processor) rendered(m event.Meta, name string, v prompts.Vars, fill func(*prompts.Vars)) (string, error) {
	if fill != nil {
		fill(&v)
	}
	text, _, problem, err := p.prompts.files.Render(name, v)
	if problem != "" {
		p.bus.Publish(event.Notice{Meta: m, Text: problem})
	}
	return text, err
}

// turnPrompt makes a prompt of a turn.
func (p *Processor) turnPrompt(t *turn, name string, fill func(*prompts.Vars)) (string, error) {
	return p.prompt(t.ctx, t.meta(), t.conv.ID, name, func(v *prompts.Vars) {
		v.Time = prompts.Time(t.started)
		v.Tools = t.tools
		if q := t.conv.OpenQuestion(); q != nil {
			v.Question, v.Options = q.Question, q.Options
		}
		t.goal.Fill(v)
		if fill != nil {
			fill(v)
		}
	})
}

// awaitTools waits for tools that are about to come, as long as that is worth it and the turn goes on.
func (p *Processor) awaitTools(t *turn) {
	if p.opt.Ready != nil {
		p.opt.Ready(t.ctx)
	}
}

// toolsNow are the tools that a turn is sent with.
func (p *Processor) toolsNow() []tools.Tool {
	if p.opt.Tools == nil {
		return nil
	}
	return p.opt.Tools(&messenger{}).Tools()
}

// prompt makes a prompt of the run's; without a processor it is a built-in one.
func (r *run) prompt(name string, fill func(*prompts.Vars)) (string, error) {
	if r.of != nil {
		return r.proc.turnPrompt(r.of, name, fill)
	}
	v := prompts.Vars{Time: prompts.Time(time.Now())}
	if fill != nil {
		fill(&v)
	}
	return prompts.Builtin(name, v)
}
