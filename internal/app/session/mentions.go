package session

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"chatvault/internal/app/config"
	"chatvault/internal/base/picture"
	"chatvault/internal/base/text"
	"chatvault/vault"
	"chatvault/vault/link"
	notes "chatvault/vault/note"
	"chatvault/vault/pathname"
	"chatvault/vault/query"
	"chatvault/vault/search"
	"chatvault/vault/walk"
)

// VaultFile is a file or folder that a message can mention.
type VaultFile struct {
	Path   string // actual path, without a trailing slash
	Folder bool
	Size   int64 // in bytes; for a folder its number of entries, or -1 if unknown
	// Why is the reason, in a few words, why an existing file cannot be attached; empty if it can.
	Why string
	// Media describes a picture or a document; nil if it is neither or was not checked.
	Media *picture.Info
	With  []VaultFile // for a note: its pictures, which are attached with it
}

// NoteWords are the aliases and tags in the vault's notes.
type NoteWords struct {
	Aliases []NoteAlias
	Tags    []string // without "#", most used first
}

// NoteAlias is an alias of a note.
type NoteAlias struct{ Path, Alias string }

// maxOffered is the maximum number of files and folders for completion.
const maxOffered = 200_000

// Mentions provides what a message can mention: what tools can read, without what Obsidian's settings exclude.
type Mentions struct {
	attaching
	// sees returns which model answers and whether it accepts a media type, as far as known.
	sees func(mediaType string) (model string, sees, known bool)
}

// Find resolves paths mentioned in a message and describes pictures and documents. The result is keyed by the given
// path; missing and invisible files are omitted.
func (m *Mentions) Find(ctx context.Context, paths []string) (map[string]VaultFile, error) {
	out := map[string]VaultFile{}
	for _, p := range paths {
		info, data, err := m.open(ctx, p)
		switch { // a file that cannot be read is named without a description
		case errors.Is(err, errPrivate):
			out[p] = VaultFile{Path: p, Why: "it is private"}
			continue
		case info.Path == "" || info.Path == ".":
			continue
		}
		f := m.withMedia(fileOf(info), data)
		for _, p := range embedded(ctx, m.vault, f.Path, data) {
			if file, err := m.vault.Read(ctx, p); err == nil {
				f.With = append(f.With, m.withMedia(VaultFile{Path: p, Size: int64(len(file.Data))}, file.Data))
			}
		}
		out[p] = f
	}
	return out, ctx.Err()
}

// withMedia returns a file with the description of its picture or document, or why it cannot be shown.
func (m *Mentions) withMedia(f VaultFile, data []byte) VaultFile {
	info, err := picture.Look(data)
	if errors.Is(err, picture.ErrNeither) {
		return f
	}
	if err != nil {
		f.Why = err.Error()
		return f
	}
	f.Media = &info
	if m.sees == nil {
		return f
	}
	if model, sees, known := m.sees(info.Type); known && !sees {
		f.Why = model + " cannot see " + info.Noun() + "s"
	}
	return f
}

// Locate returns the file or folder of the vault for an absolute path or an Obsidian URL. If there is none, its path
// is empty and why may hold a reason for the user.
//
// A picture or a document outside the vault is kept for the message.
func (m *Mentions) Locate(ctx context.Context, dropped string) (f VaultFile, why string) {
	f, why = locate(ctx, m.vault, dropped)
	if why != outside {
		return f, why
	}
	data, err := readOutside(dropped)
	if err != nil || picture.Sniff(data) == "" {
		return f, why
	}
	if f, err = m.Bring(ctx, filepath.Base(dropped), data); err != nil {
		return VaultFile{}, "That cannot be attached: " + err.Error() + ". Your text is unchanged."
	}
	return f, ""
}

// InVault is like Locate for a name given by a program: it opens nothing outside the vault.
func (m *Mentions) InVault(ctx context.Context, name string) VaultFile {
	f, _ := locate(ctx, m.vault, name)
	return f
}

// readOutside reads a file outside the vault, up to the size limit of pictures. It does not block on pipes or
// devices.
func readOutside(name string) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > picture.MaxBytes {
		return nil, cmp.Or(err, fs.ErrInvalid)
	}
	return os.ReadFile(name)
}

const outside = "That is outside this vault, so the agent cannot read it: your text is unchanged. Copy the file into the vault first."

// Files returns the files and folders, newest first.
func (x attaching) Files(ctx context.Context) ([]VaultFile, error) {
	found, err := x.vault.List(ctx, search.ListQuery{Pattern: "**/*", MaxResults: maxOffered})
	if err != nil {
		return nil, err
	}
	items := map[string]int64{} // number of entries by folder
	for _, e := range found.Entries {
		items[path.Dir(e.Path)]++
	}
	out := make([]VaultFile, len(found.Entries))
	for i, e := range found.Entries {
		out[i] = VaultFile{Path: e.Path, Folder: e.Folder, Size: e.Size}
		if e.Folder {
			out[i].Size = items[e.Path]
		}
	}
	return out, nil
}

