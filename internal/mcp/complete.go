package mcp

import (
	"context"
	"path"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"chatvault/internal/session"
)

// maxCompletions is how many values the protocol lets a completion have.
const maxCompletions = 100

// complete completes the path of a resource, and of a command's argument a tag, where it is called so or
// begins with "#", else a path.
func (s *Server) complete(ctx context.Context, req *sdk.CompleteRequest) (*sdk.CompleteResult, error) {
	done, err := s.work(ctx, 0)
	if err != nil {
		return nil, err
	}
	defer done()
	s.notes.Stay()
	name, value := strings.ToLower(req.Params.Argument.Name), req.Params.Argument.Value
	var all []string
	mark := ""
	switch {
	case req.Params.Ref.Type == "ref/resource" && req.Params.Ref.URI != template:
	case req.Params.Ref.Type == "ref/prompt" && (strings.HasPrefix(name, "tag") || strings.HasPrefix(value, "#")):
		if strings.HasPrefix(value, "#") {
			mark, value = "#", value[1:]
		}
		var said session.NoteWords
		if said, err = s.notes.Mentions.Said(ctx); err == nil {
			all = said.Tags
		}
	default:
		var files []session.VaultFile
		files, err = s.notes.Mentions.Files(ctx)
		for _, f := range files {
			if !f.Folder {
				all = append(all, f.Path)
			}
		}
	}
	if err != nil {
		return nil, err
	}
	fits := ranked(all, value)
	out := sdk.CompletionResultDetails{Total: len(fits), HasMore: len(fits) > maxCompletions, Values: []string{}}
	for _, v := range fits[:min(len(fits), maxCompletions)] {
		out.Values = append(out.Values, mark+v)
	}
	return &sdk.CompleteResult{Completion: out}, nil
}

// ranked are the values that hold what was typed: those that begin with it first, then those whose last
// part does, each in the order in which they came. Case is ignored.
func ranked(all []string, typed string) []string {
	typed = strings.ToLower(typed)
	var whole, last, within []string
	for _, v := range all {
		lower := strings.ToLower(v)
		switch {
		case strings.HasPrefix(lower, typed):
			whole = append(whole, v)
		case strings.HasPrefix(path.Base(lower), typed):
			last = append(last, v)
		case strings.Contains(lower, typed):
			within = append(within, v)
		}
	}
	return slices.Concat(whole, last, within)
}
