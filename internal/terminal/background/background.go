// Package background keeps Bubble Tea from asking the terminal for its colours
// while packages initialise.
//
// Bubble Tea v1 does so in an init function, by way of Lip Gloss, and waits up
// to five seconds for a terminal that does not answer, before main and even for
// "version"; what is answered later arrives as typed text. Lip Gloss does not ask
// when it has been told. This package tells it, and it does so first: Go
// initialises packages in the order of their import paths once what they import
// is ready, "chatvault" sorts before "github.com/charmbracelet/bubbletea", and
// all this package imports Bubble Tea imports too. It must stay that way: no
// other imports here, and no module path that sorts later.
//
// It is imported for this effect alone. What the background really is, package
// tty finds out, and the theme tells Lip Gloss.
package background

import "github.com/charmbracelet/lipgloss"

func init() {
	lipgloss.SetHasDarkBackground(true)
}
