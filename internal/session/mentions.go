package session

import (
	"context"
	"errors"
	"io"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"chatvault/internal/config"
	"chatvault/internal/picture"
	"chatvault/internal/statefile"
	"chatvault/internal/text"
	"chatvault/vault"
	"chatvault/vault/link"
	notes "chatvault/vault/note"
	"chatvault/vault/query"
	"chatvault/vault/search"
	"chatvault/vault/walk"
)

// VaultFile is a file or folder that may be named in a message.
type VaultFile struct {
	Path   string // true name, without a slash at the end
	Folder bool
	Size   int64 // bytes; of a folder, how many entries it has, -1 where that was not counted
	// Why says in a few words why a file that is there cannot go with a message; empty: it can.
	Why string
	// Media says what a picture or a document is; nil: it is neither, or nobody looked.
	Media *picture.Info
	With  []VaultFile // of a note: the pictures in it, which go with it
}

// NoteWords are the names that notes give themselves and others.
type NoteWords struct {
	Aliases []NoteAlias
	Tags    []string // without "#", the most used first
}

// NoteAlias is another name of a note.
type NoteAlias struct{ Path, Alias string }

// maxOffered bounds the files and folders that can be completed.
const maxOffered = 200_000

// Mentions is what can be named of the vault while a message is written: what tools may see, without
// what Obsidian's settings exclude.
type Mentions struct {
	attaching
	// sees says which model answers and whether it takes media of a type, as far as that is known.
	sees func(mediaType string) (model string, sees, known bool)
}

// Find looks up paths that a message mentions, and what of them is a picture or a document; those that are
// not there, or must not be seen, are left out of what it gives, which is by the path as it was given.
func (m *Mentions) Find(ctx context.Context, paths []string) (map[string]VaultFile, error) {
	out := map[string]VaultFile{}
	for _, p := range paths {
		f, ok := visibleFile(ctx, m.vault, p)
		if !ok {
			if m.vault.Private(p) {
				out[p] = VaultFile{Path: p, Why: isPrivate}
			} else if why := m.unnameable(ctx, p); why != "" {
				out[p] = VaultFile{Path: p, Why: why}
			} else if data, brought := m.brought(p); brought {
				out[p] = m.looked(VaultFile{Path: p, Size: int64(len(data))}, data)
			}
			continue
		}
		out[p] = f
		if f.Folder || f.Size > vault.MaxRead {
			continue
		}
		file, err := m.vault.Read(ctx, f.Path)
		if err != nil {
			continue
		}
		f = m.looked(f, file.Data)
		for _, p := range embedded(ctx, m.vault, f.Path, file.Data) {
			if file, err := m.vault.Read(ctx, p); err == nil {
				f.With = append(f.With, m.looked(VaultFile{Path: p, Size: int64(len(file.Data))}, file.Data))
			}
		}
		out[p] = f
	}
	return out, ctx.Err()
}

