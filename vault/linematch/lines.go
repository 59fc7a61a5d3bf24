package linematch

import "chatvault/vault/block"

// lineAt is the line of buf that starts at start and was found to match at offset at.
func lineAt(buf []byte, start, at int) Line {
	stop := block.LineStop(buf, at)
	end := textEnd(buf, start, stop)
	return Line{Start: start, End: end, Stop: stop, At: min(at, end)}
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
