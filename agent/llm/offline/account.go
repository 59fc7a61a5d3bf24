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
	asked   []string // requests of the user
	changed []string // results of tools that changed notes
}

// aside answers a request of the agent about a goal, or about a conversation whose transcript is in the input.
func aside(purpose llm.Purpose, input string) (answer string, ok bool) {
	a := newAccount(between(input, "conversation"))
	list := func(entries []string) string { return cmp.Or(bullets(entries), "nothing") }
	switch purpose {
	case llm.PurposeGoalCheck:
		return "UNKNOWN: the offline engine judges no goals.", true
	case llm.PurposeCompact:
		return cmp.Or(between(input, "summary_so_far"), "What was asked, oldest first:") + "\n" + list(a.asked), true
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
		return "**Asked**\n\n" + list(a.asked) + "\n\n**Changed**\n\n" + list(a.changed) +
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
		switch kind := group(transcript, at, 1); {
		case kind == "User":
			a.asked = append(a.asked, "“"+text.Excerpt(plain(said), 160)+"”")
		case kind == "Result of" && slices.Contains(changers, tool) && !strings.HasPrefix(first, "Daily note for "):
			a.changed = append(a.changed, first)
		}
	}
	return a
}

// plain returns a text on one line, without the marks of Markdown and links.
func plain(s string) string {
	return text.OneLine(strings.Join(text.Of(strings.Split(linkRE().ReplaceAllString(s, "$1"), "\n"), text.Unmarked), "\n"))
}
