package session

import (
	"cmp"
	"context"
	"errors"
	"log/slog"

	"chatvault/internal/app/config"
	"chatvault/internal/app/session/provider"
	"chatvault/internal/app/smarthole"
	"chatvault/internal/base/routine"
	"chatvault/internal/base/text"
)

// RouteStatus is the state of the connection to SmartHole. An empty State means it was never enabled.
type RouteStatus = smarthole.Status

// RouteText describes the state of the connection.
func RouteText(s RouteStatus) string {
	if s.Reason == "" && (s.State == "" || s.State == smarthole.Disabled) {
		return "SmartHole is off: /smarthole on connects to it"
	}
	said := "SmartHole " + string(s.State)
	if s.Reason != "" {
		said += ": " + s.Reason
	}
	return said
}

// newRouting creates the source of routed messages, initially off.
func (a *Session) newRouting(version string) (*Routing, error) {
	c := a.config.SmartHole
	url, description := cmp.Or(c.URL.V, smarthole.DefaultURL), c.Description.V
	if description == "" {
		description = "The vault of notes “" + text.Clip(a.vault.Name(), 200) + "”: questions about them, and what to write down, change or look up."
	}
	if err := CheckSmartHole(c, url); err != nil {
		return nil, err
	}
	source := smarthole.New(smarthole.Options{
		Root: a.state, URL: url, Token: c.Token.V.Reveal(), Title: RoutedTitle(a.vault.Name()), Log: a.Log(), Warn: a.warnings.add,
		Registration: smarthole.Registration{
			Name: c.Name.V, Description: description, Version: version,
			Capabilities: []string{"notes", "search", "questions"},
		},
	})
	return &Routing{Source: source, config: a.config, log: a.Log()}, nil
}

// RoutedTitle is the title of notifications about routed messages.
func RoutedTitle(vault string) string { return "chatvault: " + vault }

// CheckSmartHole returns an error that names the setting if the address of SmartHole is invalid. SmartHole checks the name
// and the description.
func CheckSmartHole(c config.SmartHole, url string) error {
	if err := smarthole.CheckURL(url); err != nil {
		return provider.Unusable("%s: smarthole.url %v", c.URL.Origin, err)
	}
	return nil
}

var errNoSocket = errors.New("offline is set, so no connection is opened")

// Routing receives messages routed by SmartHole.
type Routing struct {
	*smarthole.Source
	config *config.Config
	log    *slog.Logger
}

// On connects to SmartHole and stays connected.
func (r *Routing) On() error {
	if r.config.Offline.V {
		return errNoSocket
	}
	return r.Source.On()
}

// Changes connects if that is configured and returns a channel with the changes of the status.
func (r *Routing) Changes(context.Context) <-chan RouteStatus {
	if r.config.SmartHole.Enabled.V {
		routine.Go("smarthole status", func() {
			if err := r.On(); err != nil {
				r.log.Warn("SmartHole stays off", "error", err)
				r.SetStatus(RouteStatus{State: smarthole.Disabled, Reason: err.Error()})
			}
		})
	}
	return r.Source.Changes()
}
