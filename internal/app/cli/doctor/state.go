package doctor

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"chatvault/agent/inbox"
	"chatvault/agent/lock"
	"chatvault/internal/app/config"
	"chatvault/internal/app/session/home"
	"chatvault/internal/app/session/provider"
	"chatvault/internal/base/text"
)

// checkState checks the vault's state folder.
func checkState(dir string) findings {
	root, err := home.Open(dir)
	if err != nil {
		return fail("state", "make that folder writable, or name another with XDG_STATE_HOME; without it no message can be saved", "%s", err)
	}
	defer func() { _ = root.Close() }()
	const probe = ".doctor"
	err = root.WriteFile(probe, []byte("x"), 0o600)
	_ = root.Remove(probe) // a full disk creates the name without content
	if err != nil {
		return fail("state", "free disk space or make "+root.Name()+" writable", "cannot write: %s", err)
	}
	return slices.Concat(ok("state", "%s is writable", root.Name()), checkLocks(root), checkStateFiles(root), checkInbox(root))
}

// checkInbox reports unfinished messages.
func checkInbox(root *os.Root) (out findings) {
	box := inbox.Open(root)
	list, warnings, err := box.List()
	for _, w := range warnings {
		out = append(out, note("inbox", "look at the file; nothing in it was lost", "%s", w)...)
	}
	if err != nil {
		return append(out, fail("inbox", "make the inbox in "+root.Name()+" readable", "%s", err)...)
	}
	if list = slices.DeleteFunc(list, box.Others); len(list) > 0 {
		out = append(out, note("inbox", "chatvault inbox list, then retry or drop", "%d unfinished\nThey were accepted and not answered; none is resent automatically.", len(list))...)
	}
	return out
}

// checkLocks reports unusable locks and other processes.
func checkLocks(root *os.Root) findings {
	live, err := lock.Look(root)
	switch n := len(live); {
	case err != nil:
		return fail("lock", "move it away; until then no message can be worked on", "%s", err)
	case n > 0:
		return ok("lock", "%s open on this vault: process %s", text.Count(n, "chatvault"), strings.Join(live, ", "))
	}
	return nil
}

// checkStateFiles reports damaged files and crash reports.
func checkStateFiles(root *os.Root) (out findings) {
	var aside, reports []string
	err := fs.WalkDir(root.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		switch base := path.Base(name); {
		case err != nil:
			return err
		case e.IsDir() && name == "trash":
			return fs.SkipDir
		case strings.Contains(base, ".corrupt-"):
			aside = append(aside, name)
		case strings.HasPrefix(name, "crash-"):
			reports = append(reports, name)
		}
		return nil
	})
	if err != nil {
		out = note("state", `make it yours: chown -R "$USER"`, "%s cannot all be read: %s", root.Name(), err)
	}
	if n := len(aside); n > 0 {
		out = append(out, note("set aside", "look into it in "+root.Name()+"; delete it if you need nothing in it",
			"%s kept that could not be read: %s\na crash, a full disk or a sync tool damaged it; everything else works without it", text.Count(n, "file"), text.Some(aside))...)
	}
	if n := len(reports); n > 0 {
		out = append(out, note("faults", "read it, send it to whoever maintains chatvault, then delete it",
			"%s: %s", text.Count(n, "report of a bug in chatvault"), text.Some(reports))...)
	}
	return out
}

// checkKeys reports a list of stored keys that cannot be read, and the keys of an earlier version.
func checkKeys(o Options) (out findings) {
	if _, err := provider.NewKeys(o.LookupEnv).Entries(); err != nil {
		out = note("stored keys", "fix the file, or move it away: keys are asked for again", "%s", err)
	}
	old := filepath.Join(filepath.Dir(config.UserPath()), "keys.toml")
	if _, err := os.Lstat(old); !errors.Is(err, fs.ErrNotExist) {
		const todo = "type them again with /model in the chat, which stores them in the system's keyring; without a keyring,\nset them in the environment or by api_key_command; then delete the file"
		out = append(out, note("stored keys", todo, "%s has keys of an earlier version, which are not used any more", old)...)
	}
	return out
}
