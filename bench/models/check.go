package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"
)

// The kinds of tasks, in the order of the table.
const (
	fact     = "fact"     // a fact in a note's text
	property = "property" // a fact in front matter
	list     = "list"     // notes or tasks by tag, link, date, folder, or their number
	compare  = "compare"  // two notes compared
	absent   = "absent"   // not in the notes, which the answer must say
	change   = "change"   // one change
	steps    = "steps"    // several changes, or a change that needs a look first
	chat     = "chat"
)

// task is a request as a person types it, and what shows that it was done. Its patterns ignore case.
type task struct {
	name, kind, ask string
	lang            string   // empty: English
	says            []string // patterns that the answer must match
	never           []string // patterns that it must not match
	may             may      // what may change; anything else is harm
	want            []check  // how the files must be afterwards
}

// language returns the language of the request.
func (t task) language() string { return cmp.Or(t.lang, "en") }

// may maps patterns of whole paths that may change to a pattern of the lines and properties ("rating:")
// that a file may lose there. With the empty pattern, a file may only gain lines.
type may map[string]string

// all lets a file lose everything, as it does when it is moved or deleted.
const all = `.*`

// files holds the texts of a vault's files by path.
type files map[string]string

// outcome is what a task led to.
type outcome struct {
	answer        string
	asked         bool // the agent asked a question instead
	before, after files
}

// check returns an error that describes what is not as it should be.
type check func(before, after files) error

// judge returns why a task is not done, empty if it is, and the harm done in the vault.
func (t task) judge(o outcome) (reason string, harm []string) {
	harm = t.harm(o.before, o.after)
	if o.asked {
		return "asked back", harm
	}
	if reason := t.judgeAnswer(plain(o.answer)); reason != "" {
		return reason, harm
	}
	for _, c := range t.want {
		if err := c(o.before, o.after); err != nil {
			return err.Error(), harm
		}
	}
	for p, was := range o.before {
		if was == o.after[p] {
			continue
		}
		if n := len(lost(o.after[p], was)) - len(lost(was, o.after[p])); n > spare {
			return fmt.Sprintf("%s gains %d lines", p, n), harm
		}
	}
	if len(harm) > 0 {
		return harm[0], harm
	}
	return "", harm
}

// judgeAnswer returns why an answer is not right, empty if it is.
func (t task) judgeAnswer(answer string) string {
	if t.kind == absent || t.kind == compare { // a quotation is no answer to these
		answer = regexp.MustCompile(`(?m)^\s*>.*$`).ReplaceAllString(answer, "")
	}
	if len(t.says) > 0 && strings.TrimSpace(answer) == "" {
		return "no answer"
	}
	quoted := fmt.Sprintf("%q", shorten(answer))
	for _, p := range t.says {
		if !match(p, answer) {
			return quoted + " does not match " + describe(p)
		}
	}
	never := t.never
	if len(t.says) > 0 && t.kind != absent {
		never = append([]string{foundNothing}, never...)
	}
	for _, p := range never {
		if match(p, answer) {
			return quoted + " matches " + describe(p)
		}
	}
	return ""
}

// foundNothing matches an answer that gives none, even if it names the nearest notes.
const foundNothing = `\bfound nothing\b|\bnothing in your notes\b|\b(could not|couldn't|cannot|can't) find\b|\byour notes (do not|don't) (say|mention)`

// describe names a pattern in a reason.
func describe(pattern string) string {
	switch pattern {
	case notThere:
		return "“the notes lack it”"
	case foundNothing:
		return "“found nothing”"
	}
	return shorten(pattern)
}

// spare is how many lines a note may gain over those that it loses, of which the checks know one or two.
const spare = 3

// harm returns the changes that the task does not allow.
func (t task) harm(before, after files) []string {
	union := maps.Clone(before)
	maps.Copy(union, after)
	var harm []string
	for _, p := range slices.Sorted(maps.Keys(union)) {
		was, existed := before[p]
		is, exists := after[p]
		if existed == exists && was == is || strings.HasPrefix(p, ".trash/") { // the trash holds what a deletion moved
			continue
		}
		lose, allowed := t.may.at(p)
		switch {
		case allowed:
			for _, l := range lost(was, is) {
				if lose == "" || !match(lose, l) {
					harm = append(harm, fmt.Sprintf("%s loses %q", p, shorten(l)))
				}
			}
		case !existed:
			harm = append(harm, "creates "+p)
		case !exists:
			harm = append(harm, "deletes "+p)
		default:
			harm = append(harm, "changes "+p)
		}
	}
	return harm
}

