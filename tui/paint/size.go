package paint

import (
	"os"
	"os/signal"
	"time"

	"chatvault/internal/routine"
)

// Watch tells the terminal's size, now and whenever it changes, until ended. Where the process was
// stopped and goes on, the terminal is taken again.
func (s *Screen) Watch(ended <-chan struct{}, sized func(width, height int)) {
	changed := make(chan os.Signal, 1)
	notifyChanged(changed)
	routine.Go("screen size", func() {
		defer signal.Stop(changed)
		var look <-chan time.Time // nil where a signal tells
		if sizePoll > 0 {
			ticker := time.NewTicker(sizePoll)
			defer ticker.Stop()
			look = ticker.C
		}
		var was [2]int
		for seen := true; ; {
			if width, height, ok := s.Size(); ok && (seen || was != [2]int{width, height}) {
				was = [2]int{width, height}
				s.Anew()
				sized(width, height)
			}
			select {
			case <-ended:
				return
			case <-look:
				seen = false
			case sig := <-changed:
				if seen = true; continued(sig) {
					s.Retake()
				}
			}
		}
	})
}
