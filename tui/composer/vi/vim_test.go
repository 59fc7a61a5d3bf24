package vi

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"chatvault/internal/base/cells"
)

var update = flag.Bool("update", false, "record what Vim does")

// recorded is what Vim does, for where it is not installed.
const recorded = "testdata/vim.json"

// sequence is a text, the cursor's byte offset in it, and the keys typed.
type sequence struct {
	Text string `json:"text"`
	At   int    `json:"at"`
	Keys string `json:"keys"`
}

// outcome is the state after a sequence: the text, the cursor's offset, and the unnamed register.
type outcome struct {
	Text     string   `json:"text"`
	At       int      `json:"at"`
	Register Register `json:"register"`
}

func (o outcome) String() string {
	return fmt.Sprintf("%q at %d, register %q", o.Text, o.At, fmt.Sprint(o.Register))
}

// script runs the sequences of in.json in Vim. Each has a new buffer, without the undo of its text.
const script = `set nocp cpo=aABceFs bs=indent,eol,start enc=utf-8 sw=4 ts=4 et nofen noswf ul=1000 nojs vi= emoji
let out = []
for s in json_decode(readfile('in.json')[0])
  enew!
  call setreg('"', 'R', 'v')
  set ul=-1
  call setline(1, split(s.text, "\n", 1))
  set ul=1000
  let before = strpart(s.text, 0, s.at)
  call cursor(count(before, "\n") + 1, len(split(before . 'x', "\n", 1)[-1]))
  silent! call feedkeys(s.keys . "\<Esc>", 'tx')
  let text = join(getline(1, '$'), "\n")
  let t = getregtype('"')
  let r = {'Text': substitute(getreg('"'), t ==# 'V' ? "\n$" : '^\b$', '', ''), 'Lines': t ==# 'V' ? v:true : v:false}
  call add(out, {'text': text, 'at': max([0, line2byte('.') + col('.') - 2]), 'register': r})
endfor
call writefile([json_encode(out)], 'out.json')
qa!
`

// askVim returns what Vim does with sequences; ok is false if it is not installed.
func askVim(t *testing.T, all []sequence) (out []outcome, ok bool) {
	vim, err := exec.LookPath("vim")
	if version, _ := exec.CommandContext(t.Context(), vim, "--version").Output(); err != nil || !strings.HasPrefix(string(version), "VIM - Vi IMproved 9.0 ") {
		return nil, false // other versions differ in details
	}
	dir := t.TempDir()
	in, _ := json.Marshal(all)
	for name, data := range map[string][]byte{"in.json": in, "script.vim": []byte(script)} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), vim, "-es", "-u", "NONE", "-i", "NONE", "-N", "-n", "-S", "script.vim")
	cmd.Dir, cmd.Env, cmd.WaitDelay = dir, append(os.Environ(), "LC_ALL=C.UTF-8"), time.Minute
	said, _ := cmd.CombinedOutput()
	data, err := os.ReadFile(filepath.Join(dir, "out.json"))
	if err == nil {
		err = json.Unmarshal(data, &out)
	}
	if err != nil || len(out) != len(all) {
		t.Fatalf("vim: %v\n%s", err, said)
	}
	return out, true
}

// names are the keys with a name.
var names = map[rune]string{'\r': "enter", '\b': "backspace", 0x12: "ctrl+r"}

