package session

import (
	"cmp"

	"chatvault/internal/app/config"
	"chatvault/internal/app/session/provider"
	"chatvault/internal/app/smarthole"
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
func (a *Session) newRouting(version string) (*smarthole.Source, error) {
	c := a.config.SmartHole
	url, description := cmp.Or(c.URL.V, smarthole.DefaultURL), c.Description.V
	if description == "" {
		description = "The vault of notes “" + text.Clip(a.vault.Name(), 200) + "”: questions about them, and what to write down, change or look up."
	}
	if err := CheckSmartHole(c, url); err != nil {
		return nil, err
	}
	return smarthole.New(smarthole.Options{
		Root: a.state, URL: url, Token: c.Token.V.Reveal(), Enabled: c.Enabled.V, Offline: a.config.Offline.V, Title: RoutedTitle(a.vault.Name()), Log: a.Log(), Warn: a.warnings.add,
		Registration: smarthole.Registration{
			Name: c.Name.V, Description: description, Version: version,
			Capabilities: []string{"notes", "search", "questions"},
		},
	}), nil
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
