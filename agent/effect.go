package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"chatvault/agent/inbox"
	"chatvault/agent/llm"
	"chatvault/tools"
)

// maxEffectResult bounds what is kept of a call's result, in bytes.
const maxEffectResult = 2000

// BeforeChange notes a change of the running call down before it happens.
func (r *run) BeforeChange(_ context.Context, e tools.Effect) error {
	if r.of != nil {
		noted := inbox.Effect{Effect: e, Tool: r.acting.Name, Arguments: canonical(r.acting.Arguments)}
		if err := r.proc.noteEffect(r.of, noted); err != nil {
			return fmt.Errorf("the change could not be recorded first, so a crash would lose it: %w", err)
		}
		r.noted = append(r.noted, noted)
	}
	r.made++
	return nil
}

// change runs a call that may change the vault, unless an earlier attempt at the request has
// done what it does.
func (r *run) change(ctx context.Context, c llm.ToolCall, args json.RawMessage) tools.Result {
	if result, done := r.doneBefore(ctx, c); done {
		return result
	}
	r.acting, r.noted = c, nil
	result := r.run(ctx, c.Name, args)
	if len(r.noted) > 0 {
		for i := range r.noted {
			if !result.IsError {
				r.noted[i].Result = result.Text[:min(len(result.Text), maxEffectResult)]
			}
		}
		r.proc.settleEffects(r.of, r.noted, result.IsError, r.box.Changes())
	}
	return result
}

// doneBefore answers a call that an earlier attempt at the request has made. Each effect of
// that attempt stands for one call.
func (r *run) doneBefore(ctx context.Context, c llm.ToolCall) (tools.Result, bool) {
	args := canonical(c.Arguments)
	i := slices.IndexFunc(r.earlier, func(e inbox.Effect) bool { return e.Tool == c.Name && e.Arguments == args })
	if i < 0 {
		return tools.Result{}, false
	}
	e := r.earlier[i]
	r.earlier = slices.Delete(r.earlier, i, i+1)
	if e.Result == "" {
		switch r.box.Outcome(ctx, e.Effect) {
		case tools.OutcomeNotDone:
			return tools.Result{}, false
		case tools.OutcomeUnknown:
			return tools.Result{
				Text: "Error: An earlier attempt at this request was cut off while it did this, and what is there now is neither the old nor the new state. " +
					"Nothing was done now. Check it, and ask the user if it is not clear what is left to do.",
				IsError: true, Summary: "not known",
			}, true
		}
		e.Result = "done"
	}
	return tools.Result{
		Text:    "An earlier attempt at this request, which ended early, already did this, so it is not done again. Its result: " + e.Result,
		Summary: "done before",
	}, true
}

// canonical is JSON with sorted keys and no spaces, so that equal arguments are equal texts.
func canonical(arguments string) string {
	args, err := llm.ParseArguments(arguments)
	if err != nil {
		return arguments
	}
	var v any
	if err := json.Unmarshal(args, &v); err != nil {
		return arguments
	}
	data, err := json.Marshal(v)
	if err != nil {
		return arguments
	}
	return string(data)
}

// noteEffect puts an effect into the inbox entries of a turn before it happens.
func (p *Processor) noteEffect(t *turn, e inbox.Effect) error {
	err := p.mark(t, func(entry *inbox.Entry) {
		entry.ToolsRan = true
		entry.Effects = append(slices.Clone(entry.Effects), e)
	})
	if err == nil {
		t.changed, t.effects = true, append(t.effects, e)
	}
	p.step("changing")
	return err
}

// settleEffects says in the inbox entries how the effects that were noted last ended.
func (p *Processor) settleEffects(t *turn, noted []inbox.Effect, failed bool, changes []string) {
	t.effects = t.effects[:max(len(t.effects)-len(noted), 0)]
	if !failed {
		t.effects = append(t.effects, noted...)
	}
	err := p.mark(t, func(entry *inbox.Entry) {
		kept := entry.Effects[:max(len(entry.Effects)-len(noted), 0)]
		if !failed {
			kept = append(slices.Clone(kept), noted...)
		}
		entry.Effects, entry.Changes = kept, entry.With(changes)
		entry.ToolsRan = len(kept) > 0 || len(entry.Changes) > 0
	})
	if err != nil {
		p.warn(t.meta(), "What was changed could not be recorded in the inbox", err)
	}
	p.step("changed")
}

// earlierEffects are those of earlier attempts at a turn's messages.
func (t *turn) earlierEffects() []inbox.Effect {
	var all []inbox.Effect
	for _, e := range t.entries {
		all = append(all, e.Effects...)
	}
	return all
}
