// Package status formats the current activity for the status line. Its functions are pure.
package status

import (
	"fmt"
	"strings"
	"time"

	"chatvault/agent/event"
	"chatvault/internal/session"
	words "chatvault/internal/text"
	"chatvault/tui/chat"
)

// Standing is the state shown in the status line.
type Standing struct {
	Turn       session.Turn // the running turn
	Leaving    bool
	Stopping   bool
	Starting   bool          // a message was sent and its turn has not begun
	Compacting bool          // summarising earlier messages
	Reviewing  bool          // reviewing a conversation
	Moving     bool          // going to another point of the conversation
	Continuing bool          // continuing an ended conversation
	Checking   bool          // checking whether the goal is met
	Question   bool          // a question waits for its answer
	Options    bool          // the question has options
	Elapsed    time.Duration // since the activity began
	RetryIn    time.Duration
	Reason     string // of the retry
	Doing      string // the running tool call: "reading Projects/Alpha.md"
	Queued     int
	End        End // of the previous turn
}

// End is the outcome and duration of a turn; the zero value is none.
type End struct {
	State event.State
	Took  time.Duration
}

// Texts returns variants of the status text, longest first.
func Texts(s Standing) []string {
	switch {
	case s.Leaving:
		return []string{"Saving your message, then quitting…"}
	case s.Stopping && s.Queued > 0:
		return []string{fmt.Sprintf("Stopping… then running %s (↑ takes one back)", QueuedMessages(s.Queued))}
	case s.Stopping:
		return []string{"Stopping…"}
	case s.Compacting:
		return since("Summarising earlier messages…", s.Elapsed)
	case s.Continuing:
		return []string{"Continuing the conversation…"}
	case s.Moving:
		return []string{"Going back in the conversation…"}
	case s.Turn.Running:
		return turn(s)
	case s.Checking:
		return since("Checking the goal…", s.Elapsed)
	case s.Starting:
		return []string{"Sending…"}
	case s.Reviewing:
		return since("Reviewing the conversation…", s.Elapsed)
	case s.Question && s.Options:
		return []string{"Pick with ↑ ↓ or a number, or type an answer", "↑ ↓ or a number, or type an answer", "Pick one, or type an answer"}
	case s.Question:
		return []string{"Waiting for your answer"}
	case s.End.Took < time.Second: // too short to report
	case s.End.State == event.StateCompleted:
		return []string{"Done in " + chat.Duration(s.End.Took.Truncate(time.Second))}
	case s.End.State == event.StateError:
		return []string{"Failed after " + chat.Duration(s.End.Took.Truncate(time.Second))}
	}
	return []string{""}
}

// turn returns the text for a running turn.
func turn(s Standing) []string {
	does := "Starting…"
	switch s.Turn.State {
	case event.StateActing:
		switch {
		case len(s.Turn.Calls) > 1:
			does = fmt.Sprintf("Running %d tools…", len(s.Turn.Calls))
		case s.Doing != "":
			does = strings.TrimSuffix(words.Capital(s.Doing), "…") + "…"
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
			return append(since(fmt.Sprintf("Reading %s%s of %s tokens…", about, words.Thousands(r.Read), words.Thousands(r.Total)), s.Elapsed),
				since(fmt.Sprintf("Reading %s%d%%…", about, r.Read*100/r.Total), s.Elapsed)...)
		default:
			does = "Thinking…"
		}
	}
	return since(does, s.Elapsed)
}

// retryTexts returns variants of the text for a retry of a model call, longest first.
func retryTexts(s Standing) []string {
	attempt := 0
	if s.Turn.Retry != nil {
		attempt = s.Turn.Retry.Attempt
	}
	if attempt <= 1 { // the next provider of the fallback chain
		return []string{s.Reason + " · switching to another model…", "Switching to another model…"}
	}
	if s.RetryIn <= 0 {
		return []string{fmt.Sprintf("%s · trying again… (attempt %d)", s.Reason, attempt), "Trying again…"}
	}
	seconds := int((s.RetryIn + time.Second - 1) / time.Second)
	return []string{
		fmt.Sprintf("%s · trying again in %ds (attempt %d)", s.Reason, seconds, attempt),
		fmt.Sprintf("%s · again in %ds", s.Reason, seconds),
		fmt.Sprintf("%s · %ds", s.Reason, seconds),
		fmt.Sprintf("Trying again in %ds", seconds),
		fmt.Sprintf("Again in %ds", seconds),
	}
}

// since appends the duration if it is at least a second.
func since(does string, d time.Duration) []string {
	if d >= time.Second {
		does += " " + chat.Duration(d.Truncate(time.Second))
	}
	return []string{does}
}

// QueuedMessages formats the number of queued messages.
func QueuedMessages(n int) string {
	if n == 1 {
		return "the queued message"
	}
	return fmt.Sprintf("%d queued messages", n)
}
