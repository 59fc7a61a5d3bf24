package wording

import (
	"testing"
)

func TestSizeText(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 bytes", 1: "1 byte", 156: "156 bytes", 1023: "1023 bytes", 1024: "1.0 KB", 2456: "2.4 KB", 1_048_524: "1023.9 KB",
		1_048_575: "1.0 MB", 1 << 20: "1.0 MB", 5 << 30: "5.0 GB", 5 << 40: "5120.0 GB",
	} {
		if n == 1023 {
			want = "1,023 bytes"
		}
		if got := SizeText(n); got != want {
			t.Errorf("%d: got %q, want %q", n, got, want)
		}
	}
	if got := ExactSize(2456); got != "2.4 KB (2,456 bytes)" {
		t.Errorf("got %q", got)
	}
}
