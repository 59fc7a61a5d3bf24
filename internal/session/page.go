package session

// Page is a part of a conversation, to its end or to where a page before began.
type Page struct {
	ID      string // of the conversation
	Items   []HistoryItem
	Earlier string // what Options.Earlier brings the page before it by; empty: it is the first
	// First are the first words of the conversation, where it does not begin in the page.
	First string
}
