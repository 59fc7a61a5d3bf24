package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"chatvault/agent"
	"chatvault/conversation"
	"chatvault/conversation/artifact"
	"chatvault/internal/base/picture"
	"chatvault/tools"
	"chatvault/vault"
	"chatvault/vault/link"
	"chatvault/vault/pathname"
)

// maxListed is the maximum number of entries listed of an attached folder.
const maxListed = 200

// attaching reads the attachments of messages and keeps files for messages that have not been sent yet.
type attaching struct {
	vault  *vault.Vault
	limits tools.Options
	things *artifact.Store
}

// attach reads attachments (agent.Attach) through the agent's own tools, so a message cannot include what those may
// not read.
func (x attaching) attach(ctx context.Context, path string, bytes int) ([]agent.Attached, error) {
	info, data, err := x.open(ctx, path)
	switch {
	case errors.Is(err, vault.KindNotFound), errors.Is(err, vault.KindDenied), errors.Is(err, vault.KindNotFolder):
		return nil, nil
	case err != nil:
		return nil, err
	case picture.Sniff(data) != "":
		a := mediaAttachment(ctx, info.Path, data)
		return []agent.Attached{a}, a.Err
	}
	text, err := x.text(ctx, info, bytes)
	if err != nil {
		return nil, err
	}
	out := []agent.Attached{{Attachment: conversation.Attachment{Path: info.Path, Text: text}}}
	for _, p := range embedded(ctx, x.vault, info.Path, data) {
		f, err := x.vault.Read(ctx, p)
		if err != nil {
			out = append(out, agent.Attached{Attachment: conversation.Attachment{Path: p}, Err: err})
			continue
		}
		out = append(out, mediaAttachment(ctx, p, f.Data))
	}
	return out, nil
}

// open describes a file or folder of the vault, or a file that Bring kept, and reads a file that is not too large.
func (x attaching) open(ctx context.Context, path string) (info vault.Info, data []byte, err error) {
	info, err = x.vault.Stat(ctx, strings.TrimSuffix(path, "/"))
	if err != nil {
		data, ok := x.unsentFile(path)
		switch {
		case x.vault.Private(path):
			return info, nil, errPrivate
		case ok:
			return vault.Info{Path: path, Size: int64(len(data))}, data, nil
		}
		return info, nil, err
	}
	if info.Folder || info.Size > vault.MaxRead {
		return info, nil, nil
	}
	f, err := x.vault.Read(ctx, info.Path)
	if err != nil {
		return info, nil, err
	}
	return info, f.Data, nil
}

// errPrivate is the reason why a private file cannot be attached.
var errPrivate = errors.New("it is private, so the agent does not see it")

// mediaAttachment returns a picture or a document in the form in which a message carries it.
func mediaAttachment(ctx context.Context, path string, data []byte) agent.Attached {
	info, data, err := picture.Prepare(ctx, data)
	return agent.Attached{Attachment: conversation.Attachment{Path: path, Media: &info}, Data: data, Err: err}
}

// text returns a file or folder as the tools show it, in about the given number of bytes.
func (x attaching) text(ctx context.Context, info vault.Info, bytes int) (string, error) {
	name, args := "read_file", map[string]any{"path": info.Path}
	if info.Folder {
		name, args = "list_files", map[string]any{"path": info.Path, "max_results": maxListed}
	}
	o := x.limits
	if text := bytes * 3 / 4; o.ReadMaxBytes <= 0 || o.ReadMaxBytes > text { // line numbers take space, too
		o.ReadMaxBytes = text
	}
	request, err := json.Marshal(args)
	if err != nil {
		return "", err
	}
	result := tools.NewRegistry(x.vault, o).Turn(nil).Call(ctx, name, request)
	if result.IsError {
		return "", errors.New(strings.TrimPrefix(result.Text, "Error: "))
	}
	return cutLines(result.Text, bytes), nil
}

// maxEmbedded is the maximum number of pictures attached with a note.
const maxEmbedded = 10

// embedded returns the visible pictures embedded in a note, from top to bottom.
func embedded(ctx context.Context, v *vault.Vault, note string, data []byte) []string {
	if !pathname.IsNote(note) {
		return nil
	}
	var out []string
	var names *link.Names
	for _, l := range link.Parse(note, data) {
		if l.Kind != link.Embed && l.Kind != link.Image && l.Kind != link.HTML || !pictureExts[strings.ToLower(path.Ext(l.Path))] || len(out) == maxEmbedded {
			continue
		}
		if names == nil {
			var err error
			if names, err = v.Query.LinkNames(ctx); err != nil {
				return nil
			}
		}
		if p, ok := names.Resolve(note, l); ok && p != "" && !slices.Contains(out, p) {
			if _, ok := visibleFile(ctx, v, p); ok {
				out = append(out, p)
			}
		}
	}
	return out
}

// pictureExts are the extensions of pictures that Obsidian shows in notes and models accept. PDFs are long, so they
// are attached only when named themselves.
var pictureExts = map[string]bool{".png": true, ".jpg": true, ".jpeg": true, ".gif": true, ".webp": true, ".bmp": true}

// unsentOwner owns the files of messages that have not been sent yet. As it is no conversation, its files are removed
// a day after the last was added; a sent file also belongs to its conversation.
const unsentOwner = "unsent"

// Bring keeps a picture or a document from outside the vault, such as from the clipboard, for a message being
// written. The message refers to it by the returned path.
func (x attaching) Bring(ctx context.Context, name string, data []byte) (VaultFile, error) {
	info, data, err := picture.Prepare(ctx, data)
	if err != nil {
		return VaultFile{}, err
	}
	a, err := artifact.Describe(name, data)
	if err != nil {
		return VaultFile{}, err
	}
	stem, ending := strings.TrimSuffix(a.Name, path.Ext(a.Name)), path.Ext(a.Name)
	for n := 2; ; n++ {
		_, err := x.vault.Stat(ctx, a.Name)
		if had, ok := x.unsentFile(a.Name); errors.Is(err, vault.KindNotFound) && (!ok || a.Is(had)) {
			break
		}
		a.Name = fmt.Sprintf("%s-%d%s", stem, n, ending)
	}
	a, err = x.things.Put(unsentOwner, a.Name, data)
	return VaultFile{Path: a.Name, Size: info.Size, Media: &info}, err
}

// unsentFile returns the file that Bring kept under a name.
func (x attaching) unsentFile(name string) ([]byte, bool) {
	if x.things == nil {
		return nil, false
	}
	return x.things.Named(unsentOwner, name)
}

// cutLines returns as many whole lines of a text as fit in the given number of bytes.
func cutLines(text string, most int) string {
	if len(text) <= most {
		return text
	}
	cut := strings.LastIndexByte(text[:most], '\n') + 1
	return fmt.Sprintf("%s[... %d more lines left out]", text[:cut], strings.Count(text[cut:], "\n")+1)
}
