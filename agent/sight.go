package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"chatvault/agent/event"
	"chatvault/agent/history"
	"chatvault/agent/llm"
	"chatvault/agent/window"
	"chatvault/internal/base/picture"
	"chatvault/internal/base/text"
)

// sees reports whether a provider's model accepts a media type, if known.
func (l *learned) sees(p llm.Provider, mediaType string) (sees, known bool) {
	if _, blind := l.unable.Load(blindTo(p, mediaType)); blind {
		return false, true
	}
	return llm.Sees(p, mediaType)
}

// blindTo returns the learned.unable key of a model that does not accept a media type.
func blindTo(p llm.Provider, mediaType string) string {
	return cannotSee(mediaType) + " " + p.Name()
}

// seen returns messages in which media that the model does not accept are replaced by their names.
func (c *caller) seen(messages []llm.Message) []llm.Message {
	return c.media(messages, func(x *llm.Media) {
		if sees, known := c.sees(c.Provider, x.Type); known && !sees {
			x.Why = "this model " + cannotSee(x.Type)
		}
	})
}

// cannotSee returns what a model cannot do, to follow its name.
func cannotSee(mediaType string) string {
	if mediaType == picture.PDF {
		return "cannot read PDFs"
	}
	return "cannot see pictures"
}

// showing adds the content of the media that the model accepts to a request, and notifies the user about the others.
func (c *caller) showing(ctx context.Context, req llm.Request) llm.Request {
	if !window.Shows(req.Messages) {
		return req
	}
	ready(ctx, c.Provider)
	c.tellUnseen()
	req.Messages = c.media(c.seen(req.Messages), func(x *llm.Media) {
		data, err := []byte(nil), errors.New("nothing is kept")
		if c.Artifacts != nil {
			data, err = c.Artifacts.Read(x.Hash)
		}
		if err != nil {
			c.Log.Warn("a picture could not be read", "name", x.Name, "error", err)
			x.Why = "it is no longer kept"
			return
		}
		x.Data = data
	})
	return req
}

// media returns a copy of messages with change applied to each shown media.
func (c *caller) media(messages []llm.Message, change func(*llm.Media)) []llm.Message {
	if !window.Shows(messages) {
		return messages
	}
	out := slices.Clone(messages)
	for i := range out {
		out[i].Media = slices.Clone(out[i].Media)
		for j := range out[i].Media {
			if x := &out[i].Media[j]; x.Why == "" {
				change(x)
			}
		}
	}
	return out
}

// tellUnseen notifies the user, once per model, which media of the turn it does not accept.
func (c *caller) tellUnseen() {
	var names []string
	why := ""
	for _, m := range slices.Concat(c.Request, history.Messages(c.out.Messages)) {
		for _, x := range m.Media {
			if sees, known := c.sees(c.Provider, x.Type); known && !sees && !slices.Contains(names, x.Name) {
				names, why = append(names, x.Name), cannotSee(x.Type)
			}
		}
	}
	if len(names) == 0 || c.unseenBy == c.Provider.Name() {
		return
	}
	c.unseenBy = c.Provider.Name()
	c.notice(fmt.Sprintf("%s %s, so it gets only the names: %s. For another model: /model in the chat.", c.Provider.Name(), why, llm.Some(names)))
}

// learnUnseen records which media of a refused request the model does not accept, and reports whether that is new.
func (c *caller) learnUnseen(messages []llm.Message) (isNew bool) {
	for _, m := range c.seen(messages) {
		for _, x := range m.Media {
			// Of pictures and documents that were refused together, it is not known which were meant.
			if x.Why == "" {
				_, known := c.unable.LoadOrStore(blindTo(c.Provider, x.Type), true)
				isNew = isNew || !known
			}
		}
	}
	return isNew
}

// showFewer leaves out the older half of the pictures, which are too many or too large for one request, and reports
// whether there were any.
func (c *caller) showFewer() bool {
	n := c.view.Fewer(c.seen(c.view.whole()))
	if n > 0 {
		c.to(event.StateRetrying)
		c.notice(fmt.Sprintf("%s accepts fewer pictures in one request. Left out, oldest first: %s.", c.Provider.Name(), text.Count(n, "picture")))
	}
	return n > 0
}
