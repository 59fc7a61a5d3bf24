package main

import (
	"bufio"
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"strings"

	"codeberg.org/go-fonts/dejavu/dejavusansmono"
	"codeberg.org/go-fonts/dejavu/dejavusansmonobold"
	"codeberg.org/go-fonts/dejavu/dejavusansmonoboldoblique"
	"codeberg.org/go-fonts/dejavu/dejavusansmonooblique"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/vt"
	"golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// Sizes in pixels, for screens with two pixels to a point.
const (
	cellWidth  = 14
	cellHeight = 31
	baseline   = 23 // from the top of a cell
	lineAt     = 26 // of an underline, from the top of a cell
	stroke     = 2  // of lines
	margin     = 24 // around the screen
	radius     = 14 // of the window's corners
	// fontSize makes a character as wide as a cell: its advance is 1233 of 2048 units.
	fontSize = cellWidth * 2048.0 / 1233
	// levels is the number of shades between text and background; few make small files.
	levels = 12
)

// A window holds the colours of a terminal.
type window struct{ text, background, edge color.RGBA }

var (
	dark  = window{text: color.RGBA{0xD7, 0xD9, 0xDE, 0xFF}, background: color.RGBA{0x1E, 0x1E, 0x1E, 0xFF}, edge: color.RGBA{0x3A, 0x3A, 0x3E, 0xFF}}
	light = window{text: color.RGBA{0x24, 0x26, 0x2B, 0xFF}, background: color.RGBA{0xFF, 0xFF, 0xFF, 0xFF}, edge: color.RGBA{0xD5, 0xD7, 0xDD, 0xFF}}
)

// A screen is a terminal's content, as internal/e2e records it.
type screen struct {
	width, height int
	light         bool
	styled        string // rows with escape sequences
	x, y          int    // of the cursor; x is negative if it is hidden
}

// parse reads a recorded screen. Its first line is "WIDTHxHEIGHT light|dark X,Y".
func parse(data []byte) (screen, error) {
	head, rows, _ := strings.Cut(string(data), "\n")
	var s screen
	var background string
	if _, err := fmt.Sscanf(head, "%dx%d %s %d,%d", &s.width, &s.height, &background, &s.x, &s.y); err != nil {
		return s, fmt.Errorf("first line %q: %w", head, err)
	}
	s.light, s.styled = background == "light", strings.ReplaceAll(strings.TrimSuffix(rows, "\n"), "\n", "\r\n")
	return s, nil
}

// picture draws a recorded screen as a PNG.
func picture(data []byte) ([]byte, error) {
	s, err := parse(data)
	if err != nil {
		return nil, err
	}
	em := vt.NewEmulator(s.width, s.height)
	if _, err := em.WriteString(s.styled); err != nil {
		return nil, err
	}
	p, err := newPainter(s)
	if err != nil {
		return nil, err
	}
	for y := range s.height {
		for x := range s.width {
			if c := em.CellAt(x, y); c != nil {
				p.cell(x, y, c)
			}
		}
	}
	if s.x >= 0 {
		p.fill(image.Rect(0, 3, stroke+1, cellHeight-3).Add(p.at(s.x, s.y)), p.text)
	}
	p.round()
	var out bytes.Buffer
	w := bufio.NewWriter(&out)
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(w, p.paletted()); err != nil {
		return nil, err
	}
	err = w.Flush()
	return out.Bytes(), err
}

// A painter draws cells.
type painter struct {
	window
	img   *image.RGBA
	faces [4]font.Face // regular, bold, oblique, bold and oblique
}

func newPainter(s screen) (*painter, error) {
	p := &painter{window: dark, img: image.NewRGBA(image.Rect(0, 0, s.width*cellWidth+2*margin, s.height*cellHeight+2*margin))}
	if s.light {
		p.window = light
	}
	for i, ttf := range [][]byte{dejavusansmono.TTF, dejavusansmonobold.TTF, dejavusansmonooblique.TTF, dejavusansmonoboldoblique.TTF} {
		f, err := opentype.Parse(ttf)
		if err != nil {
			return nil, err
		}
		if p.faces[i], err = opentype.NewFace(f, &opentype.FaceOptions{Size: fontSize, DPI: 72, Hinting: font.HintingNone}); err != nil {
			return nil, err
		}
	}
	p.fill(p.img.Bounds(), p.background)
	return p, nil
}

// at returns the top left corner of a cell.
func (p *painter) at(x, y int) image.Point { return image.Pt(margin+x*cellWidth, margin+y*cellHeight) }

func (p *painter) fill(r image.Rectangle, c color.Color) {
	draw.Draw(p.img, r, image.NewUniform(c), image.Point{}, draw.Src)
}

func (p *painter) cell(x, y int, c *uv.Cell) {
	fg, bg := opaque(c.Style.Fg, p.text), opaque(c.Style.Bg, p.background)
	if c.Style.Attrs&uv.AttrReverse != 0 {
		fg, bg = bg, fg
	}
	if c.Style.Attrs&uv.AttrFaint != 0 {
		fg = mix(fg, bg, 6, 10)
	}
	origin := p.at(x, y)
	box := image.Rect(0, 0, cellWidth*max(c.Width, 1), cellHeight).Add(origin)
	if bg != p.background {
		p.fill(box, bg)
	}
	r := []rune(c.Content)
	switch {
	case len(r) == 0 || r[0] == ' ':
	case p.line(origin, r[0], fg):
	default:
		face := p.faces[btoi(c.Style.Attrs&uv.AttrBold != 0)+2*btoi(c.Style.Attrs&uv.AttrItalic != 0)]
		for _, r := range r {
			dot := fixed.P(origin.X, origin.Y+baseline)
			if dr, mask, at, _, ok := face.Glyph(dot, r); ok {
				p.blend(dr, mask, at, fg)
			}
		}
	}
	if c.Style.Underline != 0 {
		p.fill(image.Rect(0, lineAt, box.Dx(), lineAt+stroke).Add(origin), mix(fg, bg, 7, 10))
	}
	if c.Style.Attrs&uv.AttrStrikethrough != 0 {
		p.fill(image.Rect(0, 15, box.Dx(), 15+stroke).Add(origin), fg)
	}
}

// blend draws a glyph in steps of colour.
func (p *painter) blend(dr image.Rectangle, mask image.Image, at image.Point, fg color.RGBA) {
	for y := range dr.Dy() {
		for x := range dr.Dx() {
			_, _, _, a := mask.At(at.X+x, at.Y+y).RGBA()
			if step := (int(a)*levels + 0x7FFF) / 0xFFFF; step > 0 {
				under := p.img.RGBAAt(dr.Min.X+x, dr.Min.Y+y)
				p.img.SetRGBA(dr.Min.X+x, dr.Min.Y+y, mix(fg, under, step, levels))
			}
		}
	}
}

// line draws a character of a frame, which must meet its neighbours. It returns false for other characters.
func (p *painter) line(o image.Point, r rune, c color.RGBA) bool {
	const midX, midY = (cellWidth - stroke) / 2, (cellHeight - stroke) / 2
	const left, right, up, down = 1, 2, 4, 8
	arms, ok := map[rune]int{
		'─': left | right, '│': up | down, '┌': right | down, '╭': right | down, '┐': left | down, '╮': left | down,
		'└': right | up, '╰': right | up, '┘': left | up, '╯': left | up, '├': up | down | right, '┤': up | down | left,
		'┬': left | right | down, '┴': left | right | up, '┼': left | right | up | down,
	}[r]
	if !ok {
		return p.block(o, r, c)
	}
	for arm, r := range map[int]image.Rectangle{
		left: image.Rect(0, midY, midX+stroke, midY+stroke), right: image.Rect(midX, midY, cellWidth, midY+stroke),
		up: image.Rect(midX, 0, midX+stroke, midY+stroke), down: image.Rect(midX, midY, midX+stroke, cellHeight),
	} {
		if arms&arm != 0 {
			p.fill(r.Add(o), c)
		}
	}
	return true
}

// block draws a block at the left of a cell, or the dots of a Braille pattern.
func (p *painter) block(o image.Point, r rune, c color.RGBA) bool {
	if eighths := 0x2590 - r; eighths >= 1 && eighths <= 8 { // U+258F is an eighth, U+2588 all of it
		p.fill(image.Rect(0, 0, (int(eighths)*cellWidth+4)/8, cellHeight).Add(o), c)
		return true
	}
	if r < 0x2800 || r > 0x28FF {
		return false
	}
	for i, dot := range []image.Point{{3, 7}, {3, 12}, {3, 17}, {9, 7}, {9, 12}, {9, 17}, {3, 22}, {9, 22}} {
		if (r-0x2800)>>i&1 != 0 {
			p.fill(image.Rect(0, 0, 3, 3).Add(dot).Add(o), c)
		}
	}
	return true
}

// round makes the corners round and draws the edge.
func (p *painter) round() {
	b := p.img.Bounds()
	for y := range b.Dy() {
		for x := range b.Dx() {
			dx, dy := max(radius-x, x-(b.Dx()-1-radius), 0), max(radius-y, y-(b.Dy()-1-radius), 0)
			switch d := dx*dx + dy*dy; {
			case d > radius*radius:
				p.img.SetRGBA(x, y, color.RGBA{})
			case d > (radius-stroke)*(radius-stroke), x < stroke, y < stroke, x >= b.Dx()-stroke, y >= b.Dy()-stroke:
				p.img.SetRGBA(x, y, p.edge)
			}
		}
	}
}

// paletted returns the picture with as few colours as it has, or unchanged with more than 256.
func (p *painter) paletted() image.Image {
	b, index := p.img.Bounds(), map[color.RGBA]uint8{}
	out := image.NewPaletted(b, nil)
	for y := range b.Dy() {
		for x := range b.Dx() {
			c := p.img.RGBAAt(x, y)
			i, seen := index[c]
			if !seen {
				if len(out.Palette) == 256 {
					return p.img
				}
				i = uint8(len(out.Palette))
				index[c], out.Palette = i, append(out.Palette, c)
			}
			out.SetColorIndex(x, y, i)
		}
	}
	return out
}

// mix returns a colour that is part/whole of a and the rest of b.
func mix(a, b color.RGBA, part, whole int) color.RGBA {
	m := func(a, b uint8) uint8 { return uint8((int(a)*part + int(b)*(whole-part) + whole/2) / whole) }
	return color.RGBA{m(a.R, b.R), m(a.G, b.G), m(a.B, b.B), 0xFF}
}

func opaque(c color.Color, or color.RGBA) color.RGBA {
	if c == nil {
		return or
	}
	r, g, b, _ := c.RGBA()
	return color.RGBA{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), 0xFF}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
