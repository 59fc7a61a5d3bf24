package agent

import (
	"context"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/llm"
	"chatvault/agent/prompts"
	"chatvault/agent/repeat"
	"chatvault/agent/window"
)

// checkGoal finds out whether the goal is met, by a model call without tools. What it says is
// no part of any conversation.
func (p *Processor) checkGoal(u *pursuit) (v goalVerdict, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = panicked(p.opt.Log, "", fault)
		}
	}()
	p.mu.Lock()
	provider := p.provider
	p.mu.Unlock()
	g := u.goal
	m := event.Meta{Time: time.Now()}
	system, _, err := p.prompt(u.ctx, m, g.conv, prompts.GoalCheck, g.situate)
	if err != nil {
		return v, err
	}
	conv, _ := p.opt.Conversations.Get(g.conv) // who answers there answers here; where it cannot be read, the one that was chosen
	a := p.agent(&turn{provider: provider, conv: conv})
	p.readUsage(m)
	defer p.saveUsage(m)
	text, err := a.reply(u.ctx, g.used, Task{Purpose: llm.PurposeGoalCheck, Meter: p.meter(g.conv), Emit: func(e event.Event) {
		switch e.(type) {
		case event.UsageReported, event.Notice:
			p.bus.Publish(e)
		}
	}}, []llm.Message{{Role: llm.RoleSystem, Content: system}, {Role: llm.RoleUser, Content: g.account.text(g.Goal), Time: m.Time}})
	if err != nil {
		return v, err
	}
	return parseVerdict(text), nil
}

// reply is what the model answers to a request beside any turn, without tools. What it uses is
// counted on top of used.
func (a Agent) reply(ctx context.Context, used event.Totals, t Task, messages []llm.Message) (string, error) {
	r := &run{Agent: a, Task: t, state: event.StateIdle, ids: map[string]bool{}, loops: repeat.NewCalls()}
	if r.view.windows = a.windows; r.view.windows == nil {
		r.view.windows = &window.Known{}
	}
	r.spent.totals = used
	resp, err := r.call(ctx, llm.Request{Purpose: t.Purpose, Messages: messages})
	return resp.Text, err
}
