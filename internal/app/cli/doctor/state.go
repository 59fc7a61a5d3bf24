package doctor

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"chatvault/agent/inbox"
	"chatvault/agent/lock"
	"chatvault/internal/app/config"
	"chatvault/internal/app/session/home"
	"chatvault/internal/base/text"
)

// checkState checks the vault's state folder.
func checkState(dir string) findings {
	root, err := home.Open(dir)
	if err != nil {
		return fail("state", "make that folder writable, or name another with XDG_STATE_HOME; without it no message can be saved", "%s", err)
	}
	defer func() { _ = root.Close() }()
	probe := ".doctor"
	if err := root.WriteFile(probe, []byte("x"), 0o600); err != nil {
		_ = root.Remove(probe) // a full disk creates the name without content
		return fail("state", "free disk space or make "+root.Name()+" writable", "cannot write: %s", err)
	}
	_ = root.Remove(probe)
	return slices.Concat(ok("state", "%s is writable", root.Name()), checkLocks(root), checkStateFiles(root), checkInbox(root))
}

// checkInbox reports unfinished messages.
func checkInbox(root *os.Root) (out findings) {
	box := inbox.Open(root)
	list, warnings, err := box.List()
	for _, w := range warnings {
		out = append(out, note("inbox", "look at the file; nothing in it was lost", "%s", w)...)
	}
	waiting := 0
	for _, e := range list {
		if !box.Others(e) {
			waiting++
		}
	}
	switch {
	case err != nil:
		out = append(out, fail("inbox", "make the inbox in "+root.Name()+" readable", "%s", err)...)
	case waiting > 0:
		out = append(out, note("inbox", "chatvault inbox list, then retry or drop", "%d unfinished", waiting).
			because("They were accepted and not answered; none is resent automatically.")...)
	}
	return out
}

// mostLooked is the maximum number of files checked in the state folder and in the vault.
const mostLooked = 100_000

// checkLocks reports unusable locks and other processes.
func checkLocks(root *os.Root) findings {
	locks, err := lock.Look(root)
	switch n := len(locks.Live); {
	case err != nil:
		return fail("lock", "move it away; until then no message can be worked on", "%s", err)
	case n > 0:
		return ok("lock", "%s open on this vault: process %s", count(n, "chatvault"), strings.Join(locks.Live, ", "))
	}
	return nil
}

// openToOthers reports whether other users can read or write a file. On Windows mode bits do not tell.
func openToOthers(info fs.FileInfo) bool {
	return runtime.GOOS != "windows" && info.Mode().Perm()&0o066 != 0
}

// checkStateFiles reports files that others can read, damaged files, and crash reports.
func checkStateFiles(root *os.Root) (out findings) {
	var open, aside, reports []string
	seen, state := 0, root.Name()
	err := fs.WalkDir(root.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		if seen++; err != nil || seen > mostLooked {
			return errors.Join(err, fs.SkipAll)
		}
		if e.IsDir() && name == "trash" {
			return fs.SkipDir
		}
		if strings.Contains(path.Base(name), ".corrupt-") {
			aside = append(aside, name)
		}
		if strings.HasPrefix(name, "crash-") {
			reports = append(reports, name)
		}
		info, err := e.Info()
		if err == nil && name != "." && e.Type()&fs.ModeSymlink == 0 && openToOthers(info) {
			open = append(open, name)
		}
		return nil
	})
	if err != nil && !errors.Is(err, fs.SkipAll) {
		out = note("state", "make it yours: chown -R \"$USER\" "+shellWord(state), "it cannot all be read: %s", err)
	}
	if n := len(open); n > 0 {
		out = append(out, note("modes", "chmod -R go-rwx "+shellWord(state), "%s can be read by others in %s: %s", count(n, "file"), state, text.Some(open)).
			because("what you and the agent said to each other is in them")...)
	}
	if n := len(aside); n > 0 {
		out = append(out, note("set aside", "look into it in "+state+"; delete it if you need nothing in it", "%s: %s", unread(n), text.Some(aside)).
			because("a crash, a full disk or a sync tool damaged it; everything else works without it")...)
	}
	if n := len(reports); n > 0 {
		out = append(out, note("faults", "read it, send it to whoever maintains chatvault, then delete it",
			"%s: %s", count(n, "report of a bug in chatvault"), text.Some(reports))...)
	}
	return out
}

// checkKeyFiles reports damaged key and settings files, and the keys of an earlier version.
func checkKeyFiles() (out findings) {
	folder := filepath.Dir(config.UserPath())
	old := filepath.Join(folder, "keys.toml")
	if _, err := os.Lstat(old); err == nil {
		const todo = "type them again with /model in the chat, which stores them in the system's keyring; without a keyring,\nset them in the environment or by api_key_command; then delete the file"
		out = note("stored keys", todo, "%s has keys of an earlier version, which are not used any more", old)
	}
	found, err := filepath.Glob(filepath.Join(folder, "*.corrupt-*"))
	if err != nil || len(found) == 0 {
		return out
	}
	found = text.Of(found, filepath.Base)
	return append(out, note("set aside", "look into it, then delete it; a missing key is asked for again", "%s in %s: %s", unread(len(found)), folder, text.Some(found)).
		because("keys that were typed may be in it")...)
}

// unread describes a number of damaged files.
func unread(n int) words {
	if n == 1 {
		return "1 file could not be read and was kept"
	}
	return count(n, "file") + " could not be read and were kept"
}

// shellWord quotes a path for a shell.
func shellWord(s string) string {
	if !strings.ContainsAny(s, " '\"\\$`!*?[](){};&|<>~#\t\n") {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
