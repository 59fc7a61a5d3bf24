package terminal

import "unicode"

// class says what becomes of a rune.
type class uint8

const (
	plain     class = iota // stays
	extending              // stays, while its base does not carry too many
	control                // becomes a visible symbol
	lineEnd                // becomes a line feed
	hidden                 // is dropped
	joiner                 // stays between what it can join
	selector               // stays after what it can select
	leading                // a leading Hangul consonant: piles up on its own kind
)

const (
	zwnj          = '\u200c'
	zwj           = '\u200d'
	textSelector  = '\ufe0e'
	emojiSelector = '\ufe0f'
	dottedCircle  = '\u25cc' // what Unicode shows a mark on when it has no base
)

// classify is over every rune but those of ASCII that stay.
func classify(r rune) class {
	switch {
	case r < 0xa0:
		switch {
		case r == 0x85, r == '\n':
			return lineEnd
		case r < 0x20, r >= 0x7f:
			return control
		}
		return plain
	case r < 0x300:
		if r == 0xad { // soft hyphen
			return hidden
		}
		return plain
	case r >= 0x3041 && r < 0xa000 && r != 0x3099 && r != 0x309a && r != 0x3164, r >= 0xac00 && r < 0xd7a4:
		return plain // kana, Han, Hangul: most of the text that comes this far
	case r == 0x2028, r == 0x2029:
		return lineEnd
	case r == zwj, r == zwnj:
		return joiner
	case r == textSelector, r == emojiSelector:
		return selector
	case r >= 0x180b && r <= 0x180d, r == 0x180f: // Mongolian
		return selector
	case isHidden(r):
		return hidden
	case r >= 0x1100 && r < 0x115f, r >= 0xa960 && r < 0xa97d:
		return leading
	case extends(r):
		return extending
	}
	return plain
}

// isHidden reports whether a rune shows nothing and can only mislead: formats
// (bidi controls, zero-width, tags), fillers, selectors, noncharacters.
func isHidden(r rune) bool {
	switch {
	case r&0xfffe == 0xfffe, r >= 0xfdd0 && r <= 0xfdef: // noncharacters
		return true
	case r >= 0xe0000 && r <= 0xe0fff: // tags, selectors and what is reserved for their like
		return true
	case r >= 0xfe00 && r <= 0xfe0f, r == 0x034f, r == 0x180e:
		return true
	case r == 0x115f, r == 0x1160, r == 0x3164, r == 0xffa0, r == 0x17b4, r == 0x17b5: // fillers
		return true
	case r == 0x2065, r >= 0xfff0 && r <= 0xfff8: // reserved for formats
		return true
	case isPrepended(r):
		return false
	}
	return unicode.Is(unicode.Cf, r)
}

// isPrepended reports whether a rune is one of the formats that do show: number
// and verse signs of Arabic, Syriac and Kaithi that stand before their digits.
func isPrepended(r rune) bool {
	return r >= 0x600 && r <= 0x605 || r == 0x6dd || r == 0x70f || r == 0x890 || r == 0x891 || r == 0x8e2 ||
		r == 0x110bd || r == 0x110cd
}

// extends reports whether a rune joins the one before it in its cell: marks,
// skin tones, half-width voicing marks, vowels and final consonants of Hangul.
func extends(r rune) bool {
	switch {
	case r >= 0x1f3fb && r <= 0x1f3ff, r == 0xff9e, r == 0xff9f:
		return true
	case r > 0x1160 && r <= 0x11ff, r >= 0xd7b0 && r <= 0xd7fb:
		return true
	}
	return isPrepended(r) || unicode.Is(unicode.M, r)
}

// pictographs are close to Extended_Pictographic of Unicode's emoji-data.txt: a
// few more, which does no harm, as they only decide where a joiner or a selector
// may stay.
var pictographs = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0xa9, Hi: 0xa9, Stride: 1},
		{Lo: 0xae, Hi: 0xae, Stride: 1},
		{Lo: 0x203c, Hi: 0x203c, Stride: 1},
		{Lo: 0x2049, Hi: 0x2049, Stride: 1},
		{Lo: 0x2122, Hi: 0x2122, Stride: 1},
		{Lo: 0x2139, Hi: 0x2139, Stride: 1},
		{Lo: 0x2194, Hi: 0x21aa, Stride: 1},
		{Lo: 0x231a, Hi: 0x23ff, Stride: 1},
		{Lo: 0x24c2, Hi: 0x24c2, Stride: 1},
		{Lo: 0x25aa, Hi: 0x25c0, Stride: 1},
		{Lo: 0x25fb, Hi: 0x25fe, Stride: 1},
		{Lo: 0x2600, Hi: 0x27bf, Stride: 1},
		{Lo: 0x2934, Hi: 0x2935, Stride: 1},
		{Lo: 0x2b05, Hi: 0x2b55, Stride: 1},
		{Lo: 0x3030, Hi: 0x3030, Stride: 1},
		{Lo: 0x303d, Hi: 0x303d, Stride: 1},
		{Lo: 0x3297, Hi: 0x3299, Stride: 2},
	},
	R32: []unicode.Range32{
		{Lo: 0x1f000, Hi: 0x1f3fa, Stride: 1},
		{Lo: 0x1f400, Hi: 0x1faff, Stride: 1},
	},
	LatinOffset: 2,
}

func isPictograph(r rune) bool { return r >= 0xa9 && unicode.Is(pictographs, r) }

// takesSelector reports whether a presentation selector after r says something.
func takesSelector(r, selector rune) bool {
	if selector == textSelector || selector == emojiSelector {
		return isPictograph(r) || r >= '0' && r <= '9' || r == '#' || r == '*'
	}
	return unicode.Is(unicode.Mongolian, r)
}

// joining are the scripts whose spelling needs the joiners.
var joining = []*unicode.RangeTable{
	unicode.Arabic, unicode.Syriac, unicode.Mandaic, unicode.Nko, unicode.Mongolian, unicode.Phags_Pa,
	unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil,
	unicode.Telugu, unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Tibetan, unicode.Myanmar,
	unicode.Khmer, unicode.Balinese, unicode.Javanese, unicode.Chakma, unicode.Adlam, unicode.Hanifi_Rohingya,
}

// joins reports whether joiner j says something between the runes a and b.
func joins(a, j, b rune) bool {
	if j == zwj && isPictograph(a) && isPictograph(b) {
		return true
	}
	return a >= 0x600 && b >= 0x600 && unicode.In(a, joining...) && unicode.In(b, joining...)
}
