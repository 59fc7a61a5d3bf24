// Package status says in the status line what goes on: what happens, and for how long. Its functions are
// pure.
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

// Standing is what the status line speaks of, as plain values.
type Standing struct {
	Turn       session.Turn // that runs
	Leaving    bool
	Stopping   bool
	Starting   bool          // a message is sent, and no turn runs yet
	Compacting bool          // earlier messages are being summarised
	Reviewing  bool          // a conversation is being looked back at
	Moving     bool          // to another place in the conversation
	Continuing bool          // one that ended
	Checking   bool          // whether the goal is met is being found out
	Question   bool          // waits for its answer
	Options    bool          // it comes with
	Elapsed    time.Duration // since what goes on began
	RetryIn    time.Duration
	Reason     string // for the retry
	Doing      string // the tool call that runs: "reading Projects/Alpha.md"
	Queued     int
	End        End // the turn before
}

// End is how a turn ended, and after how long; the zero value is none.
type End struct {
	State event.State
	Took  time.Duration
}

// Texts put a standing into words, what happens and for how long, the longest way first.
func Texts(s Standing) []string {
	switch {
	case s.Leaving:
		return []string{"Saving your message, then quitting…"}
	case s.Stopping && s.Queued > 0:
		return []string{fmt.Sprintf("Stopping… then on with %s (↑ takes one back)", QueuedMessages(s.Queued))}
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
	case s.End.Took < time.Second: // not worth a word
	case s.End.State == event.StateCompleted:
		return []string{"Done in " + chat.Duration(s.End.Took.Truncate(time.Second))}
	case s.End.State == event.StateError:
		return []string{"Failed after " + chat.Duration(s.End.Took.Truncate(time.Second))}
	}
	return []string{""}
}

// turn says what a turn that runs does.
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

// retryTexts say why a model call is tried again, and when, the longest way first.
func retryTexts(s Standing) []string {
	attempt := 0
	if s.Turn.Retry != nil {
		attempt = s.Turn.Retry.Attempt
	}
	if attempt <= 1 { // the first of the next provider of the chain
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

// since says for how long something has gone on, once that is a second.
func since(does string, d time.Duration) []string {
	if d >= time.Second {
		does += " " + chat.Duration(d.Truncate(time.Second))
	}
	return []string{does}
}

// QueuedMessages says how many wait.
func QueuedMessages(n int) string {
	if n == 1 {
		return "the queued message"
	}
	return fmt.Sprintf("%d queued messages", n)
}
