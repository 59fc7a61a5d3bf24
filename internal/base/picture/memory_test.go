package picture

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"io"
	"runtime"
	"strings"
	"testing"
)

// largeJPEG returns a JPEG without contents. sampling has a byte per component.
func largeJPEG(w, h int, progressive bool, sampling ...byte) []byte {
	var b bytes.Buffer
	segment := func(marker byte, data ...byte) {
		b.Write([]byte{0xff, marker})
		_ = binary.Write(&b, binary.BigEndian, uint16(len(data)+2))
		b.Write(data)
	}
	b.Write([]byte{0xff, 0xd8})
	segment(0xdb, append([]byte{0}, bytes.Repeat([]byte{1}, 64)...)...)
	n := byte(len(sampling))
	frame := []byte{8, byte(h >> 8), byte(h), byte(w >> 8), byte(w), n}
	scan := []byte{n}
	blocks := 0 // of an MCU
	for i, s := range sampling {
		frame = append(frame, byte(i+1), s, 0)
		scan = append(scan, byte(i+1), 0)
		blocks += int(s>>4) * int(s&0xf)
	}
	marker, last, bits := byte(0xc0), byte(63), 2
	if progressive {
		marker, last, bits = 0xc2, 0, 1
	}
	segment(marker, frame...)
	if n == 4 {
		segment(0xee, append([]byte("Adobe"), 0, 100, 0, 0, 0, 0, 0)...)
	}
	code := append([]byte{1}, make([]byte, 16)...) // one-bit code for nothing
	segment(0xc4, append([]byte{0x00}, code...)...)
	segment(0xc4, append([]byte{0x10}, code...)...)
	segment(0xda, append(scan, 0, last, 0)...)
	across := (w + 8*int(sampling[0]>>4) - 1) / (8 * int(sampling[0]>>4))
	down := (h + 8*int(sampling[0]&0xf) - 1) / (8 * int(sampling[0]&0xf))
	b.Write(make([]byte, (across*down*blocks*bits+7)/8))
	b.Write([]byte{0xff, 0xd9})
	return b.Bytes()
}

func deflated(size int64) []byte {
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	_, _ = io.CopyN(z, zeros{}, size)
	_ = z.Close()
	return b.Bytes()
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// largePNG returns a PNG of 16 bits and four colours, or of eight bits of grey.
func largePNG(w, h int, deep, interlaced bool) []byte {
	out := []byte("\x89PNG\r\n\x1a\n")
	chunk := func(name string, data []byte) {
		out = binary.BigEndian.AppendUint32(out, uint32(len(data)))
		body := append([]byte(name), data...)
		out = binary.BigEndian.AppendUint32(append(out, body...), crc32.ChecksumIEEE(body))
	}
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(w)), uint32(h))
	each := int64(1)
	head = append(head, 8, 0, 0, 0, 0)
	if deep {
		each, head[8], head[9] = 8, 16, 6
	}
	size := int64(0)
	passes := [][4]int{{1, 1, 0, 0}}
	if interlaced {
		head[12] = 1
		passes = [][4]int{{8, 8, 0, 0}, {8, 8, 4, 0}, {4, 8, 0, 4}, {4, 4, 2, 0}, {2, 4, 0, 2}, {2, 2, 1, 0}, {1, 2, 0, 1}}
	}
	for _, p := range passes { // each row is preceded by a byte
		size += int64((h-p[3]+p[1]-1)/p[1]) * (1 + each*int64((w-p[2]+p[0]-1)/p[0]))
	}
	chunk("IHDR", head)
	chunk("IDAT", deflated(size))
	chunk("IEND", nil)
	return out
}

