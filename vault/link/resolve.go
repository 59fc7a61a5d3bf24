package link

import (
	"path"
	"strings"
)

// Resolve says which file a link in the file from means, as Obsidian does:
//
//   - a path that begins with "./" or "../" is relative to the link's own folder, and one that
//     begins with "/" to the vault; they mean that file or none;
//   - any other means the file with exactly this path in the vault, else that below the link's
//     own folder, else that with the shortest path which ends in it;
//   - ".md" may be left away, every other extension is needed; a file that has none comes before
//     the note;
//   - case and Unicode normal form are ignored, but of several files that differ in them only
//     the one that is spelled as the link is meant.
//
// A link without a path means the note it is in.
func (n *Names) Resolve(from string, l Link) (string, bool) {
	if l.Path == "" {
		return from, l.Kind != Canvas
	}
	return n.resolve(from, l.Path, l.Kind == Canvas)
}

// resolve is Resolve for a path. exact: it is one of the vault's, with its extension.
func (n *Names) resolve(from, p string, exact bool) (string, bool) {
	switch {
	case exact:
		return n.exactly(p, p)
	case dotted(p):
		p = path.Join(path.Dir(from), p)
		if p == "." || p == ".." || strings.HasPrefix(p, "../") {
			return "", false
		}
		exact = true
	case p[0] == '/':
		p, exact = p[1:], true
	}
	if p == "" || strings.HasSuffix(p, "/") {
		return "", false
	}
	find := n.find
	if exact {
		find = n.exactly
	}
	if found, ok := find(from, p); ok {
		return found, true
	}
	return find(from, p+".md")
}

// dotted says whether a path is relative by its form.
func dotted(p string) bool {
	return p == "." || p == ".." || strings.HasPrefix(p, "./") || strings.HasPrefix(p, "../")
}

// exactly finds the file with this path in the vault.
func (n *Names) exactly(_, p string) (string, bool) {
	k := key(p)
	return bestSpelled(n.byBase[path.Base(k)], p, func(e name) bool { return e.folded == k })
}

// find finds the file that a path without a form of its own means.
func (n *Names) find(from, p string) (string, bool) {
	k := key(p)
	list := n.byBase[path.Base(k)]
	if len(list) == 0 {
		return "", false
	}
	if found, ok := bestSpelled(list, p, func(e name) bool { return e.folded == k }); ok {
		return found, true
	}
	if dir := path.Dir(from); dir != "." {
		own := path.Join(dir, p)
		ownKey := key(dir) + "/" + k
		if found, ok := bestSpelled(list, own, func(e name) bool { return e.folded == ownKey }); ok {
			return found, true
		}
	}
	below := func(e name) bool {
		return len(e.folded) > len(k) && strings.HasSuffix(e.folded, k) && e.folded[len(e.folded)-len(k)-1] == '/'
	}
	for _, shortest := range list {
		if !below(shortest) {
			continue
		}
		for _, twin := range list {
			if twin.folded == shortest.folded && strings.HasSuffix(twin.path, "/"+p) {
				return twin.path, true
			}
		}
		return shortest.path, true
	}
	return "", false
}

// bestSpelled is the first file that fits, but one spelled as p before any other.
func bestSpelled(list []name, p string, fits func(name) bool) (found string, ok bool) {
	for _, e := range list {
		if !fits(e) {
			continue
		}
		if e.path == p {
			return p, true
		}
		if !ok {
			found, ok = e.path, true
		}
	}
	return found, ok
}
