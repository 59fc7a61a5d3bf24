package retrieval_test

import (
	"context"
	"slices"
	"testing"

	"chatvault/agent/llm/offline/retrieval"
)

// found returns the paths of a question's hits, from an index and without one, which must agree.
func found(t *testing.T, notes map[string]string, question string) []string {
	t.Helper()
	s := newMemoryCorpus(notes)
	x := retrieval.NewIndex(s)
	refresh(t, x)
	hits, err := x.Search(context.Background(), retrieval.Query{Text: question}, 10)
	if err != nil {
		t.Fatal(err)
	}
	once, err := retrieval.Once(context.Background(), memoryTexts{s}, retrieval.Query{Text: question}, 10)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := paths(hits), paths(once); len(a) > 0 && (len(b) == 0 || a[0] != b[0]) {
		t.Errorf("%q: an index finds %q, without one %q", question, a, b)
	}
	return paths(hits)
}

// memoryTexts is a memoryCorpus that provides all texts at once.
type memoryTexts struct{ *memoryCorpus }

func (memoryTexts) Workers() int { return 1 }

func (s memoryTexts) EachText(ctx context.Context, max int, visit func(int, retrieval.Note, []byte)) error {
	for n, err := range s.Notes(ctx) {
		if err != nil {
			return err
		}
		text, err := s.Head(ctx, n.Path, max)
		if err != nil {
			return err
		}
		visit(0, n, text)
	}
	return nil
}

func TestEmptyNoteFoundByName(t *testing.T) {
	notes := map[string]string{
		"People/Mara Lindqvist.md": "",
		"Places/Harbour.md":        "---\naliases: [Old quay]\n---\n",
		"Log.md":                   "Went to the market for quinces.\n",
	}
	for question, want := range map[string]string{"who is Mara Lindqvist": "People/Mara Lindqvist.md", "where is the old quay": "Places/Harbour.md"} {
		if got := found(t, notes, question); len(got) == 0 || got[0] != want {
			t.Errorf("%q: %q", question, got)
		}
	}
}

func TestNumberBeforeNameIsNotAsked(t *testing.T) {
	notes := map[string]string{
		"01 - Garden/🗂️ 01 - Garden.md": "All beds and trees.\n",
		"Talks/Garden talk.md":          "An overview of the garden, and how a garden grows.\n",
		"Log.md":                        "A short overview of the garden: the garden sleeps.\n",
	}
	if got := found(t, notes, "overview of the garden"); len(got) == 0 || got[0] != "01 - Garden/🗂️ 01 - Garden.md" {
		t.Errorf("%q", got)
	}
}

func TestShorterPathBreaksTies(t *testing.T) {
	text := "The boiler is serviced in autumn.\n"
	got := found(t, map[string]string{"House/2019/Boiler.md": text, "Home/Boiler.md": text, "House/Boiler.md": text}, "boiler service")
	if want := []string{"Home/Boiler.md", "House/Boiler.md", "House/2019/Boiler.md"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func TestConflictCopiesRankLower(t *testing.T) {
	note, text := "Travel/Lisbon.md", "# Lisbon\n\nThe hotel is near the tram.\n"
	better := text + "\nHotel prices, hotel rooms and hotel breakfast in Lisbon.\n"
	for _, c := range []struct {
		by, path, text string
		copy           bool
	}{
		{"Dropbox", "Travel/Lisbon (Ana's conflicted copy 2026-11-02).md", better, true},
		{"Nextcloud", "Travel/Lisbon (conflicted copy 2026-11-02 101500).md", better, true},
		{"Obsidian Sync", "Travel/Lisbon (Conflicted copy laptop 202611021015).md", better, true},
		{"Syncthing", "Travel/Lisbon.sync-conflict-20261102-101500-ABCDEFG.md", better, true},
		{"iCloud", "Travel/Lisbon 2.md", text, true},
		{"Google Drive", "Travel/Lisbon (1).md", text, true},
		{"OneDrive", "Travel/Lisbon-DESKTOP-4F2A.md", text, true},
		{"a separate note", "Travel/Lisbon 2.md", better, false},
		{"another folder", "Lisbon (conflicted copy 2026-11-02).md", better, false},
	} {
		got := found(t, map[string]string{note: text, c.path: c.text, "Food.md": "Hotel breakfast.\n"}, "hotel in Lisbon")
		if i := slices.Index(got, note); c.copy && (i < 0 || i+1 >= len(got) || got[i+1] != c.path) {
			t.Errorf("%s: %q", c.by, got)
		} else if !c.copy && got[0] != c.path {
			t.Errorf("%s: %q", c.by, got)
		}
	}
}

func TestChineseAndJapaneseQuestions(t *testing.T) {
	notes := map[string]string{
		"为什么.md":     "# 为什么\n\n为什么天空是蓝色的？\n",
		"终身学习.md":    "知识会老化，所以要不断更新。\n",
		"读书.md":      "怎样读一本书：先看目录。\n",
		"机构.md":      "机构人员膨胀的原因：截止日期之前，工作会填满全部时间。\n",
		"云.md":       "越来越多的代码运行在云上。\n",
		"どんな紙.md":    "# どんな紙\n\nどんなことでも書いてください。\n",
		"竹紙.md":      "竹の繊維から作る。\n",
		"データ.md":     "データベースの設計。\n",
		"ばら.md":      "ばらの育て方。\n",
		"はら.md":      "はらの痛み。\n",
		"イスラーム.md":   "預言者は猫を大切にした。\n",
		"動物.md":      "# 動物\n\n象について。\n",
		"서울 여행.md":   "서울에서 먹은 냉면.\n",
		"Weather.md": "Rain.\n",
	}
	for question, want := range map[string]string{
		"为什么要终身学习":          "终身学习.md", // question words have no weight
		"为什么机构膨胀，越来越多，拖到截止": "机构.md",   // three words outweigh a long one
		"竹紙とはどんな紙か":         "竹紙.md",
		"データベースについて教えて":     "データ.md", // the prolonged sound mark is part of the word
		"ばら": "ばら.md", // a voiced sound is a different one
		"預言者はどんな動物が好きだった": "イスラーム.md",
		"为什么": "为什么.md", // a question of question words alone still finds notes
		"냉면":  "서울 여행.md",
	} {
		if got := found(t, notes, question); len(got) == 0 || got[0] != want {
			t.Errorf("%q: %q, want %q", question, got, want)
		}
	}
}
