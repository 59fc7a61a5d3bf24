package session

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/llm"
	"chatvault/conversation"
	"chatvault/conversation/artifact"
	"chatvault/internal/base/terminal"
	"chatvault/internal/base/text"
	"chatvault/tools"
	"chatvault/tools/wording"
)

// OptionLines returns the numbered options of a question.
func OptionLines(options []string) string {
	var b strings.Builder
	for i, o := range options {
		fmt.Fprintf(&b, "\n  %d. %s", i+1, strings.ReplaceAll(o, "\n", " "))
	}
	return b.String()
}

// GoalLine describes a change of the goal, or returns "" if it needs no line.
func GoalLine(before, now event.Goal) string {
	switch {
	case now.Text == "" && before.Text == "", now.Status == event.GoalChecking, now.Status == before.Status && now.Text == before.Text:
		return ""
	case now.Text == "":
		return "Goal dropped."
	}
	return goalText(now)
}

func goalText(g event.Goal) string {
	turn := fmt.Sprintf("turn %d", g.Turns)
	if g.MaxTurns > 0 {
		turn += fmt.Sprintf(" of %d", g.MaxTurns)
	}
	return fmt.Sprintf("Goal: %s (%s, %s)%s", g.Text, g.Status, turn, withReason(g.Why))
}

// GoalText describes the goal, its state, and what can be done with it.
func GoalText(g event.Goal) string {
	if g.Text == "" {
		return "There is no goal. /goal TEXT sets one."
	}
	said := strings.TrimSuffix(goalText(g), ".")
	if g.Status == event.GoalPaused {
		said += ". /goal resume or your next message continues it"
	}
	return said + ". /goal drop drops it, /goal TEXT sets another."
}

// withReason ends a line with a reason, if there is one.
func withReason(why string) string {
	if why = strings.TrimSpace(why); why == "" {
		return "."
	}
	return ": " + why
}

// ArtifactText describes a file that a call or an answer produced.
func ArtifactText(a artifact.Artifact) string {
	return strings.TrimSuffix(fmt.Sprintf("Artifact: %s (%s, %s) · %s", a.Name, a.MediaType, wording.SizeText(a.Size), a.File), " · ")
}

// ArtifactLine describes the outcome of an artifact, or returns "" if it is not known yet.
func ArtifactLine(e event.ArtifactChanged) string {
	switch e.State {
	case artifact.Ready:
		return ArtifactText(e.Artifact)
	case artifact.Failed:
		return fmt.Sprintf("The artifact %s was not kept: %s.", e.Name, e.Reason)
	}
	return ""
}

// Remark describes an event that is not part of the answer, for front-ends that print text. It returns "" for others.
func Remark(was *State, e event.Event) string {
	switch e := e.(type) {
	case event.Notice:
		return e.Text
	case event.CompactStarted:
		return "Older messages are being summarised, so that the conversation fits the model."
	case event.Compacted:
		return fmt.Sprintf("Older messages were summarised for the model: about %s tokens instead of %s.", text.Thousands(e.After), text.Thousands(e.Before))
	case event.CompactFailed:
		return strings.TrimSuffix("Older messages were not summarised: "+e.Text, ": ")
	case event.GoalChanged:
		return GoalLine(was.Goal, e.Goal)
	case event.ArtifactChanged:
		return ArtifactLine(e)
	case event.Retrospected:
		if e.Cut != "" {
			return "The review was cut short (" + e.Cut + "): " + e.Content
		}
		return "The agent reviewed the conversation; its notes are in .smarthole/retrospection.md."
	case event.RetrospectionEnded:
		if e.Stopped {
			return "The review was stopped."
		}
	}
	return BoundaryLine(e)
}

// RetryLine describes why and when a model call is retried.
func RetryLine(e event.Retry) string {
	reason := llm.Cause(e.Code, e.Reason)
	if e.Message != "" {
		reason += ": " + e.Message
	}
	next := "trying again in " + e.Delay.Round(100*time.Millisecond).String()
	if e.Attempt == 1 {
		next = "switching to another provider"
	}
	return fmt.Sprintf("%s; %s.", reason, next)
}

