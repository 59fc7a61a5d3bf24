//go:build !(linux || freebsd || netbsd || openbsd || dragonfly)

package vault

import "errors"

// trashSystem returns an error on systems without the FreeDesktop.org trash.
func (v *Vault) trashSystem(*place) (string, error) {
	return "", errors.New("not supported on this system")
}
