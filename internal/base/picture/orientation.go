package picture

import (
	"bytes"
	"encoding/binary"
	"image"

	"golang.org/x/image/draw"
	"golang.org/x/image/math/f64"
)

// turn is a camera's orientation as numbered by Exif, from 1 to 8. Any other number is upright.
type turn int

const upright turn = 1

// swapsSides reports whether width and height are swapped.
func (t turn) swapsSides() bool { return t >= 5 && t <= 8 }

// orientation returns the orientation that a camera noted in a JPEG.
func orientation(data []byte) turn {
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

// inExif returns the orientation in the first directory of Exif data, which has the form of a TIFF.
func inExif(tiff []byte) turn {
	const header, entry, tag, short = 8, 12, 0x0112, 3
	if len(tiff) < header {
		return upright
	}
	var order binary.ByteOrder = binary.BigEndian
	if tiff[0] == 'I' {
		order = binary.LittleEndian
	}
	at := uint64(order.Uint32(tiff[4:]))
	if at+2 > uint64(len(tiff)) {
		return upright
	}
	n := int(order.Uint16(tiff[at:]))
	for dir := tiff[at+2:]; n > 0 && len(dir) >= entry; n, dir = n-1, dir[entry:] {
		if order.Uint16(dir) == tag && order.Uint16(dir[2:]) == short {
			return turn(order.Uint16(dir[8:]))
		}
	}
	return upright
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
