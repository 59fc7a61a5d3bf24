package index

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"
)

// TestPackedTexts: packed texts are unaffected by changes of their neighbours and take little more than their length.
func TestPackedTexts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var texts [][]byte
		var p packer
		length := rapid.OneOf(rapid.IntRange(0, 8<<10), rapid.IntRange(0, 2*packBytes))
		for i, n := range rapid.SliceOfN(length, 1, 60).Draw(t, "lengths") {
			texts = append(texts, bytes.Repeat([]byte{byte(i + 1)}, n))
			if n <= packBytes/8 {
				p.left += int64(n)
			}
		}
		all := p.left
		var kept [][]byte
		rooms, before := int64(0), []byte(nil)
		for _, text := range texts {
			kept = append(kept, p.keep(text))
			if p.room != nil && (before == nil || &p.room[:1][0] != &before[:1][0]) {
				rooms += int64(cap(p.room))
				before = p.room
			}
		}
		for i := range kept {
			_ = append(kept[i], 'x') // must not overwrite the next text
		}
		for i, text := range texts {
			if !bytes.Equal(kept[i], text) {
				t.Fatalf("text %d is another one", i)
			}
		}
		if most := all + all/7 + 1; rooms > most {
			t.Errorf("%d bytes of short texts take %d", all, rooms)
		}
	})
}
