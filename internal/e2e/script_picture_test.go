package e2e

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// pictureOf returns a picture of a size, in the format of its name; a JPEG has a location. A picture that is too large
// to decode is only a header.
func pictureOf(name string, w, h int) []byte {
	const most = 10_000 // pixels of a side
	if w > most {
		ihdr := append(binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32([]byte("IHDR"), uint32(w)), uint32(h)), 8, 6, 0, 0, 0)
		out := binary.BigEndian.AppendUint32([]byte("\x89PNG\r\n\x1a\n"), uint32(len(ihdr)-4))
		return binary.BigEndian.AppendUint32(append(out, ihdr...), crc32.ChecksumIEEE(ihdr))
	}
	var b bytes.Buffer
	m := image.NewGray(image.Rect(0, 0, w, h))
	if !strings.HasSuffix(name, ".jpg") {
		_ = png.Encode(&b, m) // into memory
		return b.Bytes()
	}
	_ = jpeg.Encode(&b, m, nil) // into memory
	exif := "Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x00GPS"
	head := binary.BigEndian.AppendUint16([]byte{0xff, 0xd8, 0xff, 0xe1}, uint16(len(exif)+2))
	return slices.Concat(head, []byte(exif), b.Bytes()[2:])
}

func cmdPicture(ts *testscript.TestScript, neg bool, args []string) {
	var w, h int
	if !neg && len(args) == 2 {
		_, _ = fmt.Sscanf(args[1], "%dx%d", &w, &h)
	}
	if w*h == 0 {
		ts.Fatalf("usage: picture FILE WxH")
	}
	file := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(filepath.Dir(file), 0o700))
	ts.Check(os.WriteFile(file, pictureOf(file, w, h), 0o600))
}

func cmdShows(ts *testscript.TestScript, neg bool, args []string) {
	n := 0
	if !neg && len(args) > 0 {
		n, _ = strconv.Atoi(args[0])
	}
	all := server(ts).Requests()
	if n < 1 || n > len(all) {
		ts.Fatalf("usage: shows N MEDIA…, and there are %d calls", len(all))
	}
	if got := all[n-1].Media(); !slices.Equal(got, args[1:]) {
		ts.Fatalf("call %d shows %q", n, got)
	}
}
