// Package status says in the status line what goes on: what happens, and for how long. Its functions are
// pure.
package status

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/llm"
	words "chatvault/internal/text"
	"chatvault/tui/chat"
)

// Standing is what the status line speaks of, as plain values.
type Standing struct {
	Leaving, Stopping, Running, Starting bool
	State                                event.State
	Elapsed                              time.Duration // since the turn began
	RetryIn                              time.Duration
	Attempt                              int
	Reason                               string
	Question                             bool        // waits for its answer
	Options                              bool        // it comes with
	Reading                              llm.Reading // how much of the prompt the model has read by now
	Writing                              bool        // the model writes
	Compacting                           bool        // earlier messages are being summarised
	Reviewing                            bool        // a conversation is being looked back at
	Moving                               bool        // to another place in the conversation
	Continuing                           bool        // one that ended
	Checking                             bool        // whether the goal is met is being found out
	Doing                                string      // the tool call that runs: "reading Projects/Alpha.md"
	Calls                                int         // how many run
	Queued                               int
	End                                  End // the turn before
}

// End is how a turn ended, and after how long; the zero value is none.
type End struct {
	State event.State
	Took  time.Duration
}

// text puts a standing into words: what happens, and how long it has.
func text(s Standing) string {
	switch {
	case s.Leaving:
		return "Saving your message, then quitting…"
	case s.Stopping && s.Queued > 0:
		return fmt.Sprintf("Stopping… then on with %s (↑ takes one back)", QueuedMessages(s.Queued))
	case s.Stopping:
		return "Stopping…"
	case s.Compacting:
		return "Summarising earlier messages…" + elapsed(s.Elapsed)
	case s.Continuing:
		return "Continuing the conversation…"
	case s.Moving:
		return "Going back in the conversation…"
	case s.Running:
		return turn(s)
	case s.Checking:
		return "Checking the goal…" + elapsed(s.Elapsed)
	case s.Starting:
		return "Sending…"
	case s.Reviewing:
		return "Reviewing the conversation…" + elapsed(s.Elapsed)
	case s.Question && s.Options:
		return pickTexts[0]
	case s.Question:
		return "Waiting for your answer"
	case s.End.Took < time.Second: // not worth a word
		return ""
	case s.End.State == event.StateCompleted:
		return "Done in " + chat.Duration(s.End.Took.Truncate(time.Second))
	case s.End.State == event.StateError:
		return "Failed after " + chat.Duration(s.End.Took.Truncate(time.Second))
	}
	return ""
}

// turn says what a turn that runs does.
func turn(s Standing) string {
	took := elapsed(s.Elapsed)
	switch s.State {
	case event.StateActing:
		switch {
		case s.Calls > 1:
			return fmt.Sprintf("Running %d tools…", s.Calls) + took
		case s.Doing != "":
			return strings.TrimSuffix(words.Capital(s.Doing), "…") + "…" + took
		}
		return "Working…" + took
	case event.StateObserving:
		return "Reading the results…" + took
	case event.StateRetrying:
		return retryTexts(s)[0]
	case event.StateWaitingDecision:
		return "Waiting for your decision" + took
	case event.StateWaitingClarification:
		return "Waiting for your answer" + took
	case event.StateCompleted:
		return "Finishing…" + took
	case event.StateError:
		return "Failing…" + took
	case event.StateThinking:
		if s.Writing {
			return "Writing…" + took
		}
		if s.Reading.Total > 0 {
			return readingTexts(s)[0]
		}
		return "Thinking…" + took
	}
	return "Starting…" + took
}

// readingTexts say how much of the prompt is read, the longest way first.
func readingTexts(s Standing) []string {
	about := ""
	if s.Reading.Estimated {
		about = "about "
	}
	return []string{
		fmt.Sprintf("Reading %s%s of %s tokens…", about, words.Thousands(s.Reading.Read), words.Thousands(s.Reading.Total)) + elapsed(s.Elapsed),
		fmt.Sprintf("Reading %s%d%%…", about, s.Reading.Read*100/s.Reading.Total) + elapsed(s.Elapsed),
	}
}

// retryTexts say why a model call is tried again, and when, the longest way first.
func retryTexts(s Standing) []string {
	if s.Attempt <= 1 { // the first of the next provider of the chain
		return []string{s.Reason + " · switching to another model…", "Switching to another model…"}
	}
	if s.RetryIn <= 0 {
		return []string{fmt.Sprintf("%s · trying again… (attempt %d)", s.Reason, s.Attempt), "Trying again…"}
	}
	seconds := int((s.RetryIn + time.Second - 1) / time.Second)
	return []string{
		fmt.Sprintf("%s · trying again in %ds (attempt %d)", s.Reason, seconds, s.Attempt),
		fmt.Sprintf("%s · again in %ds", s.Reason, seconds),
		fmt.Sprintf("%s · %ds", s.Reason, seconds),
		fmt.Sprintf("Trying again in %ds", seconds),
		fmt.Sprintf("Again in %ds", seconds),
	}
}

// Texts are text, and shorter ways to say it where there are some.
func Texts(s Standing) []string {
	text := text(s)
	if s.Reading.Total > 0 && text == readingTexts(s)[0] {
		return readingTexts(s)
	}
	if ways := retryTexts(s); s.State == event.StateRetrying && text == ways[0] {
		return ways
	}
	if text == pickTexts[0] {
		return slices.Clone(pickTexts)
	}
	return []string{text}
}

// pickTexts say how to answer a question with options, the longest way first.
var pickTexts = []string{"Pick with ↑ ↓ or a number, or type an answer", "↑ ↓ or a number, or type an answer", "Pick one, or type an answer"}

// elapsed is for how long something has gone on, once that is a second.
func elapsed(d time.Duration) string {
	if d < time.Second {
		return ""
	}
	return " " + chat.Duration(d.Truncate(time.Second))
}

// QueuedMessages says how many wait.
func QueuedMessages(n int) string {
	if n == 1 {
		return "the queued message"
	}
	return fmt.Sprintf("%d queued messages", n)
}
