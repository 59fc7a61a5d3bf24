package offline

import (
	"fmt"
	"strings"

	"chatvault/agent/llm"
	"chatvault/internal/lazyregexp"
)

// Bounds of the summary of a conversation, in bytes and entries.
const (
	maxSummed  = 40
	maxAsked   = 160
	maxReplied = 220
)

// exchange is what the user said in a conversation, and what came of it.
type exchange struct {
	asked    string
	replied  string   // the last that was said to it
	done     []string // first lines of what changed the vault
	failures []failure
	question bool // it ended with a question that is not answered
}

// failure is a call that failed.
type failure struct {
	tool   string
	result string // its first line; empty where it is not known
}

// summaryOfConversation is an extractive summary of the conversation that the last message
// holds as a transcript: what the user asked, and what was answered to it.
func summaryOfConversation(messages []llm.Message) string {
	text := newestText(messages)
	list := exchanges(between(text, "conversation"))
	lines := entriesOf(between(text, "summary_so_far"))
	if request := exchanges(between(text, "request")); len(request) > 0 {
		lines = append(lines, "- Under way: “"+clip(oneLine(request[len(request)-1].asked), maxAsked)+"”.")
	}
	for _, x := range list {
		lines = append(lines, x.line())
	}
	if n := len(lines) - maxSummed; n > 0 {
		lines = append([]string{fmt.Sprintf("- (%d older entries are left out.)", n)}, lines[n:]...)
	}
	if len(lines) == 0 {
		return "Nothing was asked yet."
	}
	out := "What was asked, and what was answered, oldest first:\n" + strings.Join(lines, "\n")
	if n := len(list); n > 0 && list[n-1].question {
		out += "\n\nOpen: the last question to the user has no answer yet."
	}
	return out
}

// newestText is the last message of the user's side.
func newestText(messages []llm.Message) string {
	text := ""
	for _, m := range messages {
		if m.Role == llm.RoleUser {
			text = m.Content
		}
	}
	return text
}

// between is what stands in a tag of the agent's.
func between(text, tag string) string {
	_, text, ok := strings.Cut(text, "<"+tag+">\n")
	if i := strings.LastIndex(text, "\n</"+tag+">"); ok && i >= 0 {
		return text[:i]
	}
	return ""
}

// entriesOf are the entries of an earlier summary.
func entriesOf(summary string) []string {
	var out []string
	for line := range strings.SplitSeq(summary, "\n") {
		switch {
		case strings.HasPrefix(line, "- "):
			out = append(out, line)
		case strings.TrimSpace(line) != "" && !strings.HasSuffix(line, ":") && !strings.HasPrefix(line, "Open:"):
			out = append(out, "- "+strings.TrimSpace(line))
		}
	}
	return out
}

// entryRE begins an entry of a transcript; its further lines are indented.
var entryRE = lazyregexp.New(`^(User|Program|Assistant|Call|Result of [^:\n]+|Failure of [^:\n]+): ?(.*)$`)

// exchanges reads a transcript.
func exchanges(transcript string) []exchange {
	var out []exchange
	var who, text string
	add := func() {
		if who == "" {
			return
		}
		if who == "User" {
			out = append(out, exchange{asked: text})
			return
		}
		if len(out) == 0 {
			out = append(out, exchange{})
		}
		x := &out[len(out)-1]
		tool, isResult := strings.CutPrefix(who, "Result of ")
		switch {
		case who == "Assistant":
			x.replied = text
			x.question = strings.HasSuffix(strings.TrimSpace(text), "?") || answerWithRE().MatchString(text)
		case isResult && changesVault(tool) && !dailyPathRE().MatchString(text):
			first, _, _ := strings.Cut(text, "\n")
			x.done = append(x.done, strings.TrimSpace(first))
		case strings.HasPrefix(who, "Failure of "):
			first, _, _ := strings.Cut(text, "\n")
			x.failures = append(x.failures, failure{strings.TrimPrefix(who, "Failure of "), strings.TrimSpace(first)})
		}
	}
	for line := range strings.SplitSeq(transcript, "\n") {
		if m := entryRE().FindStringSubmatch(line); m != nil {
			add()
			who, text = m[1], m[2]
		} else {
			text += "\n" + strings.TrimPrefix(line, "  ")
		}
	}
	add()
	return out
}

var answerWithRE = lazyregexp.New(`Answer with a number or a name[^\n]*$|\(yes / no\)\s*$|Or say “[^\n]*\)\s*$`)

// line is an exchange on one line.
func (x exchange) line() string {
	what := "- "
	if x.asked != "" {
		what += "“" + clip(oneLine(x.asked), maxAsked) + "”: "
	}
	replied := gist(x.replied)
	switch {
	case replied != "":
		what += clip(replied, maxReplied)
	case len(x.done) > 0:
		what += clip(strings.Join(x.done, " "), maxReplied)
	case len(x.failures) > 0:
		what += "it failed."
	default:
		what += "no answer."
	}
	return what
}

// gist is an answer on one line: without its opening where that only announces what follows, and
// without quotation marks, but with where it stands.
func gist(answer string) string {
	var parts []string
	for line := range strings.SplitSeq(answer, "\n") {
		line = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), ">"))
		if line == "" || len(parts) == 0 && strings.HasSuffix(line, ":") && strings.HasPrefix(line, "From your notes") {
			continue
		}
		parts = append(parts, line)
	}
	return oneLine(strings.Join(parts, " "))
}
