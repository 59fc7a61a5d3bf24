// Package pathname says which paths name something in a vault, which names new things may have, and
// which are kept out of sight. It looks at spelling alone, never at a disk.
package pathname

import (
	"path"
	"regexp"
	"runtime"
	"strings"
	"unicode/utf8"

	"chatvault/vault/failure"
)

// Bounds of a path, in bytes and components.
const (
	MaxName     = 255  // bytes of a component: NAME_MAX of every common file system
	maxPath     = 4095 // bytes of a path
	MaxNewDepth = 64   // components of a path that is created
)

var (
	urlStart = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*://|^(?i:file|obsidian|mailto|data):`)
	drive    = regexp.MustCompile(`^[A-Za-z]:(?:[^ ]|$)`) // "C: a note.md" is a note's name
)

// Clean is the one function through which every path goes, whatever the operation.
// It returns the path in its shortest form, '/' separated, relative to the vault ("." is
// the vault itself), or a KindDenied Error that says what is wrong with it.
//
// It refuses what could lead out of the vault or into a protected folder by its spelling
// alone; it does not look at the disk, so it cannot tell whether anything is there. It is
// lenient about odd names, which may exist: rules for new names are NewNameFault's, and
// links are followed, or not, by the lookup.
func Clean(p string) (string, error) {
	given := p
	// Models end paths with a newline. What shortening brings to the end is treated alike,
	// so that a clean path stays as it is when it is cleaned again.
	for shorter := true; shorter; {
		last := p
		p = strings.TrimRight(p, "\r\n")
		if err := checkSpelling(given, p); err != nil {
			return "", err
		}
		p = path.Clean(p)
		if strings.HasSuffix(p, "\n") || strings.HasSuffix(p, "\r") {
			p = strings.TrimRight(p, "/\r\n") // all of it at once: "a/\n/\n/…" costs one more round
		}
		shorter = p != last
	}
	if p == ".." || strings.HasPrefix(p, "../") {
		return "", failure.New(failure.KindDenied, given, "Access denied: %s leads out of the vault.", failure.Quote(given))
	}
	return p, nil
}

// checkSpelling refuses what no path in the vault looks like.
func checkSpelling(given, p string) error {
	switch {
	case !utf8.ValidString(p):
		return failure.New(failure.KindDenied, given, "Access denied: the path is not valid UTF-8.")
	case len(p) > maxPath:
		return failure.New(failure.KindDenied, given, "Access denied: the path %s is too long (%d bytes; at most %d).", failure.Quote(p), len(p), maxPath)
	case strings.TrimSpace(p) == "":
		return failure.New(failure.KindDenied, given, "Access denied: the path is empty. Give a path relative to the vault, such as \"Notes/a.md\".")
	case strings.ContainsRune(p, 0):
		return failure.New(failure.KindDenied, given, "Access denied: the path %s has a NUL character.", failure.Quote(p))
	case strings.ContainsRune(p, '\\'):
		return failure.New(failure.KindDenied, given, "Access denied: the path %s has a backslash. Use '/' between folders.", failure.Quote(p))
	case urlStart.MatchString(p):
		return failure.New(failure.KindDenied, given, "Access denied: %s is a URL, not a path in the vault.", failure.Quote(p))
	case drive.MatchString(p):
		return failure.New(failure.KindDenied, given, "Access denied: %s names a drive. Use a path relative to the vault.", failure.Quote(p))
	case p[0] == '/':
		return denyAbsolute(given, p)
	}
	return CheckComponents(given, p)
}

// denyAbsolute refuses an absolute path, with the relative one it may have meant. The
// hint is made from the spelling alone: it does not say that anything is there.
func denyAbsolute(given, p string) error {
	rest := strings.Trim(path.Clean("/"+p), "/")
	if rest == "" || strings.HasPrefix(p, "//") || len(rest) > failure.MaxQuoted {
		return failure.New(failure.KindDenied, given, "Access denied: %s is an absolute path. Use a path relative to the vault.", failure.Quote(p))
	}
	return failure.New(failure.KindDenied, given, "Access denied: %s is an absolute path. Paths are relative to the vault: did you mean %s?", failure.Quote(p), failure.Quote(rest))
}

// CheckComponents refuses protected and over-long components, before the path is
// shortened: what a ".." takes back counts too.
func CheckComponents(given, p string) error { return checkComponents(runtime.GOOS, given, p) }

func checkComponents(goos, given, p string) error {
	components := strings.Split(strings.TrimRight(p, "/"), "/")
	for i, name := range components {
		if name == "" || name == "." || name == ".." {
			continue
		}
		if len(name) > MaxName {
			return failure.New(failure.KindDenied, given, "Access denied: a name in %s is too long (%d bytes; at most %d).", failure.Quote(p), len(name), MaxName)
		}
		if Protected(name) {
			return protectedError(given, name, i == len(components)-1)
		}
		if goos != "windows" {
			continue
		}
		if fault := windowsFault(name); fault != "" {
			return failure.New(failure.KindDenied, given, "Access denied: a name in %s has %s.", failure.Quote(p), fault)
		}
	}
	return nil
}

// IsNote reports whether a file name or path is that of a Markdown note.
func IsNote(name string) bool {
	return HasSuffix(name, ".md") || HasSuffix(name, ".markdown")
}

// HasSuffix is strings.HasSuffix ignoring the case of ASCII letters; suffix is in
// lower case and not all of name.
func HasSuffix(name, suffix string) bool {
	return len(name) > len(suffix) && strings.EqualFold(name[len(name)-len(suffix):], suffix)
}

// In reports whether a path is another one, or in it.
func In(at, other string) bool {
	return other != "" && strings.HasPrefix(at, other) && (len(at) == len(other) || at[len(other)] == '/')
}
