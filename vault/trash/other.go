//go:build !(linux || freebsd || netbsd || openbsd || dragonfly)

package trash

import (
	"errors"

	"chatvault/vault/lookup"
)

// system returns an error on systems without the FreeDesktop.org trash.
func (Trash) system(*lookup.Place) (string, error) {
	return "", errors.New("not supported on this system")
}
