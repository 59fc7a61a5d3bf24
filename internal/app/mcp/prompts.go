package mcp

import (
	"context"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"chatvault/internal/app/slash"
	"chatvault/internal/base/text"
)

// listPrompts lists the vault's commands that its owner agreed to, on one page.
func (s *Server) listPrompts(req *sdk.ListPromptsRequest) (sdk.Result, error) {
	if req.Params != nil && req.Params.Cursor != "" {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "all prompts are on one page: begin without a cursor"}
	}
	commands, err := s.notes.Commands()
	if err != nil {
		return nil, err
	}
	slices.SortFunc(commands, func(a, b slash.Command) int { return strings.Compare(a.Name, b.Name) })
	out := &sdk.ListPromptsResult{Prompts: []*sdk.Prompt{}, Cacheable: sdk.Cacheable{CacheScope: "private"}}
	for i := range commands {
		c := &commands[i]
		p := &sdk.Prompt{Name: c.Name, Title: title(strings.ReplaceAll(c.Name, "-", " ")), Description: c.Does}
		for _, a := range c.Takes() {
			p.Arguments = append(p.Arguments, &sdk.PromptArgument{Name: a.Name, Required: !a.Optional})
		}
		out.Prompts = append(out.Prompts, p)
	}
	return out, nil
}

// getPrompt expands a command with its arguments. Other names are passed on.
func (s *Server) getPrompt(ctx context.Context, req *sdk.GetPromptRequest, next sdk.MethodHandler) (sdk.Result, error) {
	commands, err := s.notes.Commands()
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(commands, func(c slash.Command) bool { return c.Name == req.Params.Name })
	if i < 0 {
		return next(ctx, "prompts/get", req)
	}
	c := &commands[i]
	said, err := c.Fill(text.Of(c.Takes(), func(a slash.Argument) string { return strings.TrimSpace(req.Params.Arguments[a.Name]) }))
	if err != nil {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: err.Error()}
	}
	out, err := completed[sdk.GetPromptResult](req.ProtocolVersion())
	out.Description, out.Messages = c.Does, []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: said}}}
	return out, err
}
