package ask

import (
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"time"

	"chatvault/agent/event"
	"chatvault/conversation/artifact"
	"chatvault/internal/app/session"
	"chatvault/internal/base/text"
	"chatvault/tools"
)

// object is a JSON object with ordered members.
type object []member

type member struct {
	name  string
	value any
}

// with returns the object with one more member.
func (o object) with(name string, value any) object { return append(o, member{name, value}) }

// some is like with but omits zero and empty values.
func (o object) some(name string, value any) object {
	if v := reflect.ValueOf(value); v.IsZero() || v.Kind() == reflect.Slice && v.Len() == 0 {
		return o
	}
	return o.with(name, value)
}

// MarshalJSON implements json.Marshaler.
func (o object) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, m := range o {
		value, err := text.JSON(m.value)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(strconv.AppendQuote(b, m.name), ':'), value...)
	}
	return append(b, '}'), nil
}

// jsonVersion is the version of the events. It increases if a program that reads them could misread them; docs/schema
// describes them.
const jsonVersion = 1

// head returns the first members of every line.
func head(kind string, at time.Time) object { return object{}.with("type", kind).with("time", at) }

// jsonLine returns the event as `ask --json` prints it, or nil for other events. parent is the ID of the `delegate`
// call of a sub-agent's event, else empty.
//
//nolint:gocyclo // one switch, so that what becomes of an event is found in one place
func jsonLine(e event.Event, parent string) object {
	line := func(kind string) object { return head(kind, e.Header().Time).some("parent", parent) }
	switch e := e.(type) {
	case event.Received:
		return line("received").with("id", e.Message.ID).with("text", e.Message.Text).with("queued", e.Queued).
			with("schema", jsonVersion).some("sender", e.Message.Sender())
	case event.StateChanged:
		return line("state").with("state", e.State)
	case event.ReasoningDelta:
		return line("reasoning_delta").with("text", e.Text)
	case event.TextDelta:
		return line("text_delta").with("text", e.Text)
	case event.Answered: // in the form of the message's schema
		return line("answer").with("value", e.Value)
	case event.TextDone:
		return line("text_done").with("text", e.Text)
	case event.ToolCallDelta:
		return line("tool_call_delta").with("id", e.ID).with("name", e.Name).with("bytes", e.Bytes)
	case event.ToolStarted:
		return line("tool_started").with("id", e.ID).with("name", e.Name).with("arguments", e.Arguments)
	case event.ToolFinished:
		return line("tool_finished").with("id", e.ID).with("name", e.Name).with("result", e.Result).
			with("is_error", e.IsError).with("duration_ms", e.Duration.Milliseconds())
	case event.AgentMessage:
		return line("agent_message").with("content", e.Content).with("is_question", e.IsQuestion).some("options", e.Options)
	case event.Folded:
		return line("folded").with("message_ids", e.MessageIDs)
	case event.TaskList:
		return line("task_list").with("items", append([]tools.TaskItem{}, e.Items...))
	case event.Attached:
		files := make([]object, len(e.Media))
		for i, a := range e.Media {
			m := a.Media
			files[i] = object{}.with("path", a.Path).with("kind", m.Kind).with("media_type", m.Type).with("size", m.Size).
				some("width", m.Width).some("height", m.Height).some("pages", m.Pages).with("tokens", m.Tokens).some("hash", m.Hash)
		}
		return line("attached").with("message_id", e.MessageID).with("files", files)
	case event.Nested:
		return jsonLine(e.Event, e.CallID)
	case event.Compacted: // in estimated tokens
		return line("compacted").with("summary", e.Summary).with("before", e.Before).with("after", e.After)
	case event.GoalChanged:
		g := e.Goal // without a text there is no goal; failed: an error paused it
		return line("goal").with("text", g.Text).some("status", g.Status).some("why", g.Why).
			with("turns", g.Turns).with("max_turns", g.MaxTurns).some("failed", g.Failed)
	case event.Retry:
		return line("retry").with("attempt", e.Attempt).with("delay_ms", e.Delay.Milliseconds()).with("code", e.Code).some("message", e.Message)
	case event.FellBack:
		return line("fallback").with("from", e.From).with("to", e.To).with("code", e.Code).some("reason", e.Reason)
	case event.UsageReported:
		var call event.Totals
		call.Add(e.Usage)
		return append(line("usage"), tokens(call)...).
			some("turn", totalTokens(e.Turn)).some("conversation", totalTokens(e.Conversation)).some("day", totalTokens(e.Day))
	case event.Requested:
		return append(line("requested"), requested(e.Request)...)
	case event.RequestEnded: // hunks: the accepted ones if not all were; the input is not included
		return line("request_ended").with("id", e.ID).with("decision", e.Decision).some("hunks", e.Hunks)
	case event.TurnFinished: // unrecorded: it is not in the conversation; its message stays in the inbox
		return line("turn_finished").with("message_id", e.MessageID).with("response", e.Response).
			with("tools_used", append([]string{}, e.ToolsUsed...)).with("is_waiting_for_response", e.IsWaitingForResponse).
			with("conversation_id", e.ConversationID).with("success", e.Success).with("stop_reason", e.StopReason).
			some("unrecorded", e.Unrecorded)
	case event.TurnStopped:
		return line("turn_stopped").some("changed", e.Changed)
	case event.TurnFailed:
		return line("error").with("code", e.Code).with("message", e.Text)
	case event.ArtifactChanged: // without call_id it is from the answer; file has the bytes of a ready one
		return line(artifactLines[e.State]).with("hash", e.Hash).with("name", e.Name).with("media_type", e.MediaType).
			with("size", e.Size).some("call_id", e.CallID).some("reason", e.Reason).some("file", e.File).some("canvas", e.Canvas)
	case event.RetrospectionDelta:
		return line("retrospection_delta").with("conversation_id", e.ConversationID).with("text", e.Text)
	case event.Retrospected: // cut: why it is incomplete
		return line("retrospection").with("conversation_id", e.ConversationID).with("content", e.Content).some("cut", e.Cut)
	}
	return nil
}

