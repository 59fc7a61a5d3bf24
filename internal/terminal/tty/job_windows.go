package tty

import (
	"os"

	"golang.org/x/sys/windows"
)

// Continuable says that nobody would continue this process: there is no job control.
func (t *Terminal) Continuable() bool { return false }

// foreground is always so where there is no job control.
func foreground(*os.File) bool { return true }

// notifyContinued has nothing to tell where no process is stopped.
func notifyContinued(chan<- os.Signal) {}

// showsSequences has the console obey escape sequences, until back is called.
func showsSequences() (back func()) {
	var was uint32
	out, err := windows.GetStdHandle(windows.STD_OUTPUT_HANDLE)
	if err != nil || windows.GetConsoleMode(out, &was) != nil {
		return func() {} // no console
	}
	const wanted = windows.ENABLE_PROCESSED_OUTPUT | windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING | windows.DISABLE_NEWLINE_AUTO_RETURN
	_ = windows.SetConsoleMode(out, was|wanted) // one from before Windows 10 shows them as they are
	return func() { _ = windows.SetConsoleMode(out, was) }
}

// keyboardName is the console that the process was started in.
const keyboardName = "CONIN$"
