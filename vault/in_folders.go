package vault

import (
	"context"
	"fmt"
	"os"
	"path"
	"sync"
	"sync/atomic"
)

const (
	// stageTogether is how many files of one folder are written one after the other.
	stageTogether = 4
	// folderWorkers is how many folders are worked in at the same time: most of it is waiting for
	// the disk.
	folderWorkers = 32
)

// inFolders calls do for each of some paths with its open folder and its name there. Paths of one
// folder that follow each other are taken in order, at most together of them, everything else
// several at the same time. When one fails none begins any more, and the error is the first by
// path. A folder is reached through no link.
func (v *Vault) inFolders(ctx context.Context, paths []string, together int, do func(dir *os.Root, name string, i int) error) error {
	type part struct{ from, to int }
	var parts []part
	for i := range paths {
		last := len(parts) - 1
		if last >= 0 && parts[last].to-parts[last].from < together && path.Dir(paths[i]) == path.Dir(paths[i-1]) {
			parts[last].to++
		} else {
			parts = append(parts, part{i, i + 1})
		}
	}
	var failed atomic.Bool
	work := func(p part) error {
		dir, _, err := v.holder(ctx, paths[p.from])
		if err != nil {
			return err
		}
		defer func() { _ = dir.Close() }()
		for i := p.from; i < p.to && !failed.Load(); i++ {
			if err := do(dir, path.Base(paths[i]), i); err != nil {
				return err
			}
		}
		return nil
	}
	errs := make([]error, len(parts))
	inParallel(len(parts), folderWorkers, func(k int) {
		defer func() {
			if fault := recover(); fault != nil {
				errs[k] = fmt.Errorf("internal error: %v", fault)
			}
			if errs[k] != nil {
				failed.Store(true)
			}
		}()
		errs[k] = work(parts[k])
	})
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// inParallel calls do for 0 to n-1, at most workers at a time.
func inParallel(n, workers int, do func(k int)) {
	var next atomic.Int64
	var done sync.WaitGroup
	for range min(n, workers) {
		done.Go(func() {
			for k := int(next.Add(1)) - 1; k < n; k = int(next.Add(1)) - 1 {
				do(k)
			}
		})
	}
	done.Wait()
}
