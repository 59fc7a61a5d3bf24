package note

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func dayOf(t testing.TB, s string) time.Time {
	t.Helper()
	day, err := time.Parse(time.DateOnly, s)
	if err != nil {
		t.Fatal(err)
	}
	return day
}

func (r TaskRules) get() TaskRules { return r }

// TestRepeats checks dates that the tests of the Tasks plugin and its documentation name.
func TestRepeats(t *testing.T) {
	for _, c := range []struct{ rule, base, want string }{
		{"every 7 days", "2021-02-21", "2021-02-28"},
		{"every day", "2021-02-21", "2021-02-22"},
		{"every 4 weeks", "2021-10-15", "2021-11-12"},
		{"every month", "2021-10-18", "2021-11-18"},
		{"every month", "2022-01-31", "2022-02-28"},
		{"every month", "2021-03-31", "2021-04-30"},
		{"every 3 months", "2022-01-31", "2022-04-30"},
		{"every 2 months", "2023-12-31", "2024-02-29"},
		{"every 2 years", "2024-02-29", "2026-02-28"},
		{"every 11 months", "2020-03-31", "2021-02-28"},
		{"every 13 months", "2020-01-31", "2021-02-28"},
		{"every year", "2020-02-29", "2021-02-28"},
		{"every month on the 31st", "2021-01-31", "2021-03-31"},
		{"every month on the 15th", "2025-08-16", "2025-09-15"},
		{"every month on the last", "2022-01-31", "2022-02-28"},
		{"every year on February the 29th", "2021-01-01", "2024-02-29"},
		{"every month on the 2nd Wednesday", "2021-09-08", "2021-10-13"},
		{"every month on the 2nd Wednesday", "2021-10-12", "2021-10-13"},
		{"every 3 months on the 3rd Thursday", "2021-04-15", "2021-07-15"},
		{"every 3 months on the 3rd Thursday", "2021-08-19", "2021-11-18"},
		{"every week on Monday, Wednesday, Friday", "2022-01-24", "2022-01-26"},
		{"every weekday", "2026-11-27", "2026-11-30"},
		{"every Sunday", "2021-04-25", "2021-05-02"},
		{"every week on Tuesday, Friday", "2026-11-24", "2026-11-27"},
		{"every 3 weeks on Friday", "2026-01-31", "2026-02-20"},
		{"every 2 weeks on mon and wed", "2026-01-31", "2026-02-09"},
		{"every month on the last Friday", "2026-01-30", "2026-02-27"},
		{"every month on the 2nd last Friday", "2026-01-31", "2026-02-20"},
		{"every 6 months on the 2nd Wednesday", "2026-01-14", "2026-07-08"},
		{"every January on the 15th", "2026-01-31", "2027-01-15"},
		{"every February on the last", "2026-02-28", "2027-02-28"},
		{"every April and December on the 1st and 24th", "2026-01-31", "2026-04-01"},
		{"every month on the first and last", "2026-01-31", "2026-02-01"},
		{"every month on the last day", "2026-01-31", "2026-02-28"},
		{"every year on the first friday", "2026-01-31", "2027-01-01"},
		{"every Tuesday on the 15th", "2026-01-31", "2026-09-15"},
		{"Every Mon", "2026-01-31", "2026-02-02"},
		{"every 2nd Tuesday", "2026-01-31", ""},
		{"every other week", "2026-01-31", ""},
		{"every day for 3 times", "2026-01-31", ""},
		{"every", "2026-01-31", ""},
		{"daily", "2026-01-31", ""},
		{"every 0 days", "2026-01-31", ""},
		{"every month on the 32nd", "2026-01-31", ""},
		{"", "2026-01-31", ""},
	} {
		got := ""
		if r, ok := parseRule(c.rule); ok {
			if day := r.after(dayOf(t, c.base)); !day.IsZero() {
				got = day.Format(time.DateOnly)
			}
		}
		if got != c.want {
			t.Errorf("%s after %s: %s, want %s", c.rule, c.base, got, c.want)
		}
	}
}

