package memory

import (
	"encoding/json"
	"slices"
	"strings"

	"chatvault/agent/llm"
	"chatvault/internal/text"
	"chatvault/tools"
)

// Headings under which a summary lists what must not depend on the model that wrote it.
const (
	changedHeading = "What was changed in the vault:"
	readHeading    = "Notes that were read:"
)

// The lists are bounded; the newest entries stay.
const (
	maxChanged = 60
	maxRead    = 40
	maxFact    = 200 // runes of an entry
)

// Facts are what was done, as the results of the tools say it.
type Facts struct {
	changed []string // first lines of what changes of the vault came to
	read    []string // paths
}

// ToolKind says what a tool does to the vault.
type ToolKind int

// The kinds of tools, as a summary sees them.
const (
	OtherTool ToolKind = iota
	ReadingTool
	ChangingTool
)

// FactsIn collects them from messages; kind says of a tool what it does.
func FactsIn(messages []llm.Message, kind func(tool string) ToolKind) Facts {
	var f Facts
	targets := map[string]string{}
	for _, m := range messages {
		for _, c := range m.ToolCalls {
			targets[c.ID] = tools.Target(c.Name, json.RawMessage(c.Arguments))
		}
		if m.Role != llm.RoleTool || m.IsError {
			continue
		}
		switch kind(m.ToolName) {
		case ChangingTool:
			line, _, _ := strings.Cut(strings.TrimSpace(m.Content), "\n")
			f.changed = append(f.changed, text.Excerpt(line, maxFact))
		case ReadingTool:
			if target := text.Excerpt(targets[m.ToolCallID], maxFact); target != "" && tools.TraitsOf(m.ToolName).ReadsNotes {
				f.read = append(f.read, target)
			}
		}
	}
	return f
}

// SplitFacts takes a summary apart: what the model wrote, and the lists after it.
func SplitFacts(summary string) (text string, f Facts) {
	var list *[]string
	var lines []string
	for _, line := range strings.Split(summary, "\n") {
		switch {
		case line == changedHeading:
			list = &f.changed
		case line == readHeading:
			list = &f.read
		case list != nil && strings.HasPrefix(line, "- "):
			*list = append(*list, strings.TrimPrefix(line, "- "))
		case list == nil:
			lines = append(lines, line)
		}
	}
	return strings.TrimSpace(strings.Join(lines, "\n")), f
}

// With is f and then g.
func (f Facts) With(g Facts) Facts {
	return Facts{newestOnce(append(slices.Clone(f.changed), g.changed...), maxChanged), newestOnce(append(slices.Clone(f.read), g.read...), maxRead)}
}

// newestOnce is the list without repeats, each where it came last, at most n of the newest.
func newestOnce(list []string, n int) []string {
	seen := map[string]bool{}
	var out []string
	for _, s := range slices.Backward(list) {
		if !seen[s] && len(out) < n {
			seen[s] = true
			out = append(out, s)
		}
	}
	slices.Reverse(out)
	return out
}

// SummaryOf is what the model wrote with the lists after it.
func SummaryOf(text string, f Facts) string {
	out := strings.TrimSpace(text)
	for _, l := range []struct {
		heading string
		list    []string
	}{{changedHeading, f.changed}, {readHeading, f.read}} {
		if len(l.list) > 0 {
			out += "\n\n" + l.heading + "\n- " + strings.Join(l.list, "\n- ")
		}
	}
	return out
}