// play types the keys of a sequence, and Esc.
func play(s sequence) (out outcome, odd bool) {
	e := New()
	e.Reset(s.Text, func(t string) string { return t })
	e.Unnamed = Register{Text: "R"}
	b := e.Escape(Buffer{s.Text, s.At})
	if b.At = s.At; text(s.Text).atEnd(s.At) && !text(s.Text).empty(s.At) {
		b.At = text(s.Text).last(s.At)
	}
	had := false
	for rest := s.Keys + "\x1b"; rest != ""; {
		had = had || b.Text != ""
		odd = odd || had && b.Text == "" // Vim then has a buffer without lines
		n := text(rest).next(0)
		key := rest[:n]
		rest = rest[n:]
		switch named := names[[]rune(key)[0]]; {
		case key == "\x1b":
			b = e.Escape(b)
		case e.Mode() == Insert && key == "\b":
			if b.At > 0 {
				at := text(b.Text).prev(b.At)
				b = Buffer{b.Text[:at] + b.Text[b.At:], at}
			}
		case e.Mode() == Insert:
			key = strings.ReplaceAll(key, "\r", "\n")
			b = Buffer{b.Text[:b.At] + key + b.Text[b.At:], b.At + len(key)}
		case named != "":
			b = e.Key(b, named)
		default:
			// On empty lines Vim may take the line before, and empties a register.
			odd = odd || text(b.Text).empty(b.At) && (key == "C" || strings.ContainsAny(key, "wW$") && strings.ContainsAny(e.Pending(), "iac"))
			b = e.Key(b, key)
		}
	}
	return outcome{b.Text, b.At, e.Unnamed}, odd
}

