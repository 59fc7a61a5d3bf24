package session

import (
	"os/user"

	"chatvault/internal/text"
)

// userName is what the agent calls the person: as configured, else the full name the operating
// system knows, else the login name; empty where that is no person's.
func userName(configured string, current func() (*user.User, error)) string {
	if configured != "" {
		return configured
	}
	u, err := current()
	if err != nil || u.Uid == "0" {
		return ""
	}
	if name := text.OneLine(u.Name); name != "" {
		return name
	}
	return u.Username
}
