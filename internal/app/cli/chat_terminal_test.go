package cli

import (
	"image/color"
	"testing"
)

func TestBackground(t *testing.T) {
	for value, want := range map[string]color.Color{
		"15;0": color.Black, "0;15": color.White, "15;default;0": color.Black, "0;7": color.White, "7;8": color.Black, "0;6": color.Black, "0;9": color.White,
		"": nil, "0;default": nil, "15": nil, "0;99": nil, "0;-1": nil,
	} {
		env := map[string]string{"COLORFGBG": value, "TERM": "xterm"}
		if got := background(func(name string) string { return env[name] }); got.Color != want {
			t.Errorf("COLORFGBG=%q: %v, want %v", value, got.Color, want)
		}
	}
	if got := background(func(name string) string { return map[string]string{"TERM": "linux"}[name] }); got.Color != color.Black {
		t.Errorf("the Linux console: %v", got.Color)
	}
}
