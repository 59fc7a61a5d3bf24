package note

import "testing"

// The packed texts are of lz-string 1.5.0.
func TestUnpack(t *testing.T) {
	for packed, want := range map[string]string{
		"BYUwNmD2A0AECWsCGBbZtDUzkA==":         "hello, i am a 猫",
		"BYUwNmD2A0AECWsC\n\nGBbZtDUzkA==\r\n": "hello, i am a 猫",
		"Q===":                                 "",
	} {
		if got, ok := unpack(packed); got != want || !ok {
			t.Errorf("%q: %q %v, want %q", packed, got, ok, want)
		}
	}
	for _, packed := range []string{"", "BYUwNmD2A0A", "BYUwNmD2?0AECWsCGBbZtDUzkA==", "////////"} {
		if got, ok := unpack(packed); ok {
			t.Errorf("%q: %q, want an error", packed, got)
		}
	}
}

func FuzzUnpack(f *testing.F) {
	f.Add("BYUwNmD2A0AECWsCGBbZtDUzkA==")
	f.Fuzz(func(_ *testing.T, packed string) { _, _ = unpack(packed) })
}
