package mcp

import (
	"context"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"chatvault/internal/base/text"
)

// maxCompletions is the protocol's limit of a completion's values.
const maxCompletions = 100

// complete returns the paths of resources, or the arguments of a command, that contain a value. One that begins with "#" is a tag; others
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
	value = strings.ToLower(value)
	fits := slices.DeleteFunc(all, func(v string) bool { return !strings.Contains(strings.ToLower(v), value) })
	return &sdk.CompleteResult{Completion: sdk.CompletionResultDetails{
		Total: len(fits), HasMore: len(fits) > maxCompletions,
		Values: text.Of(fits[:min(len(fits), maxCompletions)], func(v string) string { return mark + v }),
	}}, nil
}
