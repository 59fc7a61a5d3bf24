package provider

import (
	"context"
	"errors"
	"strings"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/llm"
	"chatvault/internal/app/keystore"
	"chatvault/internal/base/text"
)

// Lacks returns the request for the key without which a call failed. ok is false if no key would help. A typed key that
// was refused is deleted.
func (f Finder) Lacks(p llm.Provider, err *llm.Error) (r event.Request, ok bool) {
	l, ok := p.(*Lazy)
	if !ok || l.endpoint == nil || !err.Missing.Secret && (err.Kind != llm.KindAuth || err.Reason != llm.ReasonNone) {
		return event.Request{}, false
	}
	e := *l.endpoint
	if !f.keys.Typed(e.ID()).Empty() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		_, _ = f.keys.Forget(ctx, func(k keystore.Entry) bool { return k.ID == e.ID() }) // if it stays, it is refused again
	}
	why, _, _ := strings.Cut(strings.TrimSpace(err.Message), "\n")
	if err.Missing.Name == "" {
		why = strings.TrimSuffix(e.Name+" refused the key: "+why, ": ")
	}
	return event.Request{
		Kind: event.RequestSecret, Name: e.keyName(),
		Text: text.Capital(strings.TrimRight(why, ".!?")) + ". " + e.keyGoes(),
	}, true
}

// Supply gives a typed key to the provider and stores it. It returns what to tell the user.
func (f Finder) Supply(ctx context.Context, p llm.Provider, _ event.Request, value string) (string, error) {
	l, ok := p.(*Lazy)
	if !ok || l.endpoint == nil {
		return "", errors.New("this provider needs nothing")
	}
	defer l.again()
	return f.put(ctx, *l.endpoint, value)
}
