package offline

import (
	"fmt"
	"slices"
	"strings"

	"chatvault/agent/llm"
	"chatvault/internal/lazyregexp"
	"chatvault/internal/text"
)

// exchange is a message of the user with its answer and effects.
type exchange struct {
	asked    string
	replied  string   // the last
	changed  []string // first lines of results
	failures []string
}

// lastSaid is the newest message of the user.
func lastSaid(messages []llm.Message) string {
	for _, m := range slices.Backward(messages) {
		if m.Role == llm.RoleUser {
			return m.Content
		}
	}
	return ""
}

// aside answers a request of the agent about a conversation that it gives as a transcript.
func aside(req llm.Request) (answer string, ok bool) {
	account := lastSaid(req.Messages)
	list := exchanges(between(account, "conversation"))
	switch req.Purpose {
	case llm.PurposeCompact:
		return summary(account, list), true
	case llm.PurposeTitle:
		return title(list), true
	case llm.PurposeRetrospection:
		return lookBack(list), true
	}
	return "", false
}

// between is what stands in a tag.
func between(s, tag string) string {
	_, s, ok := strings.Cut(s, "<"+tag+">\n")
	if i := strings.LastIndex(s, "\n</"+tag+">"); ok && i >= 0 {
		return s[:i]
	}
	return ""
}

// entryRE begins an entry of a transcript; its further lines are indented.
var entryRE = lazyregexp.New(`^(User|Program|Assistant|Call|Result of [^:\n]+|Failure of [^:\n]+): ?(.*)$`)

// readers are tools that change no note.
var readers = strings.Fields("read_file search_files list_files get_file_info list_tasks get_links get_outline get_tags get_properties get_active_note get_conversation end_conversation find_notes get_note_history send_message ask_user task_list delegate")

// exchanges reads a transcript.
func exchanges(transcript string) []exchange {
	var out []exchange
	who, said := "", ""
	add := func() {
		if who == "User" && (len(out) == 0 || !strings.HasPrefix(said, goOnToGoal)) {
			out = append(out, exchange{asked: said})
			return
		}
		if who == "" || len(out) == 0 {
			return
		}
		x := &out[len(out)-1]
		first := strings.TrimSpace(text.FirstLine(said))
		tool, isResult := strings.CutPrefix(who, "Result of ")
		switch {
		case who == "Assistant":
			x.replied = said
		case isResult && !slices.Contains(readers, tool) && !dailyRE().MatchString(said):
			x.changed = append(x.changed, first)
		case strings.HasPrefix(who, "Failure of "):
			x.failures = append(x.failures, strings.TrimPrefix(who, "Failure of ")+": "+strings.TrimPrefix(first, "Error: "))
		}
	}
	for line := range strings.SplitSeq(transcript, "\n") {
		if m := entryRE().FindStringSubmatch(line); m != nil {
			add()
			who, said = m[1], m[2]
		} else {
			said += "\n" + strings.TrimPrefix(line, "  ")
		}
	}
	add()
	return out
}

// dailyRE matches what daily_note returns where it only reads.
var dailyRE = lazyregexp.New(`^(?:Daily note for |\d+: )`)

// Limits of accounts of a conversation.
const (
	maxEntries = 40
	maxAsked   = 160
	maxReplied = 220
	maxWords   = 8 // of a title
)

// line is an exchange on one line.
func (x exchange) line() string {
	said := plain(x.replied)
	if said == "" {
		said = strings.Join(x.changed, " ")
	}
	if said == "" && len(x.failures) > 0 {
		said = "it failed."
	}
	if said == "" {
		said = "no answer."
	}
	return fmt.Sprintf("- “%s”: %s", text.Excerpt(x.asked, maxAsked), text.Excerpt(said, maxReplied))
}

// summary lists what was asked and answered, after the entries of an earlier summary.
func summary(account string, list []exchange) string {
	var lines []string
	for line := range strings.SplitSeq(between(account, "summary_so_far"), "\n") {
		if line = strings.TrimSpace(line); line != "" && !strings.HasSuffix(line, ":") {
			lines = append(lines, "- "+strings.TrimPrefix(line, "- "))
		}
	}
	if running := exchanges(between(account, "request")); len(running) > 0 {
		lines = append(lines, fmt.Sprintf("- Under way: “%s”.", text.Excerpt(running[len(running)-1].asked, maxAsked)))
	}
	lines = append(lines, text.Of(list, exchange.line)...)
	if n := len(lines) - maxEntries; n > 0 {
		lines = append([]string{fmt.Sprintf("- (%d older entries are left out.)", n)}, lines[n:]...)
	}
	if len(lines) == 0 {
		return "Nothing was asked yet."
	}
	return "What was asked, and what was answered, oldest first:\n" + strings.Join(lines, "\n")
}

// title is a title and a summary, in the form that the agent asks for.
func title(list []exchange) string {
	var asked, changed, cited []string
	for _, x := range list {
		if words := plain(x.asked); words != "" && !isBinary(x.asked) {
			asked = append(asked, words)
		}
		changed = append(changed, x.changed...)
		for _, m := range citationRE().FindAllStringSubmatch(x.replied, -1) {
			if !slices.Contains(cited, m[1]) {
				cited = append(cited, m[1])
			}
		}
	}
	name, said := "Nothing was asked", "Nothing was changed."
	switch {
	case len(changed) > 0:
		said = "This was changed: " + strings.TrimRight(plain(text.First(changed, 3)), ".") + "."
	case len(cited) > 0:
		said = "Nothing was changed; the answers came from " + text.First(cited, 3) + "."
	}
	if len(asked) > 0 {
		words := strings.Fields(strings.TrimRight(asked[0], "?!.,;: "))
		name = text.Capital(text.Excerpt(strings.Join(words[:min(len(words), maxWords)], " "), maxAsked))
		quoted := text.Of(asked, func(a string) string { return "“" + text.Excerpt(a, maxAsked/2) + "”" })
		said = "The user asked " + text.First(quoted, 3) + ". " + said
	}
	return "TITLE: " + name + "\nSUMMARY: " + said
}

// lookBack lists what was asked, what was changed, and what failed.
func lookBack(list []exchange) string {
	var asked, changed, failed []string
	for _, x := range list {
		if words := plain(x.asked); words != "" && !isBinary(x.asked) {
			asked = append(asked, "“"+text.Excerpt(words, maxAsked)+"”")
		}
		changed, failed = append(changed, x.changed...), append(failed, x.failures...)
	}
	section := func(name string, lines []string) string {
		if len(lines) == 0 {
			return "**" + name + "**\n\nnothing"
		}
		lines = lines[max(0, len(lines)-maxEntries):]
		return "**" + name + "**\n\n" + bullets(text.Of(lines, func(l string) string { return text.Excerpt(l, maxReplied) }))
	}
	return section("Asked", asked) + "\n\n" + section("Changed", changed) + "\n\n" + section("Failed or denied", failed) +
		"\n\n*Taken from the transcript by the offline engine, which is not a language model and judges nothing.*"
}

// plain is a text on one line, without the marks of Markdown, links and citations.
func plain(s string) string {
	s = citationRE().ReplaceAllString(s, "$1")
	s = linkRE().ReplaceAllString(s, "$1")
	lines := text.Of(strings.Split(s, "\n"), text.Unmarked)
	return text.OneLine(strings.Join(lines, "\n"))
}
