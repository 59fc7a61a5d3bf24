package offline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"chatvault/agent/llm"
	"chatvault/internal/base/lazyregexp"
	"chatvault/internal/base/text"
)

// account is a transcript in lists, oldest entry first.
type account struct {
	asked    []string // requests of the user
	answered []string // the same, each with its last answer
	changed  []string // results of tools that changed notes
	failed   []string // failed tool calls
}

// aside answers a request of the agent about a conversation whose transcript is in the input.
func aside(purpose llm.Purpose, input string) (answer string, ok bool) {
	a := newAccount(between(input, "conversation"))
	list := func(entries []string) string { return cmp.Or(bullets(entries), "nothing") }
	switch purpose {
	case llm.PurposeCompact:
		return cmp.Or(between(input, "summary_so_far"), "What was asked, and what was answered, oldest first:") + "\n" + list(a.answered), true
	case llm.PurposeTitle:
		title, changes := "Nothing was asked", "Nothing was changed"
		if len(a.asked) > 0 {
			title = text.Excerpt(strings.TrimRight(strings.Trim(a.asked[0], "“”"), "?!.,;: "), 60)
		}
		if len(a.changed) > 0 {
			changes = "This was changed: " + strings.TrimRight(text.First(a.changed, 3), ".")
		}
		return fmt.Sprintf("TITLE: %s\nSUMMARY: The user asked %s. %s.", text.Capital(title), cmp.Or(text.First(a.asked, 3), "nothing"), changes), true
	case llm.PurposeRetrospection:
		return "**Asked**\n\n" + list(a.asked) + "\n\n**Changed**\n\n" + list(a.changed) + "\n\n**Failed or denied**\n\n" + list(a.failed) +
			"\n\n*Taken from the transcript by the offline engine, which is not a language model and judges nothing.*", true
	}
	return "", false
}

// between returns the text inside a tag.
func between(s, tag string) string {
	_, s, _ = strings.Cut(s, "<"+tag+">\n")
	return s[:max(strings.LastIndex(s, "\n</"+tag+">"), 0)]
}

var (
	// entryRE matches the beginning of an entry of a transcript; its further lines are indented.
	entryRE = lazyregexp.New(`(?m)^(User|Assistant|Result of|Failure of|Program|Call|Attached)(?: ([^:\n]+))?: `)
	// changers are the tools that change notes.
	changers = strings.Fields("write_file append_file edit_file move_file move_section delete_file set_property daily_note create_folder")
)

func newAccount(transcript string) (a account) {
	starts := entryRE().FindAllStringSubmatchIndex(transcript, -1)
	for i, at := range starts {
		end := len(transcript)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		said, tool := strings.TrimSpace(transcript[at[1]:end]), group(transcript, at, 2)
		first := text.Excerpt(text.FirstLine(said), 220)
		switch n := len(a.asked); group(transcript, at, 1) {
		case "User":
			if n == 0 || !strings.HasPrefix(said, goOnToGoal) {
				said = "“" + text.Excerpt(plain(said), 160) + "”"
				a.asked, a.answered = append(a.asked, said), append(a.answered, said+": ")
			}
		case "Assistant":
			if n > 0 {
				a.answered[n-1] = a.asked[n-1] + ": " + text.Excerpt(plain(said), 220)
			}
		case "Result of":
			if slices.Contains(changers, tool) && !strings.HasPrefix(first, "Daily note for ") {
				a.changed = append(a.changed, first)
			}
		case "Failure of":
			a.failed = append(a.failed, tool+": "+strings.TrimPrefix(first, "Error: "))
		}
	}
	return a
}

// plain returns a text on one line, without the marks of Markdown, links and citations.
func plain(s string) string {
	s = linkRE().ReplaceAllString(citationRE().ReplaceAllString(s, "$1"), "$1")
	return text.OneLine(strings.Join(text.Of(strings.Split(s, "\n"), text.Unmarked), "\n"))
}
