//go:build !(linux || freebsd || netbsd || openbsd || dragonfly)

package vault

import "errors"

// trashSystem is for desktops whose trash is a folder with a public format.
func (v *Vault) trashSystem(*place) (string, error) {
	return "", errors.New("not supported on this system")
}
