//go:build unix

package ptytest

import (
	"fmt"
	"regexp"
	"strings"
	"time"
)

// WaitFor waits until the screen contains a text, which may span several lines, and returns the screen. It
// fails the test after the timeout, or if the program ends without showing the text.
func (x *Terminal) WaitFor(text string, timeout time.Duration) string {
	x.t.Helper()
	return x.waitForFrame(fmt.Sprintf("the screen to show %q", text), timeout, func(screen string) bool {
		return strings.Contains(screen, text)
	})
}

// WaitForMatch is like WaitFor with a regular expression, which is matched against the whole screen.
func (x *Terminal) WaitForMatch(re *regexp.Regexp, timeout time.Duration) string {
	x.t.Helper()
	return x.waitForFrame(fmt.Sprintf("the screen to match %q", re), timeout, re.MatchString)
}

// WaitGone is like WaitFor, but waits until the screen does not contain the text.
func (x *Terminal) WaitGone(text string, timeout time.Duration) string {
	x.t.Helper()
	return x.waitForFrame(fmt.Sprintf("%q to leave the screen", text), timeout, func(screen string) bool {
		return !strings.Contains(screen, text)
	})
}

// WaitUntil waits until the condition is true and returns the screen, which may be an incomplete frame. It
// checks the condition after each write and at the end of the program. what completes the error message
// "waited for …". The condition must not call methods of the Terminal that can fail the test.
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

// A large frame takes several reads from a pseudo-terminal. After a condition becomes true, settle waits for
// the rest of the frame within these limits.
const (
	frameGap = 20 * time.Millisecond  // silence that ends a frame
	frameMax = 100 * time.Millisecond // longest wait
)

// waitForFrame is like WaitUntil, but returns a complete frame.
func (x *Terminal) waitForFrame(what string, timeout time.Duration, condition func(screen string) bool) string {
	x.t.Helper()
	return x.settle(x.WaitUntil(what, timeout, condition), condition)
}

// settle waits for the end of the current frame and returns the screen. If the condition becomes false before
// that, settle returns the last screen for which it was true.
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

// WaitIdle waits until the program has written nothing for the duration quiet, or has ended, and returns the
// screen. It fails the test after the timeout.
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

// describe returns the state of the program and the text of the screen, for error messages.
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
