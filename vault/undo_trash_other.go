//go:build !(linux || freebsd || netbsd || openbsd || dragonfly)

package vault

// There is no trash here but the vault's own.

func (v *Vault) inSystemTrash(*trashed, string, string) bool { return false }

func (v *Vault) systemTrashNames(string, bool) []string { return nil }
