//go:build unix

package ptytest

import (
	"fmt"
	"regexp"
	"strings"
	"time"
)

// WaitFor waits until the screen holds the text, which may run over several
// lines, and returns the screen. It fails the test after the timeout, or as
// soon as the program has ended without showing it.
func (x *Terminal) WaitFor(text string, timeout time.Duration) string {
	x.t.Helper()
	return x.waitForFrame(fmt.Sprintf("the screen to show %q", text), timeout, func(screen string) bool {
		return strings.Contains(screen, text)
	})
}

// WaitForMatch is WaitFor with a regular expression, matched against the whole screen.
func (x *Terminal) WaitForMatch(re *regexp.Regexp, timeout time.Duration) string {
	x.t.Helper()
	return x.waitForFrame(fmt.Sprintf("the screen to match %q", re), timeout, re.MatchString)
}

// WaitGone waits until the screen no longer holds the text.
func (x *Terminal) WaitGone(text string, timeout time.Duration) string {
	x.t.Helper()
	return x.waitForFrame(fmt.Sprintf("%q to leave the screen", text), timeout, func(screen string) bool {
		return !strings.Contains(screen, text)
	})
}

// WaitUntil waits until the condition holds, asking again whenever the program
// has written something or ended. What completes the sentence "waited for …".
// The condition must not call methods of the Terminal that fail the test. It returns at
// once: the screen may be in the middle of a frame.
func (x *Terminal) WaitUntil(what string, timeout time.Duration, condition func(screen string) bool) string {
	x.t.Helper()
	deadline := time.NewTimer(timeout)
	defer deadline.Stop()
	for {
		x.mu.Lock()
		screen, changed, ended := x.screen(), x.changed, x.ended
		x.mu.Unlock()
		if condition(screen) {
			return screen
		}
		if ended {
			x.t.Fatalf("ptytest: waited for %s, but the program has ended\n%s", what, x.describe())
		}
		select {
		case <-changed:
		case <-deadline.C:
			x.t.Fatalf("ptytest: waited %v for %s\n%s", timeout, what, x.describe())
		}
	}
}

// A frame longer than a pseudo-terminal passes on at once is read in parts; these
// bound the wait for the parts after the one that fulfilled a condition.
const (
	frameGap = 20 * time.Millisecond
	frameMax = 100 * time.Millisecond
)

// waitForFrame is WaitUntil with a whole frame.
func (x *Terminal) waitForFrame(what string, timeout time.Duration, condition func(screen string) bool) string {
	x.t.Helper()
	return x.settle(x.WaitUntil(what, timeout, condition), condition)
}

// settle returns the screen as it is when the frame being drawn is whole, or the
// last one before the condition ceased to hold.
func (x *Terminal) settle(screen string, condition func(screen string) bool) string {
	deadline := time.Now().Add(frameMax)
	for time.Now().Before(deadline) {
		x.mu.Lock()
		next, changed, ended := x.screen(), x.changed, x.ended
		x.mu.Unlock()
		if next != screen {
			if !condition(next) {
				return screen
			}
			screen = next
		}
		if ended {
			return screen
		}
		select {
		case <-changed:
		case <-time.After(frameGap):
			return screen
		}
	}
	return screen
}

// WaitIdle waits until the program has written nothing for quiet, and returns
// the screen. It fails the test when that has not happened after the timeout.
func (x *Terminal) WaitIdle(quiet, timeout time.Duration) string {
	x.t.Helper()
	deadline := time.NewTimer(timeout)
	defer deadline.Stop()
	for {
		x.mu.Lock()
		screen, changed, ended := x.screen(), x.changed, x.ended
		x.mu.Unlock()
		if ended {
			return screen
		}
		select {
		case <-changed:
		case <-time.After(quiet):
			return screen
		case <-deadline.C:
			x.t.Fatalf("ptytest: the program still writes after %v\n%s", timeout, x.describe())
		}
	}
}

// describe shows the screen in a frame and whether the program still runs.
func (x *Terminal) describe() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	var b strings.Builder
	state := "running"
	if x.ended {
		state = fmt.Sprintf("ended with %d", x.exitCode)
	}
	fmt.Fprintf(&b, "program %s, screen %d×%d, %d bytes written:\n", state, x.width, x.height, len(x.raw))
	for row := range strings.SplitSeq(x.screen(), "\n") {
		b.WriteString("│ " + row + "\n")
	}
	return b.String()
}
