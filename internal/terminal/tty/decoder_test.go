package tty

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// pause stands for the time after which nothing more is waited for.
const pause = "\x00pause"

// decode feeds reads to a decoder and returns what the program would read, one
// element a read.
func decode(reads ...string) (keys []string, replies []reply) {
	var d decoder
	now := time.Unix(0, 0)
	for _, r := range reads {
		if r == pause {
			if d.wait() > 0 {
				d.flush()
			}
			now = now.Add(2 * pasteStuck)
			continue
		}
		now = now.Add(time.Millisecond)
		d.feed([]byte(r), now)
	}
	if d.wait() > 0 {
		d.flush()
	}
	read := ""
	for _, t := range d.tokens {
		read += string(t.bytes)
		if t.last {
			keys, read = append(keys, read), ""
		}
	}
	if read != "" {
		keys = append(keys, read)
	}
	return keys, d.replies
}

// lines4 is what nobody types so quickly that it comes in one read.
var lines4 = strings.Repeat("a line of text that was copied somewhere\r", 4)

func TestDecoder(t *testing.T) {
	for _, c := range []struct {
		name  string
		reads []string
		want  []string
	}{
		{"text", []string{"abc é日"}, []string{"abc é日"}},
		{"a rune in two reads", []string{"\xc3", "\xa9"}, []string{"é"}},
		{"a rune that never ends", []string{"a\xc3", pause, "b"}, []string{"a\xc3b"}},
		{"Esc", []string{"\x1b"}, []string{"\x1b"}},
		{"Esc, later a letter", []string{"\x1b", pause, "x"}, []string{"\x1b", "x"}},
		{"Esc and a letter in one read", []string{"\x1bx"}, []string{"\x1b", "x"}},
		{"Esc and a word in one read", []string{"hi\x1bok then"}, []string{"hi\x1b", "ok then"}},
		{"Esc and a letter in two reads at once", []string{"\x1b", "b"}, []string{"\x1b", "b"}},
		{"Esc twice", []string{"\x1b\x1b"}, []string{"\x1b", "\x1b"}},
		{"Esc and Ctrl+C", []string{"\x1b\x03"}, []string{"\x1b", "\x03"}},
		{"Esc and a character", []string{"\x1bé"}, []string{"\x1b", "é"}},
		{"Esc and an arrow", []string{"\x1b\x1b[A"}, []string{"\x1b", "\x1b[A"}},
		{"Esc and a bracket", []string{"\x1b[", pause, "x"}, []string{"\x1b", "[x"}},
		{"Shift+Enter as kitty sends it", []string{"a\x1b[13;2ub"}, []string{"a\x1b\rb"}},
		{"Shift+Enter as xterm sends it", []string{"a\x1b[27;2", ";13~b"}, []string{"a\x1b\rb"}},
		{"Ctrl+Enter", []string{"\x1b[13;5u\x1b[27;6;13~"}, []string{"\x1b\r\x1b\r"}},
		{"Enter with no modifier", []string{"\x1b[13;1u"}, []string{"\r"}},
		{"Shift with Space, Tab, Backspace, Esc", []string{"\x1b[32;2u\x1b[9;2u\x1b[127;2u\x1b[27;2ux"}, []string{" \x1b[Z\x7f\x1b", "x"}},
		{"another key with modifiers", []string{"\x1b[97;6u\x1b[13;99u\x1b[13;2;3u\x1b[27;2~"}, []string{"\x1b[97;6u\x1b[13;99u\x1b[13;2;3u\x1b[27;2~"}},
		{"Esc and a capital O", []string{"\x1bO", pause, "k"}, []string{"\x1b", "Ok"}},
		{"Esc and a word with O", []string{"\x1bOkay"}, []string{"\x1b", "Okay"}},
		{"Esc and ]", []string{"\x1b]", pause}, []string{"\x1b", "]"}},
		{"Esc and P", []string{"\x1bPlan"}, []string{"\x1b", "Plan"}},
		{"Alt+Enter", []string{"\x1b\r"}, []string{"\x1b\r"}},
		{"Alt+Enter in two reads", []string{"\x1b", "\r"}, []string{"\x1b\r"}},
		{"Alt+Ctrl+J", []string{"\x1b\n"}, []string{"\x1b\n"}},
		{"words", []string{"\x1bb\x1bf\x1bd\x1b\x7f"}, []string{"\x1bb\x1bf\x1bd\x1b\x7f"}},
		{"an arrow", []string{"\x1b[A"}, []string{"\x1b[A"}},
		{"an arrow after Esc alone", []string{"\x1b", "[A"}, []string{"\x1b[A"}},
		{"an arrow after its bracket", []string{"\x1b[", "A"}, []string{"\x1b[A"}},
		{"an arrow byte by byte", []string{"\x1b", "[", "1", ";", "5", "A"}, []string{"\x1b[1;5A"}},
		{"arrows", []string{"\x1b[A\x1b[", "Bx"}, []string{"\x1b[A\x1b[Bx"}},
		{"F1, both ways", []string{"\x1bOP", "\x1b[[A", "\x1b[", "[", "B"}, []string{"\x1bOP\x1b[[A\x1b[[B"}},
		{"Shift+F3", []string{"\x1b[1;2R"}, []string{"\x1b[1;2R"}},
		{"mouse", []string{"\x1b[<64;10", ";5M", "\x1b[M !", "!"}, []string{"\x1b[<64;10;5M\x1b[M !!"}},
		{"focus", []string{"\x1b[Ix", "\x1b[Oy"}, []string{"\x1b[I", "x\x1b[O", "y"}},
		{"begun and never ended", []string{"\x1b[1;", pause, "x"}, []string{"x"}},
		{"broken by a key", []string{"\x1b[1;\x1b[Bx\x1b[1\x03"}, []string{"\x1b[Bx\x03"}},
		{"an unknown key", []string{"\x1b[97;5u"}, []string{"\x1b[97;5u"}},

		{"paste", []string{"\x1b[200~a\x1b[31m\rb\x1b[201~c"}, []string{"\x1b[200~a\x1b[31m\rb\x1b[201~c"}},
		{"paste in pieces", []string{"\x1b[20", "0~a\x1b", "]0;x\x07\x1b[2", "01", "~\x1bx"}, []string{"\x1b[200~a\x1b]0;x\x07\x1b[201~\x1b", "x"}},
		{"paste with pauses in its marks", []string{"\x1b[200~a\x1b[20", pause, "1~b"}, []string{"\x1b[200~a\x1b[201~b"}},
		{"a reply in a paste", []string{"\x1b[200~\x1b[?62c\x1b[201~"}, []string{"\x1b[200~\x1b[?62c\x1b[201~"}},
		{"Esc in a paste", []string{"\x1b[200~a", "\x1b", "b\x1b[201~"}, []string{"\x1b[200~a\x1bb\x1b[201~"}},
		{"Esc in a paste that got stuck", []string{"\x1b[200~a", pause, "\x1b", pause, "x"}, []string{"\x1b[200~a\x1b[201~\x1b", "x"}},
		{"Ctrl+C in a paste that got stuck in its mark", []string{"\x1b[200~a\x1b[2", pause, "\x03"}, []string{"\x1b[200~a\x1b[2\x1b[201~\x03"}},
		{"a paste without marks", []string{lines4 + "x"}, []string{"\x1b[200~" + lines4 + "x\x1b[201~"}},
		{"a paste without marks that goes on", []string{lines4, "x\r", pause, "\r"}, []string{"\x1b[200~" + lines4 + "\x1b[201~\x1b[200~x\r\x1b[201~\r"}},
		{"a paste without marks, cut in a character", []string{lines4 + "\xc3", "\xa9\r"}, []string{"\x1b[200~" + lines4 + "\x1b[201~\x1b[200~é\r\x1b[201~"}},
		{"lines that were typed ahead", []string{"hello\ryes\rno\r"}, []string{"hello\ryes\rno\r"}},
		{"a long line that was typed ahead", []string{strings.Repeat("word ", 40) + "\r"}, []string{strings.Repeat("word ", 40) + "\r"}},
		{"keys among lines", []string{lines4 + "\x03"}, []string{lines4 + "\x03"}},
		{"the end of no paste", []string{"a\x1b[201~b"}, []string{"ab"}},
	} {
		got, replies := decode(c.reads...)
		if strings.Join(got, "|") != strings.Join(c.want, "|") {
			t.Errorf("%s: %q gave %q, want %q", c.name, c.reads, got, c.want)
		}
		if len(replies) > 0 {
			t.Errorf("%s: %q were replies", c.name, replies)
		}
	}
}

