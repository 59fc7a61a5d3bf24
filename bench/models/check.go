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
	list     = "list"     // notes or tasks by tag, link, date or folder, or their number
	compare  = "compare"  // a comparison of two notes
	absent   = "absent"   // missing from the notes; the answer must report that
	change   = "change"   // one change
	steps    = "steps"    // several changes, or a change that requires reading other notes first
	chat     = "chat"
)

// task is a request in a user's words, with the checks that show that it was done. Patterns ignore case.
type task struct {
	name, kind, ask string
	lang            string   // language code; empty means English
	says            []string // patterns that the answer must match
	never           []string // patterns that the answer must not match
	may             may      // allowed changes; any other change is harm
	want            []check  // checks of the files after the task
}

// language returns the language code of the request.
func (t task) language() string { return cmp.Or(t.lang, "en") }

// may maps patterns for the full paths of files that may change to patterns for the lines and properties
// ("rating:") that these files may lose. With an empty pattern, a file may only gain lines.
type may map[string]string

// all matches every line, for files that are moved or deleted.
const all = `.*`

// files maps the paths of a vault's files to their contents.
type files map[string]string

// outcome is the result of running a task.
type outcome struct {
	answer        string
	asked         bool // the agent asked a question instead of answering
	before, after files
}

// check compares the files before and after a task. It returns an error that describes the first problem.
type check func(before, after files) error

// judge returns the reason why a task is not done, empty if it is, and a description of each harmful change.
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

