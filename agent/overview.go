package agent

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

// overviewContext tells the model how large the vault is and where most of it lies: beside the first
// message of a conversation, and again where that message stands in the prompt no more. Told in the
// system prompt it would change what was sent before with every note that is made.
func (p *Processor) overviewContext(t *turn) string {
	toldIn := func(turn conversation.Turn) bool {
		return slices.ContainsFunc(turn.Messages, func(m conversation.Message) bool {
			return m.Role == conversation.RoleUser && slices.ContainsFunc(strings.Split(m.Context, "\n"), func(line string) bool {
				return strings.HasPrefix(line, overviewIntro)
			})
		})
	}
	if p.opt.Vars == nil || slices.ContainsFunc(t.conv.Recalled(), toldIn) || slices.ContainsFunc(t.conv.Turns[t.conv.Compacted():], toldIn) {
		return ""
	}
	return overview(p.prompts.base(t.ctx, t.conv.ID, p.opt.Vars))
}

// overview is a vault's size and its largest folders, on one line.
func overview(v prompts.Vars) string {
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
func withheldOverview(line string, withhold Withhold) string {
	size, folders, _ := strings.Cut(line, overviewFolders)
	folders, ok := strings.CutSuffix(folders, ").")
	if !ok {
		return line
	}
	return size + largest(slices.DeleteFunc(strings.Split(folders, overviewBetween), func(f string) bool {
		return withhold(pathArguments(f[:max(0, strings.LastIndex(f, "/ ("))]), "")
	}))
}

// The program tells of a message that came over SmartHole.
const (
	routedVoice = "This message was spoken and routed here: answer in a sentence or two of plain words, without Markdown."
	routedOther = "This message was routed here, most likely from a voice assistant: answer in a sentence or two of plain words, without Markdown."
)

// routedContext tells the model which way the turn's message came, where it was not typed here.
func (t *turn) routedContext() string {
	switch t.entries[0].Via() {
	case "voice":
		return routedVoice
	case "routed":
		return routedOther
	}
	return ""
}
