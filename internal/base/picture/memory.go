package picture

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
)

// memory estimates the maximum number of bytes that decoding a picture allocates.
func memory(kind string, data []byte, c image.Config) int64 {
	pixels, perPixel := int64(c.Width)*int64(c.Height), int64(4)
	if c.ColorModel == color.RGBA64Model || c.ColorModel == color.NRGBA64Model || c.ColorModel == color.Gray16Model {
		perPixel = 8
	}
	switch kind {
	case "JPEG":
		return jpegMemory(data, c)
	case "WebP":
		perPixel = 8 // planes and transparency are decoded separately
	case "PNG":
		const interlace = 28 // offset in the header
		if len(data) > interlace && data[interlace] != 0 {
			perPixel *= 2 // each pass is a picture of its own
		}
	}
	return pixels * perPixel
}

// jpegMemory returns the size of a JPEG's planes, of the coefficients of a progressive one, and of the picture
// composed of four colours. It considers all bytes that could be the frame header for this size, so that it includes
// the decoder's.
func jpegMemory(data []byte, c image.Config) (most int64) {
	size := binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(nil, uint16(c.Height)), uint16(c.Width))
	for i, at := 0, 0; i >= 0; at++ {
		if i = bytes.Index(data[at:], size); i < 0 {
			break
		}
		at += i
		// The size is preceded by a two-byte marker, a two-byte length and the precision, and followed by the
		// components.
		if at < 5 || data[at-5] != 0xff || data[at-4]&^3 != 0xc0 || at+5 > len(data) || len(data) < at+5+3*int(data[at+4]) {
			continue
		}
		var units, across, down int64
		n := int(data[at+4])
		for k := range n {
			h, v := int64(data[at+6+3*k]>>4), int64(data[at+6+3*k]&0xf)
			if n == 1 {
				h, v = 1, 1
			}
			if k == 0 {
				across, down = int64(c.Width)/max(8*h, 1)+1, int64(c.Height)/max(8*v, 1)+1
			}
			units += h * v
		}
		took := across * down * units * 64
		if data[at-4] == 0xc2 {
			took *= 5
		}
		if n == 4 {
			took += 4 * int64(c.Width) * int64(c.Height)
		}
		most = max(most, took)
	}
	return most
}
