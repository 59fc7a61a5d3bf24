package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/history"
	"chatvault/agent/inbox"
	"chatvault/agent/llm"
	"chatvault/agent/repeat"
	"chatvault/agent/smallmodel"
	"chatvault/agent/window"
	"chatvault/conversation"
	"chatvault/conversation/artifact"
	"chatvault/internal/base/routine"
	"chatvault/tools"
)

const maxParallel = 4 // read-only calls at once

// outcome of one call, before it is recorded.
type called struct {
	result   tools.Result
	kept     []artifact.Artifact // of what it brought
	shown    []conversation.Attachment
	duration time.Duration
	refused  bool // it was answered without being run
}

// actor runs the tool calls of a run.
type actor struct {
	*run
	acting  llm.ToolCall   // the call under way that may change the vault
	effects []inbox.Effect // of acting so far
	earlier []inbox.Effect // of earlier attempts at the task: no call repeats them
	loops   *repeat.Calls
	warned  bool // the model was warned that it repeats itself
}

// act runs the calls of a response: runs of those that read, or say something, together, the others one after
// another, and records the results in call order. When ctx ends, calls not yet started do
// not start, and act returns the cause; the record then still answers every call.
func (a *actor) act(ctx context.Context, resp llm.Response) error {
	a.to(event.StateActing)
	a.told = false
	calls := resp.ToolCalls
	results := make([]*called, len(calls))
	defer func() {
		a.watch(calls, results)
		a.tellChanged(results)
		a.recordResults(calls, results)
	}()
	for i := 0; i < len(calls); {
		n := 1
		for a.beside(calls[i]) && i+n < len(calls) && n < maxParallel && a.beside(calls[i+n]) {
			n++
		}
		var wg routine.Group
		for j := i; j < i+n; j++ {
			if text, refused := a.refuse(ctx, j, calls[j], resp.Finish); refused {
				results[j] = a.answer(calls[j], tools.Result{Text: text, IsError: true, Summary: "not run"})
				continue
			}
			if ctx.Err() != nil {
				break
			}
			start := a.started(calls[j])         // in call order, though they run together
			if n == 1 || !a.parallel(calls[j]) { // what is said shows while others still read
				results[j] = a.execute(ctx, calls[j], start)
				continue
			}
			wg.Go("tool call", func() { results[j] = a.execute(ctx, calls[j], start) })
		}
		wg.Wait()
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		i += n
	}
	return nil
}

// parallel reports whether a call may run at the same time as others.
func (a *actor) parallel(c llm.ToolCall) bool {
	t, ok := a.box.Lookup(c.Name)
	return ok && t.ReadOnly() && !tools.TraitsOf(c.Name).Speaks
}

// beside reports whether a call may be part of a group that runs together: it reads, or it sends a message, which
// happens in call order.
func (a *actor) beside(c llm.ToolCall) bool {
	return a.parallel(c) || tools.TraitsOf(c.Name).Aside
}

// refuse returns why a call must not run, and whether that is so.
func (a *actor) refuse(ctx context.Context, i int, c llm.ToolCall, finish llm.FinishReason) (string, bool) {
	t, known := a.box.Lookup(c.Name)
	switch {
	case finish == llm.FinishLength:
		return "Error: Not run: your response was cut off at the token limit before this call was complete. Call it again with shorter arguments, or in several steps.", true
	case i >= llm.MaxToolCalls:
		return fmt.Sprintf("Error: Not run: a response may hold at most %d tool calls. Call it again in the next one.", llm.MaxToolCalls), true
	case a.ending != nil:
		return "Error: Not run: no tool can be called any more in this turn. Answer in words.", true
	case a.Purpose == llm.PurposePlan && known && !planOffers(t):
		return fmt.Sprintf("Error: Not run: %s cannot be called now: %s.", c.Name, planNoWrites), true
	case a.out.Question != "":
		return "Error: Not run: you asked the user a question first. Wait for the answer.", true
	}
	if _, err := llm.ParseArguments(c.Arguments); err != nil {
		return fmt.Sprintf("Error: Not run: the arguments of %s are not a valid JSON object: %v. Send one JSON object.", c.Name, err), true
	}
	if a.small != nil {
		if why := a.small.refuses(ctx, c); why != "" {
			return why, true
		}
	}
	return "", false
}

// started publishes the start of a call and returns its time.
func (a *actor) started(c llm.ToolCall) time.Time {
	args := llm.Arguments(c.Arguments)
	a.Emit(event.ToolStarted{Meta: a.meta(), ID: c.ID, Name: c.Name, Arguments: args, Target: tools.Target(c.Name, args)})
	return time.Now()
}

