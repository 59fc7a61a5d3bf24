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

// called is a call with its result, as it is recorded.
type called struct {
	conversation.Message
	refused bool // it was answered without being run
}

// actor runs the tool calls of a run.
type actor struct {
	*run
	acting   tools.Call // the call under way that may change something
	changing bool       // acting has changed something or is about to
	recorded bool       // acting is in the inbox entries
	loops    *repeat.Calls
	warned   bool // the model was warned that it repeats itself
}

// act runs the calls of a response: runs of those that read together, the others one after another, and records the
// results in call order. When ctx ends, calls not yet started do not start, and act returns the cause; the record then
// still answers every call.
func (a *actor) act(ctx context.Context, resp llm.Response) error {
	a.to(event.StateActing)
	a.told = false
	calls := resp.ToolCalls
	results := make([]*called, len(calls))
	defer func() {
		a.watch(calls, results)
		a.recordResults(calls, results)
	}()
	for i := 0; i < len(calls); {
		n := 1
		for a.parallel(calls[i]) && i+n < len(calls) && n < maxParallel && a.parallel(calls[i+n]) {
			n++
		}
		var wg routine.Group
		for j := i; j < i+n; j++ {
			if text, refused := a.refuse(ctx, j, calls[j], resp.Finish); refused {
				a.started(calls[j]) // published like a call that ran, so that it is visible
				results[j] = a.finished(calls[j], tools.Result{Text: text, IsError: true, Summary: "not run"}, 0)
				results[j].refused = true
				continue
			}
			if ctx.Err() != nil {
				break
			}
			start := a.started(calls[j]) // in call order, though they run together
			if n == 1 {
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
	duration := time.Since(start) - (a.waited - waited)
	shown := a.show(&result)
	d := a.finished(c, result, duration)
	d.Attached = shown
	if len(result.Things) > 0 && a.of != nil {
		d.Artifacts = a.host.keep(a.of, c.ID, result.Things)
	}
	return d
}

// finished publishes the end of a call and returns it.
func (a *actor) finished(c llm.ToolCall, result tools.Result, duration time.Duration) *called {
	a.Emit(event.ToolFinished{Meta: a.meta(), ID: c.ID, Name: c.Name, Result: result.Text, IsError: result.IsError, Summary: result.Summary, Duration: duration, Diff: result.Diff})
	return &called{Message: conversation.Message{
		Role: conversation.RoleTool, ToolCallID: c.ID, ToolName: c.Name,
		Content: result.Text, IsError: result.IsError, Summary: result.Summary, Duration: duration,
	}}
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

// callTool runs a tool and recovers a panic, which would end the program in a goroutine of a read.
func (a *actor) callTool(ctx context.Context, name string, args json.RawMessage) (result tools.Result) {
	defer func() {
		if v := recover(); v != nil {
			text := "Error: " + panicked(a.Log, a.TurnID, v).Error() + ". It is not known what it did: check before you repeat anything."
			result = tools.Result{Text: text, IsError: true, Summary: "failed"}
		}
	}()
	return a.box.Call(ctx, name, args)
}

// watch looks for loops. The model is warned of the first; the second ends the turn.
func (a *actor) watch(calls []llm.ToolCall, results []*called) {
	told := a.warned // in an earlier response: the model had a chance to do something else
	for i, c := range calls {
		d := results[i]
		if d == nil || d.refused {
			continue
		}
		stuck := a.loops.Add(repeat.Step{Tool: c.Name, Args: string(llm.Arguments(c.Arguments)), Result: d.Content, IsError: d.IsError})
		switch {
		case stuck == "" || a.ending != nil || a.warned && !told:
		case !told:
			a.warned = true
			d.Content += "\n\n[You are going round in circles: " + stuck + ". Do something else, or answer with what you have.]"
		default:
			a.ending = &ending{reason: event.StopLoop, model: "You went round in circles (" + stuck + ")", user: "Stopped: the agent went round in circles (" + stuck + "). Say “continue”, or put it another way."}
		}
	}
}

func (a *actor) recordResults(calls []llm.ToolCall, results []*called) {
	for i, d := range results {
		if d == nil {
			d = &called{Message: conversation.Message{
				Role: conversation.RoleTool, ToolCallID: calls[i].ID, ToolName: calls[i].Name,
				Content: "Error: Not run: the user stopped the turn.", IsError: true, Summary: history.SummaryStopped,
			}}
		} else if !slices.Contains(a.out.ToolsUsed, d.ToolName) {
			a.out.ToolsUsed = append(a.out.ToolsUsed, d.ToolName)
		}
		d.Time = time.Now()
		a.out.Messages = append(a.out.Messages, d.Message)
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
		if !tools.TraitsOf(t.Name()).Spare {
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

// maxCallResult bounds what is kept of a call's result, in bytes.
const maxCallResult = 2000

// BeforeChange marks the messages of the turn before the running call changes the vault.
func (m messenger) BeforeChange(context.Context) error { return m.acts.begins(false) }

// BeforeCall records the running call of an MCP server's tool before it is made.
func (m messenger) BeforeCall(context.Context) error { return m.acts.begins(true) }

// begins marks the inbox entries before the running call changes something, and durably records it in them if no
// journal does.
func (a *actor) begins(record bool) error {
	if a.of != nil {
		err := a.host.in.mark(a.of, record, func(e *inbox.Entry) {
			if e.ToolsRan = true; record {
				e.Calls = append(slices.Clone(e.Calls), a.acting)
			}
		})
		a.host.step("changing")
		if err != nil {
			return fmt.Errorf("the change could not be recorded first, so a crash would lose it: %w", err)
		}
		a.changing, a.recorded = true, a.recorded || record
	}
	a.made++
	return nil
}

// change runs a call that may change something, unless an earlier attempt at the request has done what it does.
func (a *actor) change(ctx context.Context, c llm.ToolCall, args json.RawMessage) tools.Result {
	call := tools.Call{Tool: c.Name, Arguments: tools.Arguments(args)}
	if result, done := a.doneBefore(call); done {
		return result
	}
	a.acting, a.changing, a.recorded = call, false, false
	result := a.callTool(ctx, c.Name, args)
	if a.changing {
		a.changed(result)
	}
	return result
}

// changed records in the inbox entries how the running call ended.
func (a *actor) changed(result tools.Result) {
	a.acting.Result = result.Text[:min(len(result.Text), maxCallResult)]
	err := a.host.in.mark(a.of, false, func(e *inbox.Entry) {
		if n := len(e.Calls); a.recorded {
			e.Calls = slices.Clone(e.Calls[:n-1])
			if !result.IsError {
				e.Calls = append(e.Calls, a.acting)
			}
		}
		e.Changes = e.With(a.box.Changes())
		e.ToolsRan = len(e.Calls) > 0 || len(e.Changes) > 0
	})
	if err != nil {
		a.host.warn(a.of.meta(), "What was changed could not be recorded in the inbox", err)
	}
	a.host.step("changed")
}

// doneBefore returns the result of a call that an earlier attempt made. Each of its calls counts for one.
func (a *actor) doneBefore(c tools.Call) (tools.Result, bool) {
	i := slices.IndexFunc(a.earlier, func(e tools.Call) bool { return e.Tool == c.Tool && e.Arguments == c.Arguments })
	if i < 0 {
		return tools.Result{}, false
	}
	result := a.earlier[i].Result
	a.earlier = slices.Delete(a.earlier, i, i+1)
	if result == "" {
		return tools.Result{
			Text: "Error: An earlier attempt at this request was cut off while it did this, and what is there now is neither the old nor the new state. " +
				"Nothing was done now. Check it, and ask the user if it is not clear what is left to do.",
			IsError: true, Summary: "not known",
		}, true
	}
	return tools.Result{
		Text:    "An earlier attempt at this request, which ended early, already did this, so it is not done again. Its result: " + result,
		Summary: "done before",
	}, true
}

// keep stores the artifacts of a turn's tool call, or of its answer if call is empty, and returns those that were stored.
// It publishes the state of each.
func (c *core) keep(t *turn, call string, things []artifact.Thing) (kept []artifact.Artifact) {
	for _, x := range things {
		a, err := artifact.Describe(x.Name, x.Data)
		tell := func(s artifact.State, reason string) {
			c.bus.Publish(event.ArtifactChanged{Meta: t.meta(), CallID: call, Artifact: a, State: s, Reason: reason})
		}
		tell(artifact.Created, "")
		if err == nil {
			a, err = c.opt.Artifacts.Put(t.conv.ID, x.Name, x.Data)
		}
		if err != nil {
			tell(artifact.Failed, err.Error())
			continue
		}
		tell(artifact.Ready, "")
		kept = append(kept, a)
	}
	return kept
}

// keepAnswer stores the data: links of the answer at the end of a turn's record and replaces them by names.
func (c *core) keepAnswer(t *turn, record []conversation.Message) {
	if n := len(record) - 1; n >= 0 && record[n].Role == conversation.RoleAssistant && len(record[n].ToolCalls) == 0 {
		words, things := artifact.Inline(record[n].Content, "")
		record[n].Content, record[n].Artifacts = words, c.keep(t, "", things)
	}
}
