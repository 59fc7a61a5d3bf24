package list

// Each calls do for every item, from the top.
func (l *List) Each(do func(Item)) {
	for _, it := range l.items {
		do(it)
	}
}
