package picture

import (
	"bytes"
	"encoding/binary"
	"image"
	"math"

	"golang.org/x/image/draw"
	"golang.org/x/image/math/f64"
)

// turn is a camera's orientation as numbered by Exif, from 1 to 8. Any other number is upright.
type turn int

const upright turn = 1

// swapsSides reports whether width and height are swapped.
func (t turn) swapsSides() bool { return t >= 5 && t <= 8 }

// orientation returns a picture's orientation, given its kind.
func orientation(kind string, data []byte) turn {
	switch kind {
	case "JPEG":
		return inJPEG(data)
	case "PNG":
		return inChunks(data, 8, 4, "eXIf", binary.BigEndian)
	case "WebP":
		return inChunks(data, 12, 0, "EXIF", binary.LittleEndian)
	case "TIFF":
		return inExif(data)
	}
	return upright
}

// inChunks returns the orientation in a picture made of chunks from an offset on, each with a name, a size, and after
// bytes at its end.
func inChunks(data []byte, from, after int, name string, order binary.ByteOrder) turn {
	for rest := data[min(from, len(data)):]; len(rest) >= 8; {
		size, called := uint64(order.Uint32(rest)), string(rest[4:8])
		if order == binary.LittleEndian { // RIFF has the name first, and even sizes
			size, called = uint64(order.Uint32(rest[4:])), string(rest[:4])
		}
		if size > uint64(len(rest)-8) {
			break
		}
		if called == name {
			return inExif(bytes.TrimPrefix(rest[8:8+size], []byte("Exif\x00\x00")))
		}
		if order == binary.LittleEndian {
			size += size & 1
		}
		rest = rest[min(8+size+uint64(after), uint64(len(rest))):]
	}
	return upright
}

func inJPEG(data []byte) turn {
	for rest := data[min(2, len(data)):]; len(rest) >= 4 && rest[0] == 0xff && rest[1] != 0xda; { // up to the pixels
		n := int(binary.BigEndian.Uint16(rest[2:])) + 2
		if n > len(rest) {
			break
		}
		if exif, ok := bytes.CutPrefix(rest[4:max(n, 4)], []byte("Exif\x00\x00")); ok && rest[1] == 0xe1 {
			return inExif(exif)
		}
		rest = rest[n:]
	}
	return upright
}

// inExif returns the orientation in the first directory of a TIFF.
func inExif(tiff []byte) turn { return turn(max(tiffTag(tiff, 0x0112), int64(upright))) }

// tiffTag returns the largest value of a tag in the first directory of a TIFF, or 0.
func tiffTag(tiff []byte, tag uint16) (value int64) {
	const header, entry, short = 8, 12, 3
	if len(tiff) < header {
		return 0
	}
	var order binary.ByteOrder = binary.BigEndian
	if tiff[0] == 'I' {
		order = binary.LittleEndian
	}
	at := uint64(order.Uint32(tiff[4:]))
	if at+2 > uint64(len(tiff)) {
		return 0
	}
	n := int(order.Uint16(tiff[at:]))
	for dir := tiff[at+2:]; n > 0 && len(dir) >= entry; n, dir = n-1, dir[entry:] {
		switch {
		case order.Uint16(dir) != tag:
		case order.Uint16(dir[2:]) == short && order.Uint32(dir[4:]) == 1:
			value = max(value, int64(order.Uint16(dir[8:])))
		case order.Uint32(dir[4:]) == 1:
			value = max(value, int64(order.Uint32(dir[8:])))
		default: // a list, stored elsewhere
			value = math.MaxInt64
		}
	}
	return value
}

// apply returns the picture turned upright.
func (t turn) apply(img image.Image) image.Image {
	b := img.Bounds()
	w, h := float64(b.Dx()), float64(b.Dy())
	m, ok := map[turn]f64.Aff3{
		2: {-1, 0, w, 0, 1, 0}, 3: {-1, 0, w, 0, -1, h}, 4: {1, 0, 0, 0, -1, h},
		5: {0, 1, 0, 1, 0, 0}, 6: {0, -1, h, 1, 0, 0}, 7: {0, -1, h, -1, 0, w}, 8: {0, 1, 0, -1, 0, w},
	}[t]
	if !ok {
		return img
	}
	if t.swapsSides() {
		w, h = h, w
	}
	out := canvas(int(w), int(h))
	draw.NearestNeighbor.Transform(out, m, img, b, draw.Src, nil)
	return out
}
