package provider

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"

	"chatvault/agent/event"
	"chatvault/agent/llm"
	"chatvault/agent/llm/endpoint"
	"chatvault/internal/config"
	"chatvault/internal/text"
)

// modelSetting is the setting that names the model.
const modelSetting = "model"

// supplier asks for the keys and models that providers lack, stores the keys, and gives them to
// the providers.
type supplier struct {
	Finder
	userFile string // where a setting is made permanent
}

// NewSupplier asks for what a provider lacks and keeps it; userFile is the user's configuration.
func NewSupplier(f Finder, userFile string) *supplier {
	return &supplier{f, userFile}
}

// lacking is what the user could type so that a call of an endpoint that failed may succeed.
func lacking(err *llm.Error, e Endpoint) (llm.Setting, bool) {
	switch {
	case err.Missing.Name != "":
		return err.Missing, true
	case err.Kind == llm.KindAuth && err.Reason == llm.ReasonNone:
		return llm.Setting{Name: e.keyName(), Secret: true}, true
	case err.Reason == llm.ReasonModelNotFound:
		return llm.Setting{Name: modelSetting}, true
	}
	return llm.Setting{}, false
}

// Lacks says what to ask for. A key that was typed and is refused is not kept.
func (s *supplier) Lacks(p llm.Provider, err *llm.Error) (event.Request, bool) {
	l, ok := p.(*Late)
	if !ok || l.endpoint == nil {
		return event.Request{}, false
	}
	missing, ok := lacking(err, *l.endpoint)
	if !ok {
		return event.Request{}, false
	}
	r := event.Request{Kind: event.RequestSetting, Name: missing.Name}
	why, _, _ := strings.Cut(strings.TrimSpace(err.Message), "\n")
	if !missing.Secret {
		r.Text = text.Capital(sentence(why, l.Name()+" is not available")) + fmt.Sprintf(" Type the name of a model that %s has.", l.endpoint.Name)
		if len(err.Models) > 0 {
			r.Text += " It has " + llm.Some(err.Models) + "; Esc and /model show them all."
		}
		return r, true
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if l.supplied().typed {
		_ = s.keys.Drop(ctx, l.endpoint.ID()) // what is left of it is refused again
	}
	r.Kind = event.RequestSecret
	goes := fmt.Sprintf("It is sent to %s and nowhere else, and stored in ", l.endpoint.ID().Address)
	where, whereErr := s.keys.Where(ctx)
	if whereErr != nil {
		goes = fmt.Sprintf("It is sent to %s and nowhere else, and forgotten when the program exits", l.endpoint.ID().Address)
		where = ""
	}
	if err.Missing.Name == "" {
		refused := l.endpoint.Name + " refused the key"
		if why != "" {
			refused += ": " + why
		}
		why = refused
	}
	r.Text = text.Capital(sentence(why, "no key for "+l.endpoint.Name+" is configured")) + " " + goes + where + "."
	return r, true
}

// sentence is a reason with its full stop, or what is said where there is none.
func sentence(reason, otherwise string) string {
	if reason = strings.TrimSpace(reason); reason == "" {
		reason = otherwise
	}
	if !strings.HasSuffix(reason, ".") && !strings.HasSuffix(reason, "!") && !strings.HasSuffix(reason, "?") {
		reason += "."
	}
	return reason
}

// Supply gives what was typed to the provider, and stores a key.
func (s *supplier) Supply(ctx context.Context, p llm.Provider, q event.Request, value string) (said string, err error) {
	l, ok := p.(*Late)
	if !ok || l.endpoint == nil {
		return "", errors.New("this provider needs nothing")
	}
	if q.Kind != event.RequestSecret {
		return s.model(l, value)
	}
	key, err := config.ParseKey(value)
	if err != nil {
		return "", fmt.Errorf("it %w", err)
	}
	l.give(given{key: key})
	where, err := s.put(ctx, *l.endpoint, q.Name, key)
	if err != nil {
		return fmt.Sprintf("The key is used until the program ends. %s.", text.Capital(err.Error())), nil
	}
	return fmt.Sprintf("The key is stored in %s. To remove it: chatvault config forget-key %s", where, l.endpoint.Name), nil
}

// model goes on with another model, for as long as the program runs.
func (s *supplier) model(l *Late, name string) (string, error) {
	if !endpoint.Slashed(l.endpoint.Name) { // there a model may be called like its provider
		name = strings.TrimPrefix(name, l.endpoint.Name+"/")
	}
	if name == "" || len(name) > 200 || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) || r == ' ' }) {
		return "", errors.New("a model's name is one word")
	}
	l.give(given{model: name})
	whole := l.endpoint.Name + "/" + name
	if l.endpoint.unnamed {
		whole = name
	}
	return fmt.Sprintf("Going on with the model %s until the program ends. To keep it, put this line into %s: model = %s", name, s.userFile, strconv.Quote(whole)), nil
}
