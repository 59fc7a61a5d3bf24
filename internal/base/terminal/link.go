package terminal

import (
	"hash/maphash"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/idna"

	"chatvault/internal/base/text"
)

const (
	linkStart = "\x1b]8;id="
	linkEnd   = "\x1b]8;;\x1b\\"
	st        = "\x1b\\"

	maxTarget = 2048 // bytes; terminals refuse longer ones
	maxLabel  = 60   // characters of a shown target
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

// Destination returns where a link leads, safe for one line: for http and https the host in ASCII, so that no letter
// passes for another, otherwise the whole target, shortened.
func Destination(target string) string {
	target = strings.TrimSpace(Line(target))
	scheme, rest, _ := strings.Cut(target, ":")
	if web := strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"); web {
		if u, err := url.Parse("https:" + rest); err == nil && u.Hostname() != "" {
			return asciiHost(u.Hostname())
		}
	}
	return text.Clip(target, maxLabel+1)
}

// asciiHost returns a host in ASCII. If it is too long, the end is kept, since that names the owner.
func asciiHost(host string) string {
	if ascii, err := idna.Lookup.ToASCII(host); err == nil {
		host = ascii
	}
	if runes := []rune(strings.ToLower(host)); len(runes) > maxLabel {
		return "…" + string(runes[len(runes)-maxLabel:])
	}
	return strings.ToLower(host)
}
