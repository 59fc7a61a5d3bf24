package statedir

import (
	"hash/fnv"
	"os"
	"slices"
)

// sketch stands for the names in a folder: the smallest of their hashes (MinHash, Broder 1997), so
// that two folders of the same names have the same sketch, and how many of two sketches agree tells
// how many names do.
func sketch(dir string) []uint32 {
	d, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer func() { _ = d.Close() }()
	names, _ := d.Readdirnames(maxNames) // what can be read is what counts
	var all []uint32
	for _, name := range names {
		if name == ".smarthole" || name == ".git" { // most vaults have them
			continue
		}
		h := fnv.New32a()
		_, _ = h.Write([]byte(name)) // a hash takes all
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

// alike says whether most of what was in a folder is in another. Two that are empty are.
func alike(was, is []uint32) bool {
	both := 0
	for _, h := range was {
		if _, there := slices.BinarySearch(is, h); there {
			both++
		}
	}
	return 2*both >= max(len(was), len(is))
}
