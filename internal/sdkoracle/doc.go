// Package sdkoracle holds what is sent and what the scripted servers answer against the official SDKs: what
// they decode and encode is right by definition. It is a module of its own, so that neither is a part of
// the product.
package sdkoracle