// BoundaryLine describes the end of a conversation or of its question to a user who continues, or returns "" for
// other events.
func BoundaryLine(e event.Event) string {
	switch e := e.(type) {
	case event.QuestionDropped:
		if e.Left {
			return ""
		}
		return "The question “" + text.FirstLine(e.Question) + "” was not answered in time and has expired."
	case event.Attached:
		return "Attached: " + strings.Join(MediaLines(e.Media), "; ") + "."
	case event.ConversationEnded:
		switch e.Reason {
		case "idle":
			return "The previous conversation was idle for a while and has ended. This is a new one."
		case "agent":
			return "The conversation has ended: the next message starts a new one."
		}
	}
	return ""
}

// MediaLines describes the pictures and documents among attachments, a line each: kind, size, and what they add to a
// request.
func MediaLines(list []conversation.Attachment) []string {
	var out []string
	for _, a := range list {
		if i := a.Media; i != nil {
			out = append(out, strings.Join([]string{a.Path, i.String(), wording.SizeText(i.Size), i.About()}, " · "))
		}
	}
	return out
}

// StoppedLine describes a stopped turn and its changes.
func StoppedLine(e event.TurnStopped) string {
	if len(e.Changed) == 0 {
		return "Stopped."
	}
	return "Stopped. Before that it " + strings.Join(e.Changed, ", ") + "."
}

// FailureLine returns why a tool call failed, without the advice for the model, or "" if it did not fail.
func FailureLine(e event.ToolFinished) string {
	line := text.FirstLine(e.Result)
	switch {
	case !e.IsError:
		return ""
	case e.Denied():
		return "Denied: nothing was changed."
	case e.Summary == "not run":
		why, _, _ := strings.Cut(line, ". ")
		return strings.TrimSuffix(why, ".") + "."
	}
	return line
}

// UsageLine describes the usage of model calls.
func UsageLine(of string, t event.Totals) string {
	line := fmt.Sprintf("%s: %s, %s tokens in, %s tokens out", of, text.Count(t.Calls, "model call"), text.Thousands(t.Prompt), text.Thousands(t.Completion))
	if t.Priced {
		line += fmt.Sprintf(", $%.4f", t.Cost)
	}
	return line + "."
}

// Lines describes the usage: how full the model's window is, and the last turn.
func (u Usage) Lines() []string {
	var out []string
	if u.Window > 0 && u.Context > 0 {
		out = append(out, fmt.Sprintf("Context: %s of the model's %s tokens, %d%% full.", text.Thousands(u.Context), text.Thousands(u.Window), min(u.Context*100/u.Window, 100)))
	}
	if u.Turn.Calls > 0 {
		out = append(out, UsageLine("The last turn", u.Turn))
	}
	return out
}

// ChangeText describes a change in a few words.
func ChangeText(p tools.Proposal) string {
	switch p.Kind {
	case tools.ChangeCreate, tools.ChangeOverwrite, tools.ChangeEdit, tools.ChangeDelete:
		return string(p.Kind) + " " + p.Subject()
	case tools.ChangeMove:
		return "move " + p.Path + " to " + p.NewPath
	case tools.ChangeFolder:
		return "create the folder " + p.Path
	case tools.ChangeTool:
		return "use the tool " + p.Path + " of another program"
	}
	return "change " + p.Path
}

// Unseen describes the invisible characters in a change, or returns "" if there are none.
func Unseen(p tools.Proposal) string {
	texts := []string{p.Path, p.NewPath, p.Detail}
	diff := p.Diff
	for _, r := range p.Rewrites {
		diff += r.Diff + "\n"
	}
	for line := range strings.Lines(diff) {
		if strings.HasPrefix(line, "+") {
			texts = append(texts, line)
		}
	}
	return terminal.Unseen(texts...)
}

// ShownDetail is how much of a proposal's detail is shown at first, in bytes.
const ShownDetail = 1000

// Begins returns the start of a text, sanitized, and if it is not all, how to see the rest.
func Begins(s string, most int, how string) string {
	shown := terminal.Strict(s)
	head := text.Head(shown, most)
	if more := len(shown) - len(head); more > 0 {
		head += fmt.Sprintf("\n… %s more %s%s", text.Thousands(more), text.Plural(more, "byte"), how)
	}
	return head
}

// Verb returns what a tool does or, if done, did, before its object or alone: "reading", "looked at links of".
func Verb(tool string, done, before bool) string {
	verb := cmp.Or(event.TraitsOf(tool).Verb, "running "+tool)
	if done {
		verb = cmp.Or(event.TraitsOf(tool).Did, "ran "+tool)
	}
	if !before {
		for _, end := range []string{" of", " for", ":"} {
			verb = strings.TrimSuffix(verb, end)
		}
	}
	return verb
}
