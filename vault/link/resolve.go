package link

import (
	"path"
	"slices"
	"strings"
)

// Resolve returns the file that a link in the file from means, as Obsidian does:
//
//   - A path that begins with "./" or "../" is relative to the link's own folder, one that begins with "/" to the
//     vault; there is no fallback.
//   - Any other path means the file with exactly this path in the vault, else one whose path ends in it: those below
//     the link's own folder first, then by shortest path.
//   - ".md" may be omitted, other extensions may not. In a wikilink, a name without an extension means the note
//     rather than a file without an extension.
//   - Otherwise the path may be the ID of a note, or a page's title in Logseq.
//   - Case and Unicode normal form are ignored, but an exactly spelled file takes precedence.
//
// An HTML link is relative, and so is a Markdown link in a folder without Obsidian if that leads somewhere (see
// Names.Plain). Both may lead to a folder, whose path ends in "/". A link without a path means its own note.
func (n *Names) Resolve(from string, l Link) (string, bool) {
	if l.Path == "" && l.Kind != Canvas {
		return from, true
	}
	return n.resolve(from, l.Path, l.Kind)
}

// resolve is Resolve for a path.
func (n *Names) resolve(from, p string, kind Kind) (string, bool) {
	switch {
	case strings.HasPrefix(p, "((") && n.Logseq:
		return n.byAlt[key(p)], n.byAlt[key(p)] != ""
	case kind == Canvas:
		return n.exactly(p)
	case kind == HTML || isDotPath(p) || p[0] == '/':
		return n.relative(from, p, kind)
	case n.Plain && kind.markdown():
		if found, ok := n.relative(from, p, kind); ok {
			return found, true
		}
	}
	if !strings.HasSuffix(p, "/") {
		for _, find := range [...]func(from, p string) (string, bool){n.byFullPath, n.bySuffix} {
			for _, p := range spellings(p, kind) {
				if found, ok := find(from, p); ok {
					return found, true
				}
			}
		}
	}
	if kind.markdown() { // a folder
		return n.relative(from, p, kind)
	}
	found := n.byAlt[key(p)]
	return found, found != ""
}

// isDotPath reports whether a path begins with "." or ".." as a component.
func isDotPath(p string) bool {
	return p == "." || p == ".." || strings.HasPrefix(p, "./") || strings.HasPrefix(p, "../")
}

// spellings returns the paths that a link's path may stand for, the likeliest first.
func spellings(p string, kind Kind) [2]string {
	if path.Ext(p) == "" && !kind.markdown() {
		return [...]string{p + ".md", p}
	}
	return [...]string{p, p + ".md"}
}

// Place returns the path, from the vault's root, of p relative to the folder of the file from; with a leading "/" it
// is relative to the vault. It begins with ".." outside of the vault.
func Place(from, p string) string {
	if strings.HasPrefix(p, "/") {
		return path.Clean(p[1:])
	}
	return path.Join(path.Dir(from), p)
}

// Meant returns the path of the missing file of a link that leads nowhere. Links to the same missing file have the
// same one.
func (n *Names) Meant(from string, l Link) string {
	if l.Kind == HTML || n.Plain && l.Kind.markdown() || isDotPath(l.Path) {
		return Place(from, l.Path)
	}
	return l.Path
}

// relative returns the file or folder at Place(from, p).
func (n *Names) relative(from, p string, kind Kind) (string, bool) {
	place := Place(from, p)
	if base := path.Base(p); !strings.HasSuffix(p, "/") && base != "." && base != ".." {
		for _, p := range spellings(place, kind) {
			if found, ok := n.exactly(p); ok {
				return found, true
			}
		}
	}
	if kind.markdown() {
		return n.exactly(place + "/")
	}
	return "", false
}

// exactly returns the file with this path in the vault.
func (n *Names) exactly(p string) (string, bool) {
	return n.bestSpelling(key(p), p)
}

// byFullPath is exactly with the signature of tail.
func (n *Names) byFullPath(_, p string) (string, bool) { return n.exactly(p) }

// bySuffix returns the file whose path ends in p.
func (n *Names) bySuffix(from, p string) (string, bool) {
	k := key(p)
	list := n.byBase[path.Base(k)]
	if len(list) == 0 {
		return "", false
	}
	below := ""
	if dir := path.Dir(from); dir != "." {
		below = key(dir) + "/"
		if found, ok := n.bestSpelling(below+k, path.Join(dir, p)); ok {
			return found, true
		}
	}
	at := -1
	for i, e := range list { // shortest first
		if len(e.folded) <= len(k) || !strings.HasSuffix(e.folded, k) || e.folded[len(e.folded)-len(k)-1] != '/' {
			continue
		}
		if under := strings.HasPrefix(e.folded, below); at < 0 || under {
			if at = i; under {
				break
			}
		}
	}
	if at < 0 {
		return "", false
	}
	for _, twin := range n.byPath[list[at].folded] {
		if strings.HasSuffix(twin.path, "/"+p) {
			return twin.path, true
		}
	}
	return list[at].path, true
}

// bestSpelling returns a file with the folded path. One spelled exactly like p takes precedence.
func (n *Names) bestSpelling(folded, p string) (found string, ok bool) {
	for _, e := range n.byPath[folded] {
		if !ok || e.path == p {
			found, ok = e.path, true
		}
	}
	return found, ok
}

// Candidates returns the files that a path in a link can mean, regardless of the link's folder: the file with exactly
// this path in the vault, else all files whose paths end in it, shortest first; ".md" may be omitted. Resolve selects
// one of them.
func (n *Names) Candidates(p string) []string {
	p = strings.TrimPrefix(p, "/")
	if p == "" || isDotPath(p) || strings.HasSuffix(p, "/") {
		return nil
	}
	for _, p := range spellings(p, Wiki) {
		if found, ok := n.exactly(p); ok {
			return []string{found}
		}
	}
	for _, p := range spellings(p, Wiki) {
		if all := n.endingIn(p); len(all) > 0 {
			return all
		}
	}
	if found := n.byAlt[key(p)]; found != "" {
		return []string{found}
	}
	return nil
}

// Text returns the shortest wikilink path that can mean only the file p, regardless of the link's folder.
func (n *Names) Text(p string) string {
	stem := p
	if strings.EqualFold(path.Ext(p), ".md") {
		stem = p[:len(p)-len(".md")]
	}
	for _, text := range [...]string{path.Base(stem), path.Base(p), stem} {
		if found := n.Candidates(text); len(found) == 1 && found[0] == p {
			return text
		}
	}
	return p
}

// endingIn returns the files whose paths end in "/" and p. If some are spelled exactly like p, it returns only those,
// which a link would prefer.
func (n *Names) endingIn(p string) (all []string) {
	k := "/" + key(p)
	var spelled []string
	for _, e := range n.byBase[k[strings.LastIndexByte(k, '/')+1:]] {
		if strings.HasSuffix(e.folded, k) {
			all = append(all, e.path)
			if strings.HasSuffix(e.path, "/"+p) {
				spelled = append(spelled, e.path)
			}
		}
	}
	if meant, ok := n.bySuffix("", p); ok && slices.Contains(spelled, meant) {
		return spelled
	}
	return all
}
