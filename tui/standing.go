package tui

import (
	"fmt"
	"strings"
	"time"

	"chatvault/agent/event"
	"chatvault/internal/app/session"
	"chatvault/internal/base/text"
	"chatvault/tui/chat"
)

// standing is the state shown in the status line.
type standing struct {
	session.State
	leaving    bool
	stopping   bool
	starting   bool          // a message was sent and its turn has not begun
	moving     bool          // going to another point of the conversation
	continuing bool          // continuing an ended conversation
	question   bool          // a question waits for its answer
	options    bool          // the question has options
	elapsed    time.Duration // since the activity began
	retryIn    time.Duration
	reason     string // of the retry
	doing      string // the running tool call: "reading Projects/Alpha.md"
	queued     int
	ended      ending // of the previous turn
}

// ending is the outcome and duration of a turn; the zero value is none.
type ending struct {
	state event.State
	took  time.Duration
}

// statusTexts returns variants of the status text, longest first.
func statusTexts(s standing) []string {
	switch {
	case s.leaving:
		return []string{"Saving your message, then quitting…"}
	case s.stopping && s.queued > 0:
		return []string{fmt.Sprintf("Stopping… then running %s (↑ takes one back)", queuedMessages(s.queued))}
	case s.stopping:
		return []string{"Stopping…"}
	case s.Compacting:
		return withDuration("Summarising earlier messages…", s.elapsed)
	case s.continuing:
		return []string{"Continuing the conversation…"}
	case s.moving:
		return []string{"Going back in the conversation…"}
	case s.Turn.Running:
		return turnTexts(s)
	case s.Goal.Status == event.GoalChecking:
		return withDuration("Checking the goal…", s.elapsed)
	case s.starting:
		return []string{"Sending…"}
	case s.Reviewing:
		return withDuration("Reviewing the conversation…", s.elapsed)
	case s.question && s.options:
		return []string{"Pick with ↑ ↓ or a number, or type an answer", "↑ ↓ or a number, or type an answer", "Pick one, or type an answer"}
	case s.question:
		return []string{"Waiting for your answer"}
	case s.ended.took < time.Second: // too short to report
	case s.ended.state == event.StateCompleted:
		return []string{"Done in " + chat.Duration(s.ended.took.Truncate(time.Second))}
	case s.ended.state == event.StateError:
		return []string{"Failed after " + chat.Duration(s.ended.took.Truncate(time.Second))}
	}
	return []string{""}
}

// turnTexts returns the variants for a running turn.
func turnTexts(s standing) []string {
	does := "Starting…"
	switch s.Turn.State {
	case event.StateActing:
		switch {
		case len(s.Turn.Calls) > 1:
			does = fmt.Sprintf("Running %d tools…", len(s.Turn.Calls))
		case s.doing != "":
			does = strings.TrimSuffix(text.Capital(s.doing), "…") + "…"
		default:
			does = "Working…"
		}
	case event.StateObserving:
		does = "Reading the results…"
	case event.StateRetrying:
		return retryTexts(s)
	case event.StateWaitingDecision:
		does = "Waiting for your decision"
	case event.StateWaitingClarification:
		does = "Waiting for your answer"
	case event.StateCompleted:
		does = "Finishing…"
	case event.StateError:
		does = "Failing…"
	case event.StateThinking:
		switch r := s.Turn.Reading; {
		case s.Turn.Writing:
			does = "Writing…"
		case r.Total > 0:
			about := ""
			if r.Estimated {
				about = "about "
			}
			return append(withDuration(fmt.Sprintf("Reading %s%s of %s tokens…", about, text.Thousands(r.Read), text.Thousands(r.Total)), s.elapsed),
				withDuration(fmt.Sprintf("Reading %s%d%%…", about, r.Read*100/r.Total), s.elapsed)...)
		default:
			does = "Thinking…"
		}
	}
	return withDuration(does, s.elapsed)
}

// retryTexts returns variants of the text for a retry of a model call, longest first.
func retryTexts(s standing) []string {
	attempt := 0
	if s.Turn.Retry != nil {
		attempt = s.Turn.Retry.Attempt
	}
	if attempt <= 1 { // the next provider of the fallback chain
		return []string{s.reason + " · switching to another model…", "Switching to another model…"}
	}
	if s.retryIn <= 0 {
		return []string{fmt.Sprintf("%s · trying again… (attempt %d)", s.reason, attempt), "Trying again…"}
	}
	seconds := int((s.retryIn + time.Second - 1) / time.Second)
	return []string{
		fmt.Sprintf("%s · trying again in %ds (attempt %d)", s.reason, seconds, attempt),
		fmt.Sprintf("%s · again in %ds", s.reason, seconds),
		fmt.Sprintf("%s · %ds", s.reason, seconds),
		fmt.Sprintf("Trying again in %ds", seconds),
		fmt.Sprintf("Again in %ds", seconds),
	}
}

// withDuration appends the duration if it is at least a second.
func withDuration(does string, d time.Duration) []string {
	if d >= time.Second {
		does += " " + chat.Duration(d.Truncate(time.Second))
	}
	return []string{does}
}

// queuedMessages formats the number of queued messages.
func queuedMessages(n int) string {
	if n == 1 {
		return "the queued message"
	}
	return fmt.Sprintf("%d queued messages", n)
}
