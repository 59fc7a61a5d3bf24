package fsys

import (
	"fmt"
	"sync/atomic"

	"chatvault/internal/routine"
)

// InParallel calls do for 0 to n-1, at most workers at a time, and returns the errors by number. A
// panic is an error.
func InParallel(n, workers int, do func(i int) error) []error {
	errs := make([]error, n)
	one := func(i int) {
		defer func() {
			if fault := recover(); fault != nil {
				errs[i] = fmt.Errorf("internal error: %v", fault)
			}
		}()
		errs[i] = do(i)
	}
	var next atomic.Int64
	var done routine.Group
	for range min(n, workers) {
		done.Go("folders", func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				one(i)
			}
		})
	}
	done.Wait()
	return errs
}
