package pathname

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"chatvault/internal/base/text"
)

// NewNameFault returns why a name is not allowed for a new file or folder, or "" if it is. Existing names may be
// anything, but a new one must work on every system that a vault is synchronised to and must not look like another
// name.
func NewNameFault(name string) string {
	if fault := UnseenFault(name); fault != "" {
		return fault
	}
	if i := strings.IndexAny(name, `<>:"|?*`); i >= 0 {
		return "the character " + name[i:i+1] + ", which not every system allows in a name"
	}
	first, _ := utf8.DecodeRuneInString(name)
	last, _ := utf8.DecodeLastRuneInString(name)
	switch {
	case unicode.IsSpace(first):
		return "a name that begins with a space"
	case unicode.IsSpace(last):
		return "a name that ends with a space"
	case last == '.':
		return "a name that ends with a dot, which Windows drops"
	case deviceName(name):
		return "a name that Windows reserves for a device"
	}
	return ""
}

// Portable returns a valid name for a new file made from any text, at most most characters long. Characters that
// NewNameFault rejects or that end an Obsidian link become blanks. It is "" if nothing remains.
func Portable(name string, most int) string {
	name = strings.Map(func(r rune) rune {
		if strings.ContainsRune(`<>:"/\|?*#^[]`, r) || !unicode.IsGraphic(r) || separatorLookAlike(r) || Ignorable(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(norm.NFC.String(name), " "))
	name = text.OneLine(name)
	if r := []rune(name); len(r) > most {
		name = string(r[:most])
	}
	if name = strings.Trim(name, " ."); deviceName(name) {
		name = "_" + name
	}
	if Protected(name) || NewNameFault(name) != "" {
		return ""
	}
	return name
}

// UnseenFault describes the first character that is invisible or deceptive, "" if there is none: control and format
// characters, stray variation selectors, look-alikes of "/" and "\". Joiners and selectors are allowed where a script
// or an emoji needs them.
func UnseenFault(name string) string {
	runes := []rune(name)
	for i, r := range runes {
		switch {
		case unicode.IsControl(r):
			return "a control character"
		case separatorLookAlike(r):
			return "a character that looks like a separator"
		case (r == 0x200c || r == 0x200d) && joins(runes, i):
		case variationSelector(r) && selects(runes, i):
		case Ignorable(r):
			return "an invisible character"
		}
	}
	return ""
}

func separatorLookAlike(r rune) bool {
	switch r {
	case 0x2044, 0x2215, 0x2571, 0x27cb, 0x29f8, 0xff0f, // like '/'
		0x2216, 0x2572, 0x27cd, 0x29f5, 0x29f9, 0xfe68, 0xff3c: // like '\'
		return true
	}
	return false
}

// joins reports whether the joiner at i connects two emoji, or letters of a script that uses joiners.
func joins(runes []rune, i int) bool {
	if i == 0 || i == len(runes)-1 {
		return false
	}
	before, after := runes[i-1], runes[i+1]
	if pictograph(after) && (pictograph(before) || before == 0xfe0f || unicode.Is(unicode.Sk, before)) {
		return true
	}
	return joiningScript(before) && joiningScript(after)
}

// joiningScript reports whether r belongs to a script whose spelling uses joiners.
func joiningScript(r rune) bool {
	return unicode.In(r, unicode.Arabic, unicode.Syriac, unicode.Mongolian, unicode.Nko, unicode.Mandaic, unicode.Manichaean,
		unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil, unicode.Telugu,
		unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Khmer, unicode.Myanmar, unicode.Tibetan, unicode.Balinese)
}

// selects reports whether the variation selector at i follows a character that has variants.
func selects(runes []rune, i int) bool {
	if i == 0 {
		return false
	}
	before, selector := runes[i-1], runes[i]
	switch {
	case selector == 0xfe0e || selector == 0xfe0f: // text or emoji style; 0-9 # * as keycaps
		return pictograph(before) || unicode.Is(unicode.Sm, before) || before == 0x203c || before == 0x2049 ||
			strings.ContainsRune("0123456789#*", before) && i+1 < len(runes) && runes[i+1] == 0x20e3
	case selector >= 0x180b && selector <= 0x180f:
		return unicode.Is(unicode.Mongolian, before)
	default:
		return unicode.In(before, unicode.Han, unicode.Phags_Pa, unicode.Myanmar)
	}
}

// pictograph reports whether r is a symbol of the kind emoji are made of.
func pictograph(r rune) bool {
	return unicode.Is(unicode.So, r) || r >= 0x1f000 && r <= 0x1faff || r >= 0x2600 && r <= 0x27bf || r >= 0x2190 && r <= 0x21ff
}

// portNumbers are the digits that Windows accepts in COM and LPT names.
var portNumbers = strings.Split("0123456789¹²³", "")

// deviceName reports whether Windows interprets a name, with any extension, as a device.
func deviceName(name string) bool {
	base, _, _ := strings.Cut(name, ".")
	base = strings.ToUpper(strings.TrimRight(base, " "))
	switch base {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "CLOCK$":
		return true
	}
	for _, port := range []string{"COM", "LPT"} {
		if number, ok := strings.CutPrefix(base, port); ok && slices.Contains(portNumbers, number) {
			return true
		}
	}
	return false
}

// shortForm matches the 8.3 short names that Windows may give a file in addition to its own.
var shortForm = regexp.MustCompile(`^[^.]{1,6}~[0-9]{1,6}(\.[^.]{0,3})?$`)

// windowsFault returns why Windows would interpret an existing name as another or as no file, "" if it would not.
// Such a name could reach a file that is private under its own name.
func windowsFault(name string) string {
	last, _ := utf8.DecodeLastRuneInString(name)
	if strings.ContainsAny(name, `:\`) || last == '.' || unicode.IsSpace(last) || deviceName(name) || shortForm.MatchString(name) {
		return "a form that Windows takes for another file"
	}
	return ""
}