// looked is a file with what it is, where it is a picture or a document, and why it cannot be shown.
func (m *Mentions) looked(f VaultFile, data []byte) VaultFile {
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

// Locate says which file or folder of the vault an absolute path or a URL of Obsidian's means. Where it
// is none, its path is empty and why may say so to the user.
//
// A picture or a document outside the vault is brought for the message.
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

// InVault is Locate for a name that a program gives: what lies outside the vault is not opened.
func (m *Mentions) InVault(ctx context.Context, name string) VaultFile {
	f, _ := locate(ctx, m.vault, name)
	return f
}

// readOutside reads a file that is not of the vault, as far as a picture may be long; a pipe or a device is not
// waited for.
func readOutside(name string) ([]byte, error) {
	real := config.RealDir(name)
	root, err := os.OpenRoot(filepath.Dir(real))
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	file, _, err := statefile.Open(root, filepath.Base(real), os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	return io.ReadAll(io.LimitReader(file, picture.MaxBytes+1))
}

const outside = "That is outside this vault, so the agent cannot read it: your text is unchanged. Copy the file into the vault first."

// Files lists the files and folders, the newest first.
func (x attaching) Files(ctx context.Context) ([]VaultFile, error) {
	found, err := x.vault.List(ctx, search.ListQuery{Pattern: "**/*", MaxResults: maxOffered})
	if err != nil {
		return nil, err
	}
	out := make([]VaultFile, len(found.Entries))
	for i, e := range found.Entries {
		out[i] = VaultFile{Path: e.Path, Folder: e.Folder, Size: e.Size}
		if e.Folder {
			out[i].Size = 0
		}
	}
	countItems(out)
	return out, nil
}

// countItems gives each folder the number of what is in it.
func countItems(files []VaultFile) {
	items := map[string]int64{}
	for _, f := range files {
		items[path.Dir(f.Path)]++
	}
	for i := range files {
		if files[i].Folder {
			files[i].Size = items[files[i].Path]
		}
	}
}

// Said reads the aliases of notes and the tags.
func (m *Mentions) Said(ctx context.Context) (NoteWords, error) {
	v := m.vault
	var out NoteWords
	excluded := v.Ignored()
	var mu sync.Mutex
	err := v.Texts(ctx, "", func(_ int, t walk.Text) bool {
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
	tags, err := v.Tags(ctx, query.Scope{})
	if err != nil {
		return out, err
	}
	out.Tags = text.Of(tags.Tags, func(t query.TagCount) string { return t.Name })
	return out, nil
}

// LinkText returns what gives the shortest text by which a link means one of some files.
func LinkText(files []VaultFile) func(path string) string {
	var paths []string
	for _, f := range files {
		if !f.Folder {
			paths = append(paths, f.Path)
		}
	}
	return link.NewNames(paths).Text
}

// Headings are those of a note, in order, without "#"; the note is named as in a link.
func (x attaching) Headings(ctx context.Context, note string) ([]string, error) {
	names, err := x.vault.LinkNames(ctx)
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

// visibleFile is a file or folder of the vault that may be seen; not ok: there is none.
func visibleFile(ctx context.Context, v *vault.Vault, p string) (VaultFile, bool) {
	if p = strings.TrimSuffix(p, "/"); p == "" || p == "." {
		return VaultFile{}, false
	}
	info, err := v.Stat(ctx, p)
	if err != nil {
		return VaultFile{}, false
	}
	f := VaultFile{Path: info.Path, Folder: info.Folder, Size: info.Size}
	if info.Folder {
		f.Size = int64(info.Items)
	}
	return f, info.Path != "."
}

// locate finds the file of the vault that was dropped on the terminal: an absolute path, or a URL
// of Obsidian's that names this vault.
func locate(ctx context.Context, v *vault.Vault, dropped string) (f VaultFile, why string) {
	if strings.HasPrefix(strings.ToLower(dropped), "obsidian:") {
		return locateURL(ctx, v, dropped)
	}
	rel, ok := withinVault(v.Dir(), dropped)
	if ok && rel == "." {
		return f, "That is the vault itself, all of which the agent can read: ask about it as it is."
	}
	if !ok {
		if _, err := os.Lstat(dropped); err == nil {
			return f, outside
		}
		return f, "" // a text that begins with a slash
	}
	if f, ok = visibleFile(ctx, v, rel); !ok {
		return VaultFile{}, "The agent may not read that, or it is not there: your text is unchanged."
	}
	return f, ""
}

// withinVault is an absolute path relative to the vault's folder, whichever of the two goes through
// links.
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

// locateURL finds the note that obsidian://open?vault=…&file=… or ?path=… names.
func locateURL(ctx context.Context, v *vault.Vault, text string) (f VaultFile, why string) {
	u, err := url.Parse(text)
	if err != nil {
		return f, ""
	}
	q := u.Query()
	if abs, _, _ := strings.Cut(q.Get("path"), "#"); abs != "" {
		f, why := locate(ctx, v, abs)
		if f.Path == "" && !strings.HasSuffix(strings.ToLower(abs), ".md") {
			if g, _ := locate(ctx, v, abs+".md"); g.Path != "" {
				return g, ""
			}
		}
		return f, why
	}
	name := q.Get("vault")
	file, _, _ := strings.Cut(q.Get("file"), "#")
	if name == "" || file == "" { // obsidian://vault/NAME/FILE
		if u.Host != "vault" {
			return f, ""
		}
		name, file, _ = strings.Cut(strings.TrimPrefix(u.Path, "/"), "/")
	}
	if !strings.EqualFold(name, v.Name()) {
		return f, "That note is of another vault, “" + name + "”: your text is unchanged. /vault switches to it."
	}
	names, err := v.LinkNames(ctx)
	if err != nil {
		return f, ""
	}
	if p, ok := names.Resolve("", link.Link{Kind: link.Wiki, Path: file}); ok && p != "" {
		if f, ok := visibleFile(ctx, v, p); ok {
			return f, ""
		}
	}
	if f, ok := visibleFile(ctx, v, file); ok {
		return f, ""
	}
	return VaultFile{}, "There is no note “" + file + "” in this vault: your text is unchanged."
}

// Within says whether an absolute path is in the vault's folder, whether or not it may be seen.
func (m *Mentions) Within(file string) bool {
	if !filepath.IsAbs(file) {
		return false
	}
	_, ok := withinVault(m.vault.Dir(), file)
	return ok
}
