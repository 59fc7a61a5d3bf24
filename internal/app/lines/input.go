package lines

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"time"

	"chatvault/internal/base/routine"
)

// maxTypedMessage is the maximum length of an input line, in bytes.
const maxTypedMessage = 8 << 20

// typedLine is an input line, or an error.
type typedLine struct {
	text string
	at   time.Time
	err  error
}

// lineInput reads lines in the background. From a terminal it reads them as they come; from a file or a pipe it reads
// a line on request, so that each line answers the right prompt.
type lineInput struct {
	lines chan typedLine
	want  chan struct{}
	pulls bool
	asked bool // a line was requested and has not come yet
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

// next requests a line.
func (l *lineInput) next() {
	if l.pulls && !l.asked {
		l.asked = true
		l.want <- struct{}{}
	}
}

// readLine reads a line. With an error it may return an unterminated one.
func readLine(r *bufio.Reader) (string, error) {
	line, err := r.ReadString('\n')
	if len(line) > maxTypedMessage {
		err = errors.New("the line is longer than 8 MB; save it as a note in the vault and ask about that")
	}
	return strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r"), err
}

// blockMark is alone on the lines before and after a multi-line text.
const blockMark = `"""`

// entry assembles a message of several lines: a line that ends with a backslash continues, and everything between two
// lines of three quotation marks is text.
type entry struct {
	lines []string
	block bool
	open  bool // more lines follow
}

// add adds a line. done reports whether the message is complete.
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

// take returns the text so far and resets the entry.
func (e *entry) take() string {
	text := strings.Join(e.lines, "\n")
	*e = entry{}
	return text
}

// text returns the text so far.
func (e *entry) text() string { return strings.Join(e.lines, "\n") }
