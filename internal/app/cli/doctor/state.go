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
func checkState(dir string) []finding {
	root, err := home.Open(dir)
	if err != nil {
		return []finding{{area: "state", text: "%s", args: []any{err}, todo: "make that folder writable, or name another with XDG_STATE_HOME; without it no message can be saved"}}
	}
	defer func() { _ = root.Close() }()
	probe := ".doctor"
	if err := root.WriteFile(probe, []byte("x"), 0o600); err != nil {
		_ = root.Remove(probe) // a full disk creates the name without content
		return []finding{{area: "state", text: "cannot write: %s", args: []any{err}, todo: "free disk space or make " + root.Name() + " writable"}}
	}
	_ = root.Remove(probe)
	out := []finding{{area: "state", text: "%s is writable", args: []any{root.Name()}}}
	return slices.Concat(out, checkLocks(root), checkStateFiles(root), checkInbox(root))
}

// checkInbox reports unfinished messages.
func checkInbox(root *os.Root) []finding {
	var out []finding
	box := inbox.Open(root)
	list, warnings, err := box.List()
	for _, w := range warnings {
		out = append(out, finding{area: "inbox", text: "%s", args: []any{w}, todo: "look at the file; nothing in it was lost", warn: true})
	}
	waiting := 0
	for _, e := range list {
		if !box.Others(e) {
			waiting++
		}
	}
	switch {
	case err != nil:
		out = append(out, finding{area: "inbox", text: "%s", args: []any{err}, todo: "make the inbox in " + root.Name() + " readable"})
	case waiting > 0:
		out = append(out, finding{
			area: "inbox", text: "%d unfinished", args: []any{waiting}, why: "They were accepted and not answered; none is resent automatically.",
			todo: "chatvault inbox list, then retry or drop", warn: true,
		})
	}
	return out
}

// mostLooked is the maximum number of files checked in the state folder and in the vault.
const mostLooked = 100_000

// checkLocks reports unusable locks and other processes.
func checkLocks(root *os.Root) []finding {
	locks, err := lock.Look(root)
	switch n := len(locks.Live); {
	case err != nil:
		return []finding{{area: "lock", text: "%s", args: []any{err}, todo: "move it away; until then no message can be worked on"}}
	case n > 0:
		return []finding{{area: "lock", text: "%s open on this vault: process %s", args: []any{count(n, "chatvault"), strings.Join(locks.Live, ", ")}}}
	}
	return nil
}

// openToOthers reports whether other users can read or write a file. On Windows mode bits do not tell.
func openToOthers(info fs.FileInfo) bool {
	return runtime.GOOS != "windows" && info.Mode().Perm()&0o066 != 0
}

// checkStateFiles reports files that others can read, damaged files, and crash reports.
func checkStateFiles(root *os.Root) []finding {
	var out []finding
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
		out = append(out, finding{area: "state", text: "it cannot all be read: %s", args: []any{err}, todo: "make it yours: chown -R \"$USER\" " + shellWord(state), warn: true})
	}
	if n := len(open); n > 0 {
		out = append(out, finding{
			area: "modes", text: "%s can be read by others in %s: %s", args: []any{count(n, "file"), state, text.Some(open)}, warn: true,
			why: "what you and the agent said to each other is in them", todo: "chmod -R go-rwx " + shellWord(state),
		})
	}
	if n := len(aside); n > 0 {
		out = append(out, finding{
			area: "set aside", text: "%s: %s", args: []any{unread(n), text.Some(aside)}, warn: true,
			why: "a crash, a full disk or a sync tool damaged it; everything else works without it", todo: "look into it in " + state + "; delete it if you need nothing in it",
		})
	}
	if n := len(reports); n > 0 {
		out = append(out, finding{
			area: "faults", text: "%s: %s", args: []any{count(n, "report of a bug in chatvault"), text.Some(reports)}, warn: true,
			todo: "read it, send it to whoever maintains chatvault, then delete it",
		})
	}
	return out
}

// checkKeyFiles reports damaged key and settings files.
func checkKeyFiles() []finding {
	folder := filepath.Dir(config.UserPath())
	found, err := filepath.Glob(filepath.Join(folder, "*.corrupt-*"))
	if err != nil || len(found) == 0 {
		return nil
	}
	found = text.Of(found, filepath.Base)
	return []finding{{
		area: "set aside", text: "%s in %s: %s", args: []any{unread(len(found)), folder, text.Some(found)}, warn: true,
		why: "keys that were typed may be in it", todo: "look into it, then delete it; a missing key is asked for again",
	}}
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
