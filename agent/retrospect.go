package agent

// Retrospect has a conversation looked back at in the background, whatever the configuration
// says; an empty id means the active one, or the last where none is active. What comes of it is
// told by a Retrospected.
func (p *Processor) Retrospect(conversationID string) error {
	return errBusy
}
