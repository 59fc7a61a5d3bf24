package offline

import (
	"fmt"
	"slices"
	"strings"

	"chatvault/agent/llm"
	"chatvault/agent/llm/offline/grammar"
	"chatvault/agent/llm/offline/naming"
	"chatvault/agent/llm/offline/retrieval"
	"chatvault/internal/lazyregexp"
	"chatvault/internal/text"
)

// What the agent asks of a conversation that it holds out as a transcript, a summary, a title or a
// look back, is made of what was said and done in it: nothing is judged.

// Bounds of what is told of a conversation, in bytes and entries.
const (
	maxSummed     = 40
	maxAsked      = 160
	maxReplied    = 220
	maxTitleWords = 8
	maxQuotedAll  = 3 // requests and changes in the summary of a title
)

// lastSaid is the newest message of the user's, in which the agent tells what it asks about.
func lastSaid(messages []llm.Message) string {
	for _, m := range slices.Backward(messages) {
		if m.Role == llm.RoleUser {
			return m.Content
		}
	}
	return ""
}

// aside answers a request of the agent's beside the conversation. It is false for any other.
func aside(req llm.Request) (string, bool) {
	text := lastSaid(req.Messages)
	list := exchanges(between(text, "conversation"))
	switch req.Purpose {
	case llm.PurposeCompact:
		return summaryOfConversation(text, list), true
	case llm.PurposeTitle:
		return titleOfConversation(list), true
	case llm.PurposeRetrospection:
		return lookBack(list), true
	}
	return "", false
}

// exchange is what the user said in a conversation, and what came of it.
type exchange struct {
	asked    string
	replied  string   // the last that was said to it
	done     []string // first lines of what changed the vault
	failures []string // the tools with why
	question bool     // it ended with a question that is not answered
}

// summaryOfConversation is an extractive summary of the conversation that the last message
// holds as a transcript: what the user asked, and what was answered to it.
func summaryOfConversation(account string, list []exchange) string {
	lines := entriesOf(between(account, "summary_so_far"))
	if request := exchanges(between(account, "request")); len(request) > 0 {
		lines = append(lines, "- Under way: “"+clip(oneLine(request[len(request)-1].asked), maxAsked)+"”.")
	}
	lines = append(lines, text.Of(list, exchange.line)...)
	if n := len(lines) - maxSummed; n > 0 {
		lines = append([]string{fmt.Sprintf("- (%d older entries are left out.)", n)}, lines[n:]...)
	}
	if len(lines) == 0 {
		return "Nothing was asked yet."
	}
	out := "What was asked, and what was answered, oldest first:\n" + strings.Join(lines, "\n")
	if open(list) {
		out += "\n\nOpen: the last question to the user has no answer yet."
	}
	return out
}

// open says whether a conversation ends with a question that is not answered.
func open(list []exchange) bool { return len(list) > 0 && list[len(list)-1].question }

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

// failedWords begin what the agent puts in the place of an answer that a request never got.
const failedWords = "(This request failed before it was answered"

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
		if who == "User" && (len(out) == 0 || !strings.HasPrefix(text, goOnToGoal)) { // which the agent sent itself
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
			if strings.HasPrefix(text, failedWords) {
				x.failures = append(x.failures, strings.Trim(oneLine(text), "()"))
			}
			x.question = strings.HasSuffix(strings.TrimSpace(text), "?") || answerWithRE().MatchString(text)
		case isResult && changesVault(tool) && !dailyPathRE().MatchString(text):
			first, _, _ := strings.Cut(text, "\n")
			x.done = append(x.done, strings.TrimSpace(first))
		case strings.HasPrefix(who, "Failure of "):
			first, _, _ := strings.Cut(text, "\n")
			x.failures = append(x.failures, strings.TrimPrefix(who, "Failure of ")+": "+strings.TrimPrefix(strings.TrimSpace(first), "Error: "))
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
	replied := shortAnswer(x.replied)
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

// shortAnswer is an answer on one line: without its opening where that only announces what follows, and
// without quotation marks, but with where it stands.
func shortAnswer(answer string) string {
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

// titleOfConversation is a title, the first request, and a summary, in the form the agent asks for.
func titleOfConversation(list []exchange) string {
	var asked, done, cited []string
	title := "Nothing was asked"
	for _, x := range list {
		if words := strings.Fields(strings.TrimRight(plainWords(grammar.Bare(x.asked)), "?!.,;: ")); naming.Normal(x.asked) != "" && len(words) > 0 && !isBinary(x.asked) {
			if len(asked) == 0 {
				title = upper(clip(strings.Join(words[:min(len(words), maxTitleWords)], " "), maxAsked))
			}
			asked = append(asked, "“"+clip(plainWords(x.asked), maxAsked/2)+"”")
		}
		done = append(done, x.done...)
		for _, c := range citations(x.replied) {
			if name := retrieval.Name(c.Path); !slices.Contains(cited, name) {
				cited = append(cited, name)
			}
		}
	}
	summary := "Nothing was changed."
	switch {
	case len(done) > 0:
		summary = "This was changed: " + strings.TrimRight(plainWords(strings.Join(firstOf(done, maxQuotedAll), " ")), ".") + "."
	case len(cited) > 0:
		summary = "Nothing was changed; the answers came from " + strings.Join(firstOf(cited, maxQuotedAll), ", ") + "."
	}
	if len(asked) > 0 {
		summary = "The user asked " + strings.Join(firstOf(asked, maxQuotedAll), ", ") + ". " + summary
	}
	if open(list) {
		summary += " The last question to the user was left open."
	}
	return "TITLE: " + title + "\nSUMMARY: " + summary
}

// firstOf are the first entries of a list, at most most, and how many more there are.
func firstOf(list []string, most int) []string {
	if n := len(list) - most; n > 0 {
		return append(slices.Clone(list[:most]), fmt.Sprintf("and %d more", n))
	}
	return list
}

// lookBack lists what was asked, what was changed, and what failed or was denied.
func lookBack(list []exchange) string {
	var asked, changed, failed []string
	for _, x := range list {
		if words := plainWords(x.asked); words != "" && !isBinary(x.asked) {
			asked = append(asked, "“"+clip(words, maxAsked)+"”")
		}
		changed, failed = append(changed, x.done...), append(failed, x.failures...)
	}
	section := func(lines []string) string {
		if len(lines) == 0 {
			return "nothing"
		}
		lines = text.Of(lines, func(l string) string { return clip(oneLine(l), maxReplied) })
		return "- " + strings.Join(firstOf(lines, maxSummed), "\n- ")
	}
	out := "**Asked**\n\n" + section(asked) + "\n\n**Changed**\n\n" + section(changed) + "\n\n**Failed or denied**\n\n" + section(failed)
	if open(list) {
		out += "\n\n**Open**: the last question has no answer."
	}
	return out + "\n\n*Taken from the transcript by the offline engine, which is not a language model and judges nothing.*"
}

var (
	linkRE  = lazyregexp.New(`\[\[(?:[^\[\]\n]*\|)?([^\[\]\n|]+)\]\]`)
	marksRE = lazyregexp.New("\\*\\*|`|^\\s*[>#]+\\s+")
)

// plainWords is a text on one line, without the marks of Markdown and links.
func plainWords(text string) string {
	text = citationRE().ReplaceAllString(text, "$1")
	text = linkRE().ReplaceAllString(text, "$1")
	return oneLine(marksRE().ReplaceAllString(text, ""))
}
