package complete

import (
	"context"
	"path"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"chatvault/internal/session"
	"chatvault/tui/loop"
	"chatvault/tui/phrase"
)

// Vault is what completion and mentions need of the vault: only what may be seen, by the same
// rules as everything else.
type Vault interface {
	// Files lists the files and folders, the newest first.
	Files(ctx context.Context) ([]session.VaultFile, error)
	// Said reads aliases and tags.
	Said(ctx context.Context) (session.NoteWords, error)
	// Headings are those of a note, in order, without "#"; the note is named as in a link.
	Headings(ctx context.Context, note string) ([]string, error)
	// Find looks up paths that a message mentions; those that are not there, or must not be seen,
	// are left out of what it gives, which is by the path as it was given.
	Find(ctx context.Context, paths []string) (map[string]session.VaultFile, error)
	// Locate says which file or folder of the vault an absolute path or a URL of Obsidian's means.
	// Where it is none, Path is empty and why may say so to the user.
	Locate(ctx context.Context, dropped string) (f session.VaultFile, why string)
	// Bring keeps a picture that is not of the vault for the message, which names it by its Path.
	Bring(ctx context.Context, name string, data []byte) (session.VaultFile, error)
}

// How long what was read is taken for true when a name begins to be written.
const (
	filesAge = 2 * time.Second
	saidAge  = 15 * time.Second
)

// names is what was read of the vault, made ready to be gone through.
type names struct {
	files, notes, tags *Corpus
	headings           *Corpus // of headingsOf
	headingsOf         string
	filesAt, saidAt    time.Time // when they were read; zero: never
	list               []session.VaultFile
	said               session.NoteWords

	readingFiles, readingSaid bool
	readingHeadings           string
}

// linked is what links may be to, as files and other names were at a time.
type linked struct {
	notes           *Corpus
	filesAt, saidAt time.Time
}

// corpus are the names that a trigger asks for.
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

// wantNames has what the name that is being written needs read, beside the screen's loop.
func (c *Completion) wantNames() tea.Cmd {
	n, kind := &c.names, c.trigger.Kind
	var cmds []tea.Cmd
	old := func(at time.Time, age time.Duration) bool { return at.IsZero() || c.now().Sub(at) > age }
	if (kind == Note || kind == File) && !n.readingFiles && old(n.filesAt, filesAge) {
		cmds = append(cmds, c.readFiles())
	}
	if (kind == Note || kind == Tag) && !n.readingSaid && old(n.saidAt, saidAge) {
		cmds = append(cmds, c.readSaid())
	}
	if kind == Command && c.trigger.Query == "" { // the vault's own may have changed
		cmds = append(cmds, c.commands.Look())
	}
	if note := c.trigger.Note; kind == Heading && n.headingsOf != note && n.readingHeadings != note {
		cmds = append(cmds, c.readHeadings(note))
	}
	return tea.Batch(cmds...)
}

func (c *Completion) readFiles() tea.Cmd {
	n, ctx, read := &c.names, c.ctx, c.vault.Files
	n.readingFiles = true
	aliases, saidAt, now := n.said.Aliases, n.saidAt, c.now()
	return func() tea.Msg {
		all, err := read(ctx)
		files, notes := NewCorpus(fileItems(all)), NewCorpus(noteItems(all, aliases))
		return loop.Do(func() tea.Cmd {
			if n.readingFiles = false; err != nil {
				return nil // what was known stays
			}
			n.list, n.files, n.filesAt = all, files, now
			return c.link(linked{notes, now, saidAt})
		})
	}
}

func (c *Completion) readSaid() tea.Cmd {
	n, ctx, read := &c.names, c.ctx, c.vault.Said
	n.readingSaid = true
	all, filesAt, now := n.list, n.filesAt, c.now()
	return func() tea.Msg {
		said, err := read(ctx)
		tags, notes := NewCorpus(tagItems(said.Tags)), NewCorpus(noteItems(all, said.Aliases))
		return loop.Do(func() tea.Cmd {
			if n.readingSaid = false; err != nil {
				return nil
			}
			n.said, n.tags, n.saidAt = said, tags, now
			return c.link(linked{notes, filesAt, now})
		})
	}
}

func (c *Completion) readHeadings(note string) tea.Cmd {
	n, ctx, read := &c.names, c.ctx, c.vault.Headings
	n.readingHeadings = note
	return func() tea.Msg {
		headings, _ := read(ctx, note) // where there are none, none are offered
		corpus := NewCorpus(headingItems(note, headings))
		return loop.Do(func() tea.Cmd {
			if n.readingHeadings == note {
				n.readingHeadings, n.headingsOf, n.headings = "", note, corpus
			}
			c.offerAgain()
			return nil
		})
	}
}

// link takes what links may be to; where the one half of it was read meanwhile, that is brought
// together first.
func (c *Completion) link(l linked) tea.Cmd {
	n := &c.names
	if n.notes == nil || l.filesAt.Equal(n.filesAt) {
		n.notes = l.notes
	}
	c.offerAgain()
	if l.filesAt.Equal(n.filesAt) && l.saidAt.Equal(n.saidAt) {
		return nil
	}
	all, aliases := n.list, n.said.Aliases
	l.filesAt, l.saidAt = n.filesAt, n.saidAt
	return func() tea.Msg {
		l.notes = NewCorpus(noteItems(all, aliases))
		return loop.Do(func() tea.Cmd { return c.link(l) })
	}
}

// offerAgain offers from what is known by now; what is chosen stays so.
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

// fileItems are files and folders as mentions.
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
	return phrase.Count(int(entries), "item", "items")
}

// noteItems are notes and other files as links, and the other names of notes. A link names a note
// by its file's name, with its folders where another one is called the same.
func noteItems(list []session.VaultFile, aliases []session.NoteAlias) []Item {
	const notNote = 120 // other files are meant less often
	called := make(map[string]int, len(list))
	for _, f := range list {
		if !f.Folder {
			called[strings.ToLower(path.Base(f.Path))]++
		}
	}
	link := func(p string) string {
		if called[strings.ToLower(path.Base(p))] == 1 {
			p = path.Base(p)
		}
		return WithoutMD(p)
	}
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

// WithoutMD is a path without what says that it is a note.
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

// headingItems are a note's headings as links; Obsidian writes them without the signs that mean
// something in a link.
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
