package link

import (
	"bytes"
	"path"
	"slices"
	"strings"
	"time"

	"chatvault/internal/base/lazyregexp"
	"chatvault/vault/block"
	"chatvault/vault/moment"
	"chatvault/vault/note"
)

// Home is the program that a vault is written for, as far as its links differ from Obsidian's. The zero Home is
// Obsidian.
type Home struct {
	// Plain is set for a folder without Obsidian: a Markdown link is relative to its own folder first, and only then
	// resolved by name.
	Plain   bool
	Dendron bool   // [[text|note#heading-of-it]]: the text comes first, and headings are in lower case with hyphens
	Logseq  bool   // [[a/b]] is the file a___b.md
	Journal string // Logseq: the format of a journal page's title

	file string // Logseq: the format of a journal page's file name
}

var (
	// zettelID matches the ID in a note's name: the time when it was created, or a number such as 1a2 at the start.
	zettelID = lazyregexp.New(`(?:^|[ _.-])(\d{12,14}[a-z]?)(?:$|[ _.-])`)
	folgeID  = lazyregexp.New(`^(\d+(?:[a-z]+\d*)+)[ _-]`)
)

// alternate returns another name by which links can mean a note: its ID or, in Logseq, its page's title; "" if none.
func (h Home) alternate(p string) string {
	name, isNote := strings.CutSuffix(path.Base(p), ".md")
	switch {
	case !isNote || !h.Logseq && !strings.ContainsAny(name, "0123456789"):
		return ""
	case h.Logseq:
		if day, err := time.Parse(strings.NewReplacer("YYYY", "2006", "MM", "01", "DD", "02").Replace(h.file), name); err == nil {
			return moment.LocaleOf("en").Format(h.Journal, day)
		}
		return percentDecoded(strings.ReplaceAll(name, "___", "/"))
	}
	m := zettelID().FindStringSubmatch(name)
	if m == nil && h.Plain {
		m = folgeID().FindStringSubmatch(name)
	}
	if m == nil {
		return ""
	}
	return m[1]
}

// Form returns where notes have their properties.
func (h Home) Form() note.Form {
	if h.Logseq {
		return note.InLines
	}
	return note.InFront
}

// Logseq returns the home of a graph of Logseq with these settings (config.edn).
func Logseq(settings []byte, plain bool) Home {
	return Home{Plain: plain, Logseq: true, Journal: moment.Logseq(settings, "page-title", "MMM do, yyyy"), file: moment.Logseq(settings, "file-name", "yyyy_MM_dd")}
}

var blockRef = lazyregexp.New(`\(\(([0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})\)\)`)

// NamesIn returns the names in a page of Logseq by which links mean it: its title, its aliases, and "((ID))" for its
// blocks.
func NamesIn(text []byte) (names []string) {
	for _, id := range note.BlockIDs(text) {
		names = append(names, "(("+id+"))")
	}
	properties, _ := note.InLines.Properties(text) // unreadable front matter has no names
	for _, p := range properties {
		switch {
		case note.IsAliases(p.Key):
			for _, alias := range note.Listed(p.Value, ",") {
				names = append(names, strings.TrimSuffix(strings.TrimPrefix(alias, "[["), "]]"))
			}
		case strings.EqualFold(p.Key, "title"):
			names = append(names, note.ValueText(p.Value))
		}
	}
	return names
}

// Add adds names by which links mean a file, unless they mean another one.
func (n *Names) Add(p string, names []string) {
	for _, name := range names {
		if k := key(name); n.byAlt[k] == "" && len(n.byBase[path.Base(k)+".md"]) == 0 {
			n.byAlt[k] = p
		}
	}
}

// blockRefs adds the block references of a text to its links.
func blockRefs(text []byte, all []Link) []Link {
	found := all
	lines := block.New(text)
	for lines.Scan() {
		if lines.Kind != block.Text && lines.Kind != block.Heading || !bytes.Contains(text[lines.Text:lines.End], []byte("((")) {
			continue
		}
		for _, m := range blockRef().FindAllIndex(text[lines.Text:lines.End], -1) {
			at := Span{lines.Text + m[0], lines.Text + m[1]}
			if !slices.ContainsFunc(all, func(l Link) bool { return l.Whole.Start < at.End && at.Start < l.Whole.End }) {
				found = append(found, Link{Kind: Wiki, Whole: at, Dest: at, Line: lines.Number, Path: string(text[at.Start:at.End])})
			}
		}
	}
	slices.SortStableFunc(found, func(a, b Link) int { return a.Whole.Start - b.Whole.Start })
	return found
}

// Links returns the links of a text, as the vault's program reads them.
func (n *Names) Links(name string, text []byte) []Link {
	all := Parse(name, text)
	if n.Logseq && bytes.Contains(text, []byte("((")) {
		all = blockRefs(text, all)
	}
	for i := range all {
		l := &all[i]
		l.slugs = n.Dendron || n.Plain && l.Kind.markdown()
		at := Span{l.Whole.End - len("]]") - len(l.Alias), l.Whole.End - len("]]")}
		if !n.Dendron || l.Alias == "" || l.Kind.markdown() || at.Start < l.Dest.End || string(text[at.Start:at.End]) != l.Alias {
			continue
		}
		if r, ok := wikiParts(text, at); ok {
			l.Dest, l.Path, l.Anchor, l.anchorAt, l.Alias = r.Dest, r.Path, r.Anchor, r.anchorAt, ""
		}
	}
	return all
}
