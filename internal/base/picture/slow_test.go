package picture

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"testing"
	"time"
)

// slow returns a JPEG of many scans, each of which covers every block of a large picture with few bytes.
func slow(scans int) []byte {
	const side = 7000
	const blocks = (side / 8) * (side / 8)
	var b bytes.Buffer
	segment := func(marker byte, data ...byte) {
		b.Write([]byte{0xff, marker})
		_ = binary.Write(&b, binary.BigEndian, uint16(len(data)+2))
		b.Write(data)
	}
	b.Write([]byte{0xff, 0xd8})
	segment(0xdb, append([]byte{0}, bytes.Repeat([]byte{1}, 64)...)...)
	segment(0xc2, 8, side>>8, side&0xff, side>>8, side&0xff, 1, 1, 0x11, 0)
	segment(0xc4, append([]byte{0x10, 1}, append(make([]byte, 15), 0xe0)...)...) // one code, "0": no more in 2^14 blocks and some
	var bits []byte
	for left := blocks; left > 0; {
		run := min(left, 1<<15-1)
		left -= run
		if run < 1<<14 {
			run = 1 << 14
		}
		bits = append(bits, 0)
		for i := 13; i >= 0; i-- {
			bits = append(bits, byte((run-1<<14)>>i&1))
		}
	}
	var scan []byte
	for i := 0; i < len(bits); i += 8 {
		var x byte
		for j := range 8 {
			x <<= 1
			if i+j < len(bits) {
				x |= bits[i+j]
			} else {
				x |= 1
			}
		}
		if scan = append(scan, x); x == 0xff {
			scan = append(scan, 0)
		}
	}
	for range scans {
		segment(0xda, 1, 1, 0x00, 1, 63, 0x00)
		b.Write(scan)
	}
	b.Write([]byte{0xff, 0xd9})
	return b.Bytes()
}

// TestStopped checks that decoding, and waiting for another picture's decoding, end with the context.
func TestStopped(t *testing.T) {
	data := slow(100_000) // takes an hour
	ctx, cancel := context.WithTimeoutCause(t.Context(), 100*time.Millisecond, errSlow)
	defer cancel()
	began := time.Now()
	other := make(chan error)
	go func() {
		time.Sleep(10 * time.Millisecond)
		_, _, err := Prepare(ctx, data)
		other <- err
	}()
	if i, out, err := Prepare(ctx, data); !errors.Is(err, errSlow) || out != nil || i.Width != 7000 {
		t.Errorf("%+v, %d bytes, %v", i, len(out), err)
	}
	if err := <-other; !errors.Is(err, errSlow) {
		t.Error(err)
	}
	if took := time.Since(began); took > 20*time.Second { // the machine may be busy
		t.Errorf("it took %v", took)
	}
}
