package complete

import (
	"context"
	"path"
	"strings"

	tea "charm.land/bubbletea/v2"

	"chatvault/internal/session"
	"chatvault/internal/text"
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
	files, notes, tags *Corpus
	linked             int     // number of times notes were computed
	headings           *Corpus // for headingsOf
	headingsOf         string
	list               []session.VaultFile
	said               session.NoteWords

	readingFiles, readingSaid bool
}

// corpus returns the names for a trigger.
func (c *Completion) corpus(t Trigger) *Corpus {
	n := &c.names
	switch t.Kind {
	case Note:
		return n.notes
	case File:
		return n.files
	case Tag:
		return n.tags
	case Heading:
		if n.headingsOf == t.Note {
			return n.headings
		}
	case Command:
		return NewCorpus(c.commands.Items())
	}
	return nil
}

// loadNames returns a command that reads the names for a new trigger.
func (c *Completion) loadNames() tea.Cmd {
	n, kind := &c.names, c.trigger.Kind
	var cmds []tea.Cmd
	if (kind == Note || kind == File) && !n.readingFiles {
		cmds = append(cmds, c.readFiles())
	}
	if (kind == Note || kind == Tag) && !n.readingSaid {
		cmds = append(cmds, c.readSaid())
	}
	switch {
	case kind == Command && c.trigger.Query == "": // the vault's own commands may have changed
		cmds = append(cmds, c.commands.Look())
	case kind == Heading:
		cmds = append(cmds, c.readHeadings(c.trigger.Note))
	}
	return tea.Batch(cmds...)
}

func (c *Completion) readFiles() tea.Cmd {
	n := &c.names
	n.readingFiles = true
	return loop.Then(c.ctx, c.vault.Files, func(all []session.VaultFile, err error) tea.Cmd {
		if n.readingFiles = false; err != nil {
			return nil // keeps the known names
		}
		n.list = all
		return c.link(func() *Corpus { return NewCorpus(fileItems(all)) }, &n.files)
	})
}

func (c *Completion) readSaid() tea.Cmd {
	n := &c.names
	n.readingSaid = true
	return loop.Then(c.ctx, c.vault.Said, func(said session.NoteWords, err error) tea.Cmd {
		if n.readingSaid = false; err != nil {
			return nil
		}
		n.said = said
		return c.link(func() *Corpus { return NewCorpus(tagItems(said.Tags)) }, &n.tags)
	})
}

func (c *Completion) readHeadings(note string) tea.Cmd {
	read := func(ctx context.Context) (*Corpus, error) {
		headings, _ := c.vault.Headings(ctx, note) // no headings on error
		return NewCorpus(headingItems(note, headings)), nil
	}
	return loop.Then(c.ctx, read, func(headings *Corpus, _ error) tea.Cmd {
		if c.trigger.Note == note {
			c.names.headingsOf, c.names.headings = note, headings
			c.offerAgain()
		}
		return nil
	})
}

// link computes names and link targets in the background.
func (c *Completion) link(ready func() *Corpus, as **Corpus) tea.Cmd {
	n := &c.names
	n.linked++
	id, all, aliases := n.linked, n.list, n.said.Aliases
	return func() tea.Msg {
		names, notes := ready(), NewCorpus(noteItems(all, aliases))
		return loop.Do(func() tea.Cmd {
			*as = names
			if n.notes == nil || id == n.linked { // otherwise newer names were computed in the meantime
				n.notes = notes
			}
			c.offerAgain()
			return nil
		})
	}
}

// offerAgain recomputes the candidates and keeps the chosen one.
func (c *Completion) offerAgain() {
	if c.trigger.Kind == None {
		return
	}
	was, chosen := c.hits, c.at
	c.offer()
	if chosen <= 0 || chosen >= len(was) {
		return
	}
	for i := range c.hits {
		if c.hits[i].Insert == was[chosen].Insert {
			c.at = i
		}
	}
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

func tagItems(tags []string) []Item {
	out := make([]Item, len(tags))
	for i, t := range tags {
		out[i] = Item{Text: t, Insert: "#" + t + " ", Size: -1}
	}
	return out
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
