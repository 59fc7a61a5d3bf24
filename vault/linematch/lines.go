package linematch

import "bytes"

// lineStart is the start of the line that holds offset at, not before from.
func lineStart(buf []byte, from, at int) int {
	return from + bytes.LastIndexByte(buf[from:at], '\n') + 1
}

// lineStop is the offset after the line that holds offset at, its line break included.
func lineStop(buf []byte, at int) int {
	if i := bytes.IndexByte(buf[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(buf)
}

// textEnd is where the text of the line buf[start:stop] ends: before "\n" or "\r\n".
func textEnd(buf []byte, start, stop int) int {
	if stop > start && buf[stop-1] == '\n' {
		stop--
	}
	if stop > start && buf[stop-1] == '\r' {
		stop--
	}
	return stop
}
