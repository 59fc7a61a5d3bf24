package acp

import (
	"cmp"
	"context"
	"encoding/base64"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"

	protocol "github.com/coder/acp-go-sdk"

	"chatvault/agent/event"
)

// message converts a prompt. Files of the vault become mentions, which are attached; files outside the vault become
// text and are never opened.
func (c *chat) message(ctx context.Context, blocks []protocol.ContentBlock) event.Inbound {
	var words strings.Builder
	var given []string
	inline := func(name string) {
		if s := words.String(); s != "" && !strings.HasSuffix(s, " ") && !strings.HasSuffix(s, "\n") {
			words.WriteByte(' ')
		}
		words.WriteString(name)
	}
	linked := false
	for i, b := range blocks {
		switch {
		case b.Text != nil:
			switch {
			case linked && !strings.HasPrefix(b.Text.Text, " "):
				words.WriteByte(' ')
			case i > 0 && !linked && words.Len() > 0: // another text
				words.WriteString("\n\n")
			}
			words.WriteString(b.Text.Text)
		case b.ResourceLink != nil:
			name, _ := c.mention(ctx, b.ResourceLink.Uri, "a note")
			inline(cmp.Or(name, "["+b.ResourceLink.Name+"]("+b.ResourceLink.Uri+")"))
		case b.Resource != nil:
			name, text := c.resource(ctx, b.Resource.Resource)
			inline(name)
			if text != "" {
				given = append(given, text)
			}
		case b.Image != nil:
			uri := ""
			if b.Image.Uri != nil {
				uri = *b.Image.Uri
			}
			inline(c.picture(ctx, uri, b.Image.Data))
		case b.Audio != nil:
			inline("(a sound, which cannot be sent here)")
		}
		linked = b.Text == nil
	}
	m := event.Inbound{Text: words.String()}
	found, err := c.server.o.Attached(ctx, c.Mentions.Find, m.Text)
	if err != nil {
		c.mu.Lock()
		c.aside("Nothing attached: " + err.Error())
		c.mu.Unlock()
	}
	for _, f := range found {
		m.Attach = append(m.Attach, f.Path)
	}
	m.Text = strings.Join(append([]string{m.Text}, given...), "\n\n")
	return m
}

// files returns the files that a URI may name: the one that it names as its scheme defines, and all that another reader
// could take it for, with relative ones in the editor's folder. part reports whether only a part of the file is meant.
func (c *chat) files(uri string) (file string, others []string, part bool) {
	u, err := url.Parse(uri)
	switch {
	case filepath.IsAbs(uri):
		file = uri
	case err != nil:
		_, rest, _ := strings.Cut(uri, ":") // of a file with an escape that is none
		file = "/" + strings.TrimLeft(rest, "/")
	case u.Scheme == "http" || u.Scheme == "https" || u.Scheme == "mailto" || u.Scheme == "data":
		return "", nil, false
	case strings.EqualFold(u.Scheme, "obsidian"):
		file = uri
	case u.Query().Get("path") != "": // zed:///agent/file?path=…
		file, part = u.Query().Get("path"), u.Fragment != ""
	case u.Scheme != "":
		file, part = u.Path, u.Fragment != "" || u.RawQuery != ""
		if len(file) > 2 && file[2] == ':' && filepath.VolumeName(file[1:]) != "" { // file:///C:/notes
			file = file[1:]
		}
	}
	others = []string{uri, file}
	if err == nil {
		others = append(others, u.Path, u.Host+u.Path, u.Opaque, u.Fragment)
		for _, values := range u.Query() {
			others = append(others, values...)
		}
	}
	for range 2 { // escaped again
		for _, name := range others {
			if once, err := url.PathUnescape(name); err == nil && !slices.Contains(others, once) {
				others = append(others, once)
			}
		}
	}
	for _, name := range others {
		if !filepath.IsAbs(name) {
			others = append(others, filepath.Join(c.cwd, name), filepath.Join(c.Dir(), name))
		}
	}
	return filepath.FromSlash(file), others, part
}

// mention returns the text in a message for a URI: the mention of a file of the vault, a remark about a file that the
// agent may not read, or empty for anything else. It opens nothing outside the vault. part reports whether only a part
// of the file is meant.
func (c *chat) mention(ctx context.Context, uri, kind string) (text string, part bool) {
	file, others, part := c.files(uri)
	if f := c.Mentions.InVault(ctx, file); f.Path != "" && file != "" {
		return c.server.o.Mention(f.Path), part
	}
	if !c.Mentions.Within(file) && !slices.ContainsFunc(others, c.Mentions.Hidden) {
		return "", false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.aside("“" + cmp.Or(file, uri) + "” was not attached: the agent may not read it, or it is not there.")
	return kind + " (which the agent may not read)", false
}

// resource returns the text in a message for an embedded resource, and its content unless that is the note's own.
func (c *chat) resource(ctx context.Context, r protocol.EmbeddedResourceResource) (name, text string) {
	if r.TextResourceContents == nil {
		if r.BlobResourceContents == nil {
			return "", ""
		}
		return c.picture(ctx, r.BlobResourceContents.Uri, r.BlobResourceContents.Blob), ""
	}
	uri := r.TextResourceContents.Uri
	name, part := c.mention(ctx, uri, "a note")
	if name != "" && !part {
		return name, ""
	}
	return cmp.Or(name, uri), "From " + cmp.Or(strings.TrimPrefix(name, "@"), uri) + ":\n" + fenced(r.TextResourceContents.Text)
}

// picture returns the text in a message for a picture or PDF: a file of the vault, or one whose data is kept.
func (c *chat) picture(ctx context.Context, uri, encoded string) string {
	if name, _ := c.mention(ctx, uri, "a picture"); name != "" {
		return name
	}
	name := "picture"
	if u, err := url.Parse(uri); err == nil && path.Base(u.Path) != "." && path.Base(u.Path) != "/" {
		name = path.Base(u.Path)
	}
	data, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return "(a file that cannot be sent: it is damaged)"
	}
	f, err := c.Mentions.Bring(ctx, name, data)
	if err != nil {
		return "(a file that cannot be sent: " + err.Error() + ")"
	}
	return c.server.o.Mention(f.Path)
}
