// Package linematch finds the lines of a text that match a regular expression.
//
// The expression (RE2 syntax) is applied to each line separately: ^ and $ match at the ends of a line, nothing
// matches a line break, and a carriage return before it belongs to the line ending. Time is linear in the text for any
// expression, memory is bounded, and a scan ends soon after it is stopped.
//
// Letters and digits match in every form: composed or not, full-width or half-width.
//
// For speed, it first looks for a sequence of bytes that every match contains, or one of a few (see [required]), and
// applies package regexp only to the lines that contain it.
package linematch

import (
	"bytes"
	"io"
	"iter"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"chatvault/vault/block"
	"chatvault/vault/vaulterr"
)

// Limits of Compile. They bound the time for a rune of the text.
const (
	MaxPatternBytes = 4096
	maxInstructions = 5000
)

// Pattern is a compiled expression. It is immutable and safe for concurrent use.
type Pattern struct {
	re   *regexp.Regexp
	find *finder // nil if every line must be matched
}

// Compile parses an RE2 expression. Unless caseSensitive, letters match in either case (Unicode simple folding).
// Every error is a *vaulterr.Error with a remedy.
func Compile(expr string, caseSensitive bool) (*Pattern, error) {
	refuse := func(format string, args ...any) (*Pattern, error) {
		return nil, vaulterr.New(vaulterr.KindOther, expr, format, args...)
	}
	switch {
	case expr == "":
		return refuse("The search pattern is empty. Give the text or regular expression to look for.")
	case len(expr) > MaxPatternBytes:
		return refuse("The search pattern has %d bytes; at most %d are allowed. Search for a shorter, distinctive part.", len(expr), MaxPatternBytes)
	case !utf8.ValidString(expr):
		return refuse("The search pattern is not valid UTF-8.")
	}
	source := usual(expr)
	if !caseSensitive {
		source = "(?i)" + source
	}
	tree, err := syntax.Parse(source, syntax.Perl)
	if err != nil {
		return refuse("%s", syntaxText(err))
	}
	if size(tree) > maxInstructions {
		return refuse("The search pattern is too large once its repetitions are written out. Use smaller counts, or * and + instead.")
	}
	if hasNewline(tree) {
		return refuse(`The search pattern has a line break, but the search looks at one line at a time. Search for the text of one of the lines.`)
	}
	re, err := regexp.Compile(source)
	if err != nil {
		return refuse("%s", syntaxText(err))
	}
	p := &Pattern{re: re, find: required(tree.Simplify())}
	if p.find != nil && strings.ContainsFunc(expr, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
		p.find.forms = true
	}
	return p, nil
}

// syntaxText explains a parse error to a user who may know another regexp dialect.
func syntaxText(err error) string {
	return strings.Replace(err.Error(), "error parsing regexp", "The search pattern is not a valid regular expression", 1) +
		". Look-ahead, look-behind and back-references are not supported (RE2 syntax). " +
		`To search for the characters . * + ? ( ) [ ] { } | ^ $ \ themselves, put a \ before them.`
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

// Special reports whether Lines must match every line of the text. It is false if HasSpecial is.
func (p *Pattern) Special(text []byte) bool {
	switch f := p.find; {
	case f == nil || f.forms && !f.ascii:
		return HasSpecial(text)
	case f.folds && hasFolding(text):
		return true
	default: // text composed of several runes has the ASCII characters of its usual form
		return f.forms && hasWide(text)
	}
}

// Lines returns the matching lines of buf, whose last line may lack its line ending. special is Special(buf) or
// HasSpecial(buf). It ends early soon after stop becomes true; stop may be nil.
func (p *Pattern) Lines(buf []byte, special bool, stop *atomic.Bool) iter.Seq[Line] {
	return func(yield func(Line) bool) {
		every := p.find == nil || (p.find.forms || p.find.folds) && special
		for from := 0; from < len(buf) && (stop == nil || !stop.Load()); {
			line := Line{Start: from, At: from}
			if !every {
				if line.At = p.find.next(buf, from); line.At < 0 {
					return
				}
				line.Start = from + bytes.LastIndexByte(buf[from:line.At], '\n') + 1
			}
			line.Stop = block.LineStop(buf, line.At)
			line.End = line.Stop - len(lineEnding(buf[line.Start:line.Stop]))
			from = line.Stop
			if every || !p.find.exact {
				at, ok := p.match(buf[line.Start:line.End], special, stop)
				if !ok {
					continue
				}
				line.At = line.Start + at
			}
			if !yield(line) {
				return
			}
		}
	}
}

// lineEnding returns the end of line from its line ending on.
func lineEnding(line []byte) []byte {
	bare := bytes.TrimSuffix(line, []byte("\n"))
	return line[len(bytes.TrimSuffix(bare, []byte("\r"))):]
}

// longLine is the length in bytes from which a match can be stopped; stopping makes it slower.
const longLine = 1000

// match returns an offset in the first match of a line. For another form of the text, it is approximate.
func (p *Pattern) match(line []byte, special bool, stop *atomic.Bool) (at int, ok bool) {
	if p.find != nil && p.find.next(line, 0) < 0 && (!special || !HasSpecial(line)) {
		return 0, false
	}
	if at, ok = p.index(line, stop); ok || p.find == nil && !special || !isUnusual(line) {
		return at, ok
	}
	other := []byte(usual(string(line)))
	at, ok = p.index(other, stop)
	return at * len(line) / max(len(other), 1), ok
}

// index returns the offset of the first match of the expression in a line.
func (p *Pattern) index(line []byte, stop *atomic.Bool) (at int, ok bool) {
	var loc []int
	if len(line) < longLine || stop == nil {
		loc = p.re.FindIndex(line)
	} else {
		loc = p.re.FindReaderIndex(&runes{line, stop})
	}
	if loc == nil || stop != nil && stop.Load() {
		return 0, false
	}
	return loc[0], true
}

// runes reads the runes of a text until it is stopped.
type runes struct {
	rest []byte
	stop *atomic.Bool
}

// ReadRune returns io.EOF also when stopped.
func (s *runes) ReadRune() (r rune, size int, err error) {
	if len(s.rest) == 0 || s.stop.Load() {
		return 0, 0, io.EOF
	}
	r, size = utf8.DecodeRune(s.rest)
	s.rest = s.rest[size:]
	return r, size, nil
}

// MatchString reports whether the expression matches text as a single line.
func (p *Pattern) MatchString(text string) bool {
	return p.re.MatchString(text) || p.re.MatchString(usual(text))
}
