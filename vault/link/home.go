package link

import (
	"path"
	"strings"
	"time"

	"chatvault/internal/base/lazyregexp"
	"chatvault/vault/moment"
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
		if day, err := time.Parse("2006_01_02", name); err == nil {
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

// JournalFormat returns Logseq's format of a journal page's title in its settings, in the tokens of package moment.
func JournalFormat(settings []byte) string {
	format := "MMM do, yyyy"
	if m := journalFormat().FindSubmatch(settings); m != nil {
		format = string(m[1])
	}
	return strings.NewReplacer("yyyy", "YYYY", "do", "Do", "dd", "DD", "d", "D", "EEEE", "dddd", "EEE", "ddd", "E", "ddd").Replace(format)
}

var journalFormat = lazyregexp.New(`(?m)^[^;\n]*:journal/page-title-format\s+"([^"\n]+)"`)

// Links returns the links of a text, as the vault's program reads them.
func (n *Names) Links(name string, text []byte) []Link {
	all := Parse(name, text)
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
