package mcp

// subscriptions are the resources that clients want to know of.
type subscriptions struct{}
