package endpoint

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// TestTimeoutAfterSleep: if a wait expires while the machine sleeps, bytes that have arrived are still read, once.
func TestTimeoutAfterSleep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		w := newWatchdog(cancel, 120*time.Second, 60*time.Second)
		defer w.disarm()
		w.progress()
		w.waiting = false
		asleep := readerFunc(func([]byte) (int, error) {
			w.armed = w.armed.Add(-time.Hour)
			return 1, nil
		})
		for range 2 {
			if _, err := w.read(0, asleep, nil); err != nil || ctx.Err() != nil {
				t.Fatal(err, context.Cause(ctx))
			}
		}
		w.arm()
		time.Sleep(time.Millisecond)
		synctest.Wait()
		if context.Cause(ctx) == nil {
			t.Error("the second sleep did not count as a timeout")
		}
	})
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
