package consent

import "golang.org/x/sys/windows"

// discardInput drops unread console input.
func discardInput(fd int) { _ = windows.FlushConsoleInputBuffer(windows.Handle(fd)) }

// hideInput turns off echo.
func hideInput(fd int) error {
	var mode uint32
	if err := windows.GetConsoleMode(windows.Handle(fd), &mode); err != nil {
		return err
	}
	return windows.SetConsoleMode(windows.Handle(fd), mode&^windows.ENABLE_ECHO_INPUT)
}
