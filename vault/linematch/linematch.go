// Package linematch finds the lines of a text that match a regular expression.
//
// The expression (RE2 syntax) is applied to each line separately: ^ and $ match at the ends of a line, nothing
// matches a line break, and a carriage return before it belongs to the line ending. The results are exactly those of
// package regexp applied line by line. Time is linear in the text for any expression, memory is bounded, and a scan
// ends soon after it is stopped.
//
// For speed, it looks for a literal that every match must contain, or one of a few (see [required]), with the
// vectorised searches of package bytes, and runs an automaton built on demand (see [dfa]) only on the lines that
// contain it.
package linematch

import (
	"bytes"
	"errors"
	"fmt"
	"regexp/syntax"
	"slices"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"chatvault/vault/block"
	"chatvault/vault/failure"
)

// Limits of Compile. They keep the slowest step of a scan, building one state of the automaton, well under a
// millisecond.
const (
	MaxPatternBytes = 4096
	maxInstructions = 5000
)

// Pattern is a compiled expression. It is immutable and safe for concurrent use; each goroutine needs its own
// Scanner.
type Pattern struct {
	prog    *program
	literal *literals // nil if no literal is worth looking for
}

// Compile parses an RE2 expression. Unless caseSensitive, letters match in either case (Unicode simple folding).
// Every error is a *failure.Error with a remedy.
func Compile(expr string, caseSensitive bool) (*Pattern, error) {
	refuse := func(format string, args ...any) (*Pattern, error) {
		return nil, failure.New(failure.KindOther, expr, format, args...)
	}
	switch {
	case expr == "":
		return refuse("The search pattern is empty. Give the text or regular expression to look for.")
	case len(expr) > MaxPatternBytes:
		return refuse("The search pattern has %d bytes; at most %d are allowed. Search for a shorter, distinctive part.", len(expr), MaxPatternBytes)
	case !utf8.ValidString(expr):
		return refuse("The search pattern is not valid UTF-8.")
	}
	flags := syntax.Perl
	if !caseSensitive {
		flags |= syntax.FoldCase
	}
	re, err := syntax.Parse(expr, flags)
	if err != nil {
		return refuse("%s", syntaxText(expr, err))
	}
	if size(re) > maxInstructions {
		return refuse("The search pattern is too large once its repetitions are written out. Use smaller counts, or * and + instead.")
	}
	if hasNewline(re) {
		return refuse(`The search pattern has a line break, but the search looks at one line at a time. Search for the text of one of the lines.`)
	}
	re = re.Simplify()
	prog, err := syntax.Compile(re)
	if err != nil {
		return refuse("%s", syntaxText(expr, err))
	}
	if len(prog.Inst) > maxInstructions {
		return refuse("The search pattern is too large. Search for a shorter, distinctive part.")
	}
	return &Pattern{prog: newProgram(prog), literal: required(re)}, nil
}

// syntaxText explains a parse error to a user who may know another regexp dialect.
func syntaxText(expr string, err error) string {
	se, ok := errors.AsType[*syntax.Error](err)
	if !ok {
		return fmt.Sprintf("The search pattern %q is not a valid regular expression: %v.", expr, err)
	}
	text := fmt.Sprintf("The search pattern is not a valid regular expression: %s", se.Code)
	if se.Expr != "" {
		text += fmt.Sprintf(" at `%s`", se.Expr)
	}
	text += ". "
	switch {
	case strings.HasPrefix(se.Expr, "(?=") || strings.HasPrefix(se.Expr, "(?!") || strings.HasPrefix(se.Expr, "(?<"):
		text += "Look-ahead and look-behind are not supported (RE2 syntax)."
	case se.Code == syntax.ErrInvalidEscape && len(se.Expr) == 2 && se.Expr[1] >= '1' && se.Expr[1] <= '9':
		text += "Back-references are not supported (RE2 syntax)."
	case se.Code == syntax.ErrInvalidRepeatSize:
		text += "A repetition count may be at most 1000."
	default:
		text += `To search for the characters . * + ? ( ) [ ] { } | ^ $ \ themselves, put a \ before them.`
	}
	return text
}

