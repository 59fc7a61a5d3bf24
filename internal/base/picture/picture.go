package picture

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	_ "image/gif" // registers the format
	"image/jpeg"
	"image/png"
	"io"
	"math"
	"time"

	_ "golang.org/x/image/bmp" // registers the format
	"golang.org/x/image/draw"
	_ "golang.org/x/image/webp" // registers the format

	"chatvault/internal/base/text"
)

// Limits of what is read and sent.
const (
	MaxBytes    = 32 << 20   // of a file with a picture
	MaxDocument = 16 << 20   // of a file with a document, which is sent unchanged
	maxPixels   = 50_000_000 // of a picture; cameras have fewer
	maxMemory   = 256 << 20  // bytes that decoding may allocate
	maxSide     = 1568       // pixels that every endpoint passes to a model unscaled
	maxPNG      = 1 << 20    // bytes; longer ones are sent as JPEG
	quality     = 85
)

// Tokens per picture as counted by Anthropic; other providers count about the same or less. A page of a document
// counts as its picture and its text.
const (
	pixelsPerToken = 750
	tokensPerPage  = 2500
	bytesPerPage   = 50 << 10 // if its pages cannot be counted
)

// ErrNeither is returned for a file that is neither a picture nor a PDF.
var ErrNeither = errors.New("it is neither a picture nor a PDF")

// Look describes a file without decoding it. Its error tells the user why it cannot be shown.
func Look(data []byte) (Info, error) {
	i := Info{Kind: Sniff(data), Size: int64(len(data))}
	switch i.Kind {
	case "":
		return i, ErrNeither
	case "HEIC", "AVIF", "TIFF":
		return i, fmt.Errorf("%s pictures cannot be read here: save it as JPEG or PNG", i.Kind)
	case "PDF":
		return i, i.document(data)
	}
	if len(data) > MaxBytes {
		return i, fmt.Errorf("it has %s; a picture may have at most %d MB: save it smaller", megabytes(len(data)), MaxBytes>>20)
	}
	c, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return i, damaged(i.Kind, err)
	}
	if c.Width <= 0 || c.Height <= 0 {
		return i, damaged(i.Kind, errors.New("it has no pixels"))
	}
	// The product of two 32-bit sizes does not overflow 64 bits.
	if int64(c.Width)*int64(c.Height) > maxPixels || memory(i.Kind, data, c) > maxMemory {
		return i, fmt.Errorf("reading its %s × %s pixels takes more than %d MB of memory: save it smaller, or without progressive, interlaced or CMYK",
			text.Thousands(c.Width), text.Thousands(c.Height), maxMemory>>20)
	}
	i.Width, i.Height, i.Type = c.Width, c.Height, PNG
	if i.Kind == "JPEG" {
		i.Type = JPEG
	}
	if i.Kind == "JPEG" && orientation(data).swapsSides() {
		i.Width, i.Height = i.Height, i.Width
	}
	w, h := fitting(i.Width, i.Height)
	i.Tokens = (w*h + pixelsPerToken - 1) / pixelsPerToken
	return i, nil
}

func (i *Info) document(data []byte) error {
	if len(data) > MaxDocument {
		return fmt.Errorf("it has %s; a PDF may have at most %d MB", megabytes(len(data)), MaxDocument>>20)
	}
	i.Type, i.Pages = PDF, pagesOf(data)
	pages := i.Pages
	if pages == 0 {
		pages = 1 + len(data)/bytesPerPage
	}
	i.Tokens = pages * tokensPerPage
	return nil
}

func megabytes(n int) string { return fmt.Sprintf("%d MB", (n+1<<20-1)>>20) }

func damaged(kind string, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("it is cut off")
	}
	return fmt.Errorf("the %s is damaged: %w", kind, err)
}

// fitting returns the size at which a picture is sent.
func fitting(w, h int) (int, int) {
	long := max(w, h)
	if long <= maxSide {
		return w, h
	}
	scaled := func(side int) int { return max(1, int(math.Round(float64(side)*maxSide/float64(long)))) }
	return scaled(w), scaled(h)
}

// decoding allows decoding one picture at a time: a large one takes much memory.
var decoding = make(chan struct{}, 1)

// maxTime is the timeout of decoding: a few bytes can request another pass over a large picture.
const maxTime = 30 * time.Second

var errSlow = errors.New("it takes too long to read: save it again")

// contextReader is a Reader that ends with a context. It returns little at a time, since a decoder reads more only after
// processing what it has.
type contextReader struct {
	ctx context.Context
	io.Reader
}

func (r contextReader) Read(p []byte) (int, error) {
	if r.ctx.Err() != nil {
		return 0, context.Cause(r.ctx)
	}
	return r.Reader.Read(p[:min(len(p), 512)])
}

// Prepare returns the bytes to send for a file: a picture upright, scaled down, as JPEG or PNG, without metadata; a
// document unchanged. The Info describes them. It stops when ctx ends.
func Prepare(ctx context.Context, data []byte) (Info, []byte, error) {
	i, err := Look(data)
	switch {
	case err != nil:
		return i, nil, err
	case i.Document():
		return i, data, nil
	}
	select {
	case decoding <- struct{}{}:
		defer func() { <-decoding }()
	case <-ctx.Done():
		return i, nil, context.Cause(ctx)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, maxTime, errSlow)
	defer cancel()
	img, _, err := image.Decode(contextReader{ctx, bytes.NewReader(data)})
	switch {
	case ctx.Err() != nil:
		return i, nil, context.Cause(ctx)
	case err != nil:
		return i, nil, damaged(i.Kind, err)
	}
	small := scale(img)
	if i.Kind == "JPEG" {
		small = orientation(data).apply(small)
	}
	var out bytes.Buffer
	if i.Type == PNG {
		if err := png.Encode(&out, small); err != nil {
			return i, nil, err
		}
		if out.Len() <= maxPNG {
			return i, out.Bytes(), nil
		}
		out.Reset()
	}
	i.Type = JPEG
	err = jpeg.Encode(&out, opaque(small), &jpeg.Options{Quality: quality})
	return i, out.Bytes(), err
}

// scale scales a picture to fit. It first halves it repeatedly, which takes little memory.
func scale(img image.Image) image.Image {
	for {
		b := img.Bounds()
		w, h := fitting(b.Dx(), b.Dy())
		switch {
		case w == b.Dx() && h == b.Dy():
			return img
		case b.Dx() >= 2*w && b.Dy() >= 2*h || max(b.Dx()/w, b.Dy()/h) >= 4: // a narrow one becomes one pixel wide
			half := canvas(max(b.Dx()/2, w), max(b.Dy()/2, h))
			draw.ApproxBiLinear.Scale(half, half.Bounds(), img, b, draw.Src, nil)
			img = half
		default:
			out := canvas(w, h)
			draw.CatmullRom.Scale(out, out.Bounds(), img, b, draw.Src, nil)
			return out
		}
	}
}

// canvas returns an empty picture. Drawing on other types is many times slower.
func canvas(w, h int) draw.Image { return image.NewRGBA(image.Rect(0, 0, w, h)) }

// opaque returns a picture with transparency replaced by white.
func opaque(img image.Image) image.Image {
	if o, ok := img.(interface{ Opaque() bool }); ok && o.Opaque() {
		return img
	}
	out := canvas(img.Bounds().Dx(), img.Bounds().Dy())
	draw.Draw(out, out.Bounds(), image.White, image.Point{}, draw.Src)
	draw.Draw(out, out.Bounds(), img, img.Bounds().Min, draw.Over)
	return out
}
