package artifact

import (
	"encoding/base64"
	"fmt"
	"strings"

	"chatvault/internal/base/lazyregexp"
	"chatvault/internal/base/text"
)

// dataLink matches a data: link with at least about 190 bytes of data.
var dataLink = lazyregexp.New(`data:[a-zA-Z0-9.+-]+/[a-zA-Z0-9.+-]+(?:;[a-zA-Z0-9=.-]+)*;base64,([A-Za-z0-9+/]{256,}={0,2})`)

// Inline replaces the data: links of a text by names of artifacts, and returns those. name is used for each.
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

// Mention returns the text that replaces an artifact for the model: what it is, or why it was not kept.
func Mention(t Thing) string {
	a, err := Describe(t.Name, t.Data)
	if err != nil {
		return fmt.Sprintf("[%s, %s, was left out: %v]", a.Name, a.MediaType, err)
	}
	return fmt.Sprintf("[The artifact %q: %s, %s. You cannot see it; the user can: it is a file beside the conversation.]",
		a.Name, a.MediaType, text.Count(int(a.Size), "byte"))
}
