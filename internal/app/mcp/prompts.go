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

// addPrompts offers the vault's commands that its owner agreed to.
func (s *Server) addPrompts() {
	commands, err := s.notes.Commands()
	if err != nil {
		s.log.Warn("no prompts are offered", "error", err)
	}
	for i := range commands {
		c := &commands[i]
		p := &sdk.Prompt{Name: c.Name, Title: title(strings.ReplaceAll(c.Name, "-", " ")), Description: c.Does}
		for _, a := range c.Takes() {
			p.Arguments = append(p.Arguments, &sdk.PromptArgument{Name: a.Name, Required: !a.Optional})
		}
		s.sdk.AddPrompt(p, s.getPrompt)
	}
}

// getPrompt expands a command with its arguments, as it is now.
func (s *Server) getPrompt(_ context.Context, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
	commands, err := s.notes.Commands()
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(commands, func(c slash.Command) bool { return c.Name == req.Params.Name })
	if i < 0 {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "this command is gone, or was changed and waits for its owner's consent"}
	}
	c := &commands[i]
	said, err := c.Fill(text.Of(c.Takes(), func(a slash.Argument) string { return strings.TrimSpace(req.Params.Arguments[a.Name]) }))
	if err != nil {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: err.Error()}
	}
	return &sdk.GetPromptResult{Description: c.Does, Messages: []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: said}}}}, nil
}
