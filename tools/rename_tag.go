package tools

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"chatvault/tools/listing"
	"chatvault/vault"
	"chatvault/vault/note"
	"chatvault/vault/query"
)

type renameTagArgs struct {
	Tag  string `json:"tag" nonempty:"true"`
	To   string `json:"to" nonempty:"true"`
	Path string `json:"path,omitempty" note:"true" jsonschema:"note or folder"`
}

var _ = define(definition{
	name:    "rename_tag",
	traits:  Traits{Verb: "renaming the tag", Did: "renamed the tag", Kind: CallEdits, Edits: true, Again: true, Spare: true},
	example: `{"tag": "work", "to": "project/work"}`,
}, runRenameTag, func(a renameTagArgs) string {
	if a.Tag == "" || a.To == "" {
		return a.Path
	}
	return listing.ScopeTarget("#"+tagName(a.Tag)+" to #"+tagName(a.To), query.Scope{Path: a.Path})
})

// tagName returns a tag without what surrounds its name.
func tagName(tag string) string { return strings.Trim(strings.TrimSpace(tag), "#/") }

func runRenameTag(ctx context.Context, t *Turn, a renameTagArgs) Result {
	from, to := tagName(a.Tag), tagName(a.To)
	if !note.IsTag(from) || !note.IsTag(to) || from == to {
		return failf("invalid arguments", `tag and to must be two tags: letters, digits, - and _, no spaces, and not only digits; / nests them. Use: {"tag": "work", "to": "project/work"}`)
	}
	form := t.vault.Home().Form()
	return t.editMany(ctx, manyEdit{
		where: where{Tag: from, Path: a.Path},
		did:   fmt.Sprintf("Renamed the tag #%s to #%s", from, to),
		edit: func(f *vault.File) ([]byte, int, error) {
			after, places, err := form.RenameTag(f.Data, from, to)
			if err != nil {
				err = errors.New(invalidFrontMatter(f.Path, err, "").Text)
			}
			return after, places, err
		},
	})
}
