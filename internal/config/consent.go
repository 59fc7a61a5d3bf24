package config

import "slices"

// VaultSettings are the bytes of the file of the vault in dir; has is false where there is none, or
// where nothing in it needs that its owner agrees.
func VaultSettings(dir string) (data []byte, has bool, err error) {
	data, err = readVaultFile(dir)
	if err != nil || data == nil {
		return nil, false, err
	}
	return data, NeedsConsent(data), nil
}

// NeedsConsent says whether something that a vault's file holds counts only where the vault's owner
// agreed to it.
func NeedsConsent(file []byte) bool {
	entries, bad := parseTOML(file, Origin{Kind: VaultFile})
	rows := rowsOf(Defaults())
	return bad == nil && slices.ContainsFunc(entries, func(e entry) bool { // else it is an error where it is loaded
		r, known := rowOf(rows, e.path[0])
		return known && r.vault == agreed
	})
}
