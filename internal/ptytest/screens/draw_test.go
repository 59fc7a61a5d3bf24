package main

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	recorded = "../../e2e/testdata/screens"
	drawn    = "../../../docs/screens"
	largest  = 150 << 10  // of a picture, in bytes
	allOfIt  = 1200 << 10 // of all pictures, in bytes
)

// Each picture of the guide is its recorded screen, drawn again, pixel by pixel.
func TestPictures(t *testing.T) {
	files, err := filepath.Glob(recorded + "/*.ansi")
	if err != nil || len(files) < 8 {
		t.Fatalf("%d screens, %v", len(files), err)
	}
	size := 0
	var names []string
	for _, f := range files {
		name := strings.TrimSuffix(filepath.Base(f), ".ansi") + ".png"
		names = append(names, name)
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		now, err := picture(data)
		if err != nil {
			t.Fatal(err)
		}
		kept, err := os.ReadFile(filepath.Join(drawn, name))
		if err != nil {
			t.Error(err)
			continue
		}
		if size += len(kept); len(kept) > largest {
			t.Errorf("%s has %d bytes", name, len(kept))
		}
		if !bytes.Equal(pixels(t, now), pixels(t, kept)) {
			t.Errorf("%s is not its screen: make pictures draws it again", name)
		}
	}
	if size > allOfIt {
		t.Errorf("the pictures have %d bytes", size)
	}
	there, err := filepath.Glob(drawn + "/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range there {
		if !slices.Contains(names, filepath.Base(f)) {
			t.Errorf("%s is of no screen", f)
		}
	}
}

// A cell of the screen is at its place, in its colours.
func TestDrawing(t *testing.T) {
	data, err := picture([]byte("4x2 light 2,1\n\x1b[48;2;1;2;3m \x1b[m \x1b[38;2;9;8;7m─\x1b[m\n\x1b[7m \x1b[m\n"))
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if want := image.Pt(4*cellWidth+2*margin, 2*cellHeight+2*margin); img.Bounds().Size() != want {
		t.Errorf("size %v, want %v", img.Bounds().Size(), want)
	}
	for _, tt := range []struct {
		what string
		x, y int
		want color.RGBA
	}{
		{"the corner is outside", 0, 0, color.RGBA{}},
		{"a background", margin + 2, margin + 2, color.RGBA{1, 2, 3, 255}},
		{"the window", margin + cellWidth + 2, margin + 2, light.background},
		{"a line from side to side", margin + 3*cellWidth - 1, margin + cellHeight/2, color.RGBA{9, 8, 7, 255}},
		{"in reverse", margin + 2, margin + cellHeight + 2, light.text},
		{"the cursor", margin + 2*cellWidth, margin + cellHeight + cellHeight/2, light.text},
	} {
		if got := color.RGBAModel.Convert(img.At(tt.x, tt.y)); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.what, got, tt.want)
		}
	}
}

func pixels(t *testing.T, data []byte) []byte {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	b := img.Bounds()
	out := []byte{byte(b.Dx() >> 8), byte(b.Dx()), byte(b.Dy() >> 8), byte(b.Dy())}
	for y := range b.Dy() {
		for x := range b.Dx() {
			c, _ := color.RGBAModel.Convert(img.At(x, y)).(color.RGBA)
			out = append(out, c.R, c.G, c.B, c.A)
		}
	}
	return out
}
