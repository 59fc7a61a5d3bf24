package tty

import (
	"errors"
	"io"
	"os"
	"sync"
)

// Input is the keys, for a program that reads them: Bubble Tea by WithInput.
//
// It is a reader with a file descriptor, that of a pipe, which is readable
// whenever Read will not block. By it Bubble Tea can wait for a key and stop
// waiting at once, when the program ends or goes to the background, without
// taking a key that is meant for someone else.
type Input struct {
	mu     sync.Mutex
	queue  []token
	err    error // what Read returns once the queue is empty
	signal bool  // a byte is in the pipe
	ready  *sync.Cond
	aside  map[string]string // long pastes that Bubble Tea has only the names of
	named  int               // how many there were

	r, w *os.File
	fd   uintptr
}

func newInput() (*Input, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	in := &Input{r: r, w: w, fd: r.Fd()}
	in.ready = sync.NewCond(&in.mu)
	return in, nil
}

// Read returns as many keys as fit, at least one, and never a part of one. It
// never fills p to the end, by which Bubble Tea knows that nothing was cut.
func (in *Input) Read(p []byte) (int, error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if len(p) < 2 {
		return 0, io.ErrShortBuffer
	}
	for len(in.queue) == 0 && in.err == nil {
		in.ready.Wait()
	}
	n := 0
	for n < len(p)-1 && len(in.queue) > 0 {
		t := &in.queue[0]
		room := len(p) - 1 - n
		if len(t.bytes) > room {
			if n > 0 {
				break
			}
			// Only text that is pasted is longer than what Bubble Tea reads.
			n += copy(p[:room], t.bytes)
			t.bytes = t.bytes[n:]
			break
		}
		n += copy(p[n:], t.bytes)
		last := t.last
		in.queue = in.queue[1:]
		if last {
			break
		}
	}
	in.settle()
	if n == 0 {
		return 0, in.err
	}
	return n, nil
}

// put queues keys.
func (in *Input) put(tokens []token) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.err == nil && len(tokens) > 0 {
		for _, t := range tokens {
			if t.aside != "" {
				t = token{bytes: in.name(t.aside)}
			}
			in.queue = append(in.queue, t)
		}
		in.settle()
	}
}

// end makes Read return err after the keys that are queued; the first end counts.
func (in *Input) end(err error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.err == nil {
		in.err = err
		in.settle()
	}
}

// settle makes the pipe readable if and only if Read would return.
func (in *Input) settle() {
	want := len(in.queue) > 0 || in.err != nil
	switch {
	case want && !in.signal:
		_, err := in.w.Write([]byte{0})
		in.signal = err == nil
		in.ready.Broadcast()
	case !want && in.signal:
		var b [1]byte
		_, _ = in.r.Read(b[:])
		in.signal = false
	}
}

// Fd is the descriptor to wait on.
func (in *Input) Fd() uintptr { return in.fd }

// Name is a name, as files have one.
func (in *Input) Name() string { return "keys" }

// Write fails: keys are only read.
func (in *Input) Write([]byte) (int, error) { return 0, errors.ErrUnsupported }

// Close ends reading. Keys that nobody has read are lost.
func (in *Input) Close() error {
	in.end(io.EOF)
	return nil
}

// release closes the pipe. Nobody may wait on it any more.
func (in *Input) release() {
	in.end(io.EOF)
	_ = in.w.Close()
	_ = in.r.Close()
}
