package chat

// Asked is the message as it came.
func (m *Message) Asked() string { return m.text }