// execute runs a call that started.
func (a *actor) execute(ctx context.Context, c llm.ToolCall, start time.Time) *called {
	args := llm.Arguments(c.Arguments)
	if a.small != nil {
		args = smallmodel.Prepare(c.Name, args, a.small.asked())
	}
	waited := a.waited
	var result tools.Result
	ctx = tools.WithCall(ctx, c.ID)
	if a.parallel(c) {
		result = a.callTool(ctx, c.Name, args)
	} else {
		result = a.change(ctx, c, args)
	}
	result.Text = cmp.Or(result.Text, "(empty)")
	d := &called{duration: time.Since(start) - (a.waited - waited)}
	d.shown = a.show(&result)
	d.result = result
	a.Emit(event.ToolFinished{Meta: a.meta(), ID: c.ID, Name: c.Name, Result: result.Text, IsError: result.IsError, Summary: result.Summary, Duration: d.duration, Diff: result.Diff})
	if len(result.Things) > 0 && a.of != nil {
		d.kept = a.of.keep.keep(c.ID, result.Things)
	}
	return d
}

// show stores what a result shows, or adds to the result why it cannot be shown.
func (a *actor) show(result *tools.Result) []conversation.Attachment {
	x := result.Shown
	if x == nil {
		return nil
	}
	err := errors.New("nothing can be kept here")
	if a.Artifacts != nil && a.Conversation != "" {
		info := x.Info
		var kept artifact.Artifact
		if kept, err = a.Artifacts.Put(a.Conversation, x.Name, x.Data); err == nil {
			info.Hash = kept.Hash
			return []conversation.Attachment{{Path: x.Name, Media: &info}}
		}
	}
	result.Text += "\n[It is not shown: " + err.Error() + "]"
	return nil
}

// run runs a tool. Reads run in goroutines of their own, where a panic would end the program.
func (a *actor) callTool(ctx context.Context, name string, args json.RawMessage) (result tools.Result) {
	defer func() {
		if v := recover(); v != nil {
			text := "Error: " + panicked(a.Log, a.TurnID, v).Error() + ". It is not known what it did: check before you repeat anything."
			result = tools.Result{Text: text, IsError: true, Summary: "failed"}
		}
	}()
	return a.box.Call(ctx, name, args)
}

// answer publishes a call that was not run as started and finished, so that it is visible.
func (a *actor) answer(c llm.ToolCall, result tools.Result) *called {
	a.started(c)
	a.Emit(event.ToolFinished{Meta: a.meta(), ID: c.ID, Name: c.Name, Result: result.Text, IsError: true, Summary: result.Summary})
	return &called{result: result, refused: true}
}

// watch looks for loops. The model is warned of the first; the second ends the turn.
func (a *actor) watch(calls []llm.ToolCall, results []*called) {
	told := a.warned // in an earlier response: the model had a chance to do something else
	for i, c := range calls {
		d := results[i]
		if d == nil || d.refused {
			continue
		}
		args := llm.Arguments(c.Arguments)
		stuck := a.loops.Add(repeat.Step{Tool: c.Name, Args: string(args), Result: d.result.Text, IsError: d.result.IsError})
		switch {
		case stuck == "" || a.ending != nil || a.warned && !told:
		case !told:
			a.warned = true
			d.result.Text += "\n\n[You are going round in circles: " + stuck + ". Do something else, or answer with what you have.]"
		default:
			a.ending = &ending{reason: event.StopLoop, model: "You went round in circles (" + stuck + ")", user: "Stopped: the agent went round in circles (" + stuck + "). Say “continue”, or put it another way."}
		}
	}
}

func (a *actor) recordResults(calls []llm.ToolCall, results []*called) {
	for i, c := range calls {
		m := conversation.Message{Role: conversation.RoleTool, Time: time.Now(), ToolCallID: c.ID, ToolName: c.Name}
		if d := results[i]; d != nil {
			m.Content, m.IsError, m.Summary, m.Duration = d.result.Text, d.result.IsError, d.result.Summary, d.duration
			m.Artifacts, m.Attached = d.kept, d.shown
			if !slices.Contains(a.out.ToolsUsed, c.Name) {
				a.out.ToolsUsed = append(a.out.ToolsUsed, c.Name)
			}
		} else {
			m.Content, m.IsError, m.Summary = "Error: Not run: the user stopped the turn.", true, history.SummaryStopped
		}
		a.out.Record = append(a.out.Record, m)
	}
}

// Toolbox is a turn's set of tools; *tools.Turn is one.
type Toolbox interface {
	Tools() []tools.Tool
	Lookup(name string) (tools.Tool, bool)
	Call(ctx context.Context, name string, args json.RawMessage) tools.Result
	Changes() []string // what the turn changed so far, a line each
	// Exists reports whether a path, or a note's name, names a file that is there.
	Exists(ctx context.Context, path string) bool
	// Outcome returns what is known about a change that an earlier attempt was about to make.
	Outcome(ctx context.Context, e tools.Effect) tools.Outcome
	// ChangedOnDisk returns those of the paths that the agent has read and another program changed since, each once
	// until it is read again, and those of them that no longer exist.
	ChangedOnDisk(ctx context.Context, paths []string) (changed, gone []string)
	// Outdated returns those of the paths that ChangedOnDisk returned and that were not read again.
	Outdated(paths []string) []string
}

