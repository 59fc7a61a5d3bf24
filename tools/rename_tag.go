package tools

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"chatvault/vault"
	"chatvault/vault/note"
)

type renameTagArgs struct {
	Tag   string `json:"tag" nonempty:"true"`
	To    string `json:"to" nonempty:"true"`
	Where *where `json:"where,omitempty" jsonschema:"only in these notes"`
}

var _ = define(definition{
	name:    "rename_tag",
	traits:  Traits{Verb: "renaming the tag", Kind: CallEdits, Edits: true, Again: true, Spare: true},
	example: `{"tag": "work", "to": "project/work"}`,
}, runRenameTag, func(a renameTagArgs) string {
	target := "#" + tagName(a.Tag) + " to #" + tagName(a.To)
	if a.Where != nil {
		target += " in " + a.Where.target()
	}
	return target
})

// tagName returns a tag without what surrounds its name.
func tagName(tag string) string { return strings.Trim(strings.TrimSpace(tag), "#/") }

func runRenameTag(ctx context.Context, t *Turn, a renameTagArgs) Result {
	from, to := tagName(a.Tag), tagName(a.To)
	if !note.IsTag(from) || !note.IsTag(to) || from == to {
		return failf("invalid arguments", `tag and to must be two tags: letters, digits, - and _, no spaces, and not only digits; / nests them. Use: {"tag": "work", "to": "project/work"}`)
	}
	m := manyEdit{did: fmt.Sprintf("Renamed the tag #%s to #%s in %%s.", from, to)}
	if a.Where != nil {
		m.where = *a.Where
	}
	if m.Tag == "" {
		m.Tag = from
	}
	m.edit = func(f *vault.File) ([]byte, int, error) {
		after, places, err := note.RenameTag(f.Data, from, to)
		if err != nil {
			err = errors.New(invalidFrontMatter(f.Path, err, "").Text)
		}
		return after, places, err
	}
	return t.editMany(ctx, m)
}
