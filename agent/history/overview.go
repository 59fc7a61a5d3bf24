package history

import (
	"fmt"
	"slices"
	"strings"

	"chatvault/agent/prompts"
	"chatvault/conversation"
	"chatvault/internal/text"
)

// What the model is told of the vault's size and its largest folders.
const (
	overviewIntro   = "The vault holds "
	overviewFolders = " The largest folders: "
	overviewBetween = "), " // after a folder and its notes, before the next
)

// Overview is a vault's size and its largest folders, on one line.
func Overview(v prompts.Vars) string {
	if v.Notes == 0 {
		if !v.Complete {
			return ""
		}
		return overviewIntro + "no notes yet."
	}
	more := ""
	if !v.Complete {
		more = " or more"
	}
	line := fmt.Sprintf("%s%s%s in %s.", overviewIntro, text.Count(v.Notes, "note"), more, text.Count(v.Folders, "folder"))
	var folders []string
	for _, f := range v.Top {
		if name := text.Excerpt(text.Printable(f.Path), 100); name == f.Path && !strings.Contains(name, overviewBetween) {
			folders = append(folders, fmt.Sprintf("%s/ (%d", name, f.Notes))
		}
	}
	return line + largest(folders)
}

func largest(folders []string) string {
	if len(folders) == 0 {
		return ""
	}
	return overviewFolders + strings.Join(folders, overviewBetween) + ")."
}

// withheldOverview is an overview that was told, without the folders that are to be withheld.
func withheldOverview(line string, withhold Rule) string {
	size, folders, _ := strings.Cut(line, overviewFolders)
	folders, ok := strings.CutSuffix(folders, ").")
	if !ok {
		return line
	}
	return size + largest(slices.DeleteFunc(strings.Split(folders, overviewBetween), func(f string) bool {
		return withhold(pathArguments(f[:max(0, strings.LastIndex(f, "/ ("))]), "")
	}))
}

// OverviewTold says whether the overview stands in what a model is sent of a conversation.
func OverviewTold(c *conversation.Conversation) bool {
	toldIn := func(turn conversation.Turn) bool {
		return slices.ContainsFunc(turn.Messages, func(m conversation.Message) bool {
			return m.Role == conversation.RoleUser && slices.ContainsFunc(strings.Split(m.Context, "\n"), func(line string) bool {
				return strings.HasPrefix(line, overviewIntro)
			})
		})
	}
	return slices.ContainsFunc(c.Recalled(), toldIn) || slices.ContainsFunc(c.Turns[c.Compacted():], toldIn)
}