// largeWebP returns a lossless WebP of one colour, whose pixels take no bits.
func largeWebP(w, h int) []byte {
	bits := uint64(w-1) | uint64(h-1)<<14 // no transparency, version 0
	body := binary.LittleEndian.AppendUint32([]byte{0x2f}, uint32(bits))
	body = append(body, 0x88, 0x88, 0x08, 0, 0, 0, 0, 0, 0) // no transform, no cache, one group of five codes with one symbol
	out := append([]byte("RIFF\x00\x00\x00\x00WEBPVP8L"), binary.LittleEndian.AppendUint32(nil, uint32(len(body)))...)
	out = append(out, body...)
	if len(out)%2 == 1 {
		out = append(out, 0)
	}
	binary.LittleEndian.PutUint32(out[4:], uint32(len(out)-8))
	return out
}

func largeGIF(t *testing.T, w, h int) []byte {
	m := image.NewPaletted(image.Rect(0, 0, w, h), color.Palette{color.Black, color.White})
	return encoded(t, func(b *bytes.Buffer) error { return gif.Encode(b, m, nil) })
}

// TestMemory checks that reading a small file stays within the memory limit, whatever size its header claims.
func TestMemory(t *testing.T) {
	for name, c := range map[string]struct {
		data    []byte
		refused bool
	}{
		"progressive CMYK":           {largeJPEG(7000, 7000, true, 0x11, 0x11, 0x11, 0x11), true},
		"progressive CMYK, sampled":  {largeJPEG(7000, 7000, true, 0x22, 0x11, 0x11, 0x22), true},
		"progressive, three colors":  {largeJPEG(7000, 7000, true, 0x11, 0x11, 0x11), true},
		"progressive, of a camera":   {largeJPEG(6000, 4000, true, 0x22, 0x11, 0x11), false},
		"baseline CMYK":              {largeJPEG(7000, 7000, false, 0x11, 0x11, 0x11, 0x11), true},
		"baseline, of a camera":      {largeJPEG(8000, 6000, false, 0x22, 0x11, 0x11), false},
		"one column, sampled":        {largeJPEG(1, 65500, true, 0x42, 0x11, 0x11), false},
		"PNG, deep":                  {largePNG(7000, 7000, true, false), true},
		"PNG, deep and interlaced":   {largePNG(4500, 4500, true, true), true},
		"PNG, interlaced":            {largePNG(5000, 5000, false, true), false},
		"PNG, one row":               {largePNG(49_000_000, 1, false, false), false},
		"GIF":                        {largeGIF(t, 7000, 7000), false},
		"WebP, lossless":             {largeWebP(7000, 7000), true},
		"WebP, lossless and smaller": {largeWebP(5000, 5000), false},
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, sent, err := Prepare(t.Context(), c.data)
			runtime.ReadMemStats(&after)
			took := int64(after.TotalAlloc - before.TotalAlloc)
			t.Logf("%d KB: %d MB, %v", len(c.data)>>10, took>>20, err)
			if refused := err != nil && strings.Contains(err.Error(), "MB of memory"); refused != c.refused || !refused && (err != nil || len(sent) == 0) {
				t.Errorf("%v", err)
			}
			if most := int64(2 * maxMemory); took > most { // including the copies made while scaling
				t.Errorf("%d MB were allocated", took>>20)
			}
			if c.refused && took > int64(len(c.data))+1<<20 {
				t.Errorf("%d MB were allocated for a refused picture", took>>20)
			}
		})
	}
}

// TestMemoryOfOneColor checks that the picture's own header is found wherever it is.
func TestMemoryOfOneColor(t *testing.T) {
	data := largeJPEG(7000, 7000, true, 0x11, 0x11, 0x11, 0x11)
	app := append([]byte{0xff, 0xe5, 0x00, 0x40}, bytes.Repeat([]byte{0xff}, 62)...)
	data = append(append(bytes.Clone(data[:2]), append(app, 0, 0xff, 0xff)...), data[2:]...)
	if _, _, err := Prepare(t.Context(), data); err == nil || !strings.Contains(err.Error(), "MB of memory") {
		t.Error(fmt.Sprint(err))
	}
}
