package atomicfile

import "os"

// Together flushes very many files and folders of one file system at once, where that is as sure
// as one by one, and cheaper.
type Together struct{ dir *os.File }

// FlushTogether prepares it for the file system that root is on. It is nil where each file has to
// be flushed by itself: where the system cannot do it, does not say what goes wrong, or has much
// else to write. It has to be called before the first of the files is written, so that no failure
// is missed.
func FlushTogether(root *os.Root) *Together {
	dir, err := root.Open(".")
	if err != nil {
		return nil
	}
	if !canFlushTogether(dir) {
		_ = dir.Close()
		return nil
	}
	return &Together{dir}
}

// Flush returns when all that was written before is on the disk.
func (t *Together) Flush() error { return flushAll(t.dir) }

// Close releases it; t may be nil.
func (t *Together) Close() {
	if t != nil {
		_ = t.dir.Close() // it was only flushed
	}
}