// artifactLines are the types of lines about artifacts, spelled out for searching.
var artifactLines = map[artifact.State]string{
	artifact.Created: "artifact_created", artifact.Ready: "artifact_ready", artifact.Failed: "artifact_failed",
}

// requested describes a request of a turn: what it asks for and, for a change, everything that will happen, with the
// old and new text of the parts that can be accepted separately.
func requested(r event.Request) object {
	c, links := r.Change, 0
	var hunks, rewrites []object
	if c.Pick {
		for _, h := range c.Prose.Hunks {
			hunks = append(hunks, object{}.some("line", h.Line).some("under", h.Under).some("old", h.Old).some("new", h.New))
		}
	}
	for _, w := range c.Rewrites {
		links += w.Links
		rewrites = append(rewrites, object{}.with("path", w.Path).with("links", w.Links).with("diff", w.Diff))
	}
	return object{}.with("id", r.ID).with("kind", r.Kind).some("tool", c.Tool).some("change", c.Kind).some("path", c.Path).
		some("new_path", c.NewPath).some("diff", c.Diff).some("hunks", hunks).some("detail", c.Detail).some("links", links).
		some("rewrites", rewrites).some("destructive", c.Destructive).some("unread", c.Unread).some("name", r.Name).with("text", r.Text)
}

// totalTokens returns the usage of several calls, or nil if it is not counted.
func totalTokens(u event.Totals) object {
	if u.Calls == 0 {
		return nil
	}
	return tokens(u)
}

// tokens returns the usage of model calls. Cost is in US dollars, for calls with a known price. Cached and written tokens are
// part of the prompt's, reasoning tokens part of the completion's.
func tokens(u event.Totals) object {
	o := object{}.with("prompt_tokens", u.Prompt).some("cached_tokens", u.Cached).some("cache_write_tokens", u.Written).
		with("completion_tokens", u.Completion).some("reasoning_tokens", u.Reasoning)
	if u.Priced {
		o = o.with("cost", u.Cost)
	}
	return o.some("estimated", u.Estimated)
}

// jsonPrinter prints one object per line. Everything that is not an event goes to err.
type jsonPrinter struct {
	enc *json.Encoder
	err io.Writer
}

func newJSONPrinter(out, err io.Writer) jsonPrinter { return jsonPrinter{text.Encoder(out), err} }

func (p jsonPrinter) event(_ *session.State, e event.Event) error {
	inner := e
	if nested, ok := e.(event.Nested); ok {
		inner = nested.Event
	}
	if n, ok := inner.(event.Notice); ok {
		fmt.Fprintln(p.err, n.Text)
	}
	if line := session.BoundaryLine(e); line != "" {
		fmt.Fprintln(p.err, line)
	}
	if r, ok := e.(event.Requested); ok && r.Request.Kind == event.RequestApproval {
		fmt.Fprintln(p.err, refusedText(r.Request.Change))
	}
	if line := jsonLine(e, ""); line != nil {
		return p.enc.Encode(line)
	}
	return nil
}

// JSONFailure prints the line for an error that occurred before the turn.
func JSONFailure(out io.Writer, code, text string) error {
	return newJSONPrinter(out, nil).enc.Encode(head("error", time.Now()).with("code", code).with("message", text).with("schema", jsonVersion))
}