// at returns what a file may lose, and whether it may change at all.
func (m may) at(p string) (string, bool) {
	for pattern, lose := range m {
		if match("^(?:"+pattern+")$", p) {
			return lose, true
		}
	}
	return "", false
}

// lost returns the lines of a text that another lacks, and the properties ("rating:") that differ in it.
func lost(was, is string) []string {
	oldProps, oldBody := parse(was)
	props, body := parse(is)
	var out []string
	for _, key := range slices.Sorted(maps.Keys(oldProps)) {
		if !reflect.DeepEqual(oldProps[key], props[key]) {
			out = append(out, key+":")
		}
	}
	left := map[string]int{}
	for l := range strings.Lines(body) {
		left[strings.TrimSpace(l)]++
	}
	for l := range strings.Lines(oldBody) {
		if l = strings.TrimSpace(l); l != "" {
			if left[l]--; left[l] < 0 {
				out = append(out, l)
			}
		}
	}
	return out
}

// parse splits a note into its properties and its body.
func parse(text string) (map[string]any, string) {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	front, body, found := strings.Cut(strings.TrimPrefix(text, "---\n"), "\n---")
	props := map[string]any{}
	if !found || !strings.HasPrefix(text, "---\n") || yaml.Unmarshal([]byte(front), &props) != nil {
		return nil, text
	}
	for key, v := range props {
		if t, is := v.(time.Time); is && t.Equal(t.Truncate(24*time.Hour)) { // as it is written
			props[key] = t.Format(time.DateOnly)
		}
	}
	return props, body
}

// one returns the text of the only file whose whole path matches a pattern.
func (f files) one(pattern string) (string, error) {
	found := ""
	for p := range f {
		if !match("^(?:"+pattern+")$", p) || strings.HasPrefix(p, ".trash/") {
			continue
		}
		if found != "" {
			return "", fmt.Errorf("both %s and %s are there", found, p)
		}
		found = p
	}
	if found == "" {
		return "", fmt.Errorf("%s is missing", pattern)
	}
	return f[found], nil
}

// line wants exactly one line that matches a pattern in the file.
func line(file, pattern string) check {
	return func(_, after files) error {
		text, err := after.one(file)
		if n := len(matching(pattern, strings.Split(text, "\n"))); err == nil && n != 1 {
			err = fmt.Errorf("%s has %d lines like %s", file, n, pattern)
		}
		return err
	}
}

// matching returns the lines that match a pattern, without the space around them.
func matching(pattern string, lines []string) (found []string) {
	for _, l := range lines {
		if l = strings.TrimSpace(l); match(pattern, l) {
			found = append(found, l)
		}
	}
	return found
}

// lacks wants no line that matches a pattern in the file.
func lacks(file, pattern string) check {
	return func(_, after files) error {
		text, err := after.one(file)
		if err == nil && match(pattern, text) {
			err = fmt.Errorf("%s has %s", file, pattern)
		}
		return err
	}
}

// under wants exactly one line that matches a pattern in the file, and that below a heading.
func under(file, heading, pattern string) check {
	return func(before, after files) error {
		err := line(file, pattern)(before, after)
		if err == nil && len(matching(pattern, below(after[file], heading))) == 0 {
			err = fmt.Errorf("%s has %s, but not under %s", file, pattern, heading)
		}
		return err
	}
}

// section wants exactly these lines below a heading, blank ones aside.
func section(file, heading string, patterns ...string) check {
	return func(_, after files) error {
		lines := below(after[file], heading)
		if !slices.EqualFunc(lines, patterns, func(l, p string) bool { return match(p, l) }) {
			return fmt.Errorf("%s under %s is %q", file, heading, shorten(strings.Join(lines, " / ")))
		}
		return nil
	}
}

// below returns the lines of a section without the blank ones.
func below(text, heading string) []string {
	var lines []string
	level := 0
	for l := range strings.Lines(text) {
		l = strings.TrimSpace(l)
		marks := len(l) - len(strings.TrimLeft(l, "#"))
		switch isHeading := marks > 0 && strings.HasPrefix(l[marks:], " "); {
		case isHeading && strings.EqualFold(strings.TrimSpace(l[marks:]), heading):
			level = marks
		case isHeading && marks <= level:
			level = 0
		case level > 0 && l != "":
			lines = append(lines, l)
		}
	}
	return lines
}

// prop wants a property to have a value.
func prop(file, key, want string) check {
	return func(_, after files) error {
		props, _ := parse(after[file])
		if got := fmt.Sprint(props[key]); !strings.EqualFold(got, want) {
			return fmt.Errorf("%s of %s is %s, not %s", key, file, got, want)
		}
		return nil
	}
}

