package terminal

import (
	"cmp"
	"hash/maphash"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"

	"chatvault/internal/base/text"
)

const (
	linkStart = "\x1b]8;id="
	linkEnd   = "\x1b]8;;\x1b\\"
	st        = "\x1b\\"

	maxTarget = 2048 // bytes; terminals refuse longer ones
	maxLabel  = 60   // characters of a target shown next to its text
)

// linkSeed signs the links of this process, so that Rendered recognizes them among links that a note or a model wrote.
var linkSeed = maphash.MakeSeed()

// linkID returns an unguessable id, equal for all parts of a link that is broken across lines, so that the terminal
// shows them as one.
func linkID(target string) string {
	return strconv.FormatUint(maphash.String(linkSeed, target), 36)
}

// Link returns text as an OSC 8 hyperlink, in a form that Rendered keeps. Targets other than http, https and obsidian
// are dropped and the text is returned unchanged. The text is not sanitized; Rendered does that.
func Link(target, text string) string {
	if !mayOpen(target) {
		return text
	}
	return openLink(target) + text + linkEnd
}

func openLink(target string) string {
	return linkStart + linkID(target) + ";" + target + st
}

// readLink parses a link's start or end, as written by openLink and Link, at the start of s. It returns the target,
// empty for an end, and the length, 0 if there is no link of this process.
func readLink(s string) (target string, n int) {
	if strings.HasPrefix(s, linkEnd) {
		return "", len(linkEnd)
	}
	rest, ok := strings.CutPrefix(s, linkStart)
	if !ok {
		return "", 0
	}
	id, rest, ok := strings.Cut(rest[:min(len(rest), maxTarget+64)], ";")
	if !ok {
		return "", 0
	}
	target, _, ok = strings.Cut(rest, st)
	if !ok || !mayOpen(target) || id != linkID(target) {
		return "", 0
	}
	return target, len(openLink(target))
}

// mayOpen reports whether a target may become clickable: printable ASCII of bounded length with an allowed scheme.
func mayOpen(target string) bool {
	if len(target) == 0 || len(target) > maxTarget {
		return false
	}
	for i := range len(target) {
		if b := target[i]; b <= ' ' || b > '~' {
			return false
		}
	}
	u, err := url.Parse(target)
	if err != nil {
		return false
	}
	switch strings.ToLower(u.Scheme) {
	case "http", "https":
		return u.Host != ""
	case "obsidian":
		return true
	}
	return false
}

// LinkLabel returns a link's label for places that do not show its target: the text, followed by the real destination
// in parentheses unless the text already is the destination. For http and https the destination is the host in ASCII,
// so that no letter passes for another; for a link without a scheme, to a note, it is omitted; otherwise it is the
// whole target, shortened. The label is safe for one line.
func LinkLabel(text, target string) string {
	text, target = strings.TrimSpace(Line(text)), strings.TrimSpace(Line(target))
	where, bare := destination(target)
	switch {
	case text == "":
		return cmp.Or(where, target)
	case where == "" || bare && (text == target || strings.EqualFold(text, where)):
		return text
	}
	return text + " (" + where + ")"
}

// destination returns where a target leads, empty for a place in the vault. It is bare if it has no user name or
// password, which could pose as the host.
func destination(target string) (where string, bare bool) {
	scheme, rest, ok := strings.Cut(target, ":")
	switch {
	case strings.HasPrefix(target, "//"): // scheme-relative
		scheme, rest = "https", target
	case !ok || !isScheme(scheme):
		return "", true
	}
	switch strings.ToLower(scheme) {
	case "obsidian":
		return "", true
	case "http", "https":
		u, err := url.Parse("https:" + rest)
		if err != nil || u.Hostname() == "" {
			return text.Clip(target, maxLabel+1), false
		}
		return asciiHost(u.Hostname()), u.User == nil
	}
	return text.Clip(target, maxLabel+1), true
}

// isScheme implements RFC 3986, section 3.1.
func isScheme(s string) bool {
	for i := range len(s) {
		b := s[i] | 0x20
		if letter := b >= 'a' && b <= 'z'; !letter && (i == 0 || !strings.ContainsRune("0123456789+-.", rune(s[i]))) {
			return false
		}
	}
	return s != ""
}

// asciiHost returns a host in ASCII. If it is too long, the end is kept, since that names the owner.
func asciiHost(host string) string {
	if ascii, err := idna.Lookup.ToASCII(host); err == nil {
		host = ascii
	}
	host = strings.ToLower(host)
	if n := utf8.RuneCountInString(host); n > maxLabel {
		runes := []rune(host)
		host = "…" + string(runes[n-maxLabel:])
	}
	return host
}
