package doctor

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"chatvault/internal/app/config"
	"chatvault/internal/app/session/home"
	"chatvault/internal/base/text"
	"chatvault/vault"
	"chatvault/vault/fsys"
	"chatvault/vault/query"
	"chatvault/vault/search"
	"chatvault/vault/walk"
)

func checkVault(cfg *config.Config, found config.Found) findings {
	v, err := vault.Open(found.Dir)
	if err != nil {
		return fail("vault", "name another: chatvault --vault DIR", "%s", err)
	}
	defer func() { _ = v.Close() }()
	_ = v.SetPrivate(cfg.PrivateGlobs()) // checkConfig reports errors in them
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	journaled := checkJournal(ctx, v) // it may roll back half a change, so it comes before counting
	shape, err := v.Query.Shape(ctx, 1_000_000, 0)
	if err != nil {
		return fail("vault", "make the folder readable, or name another: chatvault --vault DIR", "%s: %s", found.Dir, err)
	}
	notes, folders := counted(shape.Notes, "note", shape.Complete), text.Count(shape.Folders, "folder")
	return slices.Concat(ok("vault", "%s (%s): %s in %s", found.Dir, found.How, notes, folders), checkPlace(found), checkPrivate(ctx, v, cfg), checkIgnore(v), checkSync(ctx, v), checkLinks(ctx, v),
		checkWritable(found.Dir), checkState(found.Dir), journaled)
}

// checkWritable reports a vault that cannot be written.
func checkWritable(dir string) findings {
	if err := fsys.MayWrite(dir); err != nil {
		return note("vault", "make the folder yours (chown, chmod u+w), or mount it writable", "%s cannot be written: %s\nthe agent can read notes there, and change none", dir, err)
	}
	return nil
}

// checkPlace reports a doubtful location of the vault: it may not be one, or be inside another.
func checkPlace(found config.Found) findings {
	switch {
	case found.Unsure != "":
		return note("vault", "name the vault's own folder: chatvault --vault DIR", "%s may not be a vault: %s\nThe chat asks before it uses it as one.", found.Dir, found.Unsure)
	case found.Within != "":
		todo := fmt.Sprintf("if it is no vault of its own, move its %s away; else set in %s what should apply here",
			home.InVault, filepath.FromSlash(home.InVault+"/config.toml"))
		return note("vault", todo, "it is inside another one, %s\nThe private notes and other settings of that one do not apply here.", found.Within)
	}
	return nil
}

// counted describes a number of things, of which there may be more if they were not all counted.
func counted(n int, what string, all bool) string {
	if !all {
		return text.Count(n, what) + " or more"
	}
	return text.Count(n, what)
}

// checkPrivate reports how many files the private list hides, without names. A glob that hides none is probably
// misspelled.
func checkPrivate(ctx context.Context, v *vault.Vault, cfg *config.Config) findings {
	if len(cfg.Private) == 0 {
		return nil
	}
	files, each := v.PrivateCount(ctx, cfg.PrivateGlobs())
	whole := ctx.Err() == nil
	out := ok("private", "%s hidden from the agent by %s", counted(files, "file", whole), text.Count(len(cfg.Private), "glob"))
	const todo = `check its spelling: "Diary/" is a folder of that name anywhere, "/Diary/" the one at the top of the vault, ` +
		`"Work/Pay/" that path, "*.secret.md" a name in any folder; a [ that belongs to a name is written \[`
	for i, n := range each {
		if g := cfg.Private[i]; whole && n == 0 {
			out = append(out, note("private", todo, "%q (%s) hides no existing file", g.V, g.Origin)...)
		}
	}
	return out
}

// checkIgnore reports which of Obsidian's filters for excluded files are unsupported.
func checkIgnore(v *vault.Vault) findings {
	faulty := v.Obsidian.FaultyIgnoreFilters()
	if len(faulty) == 0 {
		return nil
	}
	return note("excluded", "write it without looking ahead or behind and without back references, in Obsidian's Settings → Files and links → Excluded files",
		"not understood: %s", strings.Join(faulty, ", "))
}

// checkSync reports the conflict copies of a program that synchronizes the vault, and the files that it keeps online.
func checkSync(ctx context.Context, v *vault.Vault) findings {
	return slices.Concat(
		checkListed(ctx, v, search.Conflicts, "conflict copy", "%s beside their notes: %s", "ask the agent to merge them, or compare and delete them yourself"),
		checkListed(ctx, v, search.NotDownloaded, "file", "%s not on this computer: %s", "download them where they should be searched and read"))
}

// checkListed reports the files of a kind, if there are any.
func checkListed(ctx context.Context, v *vault.Vault, only search.Only, noun, format, todo string) findings {
	found, _ := v.List(ctx, search.ListQuery{Pattern: "**", Only: only, MaxResults: 100_000}) // errors were reported with the vault
	if found.Total == 0 {
		return nil
	}
	paths := text.Of(found.Entries, func(e walk.Entry) string { return e.Path })
	return note("sync", todo, format, text.Count(found.Total, noun), text.Some(paths))
}

// checkLinks reports links to headings and blocks that do not exist. Links to missing notes are often meant so.
func checkLinks(ctx context.Context, v *vault.Vault) findings {
	all, _, err := v.Query.UnresolvedLinks(ctx, query.Scope{})
	all = slices.DeleteFunc(all, func(u query.Unresolved) bool { return !strings.Contains(u.Target, "#") })
	if err != nil || len(all) == 0 { // without an answer in time there is nothing to report
		return nil
	}
	links := 0
	for _, u := range all {
		links += u.Links
	}
	return note("links", `chatvault tool get_links '{"mode": "unresolved"}' names the notes`,
		"%s to headings or blocks that do not exist: %s", text.Count(links, "link"), text.Some(text.Of(all, func(u query.Unresolved) string { return u.Target })))
}

// checkJournal reports an interrupted change and the size of the journal.
func checkJournal(ctx context.Context, v *vault.Vault) (out findings) {
	j := home.KeepJournal(v, func(trouble string) {
		out = append(out, note("journal", "chatvault changes shows it", "%s", trouble)...)
	})
	defer func() { _ = j.Close() }()
	home.Recover(ctx, v, func(trouble string) {
		out = append(out, fail("journal", "fix what it names; until then nothing is changed in this vault", "%s", trouble)...)
	})
	u, err := j.Usage()
	if err != nil {
		const todo = "make journal/ in the vault's state folder readable, or move it away; until then nothing is changed in this vault"
		return append(out, fail("journal", todo, "cannot be read: %s", err)...)
	}
	return append(out, ok("journal", "%s on record, %.1f MB", text.Count(u.Turns, "turn"), float64(u.Bytes)/(1<<20))...)
}