// toolShare is the percentage of a model's window that tool descriptions may take.
const toolShare = 25

// specs returns the tools offered to the model. They are the same at every step, even if not all may be called, so
// that prompt caches stay valid.
func (a *actor) specs() []llm.ToolSpec {
	if a.small != nil { // they are described in the prompt
		return nil
	}
	var vault, needed, servers []llm.ToolSpec
	for _, t := range a.box.Tools() {
		spec := llm.ToolSpec{Name: t.Name(), Description: t.Description(), Parameters: t.Schema()}
		if tools.OfServer(t) {
			servers = append(servers, spec)
			continue
		}
		vault = append(vault, spec)
		if !tools.Spare(t) {
			needed = append(needed, spec)
		}
	}
	size := a.windows.Size(a.Provider, a.view.configuredWindow()) // not Room, which changes with each response
	offered, left := window.FitSpecs(vault, needed, servers, size*toolShare/100)
	if b, ok := a.box.(interface{ LeftOut(names []string) }); ok {
		b.LeftOut(left)
	}
	return offered
}

// maxEffectResult bounds what is kept of a call's result, in bytes.
const maxEffectResult = 2000

// BeforeChange records a change of the running call before it happens.
func (m messenger) BeforeChange(_ context.Context, e tools.Effect) error {
	a := m.acts
	if a.of != nil {
		noted := inbox.Effect{Effect: e, Tool: a.acting.Name, Arguments: canonical(a.acting.Arguments)}
		if err := a.host.noteEffect(a.of, noted); err != nil {
			return fmt.Errorf("the change could not be recorded first, so a crash would lose it: %w", err)
		}
		a.effects = append(a.effects, noted)
	}
	a.made++
	return nil
}

// change runs a call that may change the vault, unless an earlier attempt at the request has
// done what it does.
func (a *actor) change(ctx context.Context, c llm.ToolCall, args json.RawMessage) tools.Result {
	if result, done := a.doneBefore(ctx, c); done {
		return result
	}
	a.acting, a.effects = c, nil
	result := a.callTool(ctx, c.Name, args)
	if len(a.effects) > 0 {
		for i := range a.effects {
			if !result.IsError {
				a.effects[i].Result = result.Text[:min(len(result.Text), maxEffectResult)]
			}
		}
		a.host.settleEffects(a.of, a.effects, result.IsError, a.box.Changes())
	}
	return result
}

// doneBefore returns the result of a call that an earlier attempt made. Each recorded effect counts for one call.
func (a *actor) doneBefore(ctx context.Context, c llm.ToolCall) (tools.Result, bool) {
	args := canonical(c.Arguments)
	i := slices.IndexFunc(a.earlier, func(e inbox.Effect) bool { return e.Tool == c.Name && e.Arguments == args })
	if i < 0 {
		return tools.Result{}, false
	}
	e := a.earlier[i]
	a.earlier = slices.Delete(a.earlier, i, i+1)
	if e.Result == "" {
		switch a.box.Outcome(ctx, e.Effect) {
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

// canonical returns arguments as JSON with sorted keys and no spaces, for comparisons; unchanged if they are invalid.
func canonical(arguments string) string {
	var v any
	args, err := llm.ParseArguments(arguments)
	if err != nil || json.Unmarshal(args, &v) != nil {
		return arguments
	}
	data, _ := json.Marshal(v) // decoded values can be encoded
	return string(data)
}

// noteEffect puts an effect into the inbox entries of a turn before it happens.
func (w *worker) noteEffect(t *turn, e inbox.Effect) error {
	err := w.in.mark(t, true, func(entry *inbox.Entry) {
		entry.ToolsRan = true
		entry.Effects = append(slices.Clone(entry.Effects), e)
	})
	w.step("changing")
	return err
}

// settleEffects records in the inbox entries how the effects noted last ended.
func (w *worker) settleEffects(t *turn, noted []inbox.Effect, failed bool, changes []string) {
	err := w.in.mark(t, false, func(entry *inbox.Entry) {
		kept := entry.Effects[:max(len(entry.Effects)-len(noted), 0)]
		if !failed {
			kept = append(slices.Clone(kept), noted...)
		}
		entry.Effects, entry.Changes = kept, entry.With(changes)
		entry.ToolsRan = len(kept) > 0 || len(entry.Changes) > 0
	})
	if err != nil {
		w.warn(t.meta(), "What was changed could not be recorded in the inbox", err)
	}
	w.step("changed")
}