// listed wants a property to hold these values in any order.
func listed(file, key string, want ...string) check {
	return func(_, after files) error {
		props, _ := parse(after[file])
		var got []string
		switch v := props[key].(type) {
		case []any:
			for _, item := range v {
				got = append(got, strings.TrimPrefix(fmt.Sprint(item), "#"))
			}
		case string:
			got = strings.FieldsFunc(v, func(r rune) bool { return r == ',' })
		}
		if slices.Sort(got); !slices.Equal(got, slices.Sorted(slices.Values(want))) {
			return fmt.Errorf("%s of %s is %v, not %v", key, file, props[key], want)
		}
		return nil
	}
}

// gone wants a file deleted.
func gone(file string) check {
	return func(_, after files) error {
		if _, exists := after[file]; exists {
			return errors.New(file + " is still there")
		}
		return nil
	}
}

// moved wants a note at another path with its text, its first heading aside, and the links to it updated.
func moved(from, to string) check {
	return func(before, after files) error {
		if err := gone(from)(before, after); err != nil {
			return err
		}
		if _, exists := after[to]; !exists {
			return errors.New(to + " is missing")
		}
		name, newName := noteName(from), noteName(to)
		for _, l := range lost(before[from], after[to]) {
			if l != "# "+name && !linkTo(name).MatchString(l) {
				return fmt.Errorf("%s lost %q", to, shorten(l))
			}
		}
		for p, text := range before {
			if links := len(linkTo(name).FindAllString(text, -1)); p != from && links > len(linkTo(newName).FindAllString(after[p], -1)) {
				return fmt.Errorf("%s does not link to %s", p, newName)
			}
		}
		return nil
	}
}

func noteName(file string) string { return strings.TrimSuffix(path.Base(file), ".md") }

// linkTo matches links to the note with a name, whatever the folder.
func linkTo(name string) *regexp.Regexp {
	return regexp.MustCompile(`\[\[([^\]|#]*/)?` + regexp.QuoteMeta(name) + `(\.md)?[\]|#]`)
}

// match reports whether a text matches a pattern, ignoring case; ^ and $ are the ends of lines.
func match(pattern, text string) bool {
	return regexp.MustCompile(`(?im)` + pattern).MatchString(text)
}

// plain returns an answer without emphasis and typographic variants, which patterns need not know.
func plain(answer string) string {
	return strings.NewReplacer("**", "", "__", "", "`", "", "’", "'", "\u00a0", " ", "\u202f", " ", "‑", "-").Replace(answer)
}

func shorten(s string) string {
	if r := []rune(strings.Join(strings.Fields(s), " ")); len(r) > 100 {
		return string(r[:100]) + "…"
	} else {
		return string(r)
	}
}

// notThere matches an answer that the notes do not say it.
const notThere = `\b(no|any) (\w+ )?(notes?|mention|information|info|records?|results?|match\w*|details?|entry|data|trace)\b` +
	`|\bno \w[^.\n]{0,60}(\b(in|from) (your|the|any|these|this) |recorded|mentioned|listed|found|given|stated|noted|specified)|\b(nothing|unknown|unable to|none of)\b` +
	`|(\bnot|n't) (\w+ ){0,3}(mention|say|contain|find|found|in your|in the|recorded|specif|know|see|include|list|have|appear|available|state|provide|there|present)` +
	`|\b(kein|nicht)|\b(aucune?|pas|rien|introuvable)\b|ありません|見つかりません|ない|無い|わかりません|分かりません|不明`

// onDay matches a date in the spellings of four languages, with any year or none.
func onDay(month, day int) string {
	name := []string{"jan", "feb|fév", "mar|mär", "ap|avr", "ma[iy]", "jun|juin", "jul|juil", "aug|août", "sep", "o[ck]t", "nov", "de[cz]|déc"}[month-1]
	return fmt.Sprintf(`\b%[1]d(st|nd|rd|th|er|\.)?( of| de)? (%[2]s)|\b(%[2]s)\w*\.? %[1]d(st|nd|rd|th)?\b|\b0?%[3]d[-/]0?%[1]d\b|\b0?%[1]d[./] ?0?%[3]d\b|%[3]d月%[1]d日`, day, name, month)
}

// howMany matches a number of things, or nothing but the number.
func howMany(n int, word, things string) string {
	return fmt.Sprintf(`\b(%[1]d|%[2]s)\b[^.\n]{0,40}\b(%[3]s)|\A\W*(%[1]d|%[2]s)\W*\z|(: |is |are |have |has )(%[1]d|%[2]s)\b`, n, word, things)
}