// compare compares with what was recorded of Vim and, if the same version is installed, with Vim: the record must be
// what it does, and sequences that are not recorded are compared, too.
func compare(t *testing.T, all []sequence, record int) {
	known := map[string]outcome{}
	if data, err := os.ReadFile(recorded); err == nil {
		if err := json.Unmarshal(data, &known); err != nil {
			t.Fatal(err)
		}
	}
	id := func(s sequence) string { return fmt.Sprintf("%s at %d: %q", s.Text, s.At, s.Keys) }
	asked, installed := askVim(t, all)
	if !installed {
		all = all[:record]
	}
	wrong := 0
	for i, s := range all {
		want, there := known[id(s)]
		if installed {
			if there && want != asked[i] && !*update {
				t.Errorf("%s: recorded %v, but Vim has %v: run go test -update", id(s), want, asked[i])
			}
			if want = asked[i]; i < record {
				known[id(s)] = want
			}
		} else if !there {
			t.Fatalf("%s is not recorded: run go test -update where Vim 9.0 is installed", id(s))
		}
		if got, odd := play(s); got != want && !odd {
			if wrong++; wrong <= 40 {
				t.Errorf("%q at %d, keys %q\n  is  %v\n  vim %v", s.Text, s.At, s.Keys, got, want)
			}
		}
	}
	if !*update || !installed {
		return
	}
	var b strings.Builder // a line each
	for _, k := range slices.Sorted(maps.Keys(known)) {
		key, _ := json.Marshal(k)
		value, _ := json.Marshal(known[k])
		fmt.Fprintf(&b, ",\n%s: %s", key, value)
	}
	if err := os.WriteFile(recorded, []byte("{"+b.String()[1:]+"\n}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestLikeVim(t *testing.T) {
	cells.SetClusters(false)
	var all []sequence
	for at, list := range table {
		text, offset, _ := strings.Cut(at, "|")
		s := sequence{Text: text + offset, At: len(text)}
		for _, keys := range strings.Fields(list) {
			s.Keys = strings.NewReplacer("<Esc>", "\x1b", "<CR>", "\r", "<BS>", "\b", "<C-R>", "\x12", "<Space>", " ").Replace(keys)
			all = append(all, s)
		}
	}
	slices.SortFunc(all, func(a, b sequence) int { return strings.Compare(a.Text+a.Keys, b.Text+b.Keys) })
	if len(all) < 200 {
		t.Errorf("only %d sequences", len(all))
	}
	compare(t, all, len(all))
}

// table maps texts, with the cursor at |, to sequences of keys.
var table = map[string]string{
	"foo b|ar-baz, qux\nsecond (line {with} [brackets]) here\n\n    indented line\nlast": `
		x 3x X 2X D C s1<Esc> S1<Esc> Y dd 2dd 9dd yy yyp yyP 3p J 3J ~ 5~ rX 3rX 9rX rÄ r<CR>
		dw d2w 2dw 2d2w dW db dB de dE dge dgE d0 d^ d$ dh dl d<Space> dj dk 2dj d2k dG dgg d2G dgg d} d{ d% d3j
		cwnew<Esc> cWnew<Esc> c2wnew<Esc> cbnew<Esc> cenew<Esc> ccnew<Esc> 2ccnew<Esc> c$new<Esc> cjnew<Esc> c}new<Esc> c0<Esc>
		yw yb ye y$ y0 yj yk yG ygg y} yiw ywP ywp ye3p yyjp yyjP jyyGp
		>> << 2>> >j jjj<< jjj<j >G guu gUU g~~ guw gUw g~w gUiw g~iW gUj guG g~$ gU0
		iX<Esc> aX<Esc> IX<Esc> AX<Esc> oX<Esc> OX<Esc> 3iX<Esc> 3aXY<Esc> 3AX<Esc> 3oX<Esc> 2OX<Esc> 2IX<Esc> iX<CR>Y<Esc> iX<BS>Y<Esc>
		xu xxuu xxu<C-R> ddu dwu dwu<C-R> ddjddu ddjdduu ddjdduu<C-R> iX<Esc>u oX<Esc>u OX<Esc>u AX<Esc>u cwX<Esc>u ggddGu jddggu x3u
		J. x. 3x. dw. dwj. ddj. cwX<Esc>w. iX<Esc>. iX<Esc>3. AX<Esc>j. oX<Esc>. IX<Esc>j. 3iX<Esc>. rXl. ~. >>. >>j. yyp. gUwj. cwX<BS>Y<Esc>w. x2. 3x2. dd2.
		fa Fo ta To fq; fzx f, 2fa fa; fa, tat ta; ta2; dfa dFo dta dTo d2fa cfaX<Esc> dt, df; fad;
		vd vx vld vey vjd vjy vkd vwd v$d v$y vGd vggd viwd vawd vbd vcX<Esc> vjcX<Esc> vU vwu vw~ vrX vjrX ywvwp v2jJ v>  vj> vj< vo<Esc> vwolld vwOd
		Vd Vy Vjd Vjy Vkd VjcX<Esc> VrX VjU Vj> Vj2> VGJ Vjo<Esc> yyVp ywVp yyvp ywvp ywviwp yiwwviwP yiwVP vwD vwX vwY vwC1<Esc> vwS1<Esc> vwR1<Esc> vws1<Esc>
		vwVd Vwvd vjVd vld. vjd. Vd. Vjd. vw~j. Vj>. vlrXj.
		diw daw diW daW ciwX<Esc> cawX<Esc> yaw d2iw d2aw d3aw jdi( jda( jd%  jdi{ jda[ jf{di{ jf{da{ jfwdi{ jfwdi( jfwda( jfwd2i( jfwdib jfwdaB jfbdi[ jfbci]X<Esc>
		jfwvi{d jfwvi{i(d jfwva{d jfwva{a(d viwiwd vawawd dip dap jjdip jjdap jjjdap Gdip Gdap vipd vapd vipipd cipX<Esc> yip 
		w 2w W e 2e E b 2b B ge 2ge gE 0 ^ $ 2$ l 3l 99l h 99h j 2j 9j k gg G 2G 2gg } 2} { % j% j$% _ 2_ + - 2+ g_ jjj0 jjj^ jjjg_ j$k j$j Gk <Space> 
		/line<CR> /line<CR>n /line<CR>2n /line<CR>N ?line<CR> ?line<CR>n d/line<CR> y?foo<CR>P d/zzz<CR> d/e<CR>. v/line<CR>d 2/line<CR> 
		dlp ddp xp xP ddP yyP2j. wD j0D jC1<Esc> wwP dj. cjX<Esc>j. 2cwX<Esc> c2jX<Esc> 0D u U<Esc> GJ G3J Gdd Gdk Gx GD GoX<Esc> ggOX<Esc> Gdj ggdk ggk j99dd
		jjx jjX jjD jjdd jjs1<Esc> jjJ jjdw jjyy jjP jj~ jjdiw jjvd jjvy jjcwX<Esc> jjdaw jjrX jjiX<Esc> jj>> jj} jj{ jjw jje jjb jjge jjdap jjdip jjyl jjdl jjv$d
		5 " g z q@ Z d<Esc>x dq cz y<Esc> d2<Esc>x 2<Esc>x dgq dgz di<Esc>x diq viq<Esc>x `,
	"say \"hello |big world\" and 'it\\'s' or `code` x": `
		di" da" ci"X<Esc> yi" 0di" 0da" di' da' $di' da` + "`" + ` 0di` + "`" + ` $di" vi"d va"d vi"y fhdi" f"di" f"da" f"lda" 0f'di' fxdi'`,
	"func f(a, b|) {\n\tif (x) {\n\t\ty(1, [2, 3])\n\t}\n}\nend": `
		di( da( ci(X<Esc> % dd jdi{ jda{ jjdi{ jjda{ jjd2i{ jj0f2di[ jj0f2da( jj0f2di( jj0f2d2i( j0f(% $% jvi{d jjvi{y va(d vi(d vi(a(d 0di( j0di( dib daB jjci{X<Esc> jjyi{ jjvi{i{d`,
	"One sentence.  |Two here! Three?\nFour is on\ntwo lines. \"Five.\" (Six.) Seven\n\nEight.\n\n\nNine. Ten": `
		} 2} 3} { d} }d} }}d{ dap d2ap jdap Gdap }dap }dip }}dap vapd vipd`,
	"日本語のテキスト、|かな漢字 mixed ascii\nhé ño n\u0308aïve e\u0301te\u0301 x\n😀 smile 👍 more\n한국어 words": `
		x X 3x w e b ge dw db de diw daw j jj jjj jw jx j$x jfvx jjx jjlx jjw jjwx jj2w jj2wx jjwwx ~ r1 r漢 f漢 d2l vld vd p ylp ylP jylp gUU jgUU jgUw j~ j5~ j$i1<Esc> iかな<Esc> aé<Esc> A😀<Esc>.
		jj0i👍<Esc>. wj wjj wjk wjjk 3lj 3ljj 3ljjj jf\u0308 jfxX jfxhx jfxhX jfxdb jfxcbY<Esc> jjjw jjjb jwwwr- viwd vawd yiwP u xu xxuu. dT語 dF語 dtか df、 ct漢X<Esc>`,
	"|":                           `x dd yy p P iabc<Esc> aabc<Esc> oabc<Esc> Oabc<Esc> cwabc<Esc> ccabc<Esc> S1<Esc> s1<Esc> D J ~ rX w b e ge j k G gg 0 $ vd Vd vy Vy u . dw yyp yyP iX<Esc>u iX<Esc>u<C-R> iX<Esc>uu dap dip diw daw >> << guu 3iab<Esc> 2oab<Esc> iab<Esc>x. di( di" { } % fx`,
	"|one":                        `x 3x 9x dd ddp D X w b e ge dw db diw daw d$ d0 ylp yyp cwX<Esc> A!<Esc>. ~ 3~ 9~ j k J p P viwd vd. vly vl9ld v$d $ l ll $l`,
	"one\n|":                      `x dd ddp ddP dw db iX<Esc> oX<Esc> kJ J p yyp ykP kyyjp kyyjP k$ge b B ge kddu kdw kd$p dk kdj vkd Vkd`,
	"a b  |c\n\n\n   \nd   \n  e": `w 2w 3w 4w b 2b ge 2ge e 2e 3e dw d2w d3w de d2e db dge cwX<Esc> c2wX<Esc> jdw jd2w jjdw bcwX<Esc> hdw hcwX<Esc> hdiw hdaw hcawX<Esc> hciwX<Esc> hx hxx. jjjdw jjjD jjj^ jjj_ jjjdd jjjdaw jjjdiw jjj>> jjj<< jjjJ jJ jjjj$ jjjjg_ jjjjA1<Esc> jjjjJ } 2} { j} j{ d} d{ yap dap dip jdip jdap jjjdip jjjjdip jjjjdap Gdip Gdap`,
}

var (
	linesChanged = regexp.MustCompile(`c(2?j|k|[+_G-]|gg|[ia]p)|3cc`)
	missing      = regexp.MustCompile(`gJ|"[aA]`) // commands that only Vim has
	replaced     = regexp.MustCompile(`[vV].*p.*\.|[vV][eE]g[eE]`)
)

// Random sequences are like Vim's, too.
func TestRandomLikeVim(t *testing.T) {
	cells.SetClusters(false)
	rng := rand.New(rand.NewPCG(37, 5))
	pick := func(list string) string {
		all := strings.Fields(list)
		return strings.ReplaceAll(all[rng.IntN(len(all))], "¶", "\r")
	}
	motion := func() string {
		return pick(`h j k l w W b B e E ge gE 0 ^ $ gg G fa Fo t, To ; , } + - _ % 2w 3l 2j`)
	}
	object := func() string { return pick(`iw aw iW aW i( a( i{ a[ i" a" ip ap`) }
	command := func() string {
		switch rng.IntN(14) {
		case 0, 1:
			return motion()
		case 2, 3:
			return pick("d y > < d y") + motion() + "\x1b" + pick("gu gU g~") + pick("w e W E 2w $ 3l iw j")
		case 4:
			return pick("d y gu gU") + object() + "\x1b"
		case 12:
			return "c" + object() + "new\x1b"
		case 13:
			return "c" + motion() + pick("new\x1b é日\x1b a¶b\x1b")
		case 5:
			return pick("dd yy cc >> << guu g~~ 2dd 2yy 3cc") + "\x1b"
		case 6:
			return pick("x X D 3x ~ 2~ J 2J gJ rQ 2r日 Y")
		case 7:
			return pick("iab\x1b a日本\x1b Ie\u0301\x1b A😀\x1b oline\x1b Oline\x1b s1\x1b 2ixy\x1b iX¶Y\x1b S1\x1b C1\x1b 2oz\x1b")
		case 8:
			return pick("p P 2p 3P \"ap \"aP")
		case 9:
			return pick("u u u \x12 . . . .")
		case 10:
			return pick("v V") + motion() + motion() + pick("d y c1\x1b > ~ U rx p o\x1b")
		default:
			return "\"" + pick("a A a") + pick("yy dd yw diw yiw x p")
		}
	}
	texts := []string{
		"foo bar(baz, \"a b\") end\n\n  second line, also\n\nthird [x {y} z] a\nlast one",
		"日本 a語 かな\ne\u0301a n\u0303o 😀 x\n\n한국 o, (é)\nend",
		"a", "", "one two\nthree", "- item one\n- item two\n    - deeper, \"quoted\" (text)\n",
	}
	var all []sequence
	for range 4000 {
		s := sequence{Text: texts[rng.IntN(len(texts))]}
		for n := rng.IntN(len(s.Text) + 1); n > 0 && s.At < len(s.Text); n-- {
			s.At = text(s.Text).next(s.At)
		}
		s.Keys = "iq\x1bfZ" // what . and ; repeat at first
		for range 1 + rng.IntN(5) {
			s.Keys += command()
		}
		if undo := strings.ContainsAny(s.Keys, "u\x12"); undo && linesChanged.MatchString(s.Keys) || replaced.MatchString(s.Keys) || missing.MatchString(s.Keys) {
			continue // Vim then moves the cursor oddly
		}
		if noop := strings.ContainsAny(s.Keys, "U~<>") || strings.Contains(s.Keys, "gu"); noop && strings.ContainsAny(s.Keys, "u\x12") {
			continue // Vim undoes a change to the same, too
		}
		all = append(all, s)
	}
	compare(t, all, 300)
}
