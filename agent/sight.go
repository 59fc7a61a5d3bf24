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
	"chatvault/internal/picture"
	"chatvault/internal/text"
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
func (r *run) seen(messages []llm.Message) []llm.Message {
	return r.media(messages, func(x *llm.Media) {
		if sees, known := r.sees(r.Provider, x.Type); known && !sees {
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
func (r *run) showing(ctx context.Context, req llm.Request) llm.Request {
	if !window.Shows(req.Messages) {
		return req
	}
	if late, ok := r.Provider.(interface {
		Ready(ctx context.Context) (llm.Provider, error)
	}); ok {
		_, _ = late.Ready(ctx) // an error is the call's, which asks for it again
	}
	r.tellUnseen()
	req.Messages = r.media(r.seen(req.Messages), func(x *llm.Media) {
		data, err := []byte(nil), errors.New("nothing is kept")
		if r.Artifacts != nil {
			data, err = r.Artifacts.Read(x.Hash)
		}
		if err != nil {
			r.Log.Warn("a picture could not be read", "name", x.Name, "error", err)
			x.Why = "it is no longer kept"
			return
		}
		x.Data = data
	})
	return req
}

// media returns a copy of messages with change applied to each shown media.
func (r *run) media(messages []llm.Message, change func(*llm.Media)) []llm.Message {
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
func (r *run) tellUnseen() {
	var names []string
	why := ""
	for _, m := range slices.Concat(r.task(), history.Messages(r.out.Record)) {
		for _, x := range m.Media {
			if sees, known := r.sees(r.Provider, x.Type); known && !sees && !slices.Contains(names, x.Name) {
				names, why = append(names, x.Name), cannotSee(x.Type)
			}
		}
	}
	if len(names) == 0 || r.unseenBy == r.Provider.Name() {
		return
	}
	r.unseenBy = r.Provider.Name()
	are := "is"
	if len(names) > 1 {
		are = "are"
	}
	r.notice(fmt.Sprintf("%s %s, so it is told only that %s %s there. For another model: /model in the chat.", r.Provider.Name(), why, llm.Some(names), are))
}

// retryUnseeing reports whether a call failed because the model does not accept media and is repeated without them.
func (r *run) retryUnseeing(req llm.Request, err error) bool {
	if e, ok := errors.AsType[*llm.Error](err); !ok || e.Reason != llm.ReasonNoSight {
		return false
	}
	learned := false
	for _, m := range r.seen(req.Messages) {
		for _, x := range m.Media {
			// Of pictures and documents that were refused together, it is not known which were meant.
			if x.Why == "" {
				_, known := r.unable.LoadOrStore(blindTo(r.Provider, x.Type), true)
				learned = learned || !known
			}
		}
	}
	if learned {
		r.to(event.StateRetrying)
	}
	return learned
}

// showFewer reports whether a call failed because the request has too many or too large pictures and is repeated
// without the older half of them. The user is notified.
func (r *run) showFewer(err error) bool {
	if e, ok := errors.AsType[*llm.Error](err); !ok || e.Reason != llm.ReasonTooLarge || e.Status == 0 { // 0: what is too large is the answer
		return false
	}
	n := r.view.Fewer(r.seen(r.whole()))
	if n == 0 {
		return false
	}
	r.to(event.StateRetrying)
	r.notice(fmt.Sprintf("%s accepts fewer pictures in one request. Left out, oldest first: %s.", r.Provider.Name(), text.Count(n, "picture")))
	return true
}
