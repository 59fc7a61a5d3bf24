package session

// RouteStatus is how the connection to SmartHole stands.
type RouteStatus struct {
	State  string // "connected", "connecting", "disconnected", "disabled"; empty: never turned on
	Reason string // for the user; empty: none
}
