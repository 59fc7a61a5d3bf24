package chat

import (
	"chatvault/internal/terminal"
	"chatvault/internal/text"
	"chatvault/tui/markdown"
	"chatvault/tui/theme"
)

// Offer is a list of messages that were not finished, with what can be done with the marked one. It is
// gone when none is left.
type Offer struct {
	options options
	dated
	card
}

// NewOffer makes an offer of nothing.
func NewOffer(env *Env) *Offer { return &Offer{card: card{env: env}} }

// Set lists messages, the one at a place marked; each says how it stands.
func (o *Offer) Set(list []string, at int) {
	o.options = options{list: make([]string, len(list)), at: at}
	for i, t := range list {
		o.options.list[i] = text.OneLine(terminal.Line(t))
	}
	o.touch()
}

// Open says that something is offered.
func (o *Offer) Open() bool { return o != nil && len(o.options.list) > 0 }

// Lines draws it.
func (o *Offer) Lines(width int) []string {
	return o.paint(width, func(s *theme.Styles, room int) []string {
		n := len(o.options.list)
		if n == 0 {
			return nil
		}
		head, keys := "One message was not finished:", "Enter runs it · e edits it · d drops it"
		if n > 1 {
			head, keys = text.Count(n, "message")+" were not finished:", "↑ ↓ choose · Enter runs it · e edits it · d drops it"
		}
		lines := o.options.lines(s, markdown.Wrap(head, theme.Open(s.WarnBold), room), room, true)
		lines = append(append(lines, ""), markdown.Wrap(keys, theme.Open(s.Muted), room)...)
		return marked(s.Warn.Render("↻")+" ", "  ", lines)
	})
}