func TestRepliesAreNoKeys(t *testing.T) {
	for _, c := range []struct{ sent, kind, body string }{
		{"\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\", "osc", "11;rgb:1e1e/1e1e/1e1e"},
		{"\x1b]11;rgb:ffff/ffff/ffff\x07", "osc", "11;rgb:ffff/ffff/ffff"},
		{"\x1b]52;c;" + strings.Repeat("QUJD", 5000) + "\x07", "osc", "52;c;" + strings.Repeat("QUJD", 5000)},
		{"\x1b[12;40R", "csi", "12;40R"},
		{"\x1b[1;1R", "csi", "1;1R"},
		{"\x1b[?62;4c", "csi", "?62;4c"},
		{"\x1b[>1;4000;0c", "csi", ">1;4000;0c"},
		{"\x1b[0n", "csi", "0n"},
		{"\x1b[?2026;2$y", "csi", "?2026;2$y"},
		{"\x1b[8;24;80t", "csi", "8;24;80t"},
		{"\x1b[?1u", "csi", "?1u"},
		{"\x1bP>|tmux 3.5\x1b\\", "dcs", ">|tmux 3.5"},
		{"\x1bP1$r0m\x1b\\", "dcs", "1$r0m"},
		{"\x1b_Gi=1;OK\x1b\\", "apc", "Gi=1;OK"},
	} {
		for cut := 1; cut <= min(len(c.sent), 60); cut++ {
			keys, replies := decode("ab", c.sent[:cut], c.sent[cut:], "cd")
			if strings.Join(keys, "|") != "abcd" || len(replies) != 1 || replies[0] != (reply{c.kind, c.body}) {
				t.Errorf("%.40q cut after %d: keys %q, replies %.80q", c.sent, cut, keys, replies)
			}
		}
	}
	// One that is cut off gives no keys either.
	for _, sent := range []string{"\x1b]11;rgb:1e1e/1e", "\x1b[?62;", "\x1bP>|tmux", "\x1b_Gi"} {
		if keys, _ := decode("a", sent, pause, "b"); strings.Join(keys, "") != "ab" {
			t.Errorf("%q, cut off: keys %q", sent, keys)
		}
	}
	// Nor does one hold the keyboard.
	if keys, _ := decode("\x1b]11;rgb:" + strings.Repeat("1", maxReply) + "\x07x"); !strings.HasSuffix(strings.Join(keys, ""), "x") {
		t.Errorf("after an endless reply: keys %.80q", keys)
	}
	if keys, _ := decode("\x1b]11;rgb:\x03x"); strings.Join(keys, "") != "\x03x" {
		t.Errorf("Ctrl+C in a reply: keys %q", keys)
	}
}

func TestKeysDoNotDependOnTheCut(t *testing.T) {
	key := rapid.SampledFrom([]string{
		"a", "é", "日", " ", "\r", "\t", "\x03", "\x7f", "\x1b[A", "\x1b[1;5C", "\x1bOP", "\x1b[[A", "\x1b[3~", "\x1b[<0;12;7M", "\x1b[I",
		"\x1b\r", "\x1b[200~pasted \x1b[31m text\r\x1b[201~", "\x1b]11;rgb:0/0/0\x1b\\", "\x1b[?1;2c", "\x1b[5;5R",
	})
	rapid.Check(t, func(t *rapid.T) {
		sent := strings.Join(rapid.SliceOfN(key, 0, 20).Draw(t, "keys"), "")
		want, wantReplies := decode(sent)
		var reads []string
		for rest := sent; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "cut")
			reads = append(reads, rest[:n])
			rest = rest[n:]
		}
		got, replies := decode(reads...)
		if strings.Join(got, "|") != strings.Join(want, "|") || len(replies) != len(wantReplies) {
			t.Fatalf("%q in pieces gave %q, whole %q", reads, got, want)
		}
	})
}