// TestTick checks lines that the tests of the Tasks plugin and its documentation name, on the day in today.
func TestTick(t *testing.T) {
	on := TaskRules{Format: "tasksPluginEmoji", DoneDate: true, CancelledDate: true}
	with := func(change func(*TaskRules)) TaskRules { r := on; change(&r); return r }
	custom := with(func(r *TaskRules) {
		r.Statuses = Statuses{"customStatuses": {{"2", "IN_PROGRESS", "3"}, {"3", "DONE", "1"}, {"1", "TODO", "2"}, {"b", "DONE", "c"}, {"x", "DONE", "-"}, {"-", "CANCELLED", " "}, {"P", "NON_TASK", "C"}}}
	})
	for _, c := range []struct {
		rules               TaskRules
		today, before, mark string
		want                string
	}{
		{on, "2022-09-04", "- [ ] description", "x", "- [x] description ✅ 2022-09-04"},
		{on, "2022-09-04", "- [ ] foo ", "x", "- [x] foo ✅ 2022-09-04"},
		{on, "2022-09-04", "- [ ] foo  ", "x", "- [x] foo ✅ 2022-09-04  "},
		{on, "2022-09-04", "- [x] foo ✅ 2022-09-04  ", " ", "- [ ] foo  "},
		{on, "2022-09-04", "- [ ] a 📅 2021-09-12 ^my-precious", "x", "- [x] a 📅 2021-09-12 ✅ 2022-09-04 ^my-precious"},
		{on, "2022-09-04", "1. [ ] #tag", "x", "1. [x] #tag ✅ 2022-09-04"},
		{on, "2022-09-04", "- [x] I thought I finished ✅ 2021-09-12", " ", "- [ ] I thought I finished"},
		{on, "2022-09-04", "- [x] a ✅ 2021-09-12", "X", "- [X] a ✅ 2021-09-12"},
		{on, "2023-06-26", "- [X] Stuff 📅 2023-12-15 ✅ 2019-01-17", "-", "- [-] Stuff 📅 2023-12-15 ❌ 2023-06-26"},
		{on, "2022-09-04", "- [ ] a", "/", "- [/] a"},
		{TaskRules{}, "2022-09-04", "- [ ] a", "x", "- [x] a"},
		{TaskRules{}, "2022-09-04", "- [x] a [completion:: 2022-09-01]", " ", "- [ ] a"},
		{with(func(r *TaskRules) { r.Filter = "#task" }), "2022-09-04", "- [ ] rec 🔁 every day 📅 2022-09-04", "x", "- [x] rec 🔁 every day 📅 2022-09-04"},
		{with(func(r *TaskRules) { r.Filter = "#task" }), "2022-09-04", "- [ ] #task a", "x", "- [x] #task a ✅ 2022-09-04"},
		{on, "2022-09-04", "- [ ] rec 🔁 every day 📅 2022-09-04 ", "x", "- [ ] rec 🔁 every day 📅 2022-09-05\n- [x] rec 🔁 every day 📅 2022-09-04 ✅ 2022-09-04"},
		{on, "2023-06-26", "- [-] Stuff 🔁 every day 📅 2023-05-15 ❌ 2023-05-16", "x", "- [ ] Stuff 🔁 every day 📅 2023-05-16\n- [x] Stuff 🔁 every day 📅 2023-05-15 ✅ 2023-06-26"},
		{on, "2023-05-16", "- [ ] rec 🔁 every day", "x", "- [ ] rec 🔁 every day\n- [x] rec 🔁 every day ✅ 2023-05-16"},
		{with(func(r *TaskRules) { r.Below = true }), "2023-05-16", "> 1. [ ] rec 🔁 every day", "x", "> 1. [x] rec 🔁 every day ✅ 2023-05-16\n> 1. [ ] rec 🔁 every day"},
		{with(func(r *TaskRules) { r.CreatedDate = true }), "2023-03-08", "- [ ] a 🔁 every day ➕ 2021-09-11 📅 2021-09-12", "x", "- [ ] a 🔁 every day ➕ 2023-03-08 📅 2021-09-13\n- [x] a 🔁 every day ➕ 2021-09-11 📅 2021-09-12 ✅ 2023-03-08"},
		{on, "2023-03-08", "- [ ] a 🔁 every day ➕ 2021-09-11 📅 2021-09-12", "x", "- [ ] a 🔁 every day 📅 2021-09-13\n- [x] a 🔁 every day ➕ 2021-09-11 📅 2021-09-12 ✅ 2023-03-08"},
		{with(func(r *TaskRules) { r.CreatedDate = true }), "2023-01-23", "- [ ] Annual 🔁 every year when done 📅 1989-12-23", "x", "- [ ] Annual 🔁 every year when done ➕ 2023-01-23 📅 2024-01-23\n- [x] Annual 🔁 every year when done 📅 1989-12-23 ✅ 2023-01-23"},
		{with(func(r *TaskRules) { r.DoneDate = false }), "2024-02-13", "- [ ] a 🆔 id2 ⛔ id1 🔁 every day 📅 2024-02-13", "x", "- [ ] a 🔁 every day 📅 2024-02-14\n- [x] a 🆔 id2 ⛔ id1 🔁 every day 📅 2024-02-13"},
		{on, "2024-02-11", "> - [ ] a 🏁 delete", "x", ""},
		{on, "2024-02-11", "- [ ] a 🔁 every day 🏁 delete 📅 2024-02-10", "x", "- [ ] a 🔁 every day 🏁 delete 📅 2024-02-11"},
		{on, "2024-02-11", "- [ ] a 🏁 keep 📅 2024-02-10", "x", "- [x] a 🏁 keep 📅 2024-02-10 ✅ 2024-02-11"},
		{on, "2021-10-04", "- [ ] a 🔁 every 10 days when done 🛫 2021-10-05 ⏳ 2021-10-07 📅 2021-10-09", "x", "- [ ] a 🔁 every 10 days when done 🛫 2021-10-10 ⏳ 2021-10-12 📅 2021-10-14\n- [x] a 🔁 every 10 days when done 🛫 2021-10-05 ⏳ 2021-10-07 📅 2021-10-09 ✅ 2021-10-04"},
		{on, "2025-08-10", "- [ ] a 🔁 every month on the 15th 🛫 2025-08-05 ⏳ 2025-08-10", "x", "- [ ] a 🔁 every month on the 15th 🛫 2025-08-10 ⏳ 2025-08-15\n- [x] a 🔁 every month on the 15th 🛫 2025-08-05 ⏳ 2025-08-10 ✅ 2025-08-10"},
		{on, "2022-02-27", "- [ ] a 🔁 every day ⏳ 2022-02-30 📅 2022-02-27", "x", "- [ ] a 🔁 every day ⏳ 2022-02-28 📅 2022-02-28\n- [x] a 🔁 every day ⏳ 2022-02-30 📅 2022-02-27 ✅ 2022-02-27"},
		{on, "2022-02-27", "- [ ] a 🔁 every day 📅 2022-02-30", "x", "- [x] a 🔁 every day 📅 2022-02-30 ✅ 2022-02-27"},
		{with(func(r *TaskRules) { r.DropScheduled = true }), "2022-01-10", "- [ ] a 🔁 every month 🛫 2022-01-01 ⏳ 2022-01-04 📅 2022-01-10", "x", "- [ ] a 🔁 every month 🛫 2022-02-01 📅 2022-02-10\n- [x] a 🔁 every month 🛫 2022-01-01 ⏳ 2022-01-04 📅 2022-01-10 ✅ 2022-01-10"},
		{with(func(r *TaskRules) { r.DropScheduled = true }), "2022-01-10", "- [ ] a 🔁 every 3 days when done 🛫 2022-01-01 ⏳ 2022-01-04", "x", "- [ ] a 🔁 every 3 days when done 🛫 2022-01-13\n- [x] a 🔁 every 3 days when done 🛫 2022-01-01 ⏳ 2022-01-04 ✅ 2022-01-10"},
		{with(func(r *TaskRules) { r.DropScheduled = true }), "2022-01-10", "- [ ] a 🔁 every month ⏳ 2022-01-04", "x", "- [ ] a 🔁 every month ⏳ 2022-02-04\n- [x] a 🔁 every month ⏳ 2022-01-04 ✅ 2022-01-10"},
		{custom, "2023-01-19", "- [2] a 🔁 every day 📅 2023-01-19", "3", "- [1] a 🔁 every day 📅 2023-01-20\n- [3] a 🔁 every day 📅 2023-01-19 ✅ 2023-01-19"},
		{custom, "2023-01-19", "- [ ] a 🔁 every day", "b", "- [c] a 🔁 every day\n- [b] a 🔁 every day ✅ 2023-01-19"},
		{custom, "2023-01-19", "- [ ] a 🔁 every day", "x", "- [ ] a 🔁 every day\n- [x] a 🔁 every day ✅ 2023-01-19"},
		{custom, "2023-01-19", "- [ ] a 🔁 every day", "P", "- [P] a 🔁 every day"},
		{with(func(r *TaskRules) { r.Format = "dataview" }), "2023-01-19", "- [ ] a  [repeat:: every day]  [due:: 2023-01-19]", "x", "- [ ] a  [repeat:: every day]  [due:: 2023-01-20]\n- [x] a  [repeat:: every day]  [due:: 2023-01-19]  [completion:: 2023-01-19]"},
		{TaskRules{DoneDate: true}, "2023-01-19", "- [ ] a (repeat:: every day) (due:: 2023-01-19)", "x", "- [ ] a (repeat:: every day) (due:: 2023-01-20)\n- [x] a (repeat:: every day) (due:: 2023-01-19)  [completion:: 2023-01-19]"},
		{on, "2026-11-29", "- [ ] a 🔁 every month (due: Monday, 30 November 2026)", "x", "- [ ] a 🔁 every month (due: 2026-12-30)\n- [x] a 🔁 every month (due: Monday, 30 November 2026) ✅ 2026-11-29"},
		{on, "2026-11-29", "- [ ] a 🔁 every day 📅 2026-11-29 ^id\r", "x", "- [ ] a 🔁 every day 📅 2026-11-30\r\n- [x] a 🔁 every day 📅 2026-11-29 ✅ 2026-11-29 ^id\r"},
		{on, "2026-11-29", "- [ ] a 🔁 now and then 📅 2026-11-29", "x", "- [x] a 🔁 now and then 📅 2026-11-29 ✅ 2026-11-29"},
		{on, "2026-11-29", "- [ ] a 📅\ufe0f 2026-11-29 🔁\ufe0f every day", "x", "- [ ] a 📅\ufe0f 2026-11-30 🔁\ufe0f every day\n- [x] a 📅\ufe0f 2026-11-29 🔁\ufe0f every day ✅ 2026-11-29"},
	} {
		head, _, _ := strings.Cut(c.before, "[")
		after := head + "[" + c.mark + "]" + c.before[strings.Index(c.before, "]")+1:]
		for _, around := range []string{"%s", "# H\n%s\n\nmore\n"} {
			in := func(s string) string { return strings.Replace(around, "%s", s, 1) }
			want := in(c.want)
			if c.want == "" {
				want = strings.Replace(strings.Replace(around, "%s\n", "", 1), "%s", "", 1)
			}
			got, _ := Follow(in(c.before), in(after), c.rules.get, dayOf(t, c.today))
			if got != want {
				t.Errorf("%q with %s: got\n%s\nwant\n%s", c.before, c.mark, got, want)
			}
		}
	}
}

