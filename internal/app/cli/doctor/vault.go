package doctor

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"chatvault/internal/app/config"
	"chatvault/internal/app/session/home"
	"chatvault/internal/base/text"
	"chatvault/vault"
	"chatvault/vault/fsys"
)

func checkVault(cfg *config.Config, found config.Found) []finding {
	v, err := vault.Open(found.Dir)
	if err != nil {
		return []finding{{area: "vault", text: "%s", args: []any{err}, todo: "name another: chatvault --vault DIR"}}
	}
	defer func() { _ = v.Close() }()
	_ = v.SetPrivate(cfg.PrivateGlobs()) // checkConfig reports errors in them
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	journaled := checkJournal(ctx, v, cfg) // it may roll back half a change, so it comes before counting
	shape, err := v.Query.Shape(ctx, 1_000_000, 0)
	if err != nil {
		return []finding{{area: "vault", text: "%s: %s", args: []any{found.Dir, err}, todo: "make the folder readable, or name another: chatvault --vault DIR"}}
	}
	more := words("")
	if !shape.Complete {
		more = " or more"
	}
	notes, folders := count(shape.Notes, "note")+more, count(shape.Folders, "folder")
	out := []finding{{area: "vault", text: "%s (%s): %s in %s", args: []any{found.Dir, found.How, notes, folders}}}
	return slices.Concat(out, checkPlace(found), checkPrivate(ctx, v, cfg), checkIgnore(v), checkIndex(v, shape.Folders),
		checkWritable(found.Dir), checkState(found.Dir), journaled)
}

// checkWritable reports folders of the vault that cannot be written.
func checkWritable(dir string) []finding {
	if err := fsys.MayWrite(dir); err != nil {
		return []finding{{
			area: "vault", text: "%s cannot be written: %s", args: []any{dir, err}, warn: true,
			why: "the agent can read notes there, and change none", todo: "make the folder yours (chown, chmod u+w), or mount it writable",
		}}
	}
	var sealed []string
	seen := 0
	_ = filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if seen++; seen > mostLooked {
			return fs.SkipAll
		}
		if err != nil || !e.IsDir() || name == dir {
			return nil //nolint:nilerr // reported with the vault
		}
		if strings.HasPrefix(e.Name(), ".") {
			return fs.SkipDir
		}
		if fsys.MayWrite(name) != nil {
			if rel, err := filepath.Rel(dir, name); err == nil {
				sealed = append(sealed, filepath.ToSlash(rel))
			}
		}
		return nil
	})
	if len(sealed) == 0 {
		return nil
	}
	return []finding{{
		area: "vault", text: "%s cannot be written: %s", args: []any{count(len(sealed), "folder"), text.Some(sealed)}, warn: true,
		why: "the agent can read notes there, and change none", todo: "make them yours (chown, chmod u+w), where that is not meant",
	}}
}

// checkPlace reports a doubtful location of the vault: it may not be one, or be inside another.
func checkPlace(found config.Found) []finding {
	switch {
	case found.Unsure != "":
		return []finding{{
			area: "vault", warn: true, text: "%s may not be a vault: %s", args: []any{found.Dir, found.Unsure},
			why: "The chat asks before it uses it as one.", todo: "name the vault's own folder: chatvault --vault DIR",
		}}
	case found.Within != "":
		return []finding{{
			area: "vault", warn: true, text: "it is inside another one, %s", args: []any{found.Within},
			why: "The private notes and other settings of that one do not apply here.",
			todo: fmt.Sprintf("if it is no vault of its own, move its %s away; else set in %s what should apply here",
				home.InVault, filepath.FromSlash(home.InVault+"/config.toml")),
		}}
	}
	return nil
}

// checkPrivate reports how many files the private list hides, without names. A glob that hides none is probably
// misspelt.
func checkPrivate(ctx context.Context, v *vault.Vault, cfg *config.Config) []finding {
	if len(cfg.Private) == 0 {
		return nil
	}
	files, each, whole := v.PrivateCount(ctx, cfg.PrivateGlobs())
	more := words("")
	if !whole {
		more = " or more"
	}
	hide := words("hide")
	if len(cfg.Private) == 1 {
		hide = "hides"
	}
	out := []finding{{area: "private", text: "%s %s %s%s from the agent", args: []any{count(len(cfg.Private), "glob"), hide, count(files, "file"), more}}}
	if !whole {
		return out
	}
	for i, n := range each {
		if n == 0 {
			g := cfg.Private[i]
			out = append(out, finding{
				area: "private", text: "%q (%s) hides no existing file", args: []any{g.V, g.Origin}, warn: true,
				todo: "check its spelling: \"Diary/\" is a folder of that name anywhere, \"/Diary/\" the one at the top of the vault, \"Work/Pay/\" that path, \"*.secret.md\" a name in any folder; a [ that belongs to a name is written \\[",
			})
		}
	}
	return out
}

// checkIgnore reports which of Obsidian's filters for excluded files are unsupported.
func checkIgnore(v *vault.Vault) []finding {
	faulty := v.Obsidian.FaultyIgnoreFilters()
	if len(faulty) == 0 {
		return nil
	}
	return []finding{{
		area: "excluded", text: "not understood: %s", args: []any{strings.Join(faulty, ", ")}, warn: true,
		todo: "write it without looking ahead or behind and without back references, in Obsidian's Settings → Files and links → Excluded files",
	}}
}

// checkIndex reports that searches in the chat are slower because the disk cannot be watched.
func checkIndex(v *vault.Vault, folders int) []finding {
	why, todo := v.Index.Trouble(folders)
	if why == "" {
		return nil
	}
	return []finding{{area: "watching", text: "%s, so searches in the chat take longer", args: []any{why}, todo: todo, warn: true}}
}

// checkJournal reports an interrupted change and the size of the journal.
func checkJournal(ctx context.Context, v *vault.Vault, cfg *config.Config) []finding {
	var out []finding
	j := home.KeepJournal(v, cfg, func(trouble string) {
		out = append(out, finding{area: "journal", text: "%s", args: []any{trouble}, todo: "chatvault changes shows it", warn: true})
	})
	defer func() { _ = j.Close() }()
	home.Recover(ctx, v, func(trouble string) {
		out = append(out, finding{area: "journal", text: "%s", args: []any{trouble}, todo: "fix what it names; until then nothing is changed in this vault"})
	})
	u, err := j.Usage()
	if err != nil {
		return append(out, finding{
			area: "journal", text: "cannot be read: %s", args: []any{err},
			todo: "make journal/ in the vault's state folder readable, or move it away; until then nothing is changed in this vault",
		})
	}
	return append(out, finding{area: "journal", text: "%s on record, %.1f MB", args: []any{count(u.Turns, "turn"), float64(u.Bytes) / (1 << 20)}})
}
