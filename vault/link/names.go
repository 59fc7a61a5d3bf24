package link

// Names are the files of a vault, by name, for finding out which of them a link means. Paths are
// true names with "/". It is not safe for concurrent use while it is changed.
type Names struct {
	paths map[string]bool
}

// NewNames returns the set of these paths, all the vault's visible files.
func NewNames(paths []string) *Names {
	n := &Names{paths: make(map[string]bool, len(paths))}
	for _, p := range paths {
		n.paths[p] = true
	}
	return n
}
