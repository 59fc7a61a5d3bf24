package dialog

// paged is what a pager's keys move.
type paged interface {
	Scroll(n int)
	page() int
	home()
	end()
}

// pagerKey handles the letters that scroll in pagers, where nothing is being written; false: it is
// another key.
func pagerKey(p paged, name string) bool {
	switch name {
	case "j":
		p.Scroll(1)
	case "k":
		p.Scroll(-1)
	case "d":
		p.Scroll(max(p.page()/2, 1))
	case "u":
		p.Scroll(-max(p.page()/2, 1))
	case " ":
		p.Scroll(p.page())
	case "b":
		p.Scroll(-p.page())
	case "g":
		p.home()
	case "G":
		p.end()
	default:
		return false
	}
	return true
}
