package tools

import (
	"context"
	"fmt"
	"strings"

	"chatvault/tools/wording"
	"chatvault/vault"
	"chatvault/vault/note"
)

type renameTagArgs struct {
	Tag   string `json:"tag" nonempty:"true"`
	To    string `json:"to" jsonschema:"empty removes it"`
	Where *where `json:"where,omitempty" jsonschema:"only in these notes; default all"`
}

var _ = define(definition{
	name:    "rename_tag",
	traits:  Traits{Verb: "renaming the tag", Kind: CallEdits, Edits: true, Again: true, Spare: true},
	example: `{"tag": "work", "to": "project/work"}`,
}, runRenameTag, func(a renameTagArgs) string {
	if a.Tag == "" {
		return ""
	}
	target := "#" + tagName(a.Tag)
	if to := tagName(a.To); to != "" {
		target += " → #" + to
	}
	if a.Where != nil {
		target += " in " + a.Where.target()
	}
	return target
})

// tagName returns a tag without what surrounds its name.
func tagName(tag string) string { return strings.Trim(strings.TrimSpace(tag), "#/") }

func runRenameTag(ctx context.Context, t *Turn, a renameTagArgs) Result {
	from, to := tagName(a.Tag), tagName(a.To)
	if to != "" && !note.IsTag(to) || !note.IsTag(from) {
		return failf("invalid arguments", "A tag has letters, digits, - and _, no spaces, and not only digits; / nests it: {\"tag\": \"work\", \"to\": \"project/work\"}.")
	}
	if from == to {
		return failf("invalid arguments", "tag and to are the same; nothing would change.")
	}
	w := where{}
	if a.Where != nil {
		w = *a.Where
	}
	if w.Value != nil && w.Key == "" {
		return failf("invalid arguments", "%s", w.check("rename_tag", ""))
	}
	if w.Tag == "" {
		w.Tag = from
	}
	return t.editMany(ctx, manyEdit{
		where: &w,
		edit: func(f *vault.File) ([]byte, int, error) {
			after, places, err := note.RenameTag(f.Data, from, to)
			if err != nil {
				err = fmt.Errorf("%s", invalidFrontMatter(f.Path, err, "").Text)
			}
			return after, places, err
		},
		did: func(notes string, places int) string {
			if to == "" {
				return fmt.Sprintf("Removed the tag #%s from %s (%s).", from, notes, wording.Counted(places, "place"))
			}
			return fmt.Sprintf("Renamed the tag #%s to #%s in %s (%s).", from, to, notes, wording.Counted(places, "place"))
		},
		none: func(ctx context.Context, notes []string) Result {
			return failf("not found", "Of %s, none has the tag #%s.%s Nothing was changed.", wording.Counted(len(notes), "note"), from, t.nearTag(ctx, from, w.filter().Scope))
		},
	})
}
