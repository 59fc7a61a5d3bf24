package statedir

import (
	"hash/fnv"
	"os"
	"slices"
)

// sketch returns a MinHash sketch of the names in a folder (Broder 1997): the smallest of their hashes. The overlap
// of two sketches estimates the overlap of the names.
func sketch(dir string) []uint32 {
	d, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer func() { _ = d.Close() }()
	names, _ := d.Readdirnames(maxNames) // best effort
	var all []uint32
	for _, name := range names {
		if name == ".smarthole" || name == ".git" { // common to most vaults
			continue
		}
		h := fnv.New32a()
		_, _ = h.Write([]byte(name)) // never fails
		all = append(all, h.Sum32())
	}
	slices.Sort(all)
	all = slices.Compact(all)
	return slices.Clone(all[:min(len(all), sketchSize)])
}

const (
	sketchSize = 64
	maxNames   = 20_000
)

// similar reports whether two folders share at least half of their names, judging by their sketches. Two empty folders
// are alike.
func similar(was, is []uint32) bool {
	both := 0
	for _, h := range was {
		if _, there := slices.BinarySearch(is, h); there {
			both++
		}
	}
	return 2*both >= max(len(was), len(is))
}
