package cli

// safeOut is text as Out prints it, for what is laid out before.
func (s Streams) safeOut(text string) string { return s.Out.Text(text) }
