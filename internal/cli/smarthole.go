package cli

import (
	"context"
	"errors"
	"fmt"

	"chatvault/internal/config"
	"chatvault/internal/routine"
	"chatvault/internal/session"
	"chatvault/internal/smarthole"
	"chatvault/internal/text"
	"chatvault/tui"
)

// newSource makes the way in for routed messages, which is off until it is turned on.
func (a *app) newSource() (*smarthole.Source, error) {
	c := a.config.SmartHole
	url, description := c.URL.V, c.Description.V
	if url == "" {
		url = smarthole.DefaultURL
	}
	if description == "" {
		description = "The vault of notes “" + text.Clip(a.vault.Name(), 200) + "”: questions about them, and what to write down, change or look up."
	}
	if err := checkSmartHole(c, url, description); err != nil {
		return nil, err
	}
	return smarthole.New(smarthole.Options{
		Root: a.state, URL: url, Title: "chatvault: " + a.vault.Name(), Log: a.logger(), Warn: a.warnings.add,
		Registration: smarthole.Registration{
			Name: c.Name.V, Description: description, Version: versionText(),
			Capabilities: []string{"notes", "search", "questions"},
		},
	}), nil
}

// checkSmartHole says which setting SmartHole could not be reached or would refuse us with.
func checkSmartHole(c config.SmartHole, url, description string) error {
	for _, v := range []struct {
		key string
		at  config.Origin
		err error
	}{
		{"url", c.URL.Origin, smarthole.CheckURL(url)},
		{"name", c.Name.Origin, smarthole.CheckName(c.Name.V)},
		{"description", c.Description.Origin, smarthole.CheckDescription(description)},
	} {
		if v.err != nil {
			return usageError("%s: smarthole.%s %v", v.at, v.key, v.err)
		}
	}
	return nil
}

var errNoSocket = errors.New("offline is set, so no connection is opened")

// routeOn turns the way in on.
func (a *app) routeOn() error {
	if a.config.Offline.V {
		return errNoSocket
	}
	return a.routed.On()
}

// routing is the way in as the chat has it.
func (a *app) routing(ctx context.Context) *tui.Routing {
	changes := make(chan session.RouteStatus)
	routine.Go("smarthole status", func() {
		defer close(changes)
		if a.config.SmartHole.Enabled.V {
			if err := a.routeOn(); err != nil {
				a.logger().Warn("SmartHole stays off", "error", err)
				select {
				case changes <- session.RouteStatus{State: string(smarthole.Disabled), Reason: err.Error()}:
				case <-ctx.Done():
					return
				}
			}
		}
		for {
			s, err := a.routed.Next(ctx)
			if err != nil {
				return
			}
			select {
			case changes <- session.RouteStatus{State: string(s.State), Reason: s.Reason}:
			case <-ctx.Done():
				return
			}
		}
	})
	return &tui.Routing{On: a.routeOn, Off: a.routed.Off, Changes: changes}
}

// statusText is how a connection stands, in a line for a log.
func statusText(s smarthole.Status) string {
	if s.Reason == "" {
		return fmt.Sprintf("SmartHole: %s", s.State)
	}
	return fmt.Sprintf("SmartHole: %s (%s)", s.State, s.Reason)
}
