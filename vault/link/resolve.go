package link

import (
	"path"
	"slices"
	"strings"
)

// Resolve says which file a link in the file from means, as Obsidian does:
//
//   - a path that begins with "./" or "../" is relative to the link's own folder, and one that
//     begins with "/" to the vault; they mean that file or none;
//   - any other means the file with exactly this path in the vault, else one whose path ends in it:
//     one below the link's own folder before the others, the one with the shortest path first;
//   - ".md" may be left away, every other extension is needed; in a wikilink a name without one means
//     the note before the file that has none;
//   - case and Unicode normal form are ignored, but of several files that differ in them only
//     the one that is spelled as the link is meant.
//
// A link of HTML's is relative, as is one of Markdown's in a folder that is not Obsidian's, where that
// leads somewhere (see Names.Plain). Both may lead to a folder, whose path ends in "/". A link without
// a path means the note it is in.
func (n *Names) Resolve(from string, l Link) (string, bool) {
	if l.Path == "" && l.Kind != Canvas {
		return from, true
	}
	return n.resolve(from, l.Path, l.Kind)
}

// resolve is Resolve for a path.
func (n *Names) resolve(from, p string, kind Kind) (string, bool) {
	switch {
	case kind == Canvas:
		return n.exactly(p)
	case kind == HTML || dotted(p) || p[0] == '/':
		return n.relative(from, p, kind)
	case n.Plain && kind.markdown():
		if found, ok := n.relative(from, p, kind); ok {
			return found, true
		}
	}
	if !strings.HasSuffix(p, "/") {
		for _, find := range [...]func(from, p string) (string, bool){n.whole, n.tail} {
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
	return "", false
}

// dotted says whether a path is relative by its form.
func dotted(p string) bool {
	return p == "." || p == ".." || strings.HasPrefix(p, "./") || strings.HasPrefix(p, "../")
}

// spellings are the paths that a link may mean with one, the likeliest first.
func spellings(p string, kind Kind) [2]string {
	if path.Ext(p) == "" && !kind.markdown() {
		return [...]string{p + ".md", p}
	}
	return [...]string{p, p + ".md"}
}

// Place is the path, from the vault's root, that a path in a file means if it is relative to the file's
// folder or, with "/" before it, to the vault. It begins with ".." where it is outside of the vault.
func Place(from, p string) string {
	if strings.HasPrefix(p, "/") {
		return path.Clean(p[1:])
	}
	return path.Join(path.Dir(from), p)
}

// Meant is the path that a link means which leads nowhere: two of them that mean the same miss the same file.
func (n *Names) Meant(from string, l Link) string {
	if l.Kind == HTML || n.Plain && l.Kind.markdown() || dotted(l.Path) {
		return Place(from, l.Path)
	}
	return l.Path
}

// relative finds the file, or the folder, at the place of a path.
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

// exactly finds the file with this path in the vault.
func (n *Names) exactly(p string) (string, bool) {
	k := key(p)
	return n.spelled(n.byBase[path.Base(k)], k, p)
}

// whole is exactly, for a link in any file.
func (n *Names) whole(_, p string) (string, bool) { return n.exactly(p) }

// tail finds the file that a path means whose end it is.
func (n *Names) tail(from, p string) (string, bool) {
	k := key(p)
	list := n.byBase[path.Base(k)]
	if len(list) == 0 {
		return "", false
	}
	below := ""
	if dir := path.Dir(from); dir != "." {
		below = key(dir) + "/"
		if found, ok := n.spelled(list, below+k, path.Join(dir, p)); ok {
			return found, true
		}
	}
	at := -1
	for i, e := range list { // the shortest first
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
	for _, twin := range n.called(list, list[at].folded) {
		if twin.folded == list[at].folded && strings.HasSuffix(twin.path, "/"+p) {
			return twin.path, true
		}
	}
	return list[at].path, true
}

// spelled finds the file with a folded path among those of its base name: the one that is spelled
// as p before any other.
func (n *Names) spelled(list []name, folded, p string) (found string, ok bool) {
	for _, e := range n.called(list, folded) {
		switch {
		case e.folded != folded:
		case e.path == p:
			return p, true
		case !ok:
			found, ok = e.path, true
		}
	}
	return found, ok
}

// Candidates are the files that a path, as a link in no particular folder has it, can mean: the one
// with exactly this path in the vault, else all whose paths end in it, the shortest first; ".md" may
// be left away. None: there is no such file. Resolve is for a link, which always means one.
func (n *Names) Candidates(p string) []string {
	p = strings.TrimPrefix(p, "/")
	if p == "" || dotted(p) || strings.HasSuffix(p, "/") {
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
	return nil
}

// Text is the shortest text of a wikilink, in no particular folder, that can mean a file alone.
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

// endingIn are the files whose paths end in a path, after a slash: those that are spelled as it is,
// where what a link means is one of them.
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
	if meant, ok := n.tail("", p); ok && slices.Contains(spelled, meant) {
		return spelled
	}
	return all
}
