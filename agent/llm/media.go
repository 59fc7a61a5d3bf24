package llm

import (
	"fmt"
	"strings"

	"chatvault/internal/picture"
)

// Media is a picture or a document in a message: of a user's, what they put beside it; of a tool's, what it
// returned.
type Media struct {
	picture.Info
	Name string
	Data []byte // nil: it is not shown, and the message says so
	Why  string // it is not shown, for the model
}

// Label says which one follows.
func (m Media) Label() string { return fmt.Sprintf("%s %q:", sentenceCase(m.Noun()), m.Name) }

// Unshown is what a message says where one is not shown.
func (m Media) Unshown() string {
	why := m.Why
	if why == "" {
		why = "it is not part of this request"
	}
	return fmt.Sprintf("[%s %q (%s) is not shown: %s]", sentenceCase(m.Noun()), m.Name, m.Info, why)
}

func sentenceCase(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// Sighted is a Provider that knows which media its model takes, by their type; not known, it may be tried.
type Sighted interface {
	Sees(mediaType string) (sees, known bool)
}

// Sees says whether a provider's model takes media of a type, as far as that is known.
func Sees(p Provider, mediaType string) (sees, known bool) {
	if s, ok := p.(Sighted); ok {
		return s.Sees(mediaType)
	}
	return false, false
}
