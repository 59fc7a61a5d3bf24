package composer

// Restyle has the composer drawn anew: the styles are others now.
func (m *Model) Restyle() { m.emptyWidth = 0 }
