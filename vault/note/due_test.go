package note

import (
	"testing"
	"time"
)

func TestDue(t *testing.T) {
	today := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	for text, want := range map[string]string{
		"a 📅 2026-11-30": "2026-11-30", "a 📅2026-11-30 ✅ 2026-11-01": "2026-11-30", "a 🗓️ 2026-11-30": "2026-11-30", "a 📆 2026-11-30": "2026-11-30",
		"a [due:: 2026-11-30]": "2026-11-30", "a (due:: 2026-11-30) b": "2026-11-30", "due:: [[2026-11-30]]": "2026-11-30", "[Due::2026-11-30]": "2026-11-30",
		"a (due 2026-11-24)": "2026-11-24", "a, due on 2026-11-24.": "2026-11-24", "a (due by 24 November 2026)": "2026-11-24", "a @2026-11-24": "2026-11-24", "a @{2026-11-24}": "2026-11-24",
		"due: 30 November": "2026-11-30", "a due: Nov 30th": "2026-11-30", "Due date: Monday, 30 November": "2026-11-30", "due: november 30, 2027": "2027-11-30", "a due 1st of Dec": "2026-12-01",
		"due: 10 January": "2027-01-10", "due: 10 September": "2026-09-10", "due: 10 June": "2026-06-10", "due: 22 May": "2027-05-22", // the date nearest to today
		"due: 2026-13-45": "", "due: 31 November": "", "due: 31 November, due 2026-12-01": "2026-12-01", "due: 29 February": "", "due: 29 February 2028": "2028-02-29",
		"a ⏳ 2026-11-30": "", "a 🛫 2026-11-30": "", "a ➕ 2026-11-30": "", "a ✅ 2026-11-30": "", "a ❌ 2026-11-30": "", "a ⏳ 2026-11-30 📅 2026-12-01": "2026-12-01",
		"a [scheduled:: 2026-11-30]": "", "overdue:: 2026-11-30": "", "overdue 2026-11-30": "", "the meeting of 2026-11-30": "", "due diligence 2026-11-30": "", "residue 1 May": "", "a@2026-11-30": "", "due 2026-11-301": "",
		"due: 5 mayors": "", "due": "", "due: 日本": "", "überdue: 1 May": "",
	} {
		got := ""
		if day, _, _ := due(text, today); !day.IsZero() {
			got = day.Format(time.DateOnly)
		}
		if got != want {
			t.Errorf("%q is due %q, want %q", text, got, want)
		}
	}
}
