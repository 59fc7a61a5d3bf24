package vault

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"unicode/utf8"

	"chatvault/vault/failure"
)

// LineRange selects lines Start to End, 1-based and inclusive; 0 means the first or the last line. It is limited to
// MaxLines lines and MaxBytes bytes of text; 0 means no limit but MaxRead bytes. A line longer than MaxLineBytes is
// cut.
type LineRange struct {
	Start, End   int
	MaxLines     int
	MaxBytes     int
	MaxLineBytes int
}

// Lines is a part of a file.
type Lines struct {
	Path      string   // true name
	Start     int      // number of the first line in Text
	Text      []string // without line endings
	Cut       []int    // for each line, the number of bytes cut off
	Total     int      // number of lines in the file
	Truncated bool     // a limit was reached before End
	Binary    bool     // the file is not text; Text is empty
	Partial   bool     // longer than maxCounted: Total counts the lines read, Hash is empty
	Size      int64
	Hash      string // of the complete file, for Request.IfHash
}

// maxCounted limits, in bytes, the files that are read to the end for their hash and number of lines.
const maxCounted = 256 << 20

// lineChunk is the read size in bytes.
const lineChunk = 256 << 10

// ReadLines reads lines of a file of any size with bounded memory. A byte order mark is not part of the text; lines
// end with
// or \r
// .
func (v *Vault) ReadLines(ctx context.Context, path string, r LineRange) (*Lines, error) {
	f, p, err := v.openFile(ctx, path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	size := p.info.Size()
	l, err := scanLines(ctx, f, r, size > maxCounted)
	if err != nil {
		return nil, failure.Wrap(err, path, "read")
	}
	l.Path, l.Size = p.path, size
	return l, nil
}

// LinesOf is ReadLines for a text in memory.
func LinesOf(ctx context.Context, text []byte, r LineRange) (*Lines, error) {
	l, err := scanLines(ctx, bytes.NewReader(text), r, false)
	if err != nil {
		return nil, err
	}
	l.Size = int64(len(text))
	return l, nil
}

// scanLines reads r from f. huge is set for a file longer than maxCounted: it stops after the range or at that limit.
func scanLines(ctx context.Context, f io.Reader, r LineRange, huge bool) (*Lines, error) {
	c := newLineCollector(r)
	sum := sha256.New()
	buf := make([]byte, lineChunk)
	var read int64
	for first := true; ; first = false {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		n, err := io.ReadFull(f, buf)
		chunk := buf[:n]
		read += int64(n)
		if !huge {
			_, _ = sum.Write(chunk) // never fails
		}
		if first && Binary(chunk) {
			c.binary = true
		}
		if !c.binary {
			if first {
				chunk = bytes.TrimPrefix(chunk, bomUTF8)
			}
			c.take(chunk)
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			c.end()
			l := c.lines()
			if !huge {
				l.Hash = hex.EncodeToString(sum.Sum(nil))
			}
			return l, nil
		}
		if err != nil {
			return nil, err
		}
		if huge && (c.done || c.binary || read >= maxCounted) {
			l := c.lines()
			l.Partial = true
			l.Truncated = l.Truncated || !c.done && !c.binary
			return l, nil
		}
	}
}

// lineCollector receives a file in chunks, keeps the lines of a range and counts all lines.
type lineCollector struct {
	r        LineRange
	maxBytes int // limit for the kept text
	maxLine  int // limit for a kept line

	number  int    // 1-based number of the current line
	length  int    // its length in bytes so far
	partial []byte // its beginning, up to the limit
	lastCR  bool   // its last byte so far is \r

	text      []string
	cut       []int
	bytes     int
	truncated bool
	done      bool // the range is complete: only count
	binary    bool
}

func newLineCollector(r LineRange) *lineCollector {
	r.Start = max(r.Start, 1)
	c := &lineCollector{r: r, maxBytes: MaxRead, number: 1}
	if r.MaxBytes > 0 {
		c.maxBytes = min(c.maxBytes, r.MaxBytes)
	}
	c.maxLine = c.maxBytes
	if r.MaxLineBytes > 0 {
		c.maxLine = min(c.maxLine, r.MaxLineBytes)
	}
	c.done = r.End > 0 && r.End < r.Start
	return c
}

// take processes the next chunk.
func (c *lineCollector) take(chunk []byte) {
	for len(chunk) > 0 {
		if c.done {
			c.count(chunk)
			return
		}
		i := bytes.IndexByte(chunk, '\n')
		part, ended := chunk, i >= 0
		if ended {
			part = chunk[:i]
		}
		if len(part) > 0 {
			c.lastCR = part[len(part)-1] == '\r'
			c.length += len(part)
			if c.number >= c.r.Start {
				// Keep one character more, so that cutText can cut between two.
				room := c.maxLine + utf8.UTFMax - len(c.partial)
				c.partial = append(c.partial, part[:max(0, min(len(part), room))]...)
			}
		}
		if !ended {
			return
		}
		c.endLine()
		chunk = chunk[i+1:]
	}
}

// count counts the lines of a chunk outside the range.
func (c *lineCollector) count(chunk []byte) {
	n := bytes.Count(chunk, []byte{'\n'})
	c.number += n
	if n > 0 {
		c.length = len(chunk) - bytes.LastIndexByte(chunk, '\n') - 1
	} else {
		c.length += len(chunk)
	}
}

// endLine ends the current line at a newline.
func (c *lineCollector) endLine() {
	if c.lastCR {
		c.length--
		c.partial = c.partial[:min(len(c.partial), c.length)]
	}
	c.keep()
	c.number++
	c.length, c.partial, c.lastCR = 0, c.partial[:0], false
}

// end ends the file, including a last line without a newline.
func (c *lineCollector) end() {
	if c.length > 0 {
		if !c.done {
			c.keep()
		}
		c.number++
	}
}

// keep keeps the current line if it is in the range and within the limits.
func (c *lineCollector) keep() {
	if c.number < c.r.Start {
		return
	}
	if c.r.MaxLines > 0 && len(c.text) >= c.r.MaxLines {
		c.truncated, c.done = true, true
		return
	}
	line := c.partial
	if c.length > c.maxLine {
		line = cutText(line, c.maxLine)
	}
	if len(c.text) > 0 && c.bytes+len(line)+1 > c.maxBytes {
		c.truncated, c.done = true, true
		return
	}
	c.bytes += len(line) + 1 // including its newline
	c.text = append(c.text, string(line))
	c.cut = append(c.cut, c.length-len(line))
	if c.number == c.r.End {
		c.done = true
	}
}

// cutText cuts text to at most limit bytes without splitting a character.
func cutText(text []byte, limit int) []byte {
	if len(text) <= limit {
		return text
	}
	for back := 0; back < utf8.UTFMax && limit-back > 0; back++ {
		if utf8.RuneStart(text[limit-back]) {
			return text[:limit-back]
		}
	}
	return text[:limit] // not UTF-8: cut anywhere
}

func (c *lineCollector) lines() *Lines {
	if c.binary {
		return &Lines{Start: c.r.Start, Binary: true}
	}
	return &Lines{Start: c.r.Start, Text: c.text, Cut: c.cut, Total: c.number - 1, Truncated: c.truncated}
}
