// Package loop is how what is done beside the screen's loop comes back into it.
package loop

import tea "github.com/charmbracelet/bubbletea"

// Do is a message that is run when it arrives: only there may a command change what the screen
// knows. A command that reads or writes for a while returns one.
type Do func() tea.Cmd

// Now is a Do that nothing may come before: where a key results in one, the next key is for what comes
// of it.
type Now func() tea.Cmd
