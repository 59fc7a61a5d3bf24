package acp

import (
	protocol "github.com/coder/acp-go-sdk"

	"chatvault/internal/prosediff"
)

// diffs are a unified diff as an editor shows it, and where its parts are.
func (t *teller) diffs(diff string) (content []protocol.ToolCallContent, at []protocol.ToolCallLocation) {
	parts, whole := prosediff.Excerpts(diff)
	for _, p := range parts {
		name, ok := t.file(p.Name)
		if !ok {
			continue
		}
		line := p.Line
		at = append(at, protocol.ToolCallLocation{Path: name, Line: &line})
		if p.Added {
			content = append(content, protocol.ToolDiffContent(name, p.After))
		} else {
			content = append(content, protocol.ToolDiffContent(name, p.After, p.Before))
		}
	}
	if !whole && len(content) > 0 {
		content = append(content, protocol.ToolContent(protocol.TextBlock("The change is longer than what is shown of it here.")))
	}
	return content, at
}
