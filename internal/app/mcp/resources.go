package mcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"mime"
	"net/url"
	"path"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"chatvault/vault"
)

const (
	scheme     = "vault"
	template   = scheme + ":///{+path}"
	markdown   = "text/markdown"
	pageSize   = 200     // notes a page
	maxContent = 8 << 20 // bytes of a resource

	cursorPrefix = "after " // before the last path of a page
)

// addResources offers the notes. They are looked up when a client asks.
func (s *Server) addResources() {
	s.sdk.AddResourceTemplate(&sdk.ResourceTemplate{
		Name: "note", Title: "Note", URITemplate: template, MIMEType: markdown,
		Description: "A note of the vault, or another file of it, by its path.",
	}, s.readResource)
	s.sdk.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
			switch r := req.(type) {
			case *sdk.ListResourcesRequest:
				return s.listResources(ctx, r)
			case *sdk.ReadResourceRequest: // the template matches only a path that is escaped
				uri := r.Params.URI
				if name, ours := pathOf(uri); ours {
					r.Params.URI = uriOf(name)
				}
				result, err := next(ctx, method, r)
				if out, ok := result.(*sdk.ReadResourceResult); ok && err == nil {
					out.Contents[0].URI = uri
				}
				return result, err
			}
			return next(ctx, method, req)
		}
	})
}

// listResources lists a page of the notes, by path.
func (s *Server) listResources(ctx context.Context, req *sdk.ListResourcesRequest) (sdk.Result, error) {
	out := &sdk.ListResourcesResult{Resources: []*sdk.Resource{}}
	after := ""
	if req.Params != nil && req.Params.Cursor != "" {
		var ours bool
		if after, ours = strings.CutPrefix(req.Params.Cursor, cursorPrefix); !ours {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "this cursor did not come from this server: begin without one"}
		}
	}
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
		out.NextCursor = cursorPrefix + notes[len(notes)-1].Path
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
	info, err := s.notes.Find(ctx, name)
	if err != nil {
		return nil, unreadable(req.Params.URI, err)
	}
	done, err := s.work(ctx, info.Size)
	if err != nil {
		return nil, err
	}
	defer done()
	f, err := s.readFile(ctx, info)
	if err != nil {
		return nil, unreadable(req.Params.URI, err)
	}
	c := &sdk.ResourceContents{MIMEType: mimeOf(f.Path)}
	if utf8.Valid(f.Data) && bytes.IndexByte(f.Data, 0) < 0 {
		c.Text = string(f.Data)
	} else {
		c.Blob = f.Data
	}
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{c}}, nil
}

// readFile reads a file of a bounded size.
func (s *Server) readFile(ctx context.Context, info vault.Info) (*vault.File, error) {
	switch {
	case info.Folder:
		return nil, errors.New("it is a folder; the tool list_files lists what is in it")
	case info.Size > maxContent:
		return nil, fmt.Errorf("it is larger than %d MB; the tool read_file reads parts of a text", maxContent>>20)
	}
	return s.notes.Read(ctx, info.Path)
}

// unreadable returns the error for a resource that cannot be read. It does not reveal whether a private or protected
// file exists.
func unreadable(uri string, err error) error {
	if errors.Is(err, vault.KindNotFound) || errors.Is(err, vault.KindDenied) || errors.Is(err, vault.KindNotFolder) {
		return sdk.ResourceNotFoundError(uri)
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: err.Error()}
}

// uriOf returns the URI of a path.
func uriOf(name string) string {
	return scheme + "://" + (&url.URL{Path: "/" + name}).EscapedPath()
}

// pathOf returns the path in a URI of this server; ours is false for other URIs.
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

// mimeOf returns the media type of a file by its name.
func mimeOf(name string) string {
	if vault.IsNote(name) {
		return markdown
	}
	if t := mime.TypeByExtension(strings.ToLower(path.Ext(name))); t != "" {
		return t
	}
	return "application/octet-stream"
}
