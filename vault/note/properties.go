package note

// readFront reads what the front matter says of tags and aliases.
func (p *parser) readFront() {}