// size estimates the number of instructions of re without expanding repetitions.
func size(re *syntax.Regexp) int {
	total := 1
	for _, sub := range re.Sub {
		total += size(sub)
	}
	switch re.Op {
	case syntax.OpLiteral:
		total += len(re.Rune)
	case syntax.OpRepeat:
		total *= max(re.Min, re.Max, 1)
	}
	return min(total, 1<<24) // sums of bounded terms cannot overflow
}

// hasNewline reports whether re contains a literal line break, which no line can match. A class may contain one,
// because it matches its other members.
func hasNewline(re *syntax.Regexp) bool {
	return re.Op == syntax.OpLiteral && slices.Contains(re.Rune, '\n') || slices.ContainsFunc(re.Sub, hasNewline)
}

// Line is a matching line.
type Line struct {
	Start, End int // the text in the buffer, without the line ending
	Stop       int // start of the next line
	At         int // an offset from Start to End at the end of the first match or inside it
}

// lineAt returns the line of buf that starts at start and has a match at offset at.
func lineAt(buf []byte, start, at int) Line {
	stop := block.LineStop(buf, at)
	end := textEnd(buf, start, stop)
	return Line{Start: start, End: end, Stop: stop, At: min(at, end)}
}

// textEnd returns the end of the text of the line buf[start:stop], before "
// " or "\r
// ".
func textEnd(buf []byte, start, stop int) int {
	if stop > start && buf[stop-1] == '\n' {
		stop--
	}
	if stop > start && buf[stop-1] == '\r' {
		stop--
	}
	return stop
}

// Scanner searches buffers on one goroutine. It keeps its automaton between them.
type Scanner struct {
	p    *Pattern
	dfa  *dfa
	find *finder
	stop *atomic.Bool
	// dense is set for a buffer that the literals do not cover (see finder.blind).
	dense bool
}

// Scanner returns a scanner of p that stops soon after stop becomes true. stop may be nil.
func (p *Pattern) Scanner(stop *atomic.Bool) *Scanner {
	if stop == nil {
		stop = new(atomic.Bool)
	}
	s := &Scanner{p: p, stop: stop}
	if p.literal != nil {
		s.find = newFinder(p.literal)
	}
	return s
}

// Begin must be called before the first Next on a buffer. The buffer contains complete lines; the last one may lack
// its line ending.
func (s *Scanner) Begin(buf []byte) {
	s.dense = s.find == nil || s.find.blind(buf)
	if s.find != nil && !s.dense {
		s.find.begin()
	}
}

// Next returns the first matching line that starts at from or later. from must be the start of a line, and must not
// decrease after Begin. It reports false at the end of the buffer and when stopped.
func (s *Scanner) Next(buf []byte, from int) (Line, bool) {
	if s.dense {
		return s.automaton().find(buf, from, len(buf))
	}
	for from < len(buf) && !s.stop.Load() {
		at := s.find.next(buf, from)
		if at < 0 {
			return Line{}, false
		}
		start := from + bytes.LastIndexByte(buf[from:at], '\n') + 1
		if s.p.literal.exact {
			return lineAt(buf, start, at), true
		}
		stop := block.LineStop(buf, at)
		if line, ok := s.automaton().find(buf, start, stop); ok {
			return line, true
		}
		from = stop
	}
	return Line{}, false
}

// MatchString reports whether the expression matches text as a single line.
func (s *Scanner) MatchString(text string) bool {
	line := append([]byte(text), '\n')
	_, ok := s.automaton().find(line, 0, len(line))
	return ok
}

func (s *Scanner) automaton() *dfa {
	if s.dfa == nil {
		s.dfa = newDFA(s.p.prog, s.stop)
	}
	return s.dfa
}