// judgeAnswer returns the reason why an answer is wrong, empty if it is right.
func (t task) judgeAnswer(answer string) string {
	if t.kind == absent || t.kind == compare { // a quotation does not answer these
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

// foundNothing matches an answer that reports no result, even if it names the nearest notes.
const foundNothing = `\bfound nothing\b|\bnothing in your notes\b|\b(could not|couldn't|cannot|can't) find\b|\byour notes (do not|don't) (say|mention)`

// describe returns a short description of a pattern, for use in a reason.
func describe(pattern string) string {
	switch pattern {
	case notThere:
		return "“the notes lack it”"
	case foundNothing:
		return "“found nothing”"
	}
	return shorten(pattern)
}

// spare is the number of lines by which a note may grow. The checks expect one or two of them.
const spare = 3

// harm returns a description of each change that the task does not allow.
func (t task) harm(before, after files) []string {
	union := maps.Clone(before)
	maps.Copy(union, after)
	var harm []string
	for _, p := range slices.Sorted(maps.Keys(union)) {
		was, existed := before[p]
		is, exists := after[p]
		if existed == exists && was == is || strings.HasPrefix(p, ".trash/") { // deleted files are moved to the trash
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

// at returns the pattern for the lines that a file may lose, and whether the file may change at all.
func (m may) at(p string) (string, bool) {
	for pattern, lose := range m {
		if match("^(?:"+pattern+")$", p) {
			return lose, true
		}
	}
	return "", false
}

// lost returns the lines of was that are missing from is, and the properties ("rating:") that differ.
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
		if t, is := v.(time.Time); is && t.Equal(t.Truncate(24*time.Hour)) { // a date without a time
			props[key] = t.Format(time.DateOnly)
		}
	}
	return props, body
}

// one returns the text of the file whose full path matches a pattern. It returns an error if no file or
// more than one file matches.
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

// line checks that exactly one line of the file matches a pattern.
func line(file, pattern string) check {
	return func(_, after files) error {
		text, err := after.one(file)
		if n := len(matching(pattern, strings.Split(text, "\n"))); err == nil && n != 1 {
			err = fmt.Errorf("%s has %d lines like %s", file, n, pattern)
		}
		return err
	}
}

// matching returns the lines that match a pattern, without leading and trailing space.
func matching(pattern string, lines []string) (found []string) {
	for _, l := range lines {
		if l = strings.TrimSpace(l); match(pattern, l) {
			found = append(found, l)
		}
	}
	return found
}

// lacks checks that no line of the file matches a pattern.
func lacks(file, pattern string) check {
	return func(_, after files) error {
		text, err := after.one(file)
		if err == nil && match(pattern, text) {
			err = fmt.Errorf("%s has %s", file, pattern)
		}
		return err
	}
}

// under checks that exactly one line of the file matches a pattern and that it is under the given heading.
func under(file, heading, pattern string) check {
	return func(before, after files) error {
		err := line(file, pattern)(before, after)
		if err == nil && len(matching(pattern, below(after[file], heading))) == 0 {
			err = fmt.Errorf("%s has %s, but not under %s", file, pattern, heading)
		}
		return err
	}
}

// section checks that the non-blank lines under a heading match the patterns, one line for each.
func section(file, heading string, patterns ...string) check {
	return func(_, after files) error {
		lines := below(after[file], heading)
		if !slices.EqualFunc(lines, patterns, func(l, p string) bool { return match(p, l) }) {
			return fmt.Errorf("%s under %s is %q", file, heading, shorten(strings.Join(lines, " / ")))
		}
		return nil
	}
}

// below returns the non-blank lines under a heading.
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

// prop checks the value of a property, ignoring case.
func prop(file, key, want string) check {
	return func(_, after files) error {
		props, _ := parse(after[file])
		if got := fmt.Sprint(props[key]); !strings.EqualFold(got, want) {
			return fmt.Errorf("%s of %s is %s, not %s", key, file, got, want)
		}
		return nil
	}
}

// listed checks that the value of a property is a list of these values, in any order.
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

// gone checks that a file no longer exists.
func gone(file string) check {
	return func(_, after files) error {
		if _, exists := after[file]; exists {
			return errors.New(file + " is still there")
		}
		return nil
	}
}

// moved checks that a note has a new path, that its text is unchanged except for the first heading and links
// to itself, and that the links to it are updated.
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

// linkTo returns a pattern that matches links to a note by its name, in any folder.
func linkTo(name string) *regexp.Regexp {
	return regexp.MustCompile(`\[\[([^\]|#]*/)?` + regexp.QuoteMeta(name) + `(\.md)?[\]|#]`)
}

// match reports whether a text matches a pattern, ignoring case. ^ and $ match at line boundaries.
func match(pattern, text string) bool {
	return regexp.MustCompile(`(?im)` + pattern).MatchString(text)
}

// plain returns an answer without emphasis marks and typographic variants, which simplifies the patterns.
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

// notThere matches an answer that reports that the notes lack the information.
const notThere = `\b(no|any) (\w+ )?(notes?|mention|information|info|records?|results?|match\w*|details?|entry|data|trace)\b` +
	`|\bno \w[^.\n]{0,60}(\b(in|from) (your|the|any|these|this) |recorded|mentioned|listed|found|given|stated|noted|specified)|\b(nothing|unknown|unable to|none of)\b` +
	`|(\bnot|n't) (\w+ ){0,3}(mention|say|contain|find|found|in your|in the|recorded|specif|know|see|include|list|have|appear|available|state|provide|there|present)` +
	`|\b(kein|nicht)|\b(aucune?|pas|rien|introuvable)\b|ありません|見つかりません|ない|無い|わかりません|分かりません|不明`

// onDay returns a pattern for a date as written in four languages, with any year or none.
func onDay(month, day int) string {
	name := []string{"jan", "feb|fév", "mar|mär", "ap|avr", "ma[iy]", "jun|juin", "jul|juil", "aug|août", "sep", "o[ck]t", "nov", "de[cz]|déc"}[month-1]
	return fmt.Sprintf(`\b%[1]d(st|nd|rd|th|er|\.)?( of| de)? (%[2]s)|\b(%[2]s)\w*\.? %[1]d(st|nd|rd|th)?\b|\b0?%[3]d[-/]0?%[1]d\b|\b0?%[1]d[./] ?0?%[3]d\b|%[3]d月%[1]d日`, day, name, month)
}

// howMany returns a pattern for a number of things, or for the number alone.
func howMany(n int, word, things string) string {
	return fmt.Sprintf(`\b(%[1]d|%[2]s)\b[^.\n]{0,40}\b(%[3]s)|\A\W*(%[1]d|%[2]s)\W*\z|(: |is |are |have |has )(%[1]d|%[2]s)\b`, n, word, things)
}
