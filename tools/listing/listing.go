// Package listing builds results of bounded size from what was found in a vault, with remarks about omitted items.
package listing

import (
	"cmp"
	"fmt"
	"strings"

	"chatvault/internal/base/text"
	"chatvault/tools/wording"
	"chatvault/vault/query"
)

// Limits of a list.
const (
	defaultItems = 50
	maxItems     = 500
	MaxBytes     = 30_000
	MaxLine      = 400 // of a line of a note, in bytes
	maxSkipped   = 5
	NotesNamed   = 3 // notes named where they are otherwise only counted
)

// List collects lines for a result of bounded size.
type List struct {
	b     strings.Builder
	most  int // items
	limit int // of most
	bytes int
	shown int
	full  bool
}

// New returns a list for the requested max_results; 0 means the default.
func New(asked int) *List { return Bounded(asked, defaultItems, maxItems, MaxBytes) }

// Bounded returns a list for the requested max_results, with a default for 0, a limit and a maximum size in bytes. The
// first item always fits.
func Bounded(asked, standard, limit, bytes int) *List {
	return &List{most: min(cmp.Or(asked, standard), limit), limit: limit, bytes: bytes}
}

// Most returns the maximum number of items.
func (l *List) Most() int { return l.most }

// Shown returns the number of added items.
func (l *List) Shown() int { return l.shown }

// Full reports whether an item was omitted.
func (l *List) Full() bool { return l.full }

// String returns the collected lines.
func (l *List) String() string { return strings.TrimSuffix(l.b.String(), "\n") }

// Add adds an item of one or more lines, or omits it if the list is full.
func (l *List) Add(format string, a ...any) (taken bool) {
	text := fmt.Sprintf(format, a...)
	if l.shown >= l.most || l.b.Len()+len(text) > l.bytes && l.shown > 0 {
		l.full = true
	}
	if l.full {
		return false
	}
	l.b.WriteString(text)
	l.shown++
	return true
}

// AddTo adds an item to a list and, unless the list is full, its data to data.
func AddTo[T any](l *List, data *[]T, item T, format string, a ...any) {
	if l.Add(format, a...) {
		*data = append(*data, item)
	}
}

// Head adds a heading, which is omitted together with the items below it.
func (l *List) Head(format string, a ...any) {
	if l.shown >= l.most {
		l.full = true
	}
	if !l.full {
		fmt.Fprintf(&l.b, format, a...)
	}
}

// LeftOut describes the omitted items and how to request them, or returns "" if none were omitted.
func (l *List) LeftOut(all int, noun, narrow string) string {
	more := all - l.shown
	if more <= 0 {
		return ""
	}
	advice := narrow
	if l.most < l.limit && l.shown == l.most {
		advice = "raise max_results or " + narrow
	}
	return fmt.Sprintf("\n\n[%s; %s]", wording.Counted(more, "more "+noun), advice)
}

// MissedText describes, as the last lines of a result, what was not examined.
func MissedText(m query.Missed) string {
	return SkippedText(m.Skipped) + LeftOutText(m.Excluded)
}

// LineText returns a line of a note for a list.
func LineText(s string) string { return wording.Shorten(wording.OneLine(s), MaxLine) }

// ScopeTarget describes which notes a query covers, for display on one line.
func ScopeTarget(what string, s query.Scope) string {
	switch {
	case s.Path != "" && !IsRoot(s.Path):
		what = strings.TrimSpace(what + " in " + s.Path)
	case s.Pattern != "":
		what = strings.TrimSpace(what + " in " + s.Pattern)
	}
	return what
}

// ScopeName describes the scope in a sentence: "the vault", "Projects/", "files matching …".
func ScopeName(s query.Scope) string {
	switch {
	case s.Path != "" && !IsRoot(s.Path) && s.Pattern != "":
		return fmt.Sprintf("files matching %s in %s", wording.Quote(s.Pattern), wording.Quote(s.Path))
	case s.Path != "" && !IsRoot(s.Path):
		return wording.Quote(s.Path)
	case s.Pattern != "":
		return "files matching " + wording.Quote(s.Pattern)
	}
	return "the vault"
}

// LeftOutText describes, as the last line of a result, how much was omitted because Obsidian's settings exclude it,
// and how to include it. It returns "" if nothing was. It gives no names.
func LeftOutText(omitted int) string {
	if omitted == 0 {
		return ""
	}
	return "\n\n[" + wording.Counted(omitted, "item") + " that Obsidian's settings exclude left out; include_ignored adds them]"
}

// SkippedText describes, as the last line of a result, what was not searched, or returns "".
func SkippedText(skipped []string) string {
	if len(skipped) == 0 {
		return ""
	}
	named := text.Of(skipped[:min(len(skipped), maxSkipped)], func(s string) string { return wording.Shorten(s, 200) })
	if more := len(skipped) - maxSkipped; more > 0 {
		named = append(named, fmt.Sprintf("and %d more", more))
	}
	return "\n\n[Not searched: " + strings.Join(named, "; ") + "]"
}

// NotesText counts notes and names the first ones.
func NotesText(paths []string) string {
	return fmt.Sprintf("%s (%s)", wording.Counted(len(paths), "note"), text.Some(text.Of(paths, wording.PlainName)))
}

// IsRoot reports whether a folder argument is the vault itself.
func IsRoot(folder string) bool { return folder == "" || folder == "." || folder == "./" }
