package session

// opens says whether its turn begins with it.
func (h HistoryItem) OpensTurn() bool {
	return h.Turn != "" && h.ID == h.Turn && !h.Added && !h.Carried
}
