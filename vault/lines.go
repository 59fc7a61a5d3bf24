package vault

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"unicode/utf8"

	"chatvault/internal/base/text"
	"chatvault/vault/vaulterr"
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

// ReadLines reads lines of a file of any size with bounded memory. A byte order mark is not part of the text, nor are
// the line endings, "\n" or "\r\n".
func (v *Vault) ReadLines(ctx context.Context, path string, r LineRange) (*Lines, error) {
	f, p, err := v.openFile(ctx, path)
	if err != nil {
		return nil, v.withNear(ctx, err, path, filesOnly)
	}
	defer func() { _ = f.Close() }()
	size := p.Info.Size()
	l, err := scanLines(ctx, f, r, size > maxCounted)
	if err != nil {
		return nil, vaulterr.Wrap(err, path, "read")
	}
	l.Path, l.Size = p.Path, size
	return l, nil
}

// LinesOf is ReadLines for a text in memory.
func LinesOf(ctx context.Context, data []byte, r LineRange) (*Lines, error) {
	l, err := scanLines(ctx, bytes.NewReader(data), r, false)
	if err != nil {
		return nil, err
	}
	l.Size = int64(len(data))
	return l, nil
}

// scanLines reads r from f. huge is set for a file longer than maxCounted: it stops after the range or at that limit.
func scanLines(ctx context.Context, f io.Reader, r LineRange, huge bool) (*Lines, error) {
	r.Start = max(r.Start, 1)
	c := &lineCollector{r: r, maxBytes: limit(r.MaxBytes, MaxRead), lines: Lines{Start: r.Start}, done: r.End > 0 && r.End < r.Start}
	c.maxLine = limit(r.MaxLineBytes, c.maxBytes)
	l := &c.lines
	sum := sha256.New()
	if !huge {
		f = io.TeeReader(f, sum)
	}
	b := bufio.NewReaderSize(f, 256<<10)
	head, err := b.Peek(sniffed + utf8.UTFMax)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	l.Binary = Binary(head)
	if bytes.HasPrefix(head, bomUTF8) {
		_, _ = b.Discard(len(bomUTF8)) // it is in the buffer
	}
	for read := int64(0); ; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		part, err := b.ReadSlice('\n')
		read += int64(len(part))
		if !l.Binary {
			c.take(part)
		}
		switch {
		case errors.Is(err, io.EOF):
			if c.length > 0 { // a last line without a newline
				c.endLine()
			}
			if !huge {
				l.Hash = hex.EncodeToString(sum.Sum(nil))
			}
			return l, nil
		case err != nil && !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		case huge && (c.done || l.Binary || read >= maxCounted):
			l.Partial, l.Truncated = true, l.Truncated || !c.done && !l.Binary
			return l, nil
		}
	}
}

// limit returns n, at most the maximum; 0 means the maximum.
func limit(n, most int) int {
	if n <= 0 {
		return most
	}
	return min(n, most)
}

// lineCollector receives a file line by line, keeps the lines of a range and counts all lines.
type lineCollector struct {
	r        LineRange
	maxBytes int // limit for the kept text
	maxLine  int // limit for a kept line

	length  int    // length of the current line in bytes so far
	partial []byte // its beginning, up to the limit
	lastCR  bool   // its last byte so far is \r

	lines Lines
	bytes int
	done  bool // the range is complete: only count
}

// take adds a part of a line, the last one if it ends with a newline.
func (c *lineCollector) take(part []byte) {
	part, ended := bytes.CutSuffix(part, []byte{'\n'})
	if n := len(part); n > 0 {
		c.lastCR = part[n-1] == '\r'
		c.length += n
		if !c.done && c.lines.Total+1 >= c.r.Start {
			// Keep one character more, so that cutText can cut between two.
			c.partial = append(c.partial, part[:max(0, min(n, c.maxLine+utf8.UTFMax-len(c.partial)))]...)
		}
	}
	if ended {
		if c.lastCR {
			c.length--
			c.partial = c.partial[:min(len(c.partial), c.length)]
		}
		c.endLine()
	}
}

// endLine ends the current line, and keeps it if it is in the range and within the limits.
func (c *lineCollector) endLine() {
	l, line := &c.lines, c.partial
	if l.Total++; !c.done && l.Total >= c.r.Start {
		if c.length > c.maxLine {
			line = line[:len(text.Head(string(line), c.maxLine))]
		}
		if c.r.MaxLines > 0 && len(l.Text) >= c.r.MaxLines || len(l.Text) > 0 && c.bytes+len(line)+1 > c.maxBytes {
			l.Truncated, c.done = true, true
		} else {
			c.bytes += len(line) + 1 // including its newline
			l.Text, l.Cut = append(l.Text, string(line)), append(l.Cut, c.length-len(line))
			c.done = l.Total == c.r.End
		}
	}
	c.length, c.partial, c.lastCR = 0, c.partial[:0], false
}
