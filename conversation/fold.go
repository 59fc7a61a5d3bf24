package conversation

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strconv"
	"sync/atomic"
	"unicode/utf16"
	"unicode/utf8"

	"chatvault/internal/text"

	"golang.org/x/text/unicode/norm"
)

// A text's fold is the form in which texts that differ in case or Unicode form only are equal:
// decomposed, each character folded (the simple folding: "ß" is not "ss"), composed again. For
// speed it is made a character at a time from a table, and in full only for lines in which marks
// stand that compose with what is before them.

// fold is a text's fold.
func fold(text string) string { return string(appendFold(nil, []byte(text))) }

// appendFold appends the fold of a text to dst. Its lines stay as many as they are.
func appendFold(dst, text []byte) []byte {
	dst = slices.Grow(dst, len(text))
	last := uint8(0) // combining class of the character before
	for i := 0; i < len(text); {
		ascii := i
		for ; i+8 <= len(text); i += 8 {
			x := binary.LittleEndian.Uint64(text[i:])
			if x&highs != 0 {
				break
			}
			upper := (x + (0x80-'A')*ones) &^ (x + (0x80-'Z'-1)*ones) & highs
			dst = binary.LittleEndian.AppendUint64(dst, x|upper>>2)
		}
		for ; i < len(text) && text[i] < utf8.RuneSelf; i++ {
			c := text[i]
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			dst = append(dst, c)
		}
		if i > ascii {
			last = 0
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		f := folded(r)
		if f.composes() || f.class() > 0 && f.class() < last {
			start, end := bytes.LastIndexByte(text[:i], '\n')+1, bytes.IndexByte(text[i:], '\n')
			if end += i; end < i {
				end = len(text)
			}
			dst = appendFullFold(dst[:bytes.LastIndexByte(dst, '\n')+1], text[start:end])
			i, last = end, 0
			continue
		}
		dst = utf8.AppendRune(dst, f.rune())
		i, last = i+size, f.class()
	}
	return dst
}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// appendFullFold is appendFold by the book.
func appendFullFold(dst, src []byte) []byte {
	var b []byte
	for _, r := range string(norm.NFD.Bytes(src)) {
		b = utf8.AppendRune(b, text.FoldRune(r))
	}
	return norm.NFC.Append(dst, b...)
}

// foldedRune is what the table knows of a character: its fold (21 bits), its combining class
// (8 bits), and whether it may compose with what is before it or is composed of others.
type foldedRune uint32

func (f foldedRune) rune() rune     { return rune(f & (1<<21 - 1)) }
func (f foldedRune) class() uint8   { return uint8(f >> 21) }
func (f foldedRune) composes() bool { return f&composes != 0 }

const composes = foldedRune(1 << 29)

func makeFolded(r rune) foldedRune {
	one := string(r)
	f, size := utf8.DecodeRune(appendFullFold(nil, []byte(one)))
	p := norm.NFC.PropertiesString(one)
	if size != len(appendFullFold(nil, []byte(one))) || !norm.NFC.IsNormalString(one) || composesBackward(r, p) {
		return composes
	}
	return foldedRune(f) | foldedRune(p.CCC())<<21
}

// composesBackward says whether a character composes with some that stand before it. Among the
// marks, those of the classes with fixed positions and the viramas do not, with two exceptions
// (Unicode 15, NFC_Quick_Check=Maybe).
func composesBackward(r rune, p norm.Properties) bool {
	switch class := p.CCC(); {
	case class == 0:
		return !p.BoundaryBefore()
	case class >= 9 && class < 200:
		return r == 0x0C56 || r == 0x0DCA || r > 0xFFFF
	}
	return true
}

// foldPages are the table's pages of 256 characters each, of the basic plane, made when they are
// first asked for.
var foldPages [256]atomic.Pointer[[256]foldedRune]

func folded(r rune) foldedRune {
	if r > 0xFFFF {
		return makeFolded(r)
	}
	page := foldPages[r>>8].Load()
	if page == nil {
		page = new([256]foldedRune)
		for i := range page {
			page[i] = makeFolded(r&^0xFF + rune(i))
		}
		foldPages[r>>8].Store(page)
	}
	return page[r&0xFF]
}

// plain is JSON in which characters stand for themselves, but for those that must be escaped.
func plain(line []byte) []byte {
	if !bytes.Contains(line, []byte(`\u`)) && !bytes.Contains(line, []byte(`\/`)) {
		return line
	}
	out := make([]byte, 0, len(line))
	for {
		i := bytes.IndexByte(line, '\\')
		if i < 0 || i+1 == len(line) {
			return append(out, line...)
		}
		out = append(out, line[:i]...)
		line = line[i:]
		switch r, n := escaped(line); {
		case line[1] == '/':
			out = append(out, '/')
			line = line[2:]
		case n == 0 || r < ' ':
			out = append(out, line[:2]...)
			line = line[2:]
		default:
			if r == '"' || r == '\\' {
				out = append(out, '\\')
			}
			out = utf8.AppendRune(out, r)
			line = line[n:]
		}
	}
}

// escaped is the character that stands as \uXXXX at the beginning of a text, or as two of them,
// and how long that is; 0: none does.
func escaped(text []byte) (r rune, n int) {
	unit := func(b []byte) rune {
		if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
			return -1
		}
		v, err := strconv.ParseUint(string(b[2:6]), 16, 16)
		if err != nil {
			return -1
		}
		return rune(v)
	}
	a := unit(text)
	if a < 0 {
		return 0, 0
	}
	if !utf16.IsSurrogate(a) {
		return a, 6
	}
	if b := unit(text[6:]); b >= 0 {
		if r := utf16.DecodeRune(a, b); r != utf8.RuneError {
			return r, 12
		}
	}
	return utf8.RuneError, 6
}
