package tools

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"chatvault/internal/base/text"
	"chatvault/tools/skill"
	"chatvault/tools/wording"
)

type useSkillArgs struct {
	Name      string `json:"name" nonempty:"true"`
	Resource  string `json:"resource,omitempty" jsonschema:"a file of the skill, such as references/syntax.md; default its instructions"`
	StartLine int    `json:"start_line,omitempty" min:"1" jsonschema:"where to read on"`
}

var _ = define(definition{
	name:    "use_skill",
	traits:  Traits{Verb: "using the skill", Did: "used the skill", Kind: CallReads},
	example: `{"name": "weekly-review"}`,
	offered: func(_ Messenger, o Options) bool { return o.Skills != nil && len(o.Skills()) > 0 },
}, runUseSkill, func(a useSkillArgs) string { return strings.TrimSuffix(a.Name+" · "+a.Resource, " · ") })

func runUseSkill(_ context.Context, t *Turn, a useSkillArgs) Result {
	var names []string
	for _, s := range t.options.Skills() {
		if s.Name == a.Name {
			return t.showSkill(s, a)
		}
		names = append(names, s.Name)
	}
	if len(names) == 0 {
		return failf("no skill", "The user has no approved skills any more. Continue without one.")
	}
	return failf("no such skill", "No approved skill is called %s. Available: %s.", wording.Quote(wording.Shorten(a.Name, 80)), strings.Join(names, ", "))
}

func (t *Turn) showSkill(s skill.Skill, a useSkillArgs) Result {
	if a.Resource == "" || a.Resource == skill.MainFile {
		text, more := t.skillPage(s.Body, a)
		text = fmt.Sprintf("<skill name=%q>\n%s\n</skill>%s", s.Name, text, more)
		if files := s.Resources(); len(files) > 0 {
			text += "\n\n[Its files, for resource: " + strings.Join(files, ", ") + "]"
		}
		return Result{Text: text, Summary: wording.Counted(strings.Count(s.Body, "\n")+1, "line")}
	}
	data, ok := s.Resource(strings.TrimPrefix(a.Resource, "./"))
	switch {
	case !ok && len(s.Resources()) == 0:
		return failf("no such file", "The skill %s has no files besides its instructions.", s.Name)
	case !ok:
		return failf("no such file", "The skill %s has no file %s. It has: %s.", s.Name, wording.Quote(wording.Shorten(a.Resource, 200)), strings.Join(s.Resources(), ", "))
	case !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0:
		return textf("binary", "%s is a binary file (%s), not text; it cannot be shown.", wording.Quote(a.Resource), wording.SizeText(int64(len(data))))
	}
	text, more := t.skillPage(strings.TrimSuffix(string(data), "\n"), a)
	return Result{Text: text + more, Summary: wording.Counted(strings.Count(text, "\n")+1, "line")}
}

// skillPage returns as much of a text as is read at once, from the requested line on. more tells how to continue.
func (t *Turn) skillPage(body string, a useSkillArgs) (page, more string) {
	lines := text.Of(strings.Split(body, "\n"), func(line string) string { return wording.CutAt(line, t.options.ReadMaxBytes) })
	from := min(max(a.StartLine, 1), len(lines))
	page, n := t.page(lines[from-1:])
	if last := from - 1 + n; last < len(lines) {
		more = fmt.Sprintf("\n[... truncated, showing lines %d-%d of %d; continue with start_line=%d]", from, last, len(lines), last+1)
	}
	return page, more
}

// page returns the first of some lines, as many as are read at once, and their number.
func (t *Turn) page(lines []string) (text string, n int) {
	var b strings.Builder
	for n < len(lines) && n < t.options.ReadMaxLines && (n == 0 || b.Len()+len(lines[n]) < t.options.ReadMaxBytes) {
		b.WriteString(lines[n] + "\n")
		n++
	}
	return strings.TrimSuffix(b.String(), "\n"), n
}
