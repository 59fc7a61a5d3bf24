// Package pathname decides by spelling alone which paths are valid in a vault, which names new files may have, and
// which names are protected. It does no I/O.
package pathname

import (
	"path"
	"regexp"
	"runtime"
	"strings"
	"unicode/utf8"

	"chatvault/vault/vaulterr"
)

// Limits of a path.
const (
	MaxName     = 255  // bytes of a component: NAME_MAX of the common file systems
	maxPath     = 4095 // bytes of a path
	MaxNewDepth = 64   // components of a newly created path
)

var (
	urlStart = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*://|^(?i:file|obsidian|mailto|data):`)
	drive    = regexp.MustCompile(`^[A-Za-z]:(?:[^ ]|$)`) // "C: a note.md" is the name of a note
)

// Clean returns a path in its shortest form, "/"-separated and relative to the vault ("." is the vault itself), or a
// KindDenied error with the reason. Every path passes through it, whatever the operation.
//
// It refuses spellings that could lead out of the vault or into a protected folder. It does not access the disk, so
// it cannot reveal what exists. It accepts odd names, which may exist; NewNameFault has the rules for new names, and
// the look-up decides about links.
func Clean(p string) (string, error) {
	given := p
	// Models end paths with a newline. Trim what cleaning moves to the end too, so that Clean is idempotent.
	for shorter := true; shorter; {
		last := p
		p = strings.TrimRight(p, "\r\n")
		if err := checkSpelling(given, p); err != nil {
			return "", err
		}
		p = path.Clean(p)
		if strings.HasSuffix(p, "\n") || strings.HasSuffix(p, "\r") {
			p = strings.TrimRight(p, "/\r\n") // all at once: "a/\n/\n/…" takes one more round only
		}
		shorter = p != last
	}
	if p == ".." || strings.HasPrefix(p, "../") {
		return "", vaulterr.New(vaulterr.KindDenied, given, "Access denied: %s leads out of the vault.", vaulterr.Quote(given))
	}
	return p, nil
}

// checkSpelling rejects spellings that no path in the vault has.
func checkSpelling(given, p string) error {
	switch {
	case !utf8.ValidString(p):
		return vaulterr.New(vaulterr.KindDenied, given, "Access denied: the path is not valid UTF-8.")
	case len(p) > maxPath:
		return vaulterr.New(vaulterr.KindDenied, given, "Access denied: the path %s is too long (%d bytes; at most %d).", vaulterr.Quote(p), len(p), maxPath)
	case strings.TrimSpace(p) == "":
		return vaulterr.New(vaulterr.KindDenied, given, "Access denied: the path is empty. Give a path relative to the vault, such as \"Notes/a.md\".")
	case strings.ContainsRune(p, 0):
		return vaulterr.New(vaulterr.KindDenied, given, "Access denied: the path %s has a NUL character.", vaulterr.Quote(p))
	case strings.ContainsRune(p, '\\'):
		return vaulterr.New(vaulterr.KindDenied, given, "Access denied: the path %s has a backslash. Use '/' between folders.", vaulterr.Quote(p))
	case urlStart.MatchString(p):
		return vaulterr.New(vaulterr.KindDenied, given, "Access denied: %s is a URL, not a path in the vault.", vaulterr.Quote(p))
	case drive.MatchString(p):
		return vaulterr.New(vaulterr.KindDenied, given, "Access denied: %s names a drive. Use a path relative to the vault.", vaulterr.Quote(p))
	case p[0] == '/':
		return denyAbsolute(given, p)
	}
	return CheckComponents(given, p)
}

// denyAbsolute returns the error for an absolute path, suggesting the relative one. The suggestion comes from the
// spelling alone and does not reveal what exists.
func denyAbsolute(given, p string) error {
	rest := strings.Trim(path.Clean("/"+p), "/")
	if rest == "" || strings.HasPrefix(p, "//") || len(rest) > vaulterr.MaxQuoted {
		return vaulterr.New(vaulterr.KindDenied, given, "Access denied: %s is an absolute path. Use a path relative to the vault.", vaulterr.Quote(p))
	}
	return vaulterr.New(vaulterr.KindDenied, given, "Access denied: %s is an absolute path. Paths are relative to the vault: did you mean %s?", vaulterr.Quote(p), vaulterr.Quote(rest))
}

// CheckComponents rejects protected and over-long components. It must see the path before cleaning: a component
// cancelled by ".." counts too.
func CheckComponents(given, p string) error { return checkComponents(runtime.GOOS, given, p) }

func checkComponents(goos, given, p string) error {
	components := strings.Split(strings.TrimRight(p, "/"), "/")
	for i, name := range components {
		if name == "" || name == "." || name == ".." {
			continue
		}
		if len(name) > MaxName {
			return vaulterr.New(vaulterr.KindDenied, given, "Access denied: a name in %s is too long (%d bytes; at most %d).", vaulterr.Quote(p), len(name), MaxName)
		}
		if Protected(name) {
			return ProtectedError(given, name, i == len(components)-1)
		}
		if goos != "windows" {
			continue
		}
		if fault := windowsFault(name); fault != "" {
			return vaulterr.New(vaulterr.KindDenied, given, "Access denied: a name in %s has %s.", vaulterr.Quote(p), fault)
		}
	}
	return nil
}

// IsNote reports whether the name has the extension of a Markdown note.
func IsNote(name string) bool {
	return HasSuffix(name, ".md") || HasSuffix(name, ".markdown")
}

// HasSuffix is strings.HasSuffix ignoring the case of ASCII letters. suffix must be in lower case and shorter than
// name.
func HasSuffix(name, suffix string) bool {
	return len(name) > len(suffix) && strings.EqualFold(name[len(name)-len(suffix):], suffix)
}

// In reports whether the path at equals other or is below it.
func In(at, other string) bool {
	return other != "" && strings.HasPrefix(at, other) && (len(at) == len(other) || at[len(other)] == '/')
}
