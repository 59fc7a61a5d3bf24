package link

import "strings"

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

// endingIn are the files whose paths end in a path, after a slash; of those that differ in case or
// normal form alone, the ones that are spelled as it is, where there are such.
func (n *Names) endingIn(p string) (all []string) {
	k := "/" + key(p)
	list := n.byBase[k[strings.LastIndexByte(k, '/')+1:]]
	spelled := map[string]bool{} // folded paths that a file has in this spelling
	for _, e := range list {
		if strings.HasSuffix(e.path, "/"+p) {
			spelled[e.folded] = true
		}
	}
	for _, e := range list {
		if strings.HasSuffix(e.folded, k) && (!spelled[e.folded] || strings.HasSuffix(e.path, "/"+p)) {
			all = append(all, e.path)
		}
	}
	return all
}