// Said reads the aliases and tags of notes.
func (m *Mentions) Said(ctx context.Context) (NoteWords, error) {
	v := m.vault
	var out NoteWords
	excluded := v.Source().IgnoredFiles()
	var mu sync.Mutex
	err := v.Source().Texts(ctx, "", func(_ int, t walk.Text) bool {
		aliases := t.Note().Aliases
		if len(aliases) == 0 || excluded(t.Path) {
			return true
		}
		mu.Lock()
		defer mu.Unlock()
		for _, alias := range aliases {
			out.Aliases = append(out.Aliases, NoteAlias{Path: t.Path, Alias: alias})
		}
		return true
	}, nil)
	if err != nil {
		return out, err
	}
	slices.SortFunc(out.Aliases, func(a, b NoteAlias) int {
		return strings.Compare(a.Alias+"\x00"+a.Path, b.Alias+"\x00"+b.Path)
	})
	tags, err := v.Query.Tags(ctx, query.Scope{})
	if err != nil {
		return out, err
	}
	out.Tags = text.Of(tags.Tags, func(t query.TagCount) string { return t.Name })
	return out, nil
}

// LinkText returns a function that returns the shortest link text for one of the files.
func LinkText(files []VaultFile) func(path string) string {
	var paths []string
	for _, f := range files {
		if !f.Folder {
			paths = append(paths, f.Path)
		}
	}
	return link.NewNames(paths).Text
}

// Headings returns the headings of a note from top to bottom, without "#". The note is named as in a link.
func (x attaching) Headings(ctx context.Context, note string) ([]string, error) {
	names, err := x.vault.Query.LinkNames(ctx)
	if err != nil {
		return nil, err
	}
	p, ok := names.Resolve("", link.Link{Kind: link.Wiki, Path: note})
	if !ok {
		return nil, nil
	}
	info, err := x.vault.Stat(ctx, p)
	if err != nil || info.Folder || info.Size > maxPreviewed {
		return nil, err
	}
	f, err := x.vault.Read(ctx, p)
	if err != nil {
		return nil, err
	}
	return text.Of(notes.Parse(f.Data).Headings, func(h notes.Heading) string { return h.Text }), nil
}

// visibleFile returns a visible file or folder of the vault. ok is false if there is none.
func visibleFile(ctx context.Context, v *vault.Vault, p string) (VaultFile, bool) {
	if p = strings.TrimSuffix(p, "/"); p == "" || p == "." {
		return VaultFile{}, false
	}
	info, err := v.Stat(ctx, p)
	if err != nil {
		return VaultFile{}, false
	}
	return fileOf(info), info.Path != "."
}

func fileOf(info vault.Info) VaultFile {
	f := VaultFile{Path: info.Path, Folder: info.Folder, Size: info.Size}
	if info.Folder {
		f.Size = int64(info.Items)
	}
	return f
}

// locate returns the file of the vault that was dropped on the terminal: an absolute path, or an Obsidian URL that
// names this vault.
func locate(ctx context.Context, v *vault.Vault, dropped string) (f VaultFile, why string) {
	if strings.HasPrefix(strings.ToLower(dropped), "obsidian:") {
		return locateURL(ctx, v, dropped), ""
	}
	rel, ok := withinVault(v.Dir(), dropped)
	if !ok {
		if _, err := os.Lstat(dropped); err == nil {
			return f, outside
		}
		return f, "" // a message that begins with a slash
	}
	if f, ok = visibleFile(ctx, v, rel); !ok {
		return VaultFile{}, "The agent may not read that, or it is not there: your text is unchanged."
	}
	return f, ""
}

// withinVault returns an absolute path relative to the vault's folder, with or without resolving symbolic links in
// either.
func withinVault(dir, file string) (rel string, ok bool) {
	for _, folder := range []string{dir, config.RealDir(dir)} {
		for _, name := range []string{filepath.Clean(file), config.RealDir(file)} {
			rel, err := filepath.Rel(folder, name)
			if err == nil && filepath.IsLocal(rel) {
				return filepath.ToSlash(rel), true
			}
		}
	}
	return "", false
}

// locateURL returns the note that Obsidian's "Copy Obsidian URL" names: obsidian://open?vault=…&file=….
func locateURL(ctx context.Context, v *vault.Vault, text string) (f VaultFile) {
	u, err := url.Parse(text)
	if err != nil || !strings.EqualFold(u.Query().Get("vault"), v.Name()) {
		return f
	}
	file, _, _ := strings.Cut(u.Query().Get("file"), "#")
	if names, err := v.Query.LinkNames(ctx); err == nil {
		if p, ok := names.Resolve("", link.Link{Kind: link.Wiki, Path: file}); ok && p != "" {
			file = p
		}
	}
	f, _ = visibleFile(ctx, v, file)
	return f
}

// Within reports whether an absolute path is in the vault's folder, visible or not.
func (m *Mentions) Within(file string) bool {
	if !filepath.IsAbs(file) {
		return false
	}
	_, ok := withinVault(m.vault.Dir(), file)
	return ok
}

// Hidden reports whether a path names something that the agent may not see, in any spelling: absolute with another case
// or Unicode form of the vault's folder, through links, with "..", or relative to the vault.
func (m *Mentions) Hidden(name string) bool {
	rel := []string{filepath.ToSlash(name)}
	if filepath.IsAbs(name) {
		rel = nil
		for _, folder := range []string{m.vault.Dir(), config.RealDir(m.vault.Dir())} {
			for _, file := range []string{filepath.Clean(name), config.RealDir(name)} {
				if below, ok := strings.CutPrefix(pathname.Fold(file), pathname.Fold(folder)+string(filepath.Separator)); ok {
					rel = append(rel, filepath.ToSlash(below))
				}
			}
		}
	}
	return slices.ContainsFunc(rel, func(p string) bool { return m.vault.Private(path.Clean(p)) })
}