func FuzzDecoder(f *testing.F) {
	for _, s := range []string{"abc", "\x1b[A\x1b", "\x1b[200~x\x1b[201~", "\x1b]11;rgb:0/0/0\x07", "\x1bOA\x1b[M !!", "\xc3", "\x1b\x1b\x1b[1;\x1b"} {
		f.Add([]byte(s), uint8(3))
	}
	f.Fuzz(func(t *testing.T, sent []byte, size uint8) {
		var reads []string
		for rest := sent; len(rest) > 0; {
			n := min(len(rest), int(size)%16+1)
			reads = append(reads, string(rest[:n]))
			rest = rest[n:]
		}
		keys, replies := decode(reads...)
		all := []byte(strings.Join(keys, ""))
		if !bytes.ContainsAny(sent, "\x1b") && !bytes.Equal(all, sent) {
			t.Fatalf("text %q became %q", sent, all)
		}
		if len(replies) == 0 && !bytes.Contains(sent, []byte("\x1b[")) && !bytes.ContainsAny(sent, "]P_") && !bytes.Equal(all, sent) {
			t.Fatalf("keys %q became %q", sent, all)
		}
		for _, b := range all { // order kept, nothing invented
			i := bytes.IndexByte(sent, b)
			if i < 0 {
				t.Fatalf("%q holds %q, which %q does not in that place", all, b, sent)
			}
			sent = sent[i+1:]
		}
	})
}
