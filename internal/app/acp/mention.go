package acp

import (
	"cmp"
	"context"
	"encoding/base64"
	"net/url"
	"path"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

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
			case linked && !follows(b.Text.Text):
				words.WriteByte(' ')
			case i > 0 && !linked && words.Len() > 0: // another text
				words.WriteString("\n\n")
			}
			words.WriteString(b.Text.Text)
		case b.ResourceLink != nil:
			name, _ := c.mention(ctx, b.ResourceLink.Uri, b.ResourceLink.Name)
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

// follows reports whether a text may directly follow a name.
func follows(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return text == "" || unicode.IsSpace(r) || strings.ContainsRune(".,:;!?…)]}’”\"'", r)
}

// mention returns the text in a message for a URI: the mention of a file of the vault, a remark about a file that the
// agent may not read, or empty for anything else. It opens nothing outside the vault. part reports whether only a part
// of the file is meant.
func (c *chat) mention(ctx context.Context, uri, name string) (text string, part bool) {
	file := uri
	switch u, err := url.Parse(uri); {
	case err == nil && strings.EqualFold(u.Scheme, "file"):
		file = u.Path
		if len(file) > 2 && file[2] == ':' && filepath.VolumeName(file[1:]) != "" { // file:///C:/notes
			file = file[1:]
		}
		file, part = filepath.FromSlash(file), u.Fragment != "" || u.RawQuery != ""
	case err == nil && strings.EqualFold(u.Scheme, "obsidian"):
	case !filepath.IsAbs(uri):
		return "", false
	}
	if f := c.Mentions.InVault(ctx, file); f.Path != "" {
		return c.server.o.Mention(f.Path), part
	}
	if !c.Mentions.Within(file) {
		return "", false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.aside("“" + file + "” was not attached: the agent may not read it, or it is not there.")
	return name + " (which the agent may not read)", false
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
