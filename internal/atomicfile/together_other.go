//go:build !linux

package atomicfile

import (
	"errors"
	"os"
)

func canFlushTogether(*os.File) bool { return false }

func flushAll(*os.File) error { return errors.ErrUnsupported }
