package offline

import (
	"fmt"
	"slices"
	"strings"

	"chatvault/agent/llm"
	"chatvault/internal/lazyregexp"
	"chatvault/internal/text"
)

// account is a transcript in lists, oldest entry first.
type account struct {
	asked   []string // requests of the user
	answers []string // the last answer to each request
	changed []string // results of tools that changed notes
	failed  []string // failed tool calls
}

// aside answers a request of the agent about a conversation that the newest message holds as a transcript.
func aside(req llm.Request) (answer string, ok bool) {
	told := lastSaid(req.Messages)
	a := newAccount(between(told, "conversation"))
	switch req.Purpose {
	case llm.PurposeCompact:
		return a.summary(told), true
	case llm.PurposeTitle:
		return a.title(), true
	case llm.PurposeRetrospection:
		return "**Asked**\n\n" + section(a.asked) + "\n\n**Changed**\n\n" + section(a.changed) + "\n\n**Failed or denied**\n\n" + section(a.failed) +
			"\n\n*Taken from the transcript by the offline engine, which is not a language model and judges nothing.*", true
	}
	return "", false
}

// lastSaid returns the newest message of the user.
func lastSaid(messages []llm.Message) string {
	for _, m := range slices.Backward(messages) {
		if m.Role == llm.RoleUser {
			return m.Content
		}
	}
	return ""
}

// between returns the text inside a tag.
func between(s, tag string) string {
	_, s, ok := strings.Cut(s, "<"+tag+">\n")
	if i := strings.LastIndex(s, "\n</"+tag+">"); ok && i >= 0 {
		return s[:i]
	}
	return ""
}

// entryRE matches the beginning of an entry of a transcript; its further lines are indented.
var entryRE = lazyregexp.New(`(?m)^(User|Assistant|Result of|Failure of|Program|Call|Attached)(?: ([^:\n]+))?: `)

// changers are the tools that change notes.
var changers = strings.Fields("write_file append_file edit_file move_file delete_file set_property daily_note create_folder")

func newAccount(transcript string) (a account) {
	starts := entryRE().FindAllStringSubmatchIndex(transcript, -1)
	for i, at := range starts {
		end := len(transcript)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		said := strings.TrimSpace(transcript[at[1]:end])
		first := text.FirstLine(said)
		switch group(transcript, at, 1) {
		case "User":
			if len(a.asked) == 0 || !strings.HasPrefix(said, goOnToGoal) {
				a.asked, a.answers = append(a.asked, "“"+text.Excerpt(plain(said), 160)+"”"), append(a.answers, "")
			}
		case "Assistant":
			if n := len(a.answers); n > 0 {
				a.answers[n-1] = said
			}
		case "Result of":
			if slices.Contains(changers, group(transcript, at, 2)) && !strings.HasPrefix(first, "Daily note for ") {
				a.changed = append(a.changed, first)
			}
		case "Failure of":
			a.failed = append(a.failed, group(transcript, at, 2)+": "+strings.TrimPrefix(first, "Error: "))
		}
	}
	return a
}

// section lists the newest entries.
func section(entries []string) string {
	if len(entries) == 0 {
		return "nothing"
	}
	return bullets(text.Of(entries[max(0, len(entries)-40):], func(s string) string { return text.Excerpt(s, 220) }))
}

// summary lists what was asked and answered, after the text of an earlier summary.
func (a account) summary(told string) string {
	out := "What was asked, and what was answered, oldest first:"
	if earlier := between(told, "summary_so_far"); earlier != "" {
		out = earlier
	}
	for i, asked := range a.asked {
		out += fmt.Sprintf("\n- %s: %s", asked, text.Excerpt(plain(a.answers[i]), 220))
	}
	return out
}

// title returns a title and a summary in the form that the agent asks for.
func (a account) title() string {
	if len(a.asked) == 0 {
		return "TITLE: Nothing was asked\nSUMMARY: Nothing was changed."
	}
	words := strings.Fields(strings.TrimRight(strings.Trim(a.asked[0], "“”"), "?!.,;: "))
	said := "Nothing was changed."
	if len(a.changed) > 0 {
		said = "This was changed: " + strings.TrimRight(text.First(a.changed, 3), ".") + "."
	}
	return fmt.Sprintf("TITLE: %s\nSUMMARY: The user asked %s. %s", text.Capital(strings.Join(words[:min(len(words), 8)], " ")), text.First(a.asked, 3), said)
}

// plain returns a text on one line, without the marks of Markdown, links and citations.
func plain(s string) string {
	s = linkRE().ReplaceAllString(citationRE().ReplaceAllString(s, "$1"), "$1")
	return text.OneLine(strings.Join(text.Of(strings.Split(s, "\n"), text.Unmarked), "\n"))
}
