package tui

import (
	"context"
	"path"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"chatvault/internal/session"
	"chatvault/tui/complete"
	"chatvault/tui/phrase"
)

// Completing is what completion and mentions need of the vault: only what may be seen, by the same
// rules as everything else. What is nil is not offered.
type Completing struct {
	// Files lists the files and folders, the newest first.
	Files func(ctx context.Context) ([]session.VaultFile, error)
	// Said reads aliases and tags.
	Said func(ctx context.Context) (session.NoteWords, error)
	// Headings are those of a note, in order, without "#"; the note is named as in a link.
	Headings func(ctx context.Context, note string) ([]string, error)
	// Find looks up paths that a message mentions; those that are not there, or must not be seen,
	// are left out of what it gives, which is by the path as it was given.
	Find func(ctx context.Context, paths []string) (map[string]session.VaultFile, error)
	// Locate says which file or folder of the vault an absolute path or a URL of Obsidian's means.
	// Where it is none, Path is empty and why may say so to the user.
	Locate func(ctx context.Context, dropped string) (f session.VaultFile, why string)
}

// How long what was read is taken for true when a name begins to be written.
const (
	filesAge = 2 * time.Second
	saidAge  = 15 * time.Second
)

// names is what was read of the vault, made ready to be gone through.
type names struct {
	files, notes, tags *complete.Corpus
	headings           *complete.Corpus // of headingsOf
	headingsOf         string
	filesAt, saidAt    time.Time // when they were read; zero: never
	list               []session.VaultFile
	said               session.NoteWords

	readingFiles, readingSaid bool
	readingHeadings           string
}

type (
	filesMsg struct {
		list  []session.VaultFile
		files *complete.Corpus
		notesMsg
		err error
	}
	saidWordsMsg struct {
		said session.NoteWords
		tags *complete.Corpus
		notesMsg
		err error
	}
	// notesMsg brings what links may be to, as files and other names were at a time.
	notesMsg struct {
		notes           *complete.Corpus
		filesAt, saidAt time.Time
	}
	headingsMsg struct {
		note   string
		corpus *complete.Corpus
	}
)

// corpus are the names that a trigger asks for.
func (m *Model) corpus(t complete.Trigger) *complete.Corpus {
	n := &m.completion.names
	switch t.Kind {
	case complete.Note:
		return n.notes
	case complete.File:
		return n.files
	case complete.Tag:
		return n.tags
	case complete.Heading:
		if n.headingsOf == t.Note {
			return n.headings
		}
	case complete.Command:
		return complete.NewCorpus(commandNames(m.commands))
	}
	return nil
}

// wantNames has what the name that is being written needs read, beside the screen's loop.
func (m *Model) wantNames() tea.Cmd {
	c := &m.completion
	n, ctx, o := &c.names, m.ctx, m.o.Completing
	var cmds []tea.Cmd
	old := func(at time.Time, age time.Duration) bool { return at.IsZero() || m.now().Sub(at) > age }
	kind := c.trigger.Kind
	if (kind == complete.Note || kind == complete.File) && !n.readingFiles && old(n.filesAt, filesAge) {
		n.readingFiles = true
		aliases, saidAt, now := n.said.Aliases, n.saidAt, m.now()
		cmds = append(cmds, func() tea.Msg {
			list, err := o.Files(ctx)
			notes := complete.NewCorpus(noteItems(list, aliases))
			return filesMsg{list, complete.NewCorpus(fileItems(list)), notesMsg{notes, now, saidAt}, err}
		})
	}
	if (kind == complete.Note || kind == complete.Tag) && o.Said != nil && !n.readingSaid && old(n.saidAt, saidAge) {
		n.readingSaid = true
		list, filesAt, now := n.list, n.filesAt, m.now()
		cmds = append(cmds, func() tea.Msg {
			said, err := o.Said(ctx)
			notes := complete.NewCorpus(noteItems(list, said.Aliases))
			return saidWordsMsg{said, complete.NewCorpus(tagItems(said.Tags)), notesMsg{notes, filesAt, now}, err}
		})
	}
	if kind == complete.Command && c.trigger.Query == "" { // the vault's own may have changed
		cmds = append(cmds, m.lookForCustom(typedText{}))
	}
	if note := c.trigger.Note; kind == complete.Heading && n.headingsOf != note && n.readingHeadings != note {
		n.readingHeadings = note
		cmds = append(cmds, func() tea.Msg {
			headings, _ := o.Headings(ctx, note) // where there are none, none are offered
			return headingsMsg{note, complete.NewCorpus(headingItems(note, headings))}
		})
	}
	return tea.Batch(cmds...)
}

