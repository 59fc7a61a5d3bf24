package mcp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"mime"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"chatvault/internal/session"
	"chatvault/internal/slash"
	"chatvault/vault"
)

const (
	scheme     = "vault"
	template   = scheme + ":///{+path}"
	markdown   = "text/markdown"
	pageSize   = 200     // notes a page
	maxContent = 8 << 20 // bytes of a resource
)

// addContents offers the notes, and the owner's commands. Which there are is looked up when a client asks.
func (s *Server) addContents() {
	s.sdk.AddResourceTemplate(&sdk.ResourceTemplate{
		Name: "note", Title: "Note", URITemplate: template, MIMEType: markdown,
		Description: "A note of the vault, or another file of it, by its path.",
	}, s.readResource)
	s.sdk.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
			switch r := req.(type) {
			case *sdk.ListResourcesRequest:
				return s.listResources(ctx, r, next)
			case *sdk.ReadResourceRequest: // with a path of any characters, escaped or not
				if _, ours := pathOf(r.Params.URI); ours {
					return s.readResource(ctx, r)
				}
			case *sdk.ListPromptsRequest:
				return s.listPrompts(ctx, r, next)
			case *sdk.GetPromptRequest:
				return s.getPrompt(ctx, r, next)
			}
			return next(ctx, method, req)
		}
	})
}

// listResources lists the notes by their paths, a page at a time, after what else is registered.
func (s *Server) listResources(ctx context.Context, req *sdk.ListResourcesRequest, next sdk.MethodHandler) (sdk.Result, error) {
	out := &sdk.ListResourcesResult{Resources: []*sdk.Resource{}}
	after := ""
	if req.Params != nil && req.Params.Cursor != "" {
		data, err := base64.RawURLEncoding.DecodeString(req.Params.Cursor)
		if err != nil || !utf8.Valid(data) || len(data) == 0 {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "this cursor did not come from this server: begin without one"}
		}
		after = string(data)
	} else if r, err := next(ctx, "resources/list", req); err == nil {
		if r, ok := r.(*sdk.ListResourcesResult); ok {
			out.Resources = append(out.Resources, r.Resources...)
		}
	}
	done, err := s.work(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	s.notes.Stay()
	notes, more, err := s.notes.List(ctx, after, pageSize)
	if err != nil {
		return nil, err
	}
	for _, n := range notes {
		out.Resources = append(out.Resources, &sdk.Resource{
			URI: uriOf(n.Path), Name: n.Path, Title: strings.TrimSuffix(path.Base(n.Path), path.Ext(n.Path)), MIMEType: mimeOf(n.Path), Size: n.Size,
			Annotations: &sdk.Annotations{LastModified: n.Modified.UTC().Format(time.RFC3339)},
		})
	}
	if more {
		out.NextCursor = base64.RawURLEncoding.EncodeToString([]byte(notes[len(notes)-1].Path))
	}
	out.CacheScope = "private"
	return out, nil
}

// readResource reads a file of the vault.
func (s *Server) readResource(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	name, ours := pathOf(req.Params.URI)
	if !ours {
		return nil, sdk.ResourceNotFoundError(req.Params.URI)
	}
	done, err := s.work(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	f, err := s.readFile(ctx, name)
	if err != nil {
		return nil, unreadable(req.Params.URI, err)
	}
	c := &sdk.ResourceContents{URI: req.Params.URI, MIMEType: mimeOf(f.Path)}
	if utf8.Valid(f.Data) && bytes.IndexByte(f.Data, 0) < 0 {
		c.Text = string(f.Data)
	} else {
		c.Blob = f.Data
	}
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{c}, Cacheable: sdk.Cacheable{CacheScope: "private"}}, nil
}

// readFile reads a file of a bounded size.
func (s *Server) readFile(ctx context.Context, name string) (*vault.File, error) {
	info, err := s.notes.Find(ctx, name)
	switch {
	case err != nil:
		return nil, err
	case info.Folder:
		return nil, errors.New("it is a folder; the tool list_files lists what is in it")
	case info.Size > maxContent:
		return nil, fmt.Errorf("it is larger than %d MB; the tool read_file reads parts of a text", maxContent>>20)
	}
	return s.notes.Read(ctx, info.Path)
}

// unreadable is the error for a resource that cannot be read. What is private or protected is as if it
// were not there.
func unreadable(uri string, err error) error {
	if errors.Is(err, vault.KindNotFound) || errors.Is(err, vault.KindDenied) || errors.Is(err, vault.KindNotFolder) {
		return sdk.ResourceNotFoundError(uri)
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: err.Error()}
}

// uriOf is a path as a URI.
func uriOf(name string) string {
	return scheme + "://" + (&url.URL{Path: "/" + name}).EscapedPath()
}

// pathOf is the path that a URI names; ours is false where it names none.
func pathOf(uri string) (name string, ours bool) {
	rest, ok := strings.CutPrefix(uri, scheme+":///")
	if !ok || rest == "" {
		return "", false
	}
	name, err := url.PathUnescape(rest)
	if err != nil {
		name = rest // a name with a bare %
	}
	return name, true
}

// mimeOf is the type of a file by its name.
func mimeOf(name string) string {
	if vault.IsNote(name) {
		return markdown
	}
	if t := mime.TypeByExtension(strings.ToLower(path.Ext(name))); t != "" {
		return t
	}
	return "application/octet-stream"
}

// listPrompts offers the vault's commands that its owner agreed to, after what else is registered.
func (s *Server) listPrompts(ctx context.Context, req *sdk.ListPromptsRequest, next sdk.MethodHandler) (sdk.Result, error) {
	result, err := next(ctx, "prompts/list", req)
	if err != nil {
		return nil, err
	}
	out, ok := result.(*sdk.ListPromptsResult)
	if !ok || req.Params != nil && req.Params.Cursor != "" {
		return result, nil
	}
	commands, err := s.notes.Commands()
	if err != nil {
		return nil, err
	}
	slices.SortFunc(commands, func(a, b slash.Command) int { return strings.Compare(a.Name, b.Name) })
	for i := range commands {
		c := &commands[i]
		p := &sdk.Prompt{Name: c.Name, Title: title(strings.ReplaceAll(c.Name, "-", " ")), Description: c.Does}
		for _, a := range c.Takes() {
			p.Arguments = append(p.Arguments, &sdk.PromptArgument{Name: a.Name, Required: !a.Optional})
		}
		out.Prompts = append(out.Prompts, p)
	}
	out.CacheScope = "private"
	return out, nil
}

// getPrompt is what a command comes to with its arguments; one that there is not may be registered.
func (s *Server) getPrompt(ctx context.Context, req *sdk.GetPromptRequest, next sdk.MethodHandler) (sdk.Result, error) {
	commands, err := s.notes.Commands()
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(commands, func(c slash.Command) bool { return c.Name == req.Params.Name })
	if i < 0 {
		return next(ctx, "prompts/get", req)
	}
	c, given, takes := &commands[i], req.Params.Arguments, commands[i].Takes()
	var values []string
	for _, a := range takes {
		values = append(values, strings.TrimSpace(given[a.Name]))
	}
	for name := range given {
		if !slices.ContainsFunc(takes, func(a slash.Argument) bool { return a.Name == name }) {
			var names []string
			for _, a := range takes {
				names = append(names, a.Name)
			}
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("%s takes no argument %q; it takes: %s", c.Name, name, cmp.Or(strings.Join(names, ", "), "none"))}
		}
	}
	said, err := c.Fill(values)
	if err != nil {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: err.Error()}
	}
	return &sdk.GetPromptResult{Description: c.Does, Messages: []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: said}}}}, nil
}

// maxCompletions is how many values the protocol lets a completion have.
const maxCompletions = 100

// complete completes the path of a resource, and of a command's argument a tag, where it is called so or
// begins with "#", else a path.
func (s *Server) complete(ctx context.Context, req *sdk.CompleteRequest) (*sdk.CompleteResult, error) {
	done, err := s.work(ctx)
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
