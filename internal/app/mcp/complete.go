package mcp

import (
	"context"
	"path"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"chatvault/internal/base/text"
)

// maxCompletions is the protocol's limit of a completion's values.
const maxCompletions = 100

// complete completes the path of a resource or an argument of a command. A value that begins with "#" is a tag; others
// are paths.
func (s *Server) complete(ctx context.Context, req *sdk.CompleteRequest) (*sdk.CompleteResult, error) {
	ref, value := req.Params.Ref, req.Params.Argument.Value
	tag, hash := strings.CutPrefix(value, "#")
	var all []string
	var err error
	mark := ""
	switch {
	case ref.Type == "ref/prompt" && hash:
		mark, value = "#", tag
		all, err = s.notes.Tags(ctx)
	case ref.Type == "ref/prompt" || ref.URI == template:
		all, err = s.notes.Files(ctx)
	}
	if err != nil {
		return nil, err
	}
	fits := matching(all, value)
	return &sdk.CompleteResult{Completion: sdk.CompletionResultDetails{
		Total: len(fits), HasMore: len(fits) > maxCompletions,
		Values: text.Of(fits[:min(len(fits), maxCompletions)], func(v string) string { return mark + v }),
	}}, nil
}

// matching returns the values that contain typed, ignoring case. Those come first whose path or name begins with it.
func matching(all []string, typed string) []string {
	typed = strings.ToLower(typed)
	var first, rest []string
	for _, v := range all {
		switch lower := strings.ToLower(v); {
		case strings.HasPrefix(lower, typed), strings.HasPrefix(path.Base(lower), typed):
			first = append(first, v)
		case strings.Contains(lower, typed):
			rest = append(rest, v)
		}
	}
	return append(first, rest...)
}
