package moment

import (
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"
)

var en = LocaleOf("C")

// kolkata is five and a half hours ahead of UTC.
var kolkata = time.FixedZone("IST", 5*3600+1800)

// TestFormat checks the documented tokens against the output of Moment.js 2.29.4.
func TestFormat(t *testing.T) {
	for _, tt := range []struct {
		when string
		rows []string // format, want
	}{
		{"2026-01-02T03:04:05.006", []string{
			`M Mo MM MMM MMMM`, `1 1st 01 Jan January`,
			`Q Qo`, `1 1st`,
			`D Do DD`, `2 2nd 02`,
			`DDD DDDo DDDD`, `2 2nd 002`,
			`d do dd ddd dddd`, `5 5th Fr Fri Friday`,
			`e E`, `5 5`,
			`w wo ww`, `1 1st 01`,
			`W Wo WW`, `1 1st 01`,
			`YY YYYY Y`, `26 2026 2026`,
			`y yyyy`, `2026 2026`,
			`gg gggg`, `26 2026`,
			`GG GGGG`, `26 2026`,
			`A a`, `AM am`,
			`H HH`, `3 03`,
			`h hh`, `3 03`,
			`k kk`, `3 03`,
			`m mm`, `4 04`,
			`s ss`, `5 05`,
			`X`, `1767303245`,
			`Z ZZ`, `+05:30 +0530`,
			`Hmm hmmss`, `304 30405`,
			`LT LTS L l`, `3:04 AM 3:04:05 AM 01/02/2026 1/2/2026`,
			`LL ll`, `January 2, 2026 Jan 2, 2026`,
			`LLL lll`, `January 2, 2026 3:04 AM Jan 2, 2026 3:04 AM`,
			`LLLL llll`, `Friday, January 2, 2026 3:04 AM Fri, Jan 2, 2026 3:04 AM`,
			`gggg-[W]ww`, `2026-W01`,
			`dddd, MMMM Do YYYY`, `Friday, January 2nd 2026`,
			`YYYY/MMMM/YYYY-MMM-DD`, `2026/January/2026-Jan-02`,
			`[Today is] dddd`, `Today is Friday`,
			`[[YYYY]]`, `[YYYY]`,
			`[a]b]`, `a]b`,
			`\D\o [`, `Do [`,
			`YYYY年M月D日`, `2026年1月2日`,
			`\HH \LT`, `HH LT`,
			`f R u T`, `f R u T`,
		}},
		{"2026-12-27T00:00:00.120", []string{
			`M Mo MM MMM MMMM`, `12 12th 12 Dec December`,
			`Q Qo`, `4 4th`,
			`D Do DD`, `27 27th 27`,
			`DDD DDDo DDDD`, `361 361st 361`,
			`d do dd ddd dddd`, `0 0th Su Sun Sunday`,
			`e E`, `0 7`,
			`w wo ww`, `1 1st 01`,
			`W Wo WW`, `52 52nd 52`,
			`YY YYYY Y`, `26 2026 2026`,
			`y yyyy`, `2026 2026`,
			`gg gggg`, `27 2027`,
			`GG GGGG`, `26 2026`,
			`A a`, `AM am`,
			`H HH`, `0 00`,
			`h hh`, `12 12`,
			`k kk`, `24 24`,
			`m mm`, `0 00`,
			`s ss`, `0 00`,
			`X`, `1798309800`,
			`Z ZZ`, `+05:30 +0530`,
			`Hmm hmmss`, `000 120000`,
			`LT LTS L l`, `12:00 AM 12:00:00 AM 12/27/2026 12/27/2026`,
			`LL ll`, `December 27, 2026 Dec 27, 2026`,
			`LLL lll`, `December 27, 2026 12:00 AM Dec 27, 2026 12:00 AM`,
			`LLLL llll`, `Sunday, December 27, 2026 12:00 AM Sun, Dec 27, 2026 12:00 AM`,
			`gggg-[W]ww`, `2027-W01`,
			`dddd, MMMM Do YYYY`, `Sunday, December 27th 2026`,
			`YYYY/MMMM/YYYY-MMM-DD`, `2026/December/2026-Dec-27`,
			`[Today is] dddd`, `Today is Sunday`,
			`[[YYYY]]`, `[YYYY]`,
			`[a]b]`, `a]b`,
			`\D\o [`, `Do [`,
			`YYYY年M月D日`, `2026年12月27日`,
			`\HH \LT`, `HH LT`,
			`f R u T`, `f R u T`,
		}},
		{"2027-01-02T12:00:59.999", []string{
			`M Mo MM MMM MMMM`, `1 1st 01 Jan January`,
			`Q Qo`, `1 1st`,
			`D Do DD`, `2 2nd 02`,
			`DDD DDDo DDDD`, `2 2nd 002`,
			`d do dd ddd dddd`, `6 6th Sa Sat Saturday`,
			`e E`, `6 6`,
			`w wo ww`, `1 1st 01`,
			`W Wo WW`, `53 53rd 53`,
			`YY YYYY Y`, `27 2027 2027`,
			`y yyyy`, `2027 2027`,
			`gg gggg`, `27 2027`,
			`GG GGGG`, `26 2026`,
			`A a`, `PM pm`,
			`H HH`, `12 12`,
			`h hh`, `12 12`,
			`k kk`, `12 12`,
			`m mm`, `0 00`,
			`s ss`, `59 59`,
			`X`, `1798871459`,
			`Z ZZ`, `+05:30 +0530`,
			`Hmm hmmss`, `1200 120059`,
			`LT LTS L l`, `12:00 PM 12:00:59 PM 01/02/2027 1/2/2027`,
			`LL ll`, `January 2, 2027 Jan 2, 2027`,
			`LLL lll`, `January 2, 2027 12:00 PM Jan 2, 2027 12:00 PM`,
			`LLLL llll`, `Saturday, January 2, 2027 12:00 PM Sat, Jan 2, 2027 12:00 PM`,
			`gggg-[W]ww`, `2027-W01`,
			`dddd, MMMM Do YYYY`, `Saturday, January 2nd 2027`,
			`YYYY/MMMM/YYYY-MMM-DD`, `2027/January/2027-Jan-02`,
			`[Today is] dddd`, `Today is Saturday`,
			`[[YYYY]]`, `[YYYY]`,
			`[a]b]`, `a]b`,
			`\D\o [`, `Do [`,
			`YYYY年M月D日`, `2027年1月2日`,
			`\HH \LT`, `HH LT`,
			`f R u T`, `f R u T`,
		}},
		{"2021-01-03T23:59:00.000", []string{
			`M Mo MM MMM MMMM`, `1 1st 01 Jan January`,
			`Q Qo`, `1 1st`,
			`D Do DD`, `3 3rd 03`,
			`DDD DDDo DDDD`, `3 3rd 003`,
			`d do dd ddd dddd`, `0 0th Su Sun Sunday`,
			`e E`, `0 7`,
			`w wo ww`, `2 2nd 02`,
			`W Wo WW`, `53 53rd 53`,
			`YY YYYY Y`, `21 2021 2021`,
			`y yyyy`, `2021 2021`,
			`gg gggg`, `21 2021`,
			`GG GGGG`, `20 2020`,
			`A a`, `PM pm`,
			`H HH`, `23 23`,
			`h hh`, `11 11`,
			`k kk`, `23 23`,
			`m mm`, `59 59`,
			`s ss`, `0 00`,
			`X`, `1609698540`,
			`Z ZZ`, `+05:30 +0530`,
			`Hmm hmmss`, `2359 115900`,
			`LT LTS L l`, `11:59 PM 11:59:00 PM 01/03/2021 1/3/2021`,
			`LL ll`, `January 3, 2021 Jan 3, 2021`,
			`LLL lll`, `January 3, 2021 11:59 PM Jan 3, 2021 11:59 PM`,
			`LLLL llll`, `Sunday, January 3, 2021 11:59 PM Sun, Jan 3, 2021 11:59 PM`,
			`gggg-[W]ww`, `2021-W02`,
			`dddd, MMMM Do YYYY`, `Sunday, January 3rd 2021`,
			`YYYY/MMMM/YYYY-MMM-DD`, `2021/January/2021-Jan-03`,
			`[Today is] dddd`, `Today is Sunday`,
			`[[YYYY]]`, `[YYYY]`,
			`[a]b]`, `a]b`,
			`\D\o [`, `Do [`,
			`YYYY年M月D日`, `2021年1月3日`,
			`\HH \LT`, `HH LT`,
			`f R u T`, `f R u T`,
		}},
		{"2024-02-29T13:05:09.070", []string{
			`M Mo MM MMM MMMM`, `2 2nd 02 Feb February`,
			`Q Qo`, `1 1st`,
			`D Do DD`, `29 29th 29`,
			`DDD DDDo DDDD`, `60 60th 060`,
			`d do dd ddd dddd`, `4 4th Th Thu Thursday`,
			`e E`, `4 4`,
			`w wo ww`, `9 9th 09`,
			`W Wo WW`, `9 9th 09`,
			`YY YYYY Y`, `24 2024 2024`,
			`y yyyy`, `2024 2024`,
			`gg gggg`, `24 2024`,
			`GG GGGG`, `24 2024`,
			`A a`, `PM pm`,
			`H HH`, `13 13`,
			`h hh`, `1 01`,
			`k kk`, `13 13`,
			`m mm`, `5 05`,
			`s ss`, `9 09`,
			`X`, `1709192109`,
			`Z ZZ`, `+05:30 +0530`,
			`Hmm hmmss`, `1305 10509`,
			`LT LTS L l`, `1:05 PM 1:05:09 PM 02/29/2024 2/29/2024`,
			`LL ll`, `February 29, 2024 Feb 29, 2024`,
			`LLL lll`, `February 29, 2024 1:05 PM Feb 29, 2024 1:05 PM`,
			`LLLL llll`, `Thursday, February 29, 2024 1:05 PM Thu, Feb 29, 2024 1:05 PM`,
			`gggg-[W]ww`, `2024-W09`,
			`dddd, MMMM Do YYYY`, `Thursday, February 29th 2024`,
			`YYYY/MMMM/YYYY-MMM-DD`, `2024/February/2024-Feb-29`,
			`[Today is] dddd`, `Today is Thursday`,
			`[[YYYY]]`, `[YYYY]`,
			`[a]b]`, `a]b`,
			`\D\o [`, `Do [`,
			`YYYY年M月D日`, `2024年2月29日`,
			`\HH \LT`, `HH LT`,
			`f R u T`, `f R u T`,
		}},
		{"2026-11-21T00:30:00", []string{
			`M Mo MM MMM MMMM`, `11 11th 11 Nov November`,
			`Q Qo`, `4 4th`,
			`D Do DD`, `21 21st 21`,
			`DDD DDDo DDDD`, `325 325th 325`,
			`d do dd ddd dddd`, `6 6th Sa Sat Saturday`,
			`e E`, `6 6`,
			`w wo ww`, `47 47th 47`,
			`W Wo WW`, `47 47th 47`,
			`YY YYYY Y`, `26 2026 2026`,
			`y yyyy`, `2026 2026`,
			`gg gggg`, `26 2026`,
			`GG GGGG`, `26 2026`,
			`A a`, `AM am`,
			`H HH`, `0 00`,
			`h hh`, `12 12`,
			`k kk`, `24 24`,
			`m mm`, `30 30`,
			`s ss`, `0 00`,
			`X`, `1795201200`,
			`Z ZZ`, `+05:30 +0530`,
			`Hmm hmmss`, `030 123000`,
			`LT LTS L l`, `12:30 AM 12:30:00 AM 11/21/2026 11/21/2026`,
			`LL ll`, `November 21, 2026 Nov 21, 2026`,
			`LLL lll`, `November 21, 2026 12:30 AM Nov 21, 2026 12:30 AM`,
			`LLLL llll`, `Saturday, November 21, 2026 12:30 AM Sat, Nov 21, 2026 12:30 AM`,
			`gggg-[W]ww`, `2026-W47`,
			`dddd, MMMM Do YYYY`, `Saturday, November 21st 2026`,
			`YYYY/MMMM/YYYY-MMM-DD`, `2026/November/2026-Nov-21`,
			`[Today is] dddd`, `Today is Saturday`,
			`[[YYYY]]`, `[YYYY]`,
			`[a]b]`, `a]b`,
			`\D\o [`, `Do [`,
			`YYYY年M月D日`, `2026年11月21日`,
			`\HH \LT`, `HH LT`,
			`f R u T`, `f R u T`,
		}},
	} {
		when, err := time.ParseInLocation("2006-01-02T15:04:05.999", tt.when, kolkata)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(tt.rows); i += 2 {
			if got := en.Format(tt.rows[i], when); got != tt.rows[i+1] {
				t.Errorf("%s in %q: %q, want %q", tt.when, tt.rows[i], got, tt.rows[i+1])
			}
		}
	}
}

// TestAnyFormat: every format is accepted, and text in brackets is copied unchanged.
func TestAnyFormat(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		format := rapid.String().Draw(t, "format")
		when := time.Unix(rapid.Int64Range(0, 4e9).Draw(t, "when"), 0).In(kolkata)
		if got := en.Format(format, when); utf8.ValidString(format) && !utf8.ValidString(got) {
			t.Errorf("%q is broken: %q", format, got)
		}
		text := rapid.StringMatching(`[^\[\]]*`).Draw(t, "text")
		if got := en.Format("["+text+"]", when); got != text {
			t.Errorf("%q became %q", text, got)
		}
	})
}