// named takes what was read, and offers it where it is still wanted.
func (m *Model) named(msg tea.Msg) (cmd tea.Cmd, known bool) {
	n := &m.completion.names
	switch msg := msg.(type) {
	case filesMsg:
		n.readingFiles = false
		if msg.err != nil {
			return nil, true // what was known stays
		}
		n.list, n.files, n.filesAt = msg.list, msg.files, msg.filesAt
		cmd = n.link(msg.notesMsg)
	case saidWordsMsg:
		n.readingSaid = false
		if msg.err != nil {
			return nil, true
		}
		n.said, n.tags, n.saidAt = msg.said, msg.tags, msg.saidAt
		cmd = n.link(msg.notesMsg)
	case notesMsg:
		cmd = n.link(msg)
	case headingsMsg:
		if n.readingHeadings == msg.note {
			n.readingHeadings, n.headingsOf, n.headings = "", msg.note, msg.corpus
		}
	case attachedMsg:
		return m.foundAttached(msg), true
	default:
		return nil, false
	}
	if c := &m.completion; c.trigger.Kind != complete.None {
		was, chosen := c.hits, c.at
		m.offer()
		if chosen > 0 && chosen < len(was) { // what is chosen stays so
			for i := range c.hits {
				if c.hits[i].Insert == was[chosen].Insert {
					c.at = i
				}
			}
		}
	}
	return cmd, true
}

// link takes what links may be to; where the one half of it was read meanwhile, that is brought
// together first.
func (n *names) link(msg notesMsg) tea.Cmd {
	if n.notes == nil || msg.filesAt.Equal(n.filesAt) {
		n.notes = msg.notes
	}
	if msg.filesAt.Equal(n.filesAt) && msg.saidAt.Equal(n.saidAt) {
		return nil
	}
	list, aliases := n.list, n.said.Aliases
	msg.filesAt, msg.saidAt = n.filesAt, n.saidAt
	return func() tea.Msg {
		msg.notes = complete.NewCorpus(noteItems(list, aliases))
		return msg
	}
}

// fileItems are files and folders as mentions.
func fileItems(list []session.VaultFile) []complete.Item {
	out := make([]complete.Item, len(list))
	for i, f := range list {
		name := f.Path
		if f.Folder {
			name += "/"
		}
		out[i] = complete.Item{Text: name, Insert: complete.Mention(name) + " ", Size: f.Size}
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
func noteItems(list []session.VaultFile, aliases []session.NoteAlias) []complete.Item {
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
		return withoutMD(p)
	}
	out := make([]complete.Item, 0, len(list)+len(aliases))
	for _, f := range list {
		if f.Folder {
			continue
		}
		item := complete.Item{Text: withoutMD(f.Path), Insert: "[[" + link(f.Path) + "]]", Size: -1}
		if item.Text == f.Path {
			item.Less = notNote
		}
		out = append(out, item)
	}
	for _, a := range aliases {
		if strings.ContainsAny(a.Alias, "[]|\n") {
			continue
		}
		out = append(out, complete.Item{Text: a.Alias, Insert: "[[" + link(a.Path) + "|" + a.Alias + "]]", Detail: "→ " + withoutMD(a.Path), Size: -1})
	}
	return out
}

// withoutMD is a path without what says that it is a note.
func withoutMD(p string) string {
	if ext := path.Ext(p); strings.EqualFold(ext, ".md") {
		return p[:len(p)-len(ext)]
	}
	return p
}

func tagItems(tags []string) []complete.Item {
	out := make([]complete.Item, len(tags))
	for i, t := range tags {
		out[i] = complete.Item{Text: t, Insert: "#" + t + " ", Size: -1}
	}
	return out
}

// headingItems are a note's headings as links; Obsidian writes them without the signs that mean
// something in a link.
func headingItems(note string, headings []string) []complete.Item {
	var out []complete.Item
	known := map[string]bool{}
	for _, h := range headings {
		plain := strings.Join(strings.FieldsFunc(h, func(r rune) bool { return r == ' ' || strings.ContainsRune("#^|[]\\\t\n", r) }), " ")
		if plain == "" || known[plain] {
			continue
		}
		known[plain] = true
		out = append(out, complete.Item{Text: plain, Insert: "[[" + note + "#" + plain + "]]", Size: -1})
	}
	return out
}
