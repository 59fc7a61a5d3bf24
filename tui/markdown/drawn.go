package markdown

// Drawn is how many bytes of the text the settled lines are made of.
func (s *Stream) Drawn() int {
	if s.done && !s.stale {
		return len(s.src)
	}
	return s.start
}
