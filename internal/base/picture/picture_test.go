package picture

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"slices"
	"strings"
	"testing"

	"golang.org/x/image/bmp"
	"pgregory.net/rapid"
)

var (
	red  = color.RGBA{0xf0, 0x10, 0x10, 0xff}
	blue = color.RGBA{0x10, 0x10, 0xf0, 0xff}
)

// marked returns a blue picture with a red top left corner.
func marked(w, h int) *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			m.Set(x, y, blue)
			if x < w/2 && y < h/2 {
				m.Set(x, y, red)
			}
		}
	}
	return m
}

func encoded(t testing.TB, encode func(*bytes.Buffer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := encode(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func pngOf(t testing.TB, m image.Image) []byte {
	return encoded(t, func(b *bytes.Buffer) error { return png.Encode(b, m) })
}

func jpegOf(t testing.TB, m image.Image) []byte {
	return encoded(t, func(b *bytes.Buffer) error { return jpeg.Encode(b, m, nil) })
}

// withExif returns a JPEG with a camera's orientation.
func withExif(data []byte, t turn, order binary.AppendByteOrder) []byte {
	var x []byte
	x = append(x, "Exif\x00\x00"...)
	if order.String() == "LittleEndian" {
		x = append(x, "II*\x00"...)
	} else {
		x = append(x, "MM\x00*"...)
	}
	x = order.AppendUint32(x, 8)
	x = order.AppendUint16(x, 2)
	x = append(order.AppendUint32(order.AppendUint16(order.AppendUint16(x, 0x0100), 3), 1), 0, 0, 0, 0)
	x = append(order.AppendUint16(order.AppendUint32(order.AppendUint16(order.AppendUint16(x, 0x0112), 3), 1), uint16(t)), 0, 0)
	x = append(x, "GPS: 52.5 N"...)
	out := binary.BigEndian.AppendUint16([]byte{0xff, 0xd8, 0xff, 0xe1}, uint16(len(x)+2))
	return append(append(out, x...), data[2:]...)
}

func TestPrepare(t *testing.T) {
	m := marked(40, 30)
	for kind, c := range map[string]struct {
		data []byte
		sent string
	}{
		"PNG":  {pngOf(t, m), PNG},
		"JPEG": {jpegOf(t, m), JPEG},
		"GIF":  {encoded(t, func(b *bytes.Buffer) error { return gif.Encode(b, m, nil) }), PNG},
		"BMP":  {encoded(t, func(b *bytes.Buffer) error { return bmp.Encode(b, m) }), PNG},
		// one pixel, lossless
		"WebP": {[]byte("RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00\x2f\x00\x00\x00\x10\x07\x10\x11\x11\x88\x88\xfe\x07\x00"), PNG},
	} {
		i, sent, err := Prepare(t.Context(), c.data)
		if err != nil {
			t.Errorf("%s: %v", kind, err)
			continue
		}
		looked, err := Look(c.data)
		if i.Kind != kind || i.Type != c.sent || Sniff(sent) != Sniff(map[string][]byte{PNG: pngOf(t, m), JPEG: jpegOf(t, m)}[c.sent]) || looked != i || err != nil || i.Size != int64(len(c.data)) {
			t.Errorf("%s: %+v, looked %+v, %v", kind, i, looked, err)
		}
		if got, _, err := image.Decode(bytes.NewReader(sent)); err != nil || kind != "WebP" && (got.Bounds().Dx() != 40 || i.Width != 40 || i.Height != 30 || i.Tokens != 2) {
			t.Errorf("%s: %v, %+v", kind, err, i)
		}
		if _, again, _ := Prepare(t.Context(), c.data); !bytes.Equal(again, sent) {
			t.Errorf("%s becomes other bytes", kind)
		}
	}
}

func TestScaled(t *testing.T) {
	for _, c := range []struct{ w, h, toW, toH int }{{1568, 10, 1568, 10}, {2352, 1568, 1568, 1045}, {500, 2000, 392, 1568}, {20_000, 3, 1568, 1}, {1569, 1569, 1568, 1568}} {
		for name, m := range map[string]image.Image{"colour": marked(c.w, c.h), "grey": image.NewGray(image.Rect(0, 0, c.w, c.h))} {
			i, sent, err := Prepare(t.Context(), pngOf(t, m))
			if err != nil {
				t.Fatal(err)
			}
			got, _, err := image.Decode(bytes.NewReader(sent))
			if err != nil || got.Bounds().Dx() != c.toW || got.Bounds().Dy() != c.toH || i.Width != c.w || i.Height != c.h || i.Tokens != (c.toW*c.toH+749)/750 {
				t.Errorf("%s %d × %d: %v, %v, %+v", name, c.w, c.h, got.Bounds(), err, i)
			}
			if r, _, b, _ := got.At(0, 0).RGBA(); name == "colour" && c.h > 3 && r < 4*b {
				t.Errorf("%d × %d: its corner is lost: %v", c.w, c.h, got.At(0, 0))
			}
		}
	}
}

// TestUpright: pictures are upright for every camera orientation, and have no metadata.
func TestUpright(t *testing.T) {
	corner := map[turn]image.Point{1: {0, 0}, 2: {1, 0}, 3: {1, 1}, 4: {0, 1}, 5: {0, 0}, 6: {1, 0}, 7: {1, 1}, 8: {0, 1}}
	for held, at := range corner {
		for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
			i, sent, err := Prepare(t.Context(), withExif(jpegOf(t, marked(64, 32)), held, order))
			if err != nil {
				t.Fatal(err)
			}
			w, h := 64, 32
			if held >= 5 {
				w, h = h, w
			}
			got, _, err := image.Decode(bytes.NewReader(sent))
			if err != nil || i.Width != w || i.Height != h || got.Bounds().Dx() != w || bytes.Contains(sent, []byte("GPS")) || bytes.Contains(sent, []byte("Exif")) {
				t.Fatalf("held %d: %+v, %v, %v", held, i, got.Bounds(), err)
			}
			for _, p := range []image.Point{{0, 0}, {1, 0}, {0, 1}, {1, 1}} {
				r, _, b, _ := got.At(p.X*(w-8)+4, p.Y*(h-8)+4).RGBA()
				if (r > b) != (p == at) {
					t.Errorf("held %d: red is not at %v alone", held, at)
				}
			}
		}
	}
}

// bomb returns a PNG of a few bytes that claims a size.
func bomb(w, h uint32) []byte {
	out := []byte("\x89PNG\r\n\x1a\n")
	ihdr := append(binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32([]byte("IHDR"), w), h), 8, 6, 0, 0, 0)
	out = append(binary.BigEndian.AppendUint32(out, uint32(len(ihdr)-4)), ihdr...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(ihdr))
}

func TestRefused(t *testing.T) {
	for message, data := range map[string][]byte{
		"60,000 × 60,000 pixels": bomb(60_000, 60_000), "dimension overflow": bomb(1<<31-1, 1<<31-1),
		"the PNG is damaged": pngOf(t, marked(40, 30))[:60],
		"HEIC pictures cannot be read here: save it as JPEG or PNG": []byte("\x00\x00\x00\x18ftypheic\x00\x00"),
		"neither a picture nor a PDF":                               []byte("A note of %PDF-1.7\n"),
		"a PDF may have at most 16 MB":                              append([]byte("%PDF-1.7\n"), make([]byte, MaxDocument)...),
		"it has 33 MB; a picture may have at most 32 MB":            append(pngOf(t, marked(4, 3)), make([]byte, MaxBytes)...),
	} {
		_, sent, err := Prepare(t.Context(), data)
		if err == nil || !strings.Contains(err.Error(), message) || len(sent) > 0 {
			t.Errorf("want %q: %v", message, err)
		}
	}
	if _, err := Look(nil); !errors.Is(err, ErrNeither) {
		t.Error(err)
	}
}

func TestDocuments(t *testing.T) {
	for data, want := range map[string]Info{
		"%PDF-1.4\n1 0 obj <</Type /Page>> endobj 2 0 obj <</Type/Page /X 1>>\n3 0 obj <</Type /Pages /Count 2>>": {Pages: 2, Tokens: 5000},
		"%PDF-1.7\n<</Type /Pages /Count 30 >>": {Pages: 30, Tokens: 75_000},
		"%PDF-1.7\nstream\x00\x01":              {Tokens: 2500},
		"\xef\xbb\xbf%PDF-1.7\nx":               {Tokens: 2500},
	} {
		i, sent, err := Prepare(t.Context(), []byte(data))
		if i.Kind != "PDF" || i.Type != PDF || i.Pages != want.Pages || i.Tokens != want.Tokens || string(sent) != data || err != nil {
			t.Errorf("%q: %+v, %v", data, i, err)
		}
	}
}

// TestOpaque: transparency becomes white in a JPEG.
func TestOpaque(t *testing.T) {
	m := image.NewNRGBA(image.Rect(0, 0, 9, 9))
	m.Set(3, 3, color.NRGBA{0xff, 0, 0, 0x80})
	if r, g, b, a := opaque(m).At(0, 0).RGBA(); r&g&b&a != 0xffff {
		t.Error(r, g, b, a)
	}
	if r, g, _, _ := opaque(m).At(3, 3).RGBA(); r != 0xffff || g>>8 != 0x7f {
		t.Error(r, g)
	}
}

func TestDescription(t *testing.T) {
	for want, i := range map[string]Info{
		"PNG, 800 × 600; picture; about 640 tokens":      {Kind: "PNG", Type: PNG, Width: 800, Height: 600, Tokens: 640},
		"PDF, 1 page; PDF; about 2,500 tokens":           {Kind: "PDF", Type: PDF, Pages: 1, Tokens: 2500},
		"PDF; PDF; about 130,000 tokens":                 {Kind: "PDF", Type: PDF, Tokens: 127_500},
		"WebP, 9 × 9; picture; about 1 token":            {Kind: "WebP", Type: PNG, Width: 9, Height: 9, Tokens: 1},
		"JPEG, 4000 × 3000; picture; about 1,600 tokens": {Kind: "JPEG", Type: JPEG, Width: 4000, Height: 3000, Tokens: 1637},
	} {
		if got := i.String() + "; " + i.Noun() + "; " + i.About(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestAnyBytes: any file is either described and prepared, or refused.
func TestAnyBytes(t *testing.T) {
	seeds := [][]byte{pngOf(t, marked(20, 10)), withExif(jpegOf(t, marked(20, 10)), 6, binary.BigEndian), []byte("%PDF-1.7\n/Type /Page /Count 3"), bomb(70_000, 9)}
	rapid.Check(t, func(t *rapid.T) {
		data := slices.Clone(rapid.SampledFrom(seeds).Draw(t, "seed"))
		for range rapid.IntRange(0, 6).Draw(t, "changes") {
			data[rapid.IntRange(0, len(data)-1).Draw(t, "at")] = rapid.Byte().Draw(t, "byte")
		}
		data = data[:rapid.IntRange(0, len(data)).Draw(t, "length")]
		looked, lookErr := Look(data)
		i, sent, err := Prepare(t.Context(), data)
		if err == nil && (lookErr != nil || len(sent) == 0 || i.Tokens <= 0 || i.Type == "" || i.Size != looked.Size) {
			t.Fatalf("%+v, %d bytes, %v", i, len(sent), lookErr)
		}
	})
}

// BenchmarkPhoto prepares a camera's picture of 12 million pixels in portrait orientation.
func BenchmarkPhoto(b *testing.B) {
	data := withExif(jpegOf(b, marked(4000, 3000)), 6, binary.BigEndian)
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := Prepare(b.Context(), data); err != nil {
			b.Fatal(err)
		}
	}
}
