// Package usage says what the model calls have used: on the status line, and in tables.
package usage

import "chatvault/internal/session"

// Usage is what the model calls have used, to be put into words.
type Usage session.Usage
