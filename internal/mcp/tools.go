package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"chatvault/internal/artifact"
	"chatvault/internal/session"
	"chatvault/internal/text"
	"chatvault/tools"
)

// addTools offers the vault's tools, and those for what was changed.
func (s *Server) addTools(o Options) error {
	var names []string
	offer := func(name string, changes bool, add func()) {
		names = append(names, name)
		if (!changes || !o.ReadOnly) && (o.Tools == nil || slices.Contains(o.Tools, name)) {
			add()
		}
	}
	for _, t := range s.notes.Guest().Tools() {
		offer(t.Name(), !t.ReadOnly(), func() { s.sdk.AddTool(described(t), s.call) })
	}
	s.addChanges(offer)
	for _, name := range o.Tools {
		if slices.Contains(names, name) {
			continue
		}
		near := ""
		if n := text.Near(name, names); n != "" {
			near = fmt.Sprintf(" (did you mean %q?)", n)
		}
		slices.Sort(names)
		return fmt.Errorf("there is no tool %q%s; the tools are: %s", name, near, strings.Join(names, ", "))
	}
	return nil
}

// described is a tool as the protocol describes it.
func described(t tools.Tool) *sdk.Tool {
	traits := tools.TraitsOf(t.Name())
	no := false
	destroys := !traits.Adds
	a := &sdk.ToolAnnotations{Title: title(t.Name()), ReadOnlyHint: t.ReadOnly(), OpenWorldHint: &no}
	if !t.ReadOnly() {
		a.DestructiveHint, a.IdempotentHint = &destroys, traits.Again
	}
	d := &sdk.Tool{Name: t.Name(), Title: a.Title, Description: t.Description(), InputSchema: t.Schema(), Annotations: a}
	if shape := tools.ShapeOf(t.Name()); shape != nil {
		d.OutputSchema = shape
	}
	return d
}

// title is a tool's name for a person: "Read file".
func title(name string) string {
	words := strings.ReplaceAll(name, "_", " ")
	return strings.ToUpper(words[:1]) + words[1:]
}

// call runs a tool of the vault for a client.
func (s *Server) call(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	done, err := s.work(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	s.notes.Stay()
	defer s.progress(ctx, req)()
	c := s.consent(req)
	r := s.guest(req.Session).Call(ctx, clientName(req.ClientInfo()), req.Params.Name, arguments(req), c.ask)
	if asked := c.request(); asked != nil {
		return asked, nil
	}
	return result(r), nil
}

// arguments are those of a call, which a client may leave out.
func arguments(req *sdk.CallToolRequest) json.RawMessage {
	if args := req.Params.Arguments; len(args) > 0 && string(args) != "null" {
		return args
	}
	return json.RawMessage("{}")
}

// result is a tool's result as the protocol has it.
func result(r tools.Result) *sdk.CallToolResult {
	out := &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: r.Text}}, IsError: r.IsError}
	if !r.IsError && r.Data != nil {
		out.StructuredContent = r.Data
	}
	if x := r.Shown; x != nil {
		out.Content = append(out.Content, shown(x))
	}
	for _, t := range r.Things {
		if a, err := artifact.Describe(t.Name, t.Data); err == nil {
			out.Content = append(out.Content, embedded(a, t.Data))
		}
	}
	return out
}

// shown is a picture or a document that a result shows.
func shown(x *tools.Shown) sdk.Content {
	if !x.Document() {
		return &sdk.ImageContent{Data: x.Data, MIMEType: x.Type}
	}
	return &sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: uriOf(x.Name), MIMEType: x.Type, Blob: x.Data}}
}

// embedded is an artifact whole: the client keeps it where it likes.
func embedded(a artifact.Artifact, data []byte) sdk.Content {
	r := &sdk.ResourceContents{URI: (&url.URL{Scheme: "artifact", Host: a.Hash, Path: "/" + a.Name}).String(), MIMEType: a.MediaType}
	if utf8.Valid(data) {
		r.Text = string(data)
	} else {
		r.Blob = data
	}
	return &sdk.EmbeddedResource{Resource: r}
}

// failed is the result of a call that failed.
func failed(err error) *sdk.CallToolResult {
	return result(tools.Result{Text: "Error: " + strings.TrimSuffix(err.Error(), ".") + ".", IsError: true})
}

// clientName is how a client calls itself.
func clientName(i *sdk.Implementation) string {
	if i == nil {
		return session.GuestName("")
	}
	return session.GuestName(cmp.Or(i.Title, i.Name))
}
