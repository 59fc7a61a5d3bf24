package lines

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"time"

	"chatvault/internal/routine"
)

// maxTypedMessage bounds a line of the input, in bytes.
const maxTypedMessage = 8 << 20

// typedLine is a line of the input, or why there is none.
type typedLine struct {
	text string
	at   time.Time
	err  error
}

// lineInput reads lines in the background. What a person types is read as it comes; what comes
// from a file or a pipe, a line when one is wanted, so that each finds what it is for.
type lineInput struct {
	lines chan typedLine
	want  chan struct{}
	pulls bool
	asked bool // a line is wanted and has not come yet
}

func newLineInput(in io.Reader, pulls bool) *lineInput {
	l := &lineInput{lines: make(chan typedLine), want: make(chan struct{}, 1), pulls: pulls}
	routine.Go("typed lines", func() { l.read(in) })
	return l
}

func (l *lineInput) read(in io.Reader) {
	r := bufio.NewReader(in)
	for {
		if l.pulls {
			<-l.want
		}
		text, err := readLine(r)
		l.lines <- typedLine{text, time.Now(), err}
		if err != nil {
			return
		}
	}
}

// next says that a line is wanted.
func (l *lineInput) next() {
	if l.pulls && !l.asked {
		l.asked = true
		l.want <- struct{}{}
	}
}

// readLine reads a line; with an error there may be one that was not ended.
func readLine(r *bufio.Reader) (string, error) {
	var b strings.Builder
	for {
		part, err := r.ReadSlice('\n')
		if b.Len()+len(part) > maxTypedMessage {
			return b.String(), errors.New("the line is longer than 8 MB; save it as a note in the vault and ask about that")
		}
		b.Write(part)
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		return strings.TrimSuffix(strings.TrimSuffix(b.String(), "\n"), "\r"), err
	}
}

// blockMark stands alone in the line before and the line after a text of several lines.
const blockMark = `"""`

// entry puts a message of several lines together: a line that ends with a backslash goes on in the
// next, and between two lines of three quotation marks everything is text.
type entry struct {
	lines []string
	block bool
	open  bool // more lines belong to it
}

// add takes a line; the message is whole where done is true.
func (e *entry) add(line string) (message string, done bool) {
	switch {
	case strings.TrimSpace(line) == blockMark && e.block:
		return e.take(), true
	case e.block:
		e.lines = append(e.lines, line)
		return "", false
	case strings.TrimSpace(line) == blockMark && !e.open:
		e.block, e.open = true, true
		return "", false
	}
	head, goesOn := strings.CutSuffix(line, `\`)
	if goesOn && !strings.HasSuffix(head, `\`) {
		e.lines, e.open = append(e.lines, strings.TrimRight(head, " ")), true
		return "", false
	}
	e.lines = append(e.lines, line)
	return e.take(), true
}

// take is what there is of it, and begins another.
func (e *entry) take() string {
	text := strings.Join(e.lines, "\n")
	*e = entry{}
	return text
}

// text is what there is of it.
func (e *entry) text() string { return strings.Join(e.lines, "\n") }