// TestTickWritten checks edits of which the tick is only a part.
func TestTickWritten(t *testing.T) {
	rules := TaskRules{DoneDate: true}
	for _, c := range [][3]string{
		{"- [ ] a 🔁 every day 📅 2026-11-29\n", "- [ ] a 🔁 every day 📅 2026-11-30\n- [x] a 🔁 every day 📅 2026-11-29 ✅ 2026-11-29\n", ""}, // it wrote the next one
		{"- [ ] a 🔁 every day 📅 2026-11-29\n", "- [x] a 🔁 every day 📅 2026-11-29 ✅ 2026-11-28\n", "- [ ] a 🔁 every day 📅 2026-11-30\n- [x] a 🔁 every day 📅 2026-11-29 ✅ 2026-11-28\n"},
		{"- [ ] a\n- [x] b ✅ 2026-11-01\n- [ ] b\n", "- [ ] a\n- [x] b ✅ 2026-11-01\n- [x] b\n", "- [ ] a\n- [x] b ✅ 2026-11-01\n- [x] b ✅ 2026-11-29\n"},
		{"- [ ] a\n- [ ] b\n", "New\n- [x] a\n\n- [x] b\n", "New\n- [x] a ✅ 2026-11-29\n\n- [x] b ✅ 2026-11-29\n"},
		{"- [ ] a\n", "- [x] other\n", ""},
		{"", "- [x] new\n", ""},
		{"- [ ] a\n", "", ""},
		{"- [x] a\n", "- [x] a\n- [x] b\n", ""},
		{"```\n- [ ] a 🔁 every day\n```\n", "```\n- [x] a 🔁 every day\n```\n", ""},
		{"- [x] a\n- [ ] b\n", "- [ ] b\n- [x] a\n", ""},
	} {
		want := c[2]
		if want == "" {
			want = c[1]
		}
		if got, _ := Follow(c[0], c[1], rules.get, dayOf(t, "2026-11-29")); got != want {
			t.Errorf("%q → %q: got\n%s\nwant\n%s", c[0], c[1], got, want)
		}
	}
}

