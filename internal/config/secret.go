package config

import (
	"fmt"
	"io"
)

// masked is what any printing of a secret shows.
const masked = "(hidden)"

// Secret is a text that no formatting reveals, also not as a field of something
// else. The text sits behind a function, because fmt prints the unexported fields of
// a struct without asking their methods.
type Secret struct {
	reveal func() string
}

// NewSecret hides text. An empty text makes the zero Secret.
func NewSecret(text string) Secret {
	if text == "" {
		return Secret{}
	}
	return Secret{reveal: func() string { return text }}
}

// Reveal returns the text: for the Authorization header and nothing else.
func (s Secret) Reveal() string {
	if s.reveal == nil {
		return ""
	}
	return s.reveal()
}

// Empty says whether there is no secret.
func (s Secret) Empty() bool { return s.reveal == nil }

// String tells whether there is a secret, not which.
func (s Secret) String() string {
	if s.Empty() {
		return ""
	}
	return masked
}

// Format is String, for every verb.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.String()) }

// MarshalText is String, for JSON, TOML and whatever else asks for text.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }
