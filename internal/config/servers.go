package config

import "slices"

// KnownServer is what a model server said of itself and a model, kept so that the next start need not ask first.
type KnownServer struct {
	Endpoint   string  `json:"endpoint"` // a hash of its address, which may hold a key
	Model      string  `json:"model"`
	Server     string  `json:"server,omitempty"`     // the preset that it is
	Parameters float64 `json:"parameters,omitempty"` // of the model
	Window     int     `json:"window,omitempty"`     // tokens that it runs the model with
}

var knownServers = stateList[KnownServer]{file: "servers.json", key: "servers", most: 32}

func (s KnownServer) same(o KnownServer) bool { return s.Endpoint == o.Endpoint && s.Model == o.Model }

// Recall returns what was kept of the endpoint and model of s; s if nothing was.
func (s KnownServer) Recall() KnownServer {
	list, _ := knownServers.read() // of what cannot be read, nothing is known
	if i := slices.IndexFunc(list, s.same); i >= 0 {
		return list[i]
	}
	return s
}

// Keep keeps s, the newest first, in the place of what was kept of its endpoint and model.
func (s KnownServer) Keep() error {
	list, err := knownServers.read()
	if slices.Contains(list, s) {
		return nil
	}
	if err = knownServers.setAside(err); err != nil {
		return err
	}
	list = slices.DeleteFunc(list, s.same)
	if s.Server != "" || s.Window > 0 {
		list = slices.Insert(list, 0, s)
	}
	return knownServers.write(list)
}
