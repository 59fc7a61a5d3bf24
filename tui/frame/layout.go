// Package frame shares the screen out, and makes frames of lines: what gives way on a small one, the
// margin, the bounded width. It promises that a frame is as high as the screen and no line wider, and that
// a line that was in the frame before costs nothing.
package frame

// measure is the widest the chat gets, in cells: longer lines read badly.
const measure = 112

// wideMargin stands on both sides where there is room for it.
const wideMargin = 2

// Layout is where things are, in cells and lines.
type Layout struct {
	Margin, Width              int
	Header, Queue, Rule, Input int // lines
	Gap                        int // between the transcript and what is below
	Tasks                      int // pinned above the queue
	Transcript                 int
	Status                     int
}

// Arrange shares the screen out. What matters least gives way first on a small
// one: the header, the rule, the status line; the composer stays.
func Arrange(width, height, composerRows, queued, status, tasks int) Layout {
	l := Layout{Margin: wideMargin}
	switch {
	case width < 30:
		l.Margin = 0
	case width < 60:
		l.Margin = 1
	}
	l.Width = max(width-2*l.Margin, 1)
	if l.Width > measure {
		l.Width = measure
		l.Margin = (width - measure) / 2
	}
	left := height
	take := func(want, keep int) int {
		n := max(min(want, left-keep), 0)
		left -= n
		return n
	}
	l.Input = max(take(composerRows, 0), 1)
	l.Status = take(status, 2)
	l.Rule = take(1, 3)
	l.Header = take(2, 6)
	l.Gap = take(1, 16)
	l.Queue = take(queued, 4)
	l.Tasks = take(tasks, 4)
	l.Transcript = max(left, 0)
	return l
}

// Heights below which a question that is to be decided about takes the room of other things.
const (
	Roomy = 30
	Small = 20
)

// WhileAsking gives the room of the header and of empty lines to the question.
func (l Layout) WhileAsking(height int) Layout {
	header, gap := l.Header, l.Gap
	switch {
	case height < Small:
		header, gap = 0, 0
	case height < Roomy:
		header, gap = min(header, 1), 0
	}
	l.Transcript += l.Header - header + l.Gap - gap
	l.Header, l.Gap = header, gap
	return l
}