// TestTickRoundTrip: unticking a ticked task that does not repeat restores the note byte for byte.
func TestTickRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.SampledFrom([]string{"- ", "> - ", "1. ", "* "}).Draw(t, "head") + "[ ] " + rapid.StringMatching(`[a-z📅:;()\[\]]{1,8}( [a-z]{1,3})?( \^[a-z]{1,3})?`).Draw(t, "text")
		rules := TaskRules{DoneDate: true, Format: rapid.SampledFrom([]string{"", "dataview"}).Draw(t, "format")}
		ticked := strings.Replace(line, "[ ]", "[x]", 1)
		today := time.Date(2026, 11, 29, 0, 0, 0, 0, time.UTC)
		done, _ := Follow(line, ticked, rules.get, today)
		if !strings.Contains(done, "2026-11-29") {
			t.Fatalf("%q was not dated: %q", line, done)
		}
		open := strings.Replace(done, "[x]", "[ ]", 1)
		if back, _ := Follow(done, open, rules.get, today); back != line {
			t.Fatalf("%q → %q → %q", line, done, back)
		}
	})
}

func TestTaskFields(t *testing.T) {
	task := Task{Text: "a [priority:: High] ⏳ 2026-11-01 (start:: 2026-10-01) [created::2026-09-01] ✅ 2026-11-02 🔁 every day when done 🆔 a-b"}
	for field, want := range map[string]string{"scheduled": "2026-11-01", "start": "2026-10-01", "created": "2026-09-01", "completion": "2026-11-02", "repeat": "every day when done", "id": "a-b", "cancelled": "", "due": ""} {
		if got := task.Field(field); got != want {
			t.Errorf("%s: %q, want %q", field, got, want)
		}
	}
	for text, want := range map[string]string{task.Text: "high", "a 🔺": "highest", "a ⏫\ufe0f": "high", "🔼": "medium", "🔽 b": "low", "⏬": "lowest", "a": "normal", "(priority:: lowest)": "lowest"} {
		if got := (Task{Text: text}).Priority(); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
