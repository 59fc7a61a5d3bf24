package pathname

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"chatvault/vault/vaulterr"
)

// Protected reports whether a path component must never be visible: it begins with a dot after compatibility forms
// are resolved and blanks and invisible characters removed, or it is a DOS short name, which may reach a hidden
// folder on a Windows file system. Walks call it for every entry, so plain ASCII names do not allocate.
func Protected(name string) bool {
	ascii, tilde := true, false
	for i := range len(name) {
		switch c := name[i]; {
		case c >= utf8.RuneSelf:
			ascii = false
		case c == '~':
			tilde = true
		}
	}
	if ascii {
		start := 0
		for start < len(name) && (name[start] <= ' ' || name[start] == 0x7f) {
			start++
		}
		if start < len(name) && name[start] == '.' {
			return true
		}
		return tilde && shortName(name[start:])
	}
	visible := strings.TrimLeftFunc(name, invisible)
	visible = strings.TrimLeftFunc(norm.NFKC.String(visible), invisible)
	if strings.HasPrefix(visible, ".") {
		return true
	}
	return (tilde || strings.ContainsRune(visible, '~')) && shortName(strings.Map(dropInvisible, visible))
}

func dropInvisible(r rune) rune {
	if invisible(r) {
		return -1
	}
	return r
}

// invisible reports whether a character is blank on a screen: a space, a control or a default-ignorable character.
func invisible(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsControl(r) || Ignorable(r)
}

// Ignorable reports whether r is a format character or another default-ignorable one (Unicode's
// Default_Ignorable_Code_Point).
func Ignorable(r rune) bool {
	switch {
	case r < 0xad:
		return false
	case unicode.Is(unicode.Cf, r), variationSelector(r):
		return true
	case r == 0x034f, r == 0x115f, r == 0x1160, r == 0x17b4, r == 0x17b5, r == 0x3164, r == 0xffa0:
		return true // combining grapheme joiner, Hangul and Khmer fillers
	case r == 0x2028, r == 0x2029:
		return true // line and paragraph separators
	}
	return r >= 0xe0000 && r <= 0xe0fff || r >= 0xfff0 && r <= 0xfff8
}

func variationSelector(r rune) bool {
	return r >= 0xfe00 && r <= 0xfe0f || r >= 0xe0100 && r <= 0xe01ef || r >= 0x180b && r <= 0x180f
}

// shortStems are the stems of DOS short names of known hidden files.
var shortStems = []string{"obsidi", "smarth", "git", "trash", "stfold", "stvers", "ds_sto", "chatva"}

// shortName reports whether an ASCII name may be the DOS short name of a hidden folder: up to six characters, "~", a
// number. A name with an extension could be a note's own ("draft~1.md"), so those count only with a stem in
// shortStems.
func shortName(name string) bool {
	name = strings.TrimRight(name, " .")
	stem, rest, ok := strings.Cut(name, "~")
	if !ok || stem == "" || len(stem) > 6 {
		return false
	}
	number, ext, hasExt := strings.Cut(rest, ".")
	if number == "" || len(number) > 6 || strings.Trim(number, "0123456789") != "" {
		return false
	}
	if !hasExt {
		return true
	}
	if len(ext) > 3 {
		return false
	}
	stem = strings.ToLower(stem)
	return slices.ContainsFunc(shortStems, func(known string) bool { return strings.HasPrefix(stem, known) })
}

// ProtectedError returns the error for a protected path; name is its protected component, last whether it is the last one.
func ProtectedError(path, name string, last bool) *vaulterr.Error {
	shown := vaulterr.Quote(name)
	shown = shown[1 : len(shown)-1]
	if last { // it may be a file
		return vaulterr.New(vaulterr.KindDenied, path, "Access denied: cannot access '%s' (hidden files and folders are protected)", shown)
	}
	return vaulterr.New(vaulterr.KindDenied, path, "Access denied: cannot access files in '%s/' (protected system folder)", shown)
}
