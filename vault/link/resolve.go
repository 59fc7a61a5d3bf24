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
//   - any other means the file with exactly this path in the vault, else that below the link's
//     own folder, else that with the shortest path which ends in it;
//   - ".md" may be left away, every other extension is needed; a file that has none comes before
//     the note;
//   - case and Unicode normal form are ignored, but of several files that differ in them only
//     the one that is spelled as the link is meant.
//
// A link without a path means the note it is in.
func (n *Names) Resolve(from string, l Link) (string, bool) {
	if l.Path == "" && l.Kind != Canvas {
		return from, true
	}
	return n.resolve(from, l.Path, l.Kind == Canvas)
}

// resolve is Resolve for a path. exact: it is one of the vault's, with its extension.
func (n *Names) resolve(from, p string, exact bool) (string, bool) {
	switch {
	case exact:
		return n.exactly(from, p)
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
	return n.spelled(n.byBase[path.Base(k)], k, p)
}

// find finds the file that a path without a form of its own means.
func (n *Names) find(from, p string) (string, bool) {
	k := key(p)
	list := n.byBase[path.Base(k)]
	if len(list) == 0 {
		return "", false
	}
	if found, ok := n.spelled(list, k, p); ok {
		return found, true
	}
	if dir := path.Dir(from); dir != "." {
		if found, ok := n.spelled(list, key(dir)+"/"+k, path.Join(dir, p)); ok {
			return found, true
		}
	}
	for _, e := range list { // the shortest first
		if len(e.folded) > len(k) && strings.HasSuffix(e.folded, k) && e.folded[len(e.folded)-len(k)-1] == '/' {
			for _, twin := range n.called(list, e.folded) {
				if twin.folded == e.folded && strings.HasSuffix(twin.path, "/"+p) {
					return twin.path, true
				}
			}
			return e.path, true
		}
	}
	return "", false
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
	for _, p := range []string{p, p + ".md"} {
		if found, ok := n.exactly("", p); ok {
			return []string{found}
		}
		if all := n.endingIn(p); len(all) > 0 {
			return all
		}
	}
	return nil
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
	if meant, ok := n.find("", p); ok && slices.Contains(spelled, meant) {
		return spelled
	}
	return all
}
