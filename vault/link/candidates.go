package link

import (
	"slices"
	"strings"
)

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
