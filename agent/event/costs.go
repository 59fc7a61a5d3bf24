package event

import (
	"time"
)

// Costs is what the model calls of a vault have used, newest first, in all processes.
type Costs struct {
	Days          []DayCost
	Conversations []ConversationCost
}

// DayCost is what a local day used.
type DayCost struct {
	Day string `json:"day"` // "2026-11-21"
	Totals
}

// ConversationCost is what a conversation used.
type ConversationCost struct {
	ID   string    `json:"id"`
	Last time.Time `json:"last"` // when something was last counted
	Totals
}
