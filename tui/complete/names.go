package complete

import (
	"context"
	"path"
	"strings"

	tea "charm.land/bubbletea/v2"

	"chatvault/internal/app/session"
	"chatvault/internal/base/text"
	"chatvault/tui/loop"
)

// Vault provides names for completion and mentions. It hides private files.
type Vault interface {
	// Files returns the files and folders, newest first.
	Files(ctx context.Context) ([]session.VaultFile, error)
	// Said returns aliases and tags.
	Said(ctx context.Context) (session.NoteWords, error)
	// Headings returns the headings of a note from the top, without "#". The note is named as in a link.
	Headings(ctx context.Context, note string) ([]string, error)
	// Find looks up mentioned paths. The result is keyed by the given path and omits missing and private files.
	Find(ctx context.Context, paths []string) (map[string]session.VaultFile, error)
	// Locate returns the file or folder of the vault meant by an absolute path or an obsidian: URL. If there is none,
	// Path is empty, and why may hold an explanation for the user.
	Locate(ctx context.Context, dropped string) (f session.VaultFile, why string)
	// Bring stores a picture from outside the vault for a message, which refers to it by its Path.
	Bring(ctx context.Context, name string, data []byte) (session.VaultFile, error)
}

// names caches names of the vault.
type names struct {
	known      map[Kind]*Corpus
	headingsOf string // the note whose headings are known
}

// corpus returns the names for a trigger.
func (c *Completion) corpus(t Trigger) *Corpus {
	switch {
	case t.Kind == Command:
		return NewCorpus(c.commands.Items())
	case t.Kind == Heading && c.names.headingsOf != t.Note:
		return nil
	}
	return c.names.known[t.Kind]
}

// loadNames returns a command that reads the names for a new trigger. Known names are kept if that fails.
func (c *Completion) loadNames() tea.Cmd {
	n, kind, note := &c.names, c.trigger.Kind, c.trigger.Note
	switch kind {
	case None, Sentence:
		return nil
	case Command: // the vault's own commands may have changed
		return c.commands.Look()
	}
	read := func(ctx context.Context) (*Corpus, error) {
		items, err := c.items(ctx, kind, note)
		return NewCorpus(items), err
	}
	return loop.Then(c.ctx, read, func(got *Corpus, err error) tea.Cmd {
		if err == nil && (kind != Heading || c.trigger.Note == note) {
			n.known[kind] = got
			if kind == Heading {
				n.headingsOf = note
			}
			c.offer()
		}
		return nil
	})
}

// items returns the candidates of a kind; note is the one whose headings are wanted.
func (c *Completion) items(ctx context.Context, kind Kind, note string) ([]Item, error) {
	switch kind {
	case Heading:
		headings, _ := c.vault.Headings(ctx, note) // no headings on error
		return headingItems(note, headings), nil
	case Tag:
		said, err := c.vault.Said(ctx)
		var tags []Item
		for _, t := range said.Tags {
			tags = append(tags, Item{Text: t, Insert: "#" + t + " ", Size: -1})
		}
		return tags, err
	}
	files, err := c.vault.Files(ctx)
	if kind == File || err != nil {
		return fileItems(files), err
	}
	said, _ := c.vault.Said(ctx) // no aliases on error
	return noteItems(files, said.Aliases), nil
}

// fileItems returns candidates for mentions of files and folders.
func fileItems(list []session.VaultFile) []Item {
	out := make([]Item, len(list))
	for i, f := range list {
		name := f.Path
		if f.Folder {
			name += "/"
		}
		out[i] = Item{Text: name, Insert: Mention(name) + " ", Size: f.Size}
		if f.Folder {
			out[i].Size, out[i].Detail = -1, folderSize(f.Size)
		}
	}
	return out
}

func folderSize(entries int64) string {
	if entries < 0 {
		return "folder"
	}
	return text.Count(int(entries), "item")
}

// noteItems returns candidates for links to notes, other files and aliases. A link contains the file's name, with its
// folders if the name is ambiguous.
func noteItems(list []session.VaultFile, aliases []session.NoteAlias) []Item {
	const notNote = 120 // penalty for files other than notes
	link := session.LinkText(list)
	out := make([]Item, 0, len(list)+len(aliases))
	for _, f := range list {
		if f.Folder {
			continue
		}
		item := Item{Text: WithoutMD(f.Path), Insert: "[[" + link(f.Path) + "]]", Size: -1}
		if item.Text == f.Path {
			item.Less = notNote
		}
		out = append(out, item)
	}
	for _, a := range aliases {
		if strings.ContainsAny(a.Alias, "[]|\n") {
			continue
		}
		out = append(out, Item{Text: a.Alias, Insert: "[[" + link(a.Path) + "|" + a.Alias + "]]", Detail: "→ " + WithoutMD(a.Path), Size: -1})
	}
	return out
}

// WithoutMD returns a path without the extension .md.
func WithoutMD(p string) string {
	if ext := path.Ext(p); strings.EqualFold(ext, ".md") {
		return p[:len(p)-len(ext)]
	}
	return p
}

// headingItems returns candidates for links to headings, without characters that have a meaning in links, as Obsidian
// writes them.
func headingItems(note string, headings []string) []Item {
	var out []Item
	known := map[string]bool{}
	for _, h := range headings {
		plain := strings.Join(strings.FieldsFunc(h, func(r rune) bool { return r == ' ' || strings.ContainsRune("#^|[]\\\t\n", r) }), " ")
		if plain == "" || known[plain] {
			continue
		}
		known[plain] = true
		out = append(out, Item{Text: plain, Insert: "[[" + note + "#" + plain + "]]", Size: -1})
	}
	return out
}
