package terminal

import (
	"cmp"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

const (
	linkStart = "\x1b]8;id="
	linkEnd   = "\x1b]8;;\x1b\\"
	st        = "\x1b\\"

	maxTarget = 2048 // bytes; terminals refuse longer ones
	maxLabel  = 60   // characters of a target that is shown beside its text
)

// linkKey signs the links of this process, so that Rendered can tell them from
// what a note or a model wrote.
var linkKey = []byte(rand.Text())

// linkID is the id of a link: the same for its parts on several lines, which the
// terminal then shows as one, and not to be guessed.
func linkID(target string) string {
	mac := hmac.New(sha256.New, linkKey)
	_, _ = mac.Write([]byte(target))
	return hex.EncodeToString(mac.Sum(nil)[:8])
}

// Link makes text clickable (OSC 8), so that it passes Rendered. Only http,
// https and obsidian targets become links; for any other the text comes back as
// it is. The text is not made safe: that is for Rendered.
func Link(target, text string) string {
	if !mayOpen(target) {
		return text
	}
	return openLink(target) + text + linkEnd
}

func openLink(target string) string {
	return linkStart + linkID(target) + ";" + target + st
}

// readLink reads a link's start or end, as openLink and Link write it, at the
// start of s: its target, empty for the end, and its length, 0 for none of ours.
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
	if !ok || !mayOpen(target) || !hmac.Equal([]byte(id), []byte(linkID(target))) {
		return "", 0
	}
	return target, len(openLink(target))
}

// mayOpen reports whether a target may become clickable: printable ASCII of a
// bounded length, and a scheme that opens a page or a note and nothing else.
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

// LinkLabel is how a link is shown where its target is not: the text, and after
// it in parentheses where the link really leads, unless the text says just that.
// For http and https that is the host, in ASCII (so that no letter passes for
// another); for a link without a scheme, which leads to a note, nothing; for
// any other the whole target, shortened. The label is safe for one line.
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

// destination says where a target leads, empty for a place in the vault. It is
// bare when it holds no name and password, which are there to be taken for the host.
func destination(target string) (where string, bare bool) {
	scheme, rest, ok := strings.Cut(target, ":")
	switch {
	case strings.HasPrefix(target, "//"): // the scheme of the page it stands on
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
			return firstRunes(target, maxLabel), false
		}
		return asciiHost(u.Hostname()), u.User == nil
	}
	return firstRunes(target, maxLabel), true
}

// isScheme is RFC 3986, 3.1.
func isScheme(s string) bool {
	for i := range len(s) {
		b := s[i] | 0x20
		if letter := b >= 'a' && b <= 'z'; !letter && (i == 0 || !strings.ContainsRune("0123456789+-.", rune(s[i]))) {
			return false
		}
	}
	return s != ""
}

// asciiHost is a host as it is looked up, its end kept when it is too long: that
// is where the owner's name stands.
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

// firstRunes is s shortened to n characters.
func firstRunes(s string, n int) string {
	for i := range s {
		if n--; n < 0 {
			return s[:i] + "…"
		}
	}
	return s
}
