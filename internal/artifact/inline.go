package artifact

import (
	"encoding/base64"
	"fmt"
	"strings"

	"chatvault/internal/lazyregexp"
	"chatvault/internal/text"
)

// dataLink is a data: link that is long enough to be a thing.
var dataLink = lazyregexp.New(`data:[a-zA-Z0-9.+-]+/[a-zA-Z0-9.+-]+(?:;[a-zA-Z0-9=.-]+)*;base64,([A-Za-z0-9+/]{256,}={0,2})`)

// Inline takes the data: links out of a text and puts names in their place; name is what things are
// called.
func Inline(words, name string) (rest string, things []Thing) {
	if !strings.Contains(words, ";base64,") {
		return words, nil
	}
	var b strings.Builder
	at := 0
	for _, m := range dataLink().FindAllStringSubmatchIndex(words, MaxThings) {
		data, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(words[m[2]:m[3]], "="))
		if err != nil {
			continue
		}
		a, err := Describe(name, data)
		if err != nil {
			continue
		}
		b.WriteString(words[at:m[0]])
		b.WriteString("artifact:" + strings.ReplaceAll(a.Name, " ", "%20"))
		at = m[1]
		things = append(things, Thing{a.Name, data})
	}
	b.WriteString(words[at:])
	return b.String(), things
}

// Mention is what a model is told in the place of a thing: what it is, or why it is not kept.
func Mention(t Thing) string {
	a, err := Describe(t.Name, t.Data)
	if err != nil {
		return fmt.Sprintf("[%s, %s, was left out: %v]", a.Name, a.MediaType, err)
	}
	return fmt.Sprintf("[The artifact %q: %s, %s. You cannot see it; the user can, and can save it to the vault with /artifacts.]",
		a.Name, a.MediaType, text.Count(int(a.Size), "byte"))
}
