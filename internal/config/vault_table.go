package config

import "path/filepath"

// vaultsTable is the table of what the user's own file says of single vaults, by their folders.
const vaultsTable = "vaults"

// vaultEntry takes one entry below `vaults`: [vaults."~/Notes"] with state = "vault".
func (l *loader) vaultEntry(e entry, at Origin) {
	dir := ""
	if len(e.path) > 1 {
		dir = expandHome(e.path[1], l.in.Home)
	}
	_, table := e.raw.(map[string]any)
	switch {
	case len(e.path) < 3 && !table:
		l.errs.add(at, e.key(), "must be a table, like [vaults.\"~/Notes\"] with state = \"vault\", not %s", typeName(e.raw))
	case len(e.path) == 2 && !filepath.IsAbs(dir):
		l.errs.add(at, e.key(), "must name a vault by its whole path, such as [vaults.\"~/Notes\"], not %q", e.path[1])
	case len(e.path) != 3 || !filepath.IsAbs(dir):
		// A table itself, or what is below a key that was refused.
	case e.path[2] != "state":
		l.errs.add(at, e.key(), "unknown key%s", near(e.path[2], []string{"state"}))
	default:
		where, err := parseChoice("user", "vault")(e.raw)
		if err != nil {
			l.errs.add(at, e.key(), "%s", err)
			return
		}
		l.cfg.Vaults[realDir(dir)] = Value[bool]{where == "vault", at}
	}
}

// KeepsHistory says whether the history of the vault in dir (conversations, and what can be taken
// back) is kept in the vault itself.
func (s *Storage) KeepsHistory(dir string) bool { return s.Vaults[realDir(dir)].V }

// describeVaults has a line for each vault.
func (s *Storage) describeVaults() []tableLine {
	var lines []tableLine
	for _, dir := range sortedKeys(s.Vaults) {
		where := "user"
		if s.Vaults[dir].V {
			where = "vault"
		}
		lines = append(lines, tableLine{"vaults." + dir + ".state", where, s.Vaults[dir].Origin})
	}
	return lines
}
