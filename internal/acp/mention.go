package acp

import (
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
			inline(c.link(ctx, b.ResourceLink))
		case b.Resource != nil:
			name, text := c.resource(ctx, b.Resource.Resource)
			inline(name)
			if text != "" {
				given = append(given, text)
			}
		case b.Image != nil:
			inline(c.image(ctx, b.Image))
		case b.Audio != nil:
			inline("(a sound, which cannot be sent here)")
		}
		linked = b.Text == nil
	}
	m := event.Inbound{Text: words.String()}
	found, err := c.server.o.Attached(ctx, c.Mentions.Find, m.Text)
	if err != nil {
		c.mu.Lock()
		c.note("Nothing attached: " + err.Error())
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

// link returns the text in a message for a resource link.
func (c *chat) link(ctx context.Context, l *protocol.ContentBlockResourceLink) string {
	at := c.locate(ctx, l.Uri)
	switch {
	case at.path != "":
		return c.server.o.Mention(at.path)
	case at.refused:
		return l.Name + " (which the agent may not read)"
	}
	return "[" + l.Name + "](" + l.Uri + ")"
}

// resource returns the text in a message for an embedded resource, and its content unless that is the note's own.
func (c *chat) resource(ctx context.Context, r protocol.EmbeddedResourceResource) (name, text string) {
	uri, isText := "", r.TextResourceContents != nil
	switch {
	case isText:
		uri, text = r.TextResourceContents.Uri, r.TextResourceContents.Text
	case r.BlobResourceContents != nil:
		uri = r.BlobResourceContents.Uri
	}
	at := c.locate(ctx, uri)
	switch {
	case at.refused:
		return "(a note that the agent may not read)", ""
	case at.path != "" && (!at.part || !isText):
		return c.server.o.Mention(at.path), ""
	case !isText:
		return c.given(ctx, uri, r.BlobResourceContents.Blob), ""
	case at.path != "":
		return c.server.o.Mention(at.path), "From " + at.path + ":\n" + fenced(text)
	}
	return uri, "From " + uri + ":\n" + fenced(text)
}

// image returns the text in a message for an image.
func (c *chat) image(ctx context.Context, b *protocol.ContentBlockImage) string {
	uri := ""
	if b.Uri != nil {
		uri = *b.Uri
	}
	at := c.locate(ctx, uri)
	switch {
	case at.path != "":
		return c.server.o.Mention(at.path)
	case at.refused:
		return "(a picture that the agent may not see)"
	}
	return c.given(ctx, uri, b.Data)
}

// given keeps an embedded picture or PDF and returns the text in the message for it.
func (c *chat) given(ctx context.Context, uri, encoded string) string {
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

// place is the target of a URI.
type place struct {
	path    string // of the vault's file; empty if none
	part    bool   // only a part of it is meant
	refused bool   // it is in the vault but hidden from the agent
}

// locate resolves a URI. It opens nothing outside the vault.
func (c *chat) locate(ctx context.Context, uri string) place {
	name, part := uri, false
	switch u, err := url.Parse(uri); {
	case err == nil && strings.EqualFold(u.Scheme, "file"):
		file := u.Path
		if len(file) > 2 && file[2] == ':' && filepath.VolumeName(file[1:]) != "" { // file:///C:/notes
			file = file[1:]
		}
		name, part = filepath.FromSlash(file), u.Fragment != "" || u.RawQuery != ""
	case err == nil && strings.EqualFold(u.Scheme, "obsidian"):
	case !filepath.IsAbs(uri):
		return place{}
	}
	if f := c.Mentions.InVault(ctx, name); f.Path != "" {
		return place{path: f.Path, part: part}
	}
	refused := c.Mentions.Within(name)
	if refused {
		c.mu.Lock()
		c.note("“" + name + "” was not attached: the agent may not read it, or it is not there.")
		c.mu.Unlock()
	}
	return place{refused: refused}
}
