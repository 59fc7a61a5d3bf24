package offline_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"chatvault/agent/llm"
)

const granAnswer = "Assistant: From your notes:\n  \n  > Lotte Falk, born 5 December 1935.\n  \n  — [[Gran]] (People/Gran.md:6)"

func TestTitlesAndSummaries(t *testing.T) {
	c := newChat(t, rigged())
	for _, k := range []struct{ talk, title, summary string }{
		{
			"User: when was Gran born?\n" + granAnswer,
			"When was Gran born: found in Gran",
			"The user asked “when was Gran born?”. Nothing was changed; the answers came from Gran.",
		},
		{
			"User: please delete Home\nCall: delete_file {}\nFailure of delete_file: Error: The user denied this change. Nothing was changed.\nAssistant: I did not delete it.",
			"Delete Home: it could not be done",
			"The user asked “please delete Home”. Nothing was changed, and no note was cited. 1 step failed or was denied (delete_file).",
		},
		{
			"User: hi\nAssistant: Hello!\nUser: could you move Knee to Archive, then add milk and eggs to Garden and show it to me?\nResult of move_file: Moved \"Health/Knee.md\" to \"Archive/Knee.md\". Updated 2 links in 1 note.\nResult of edit_file: Edited Garden.md.\nAssistant: Done.",
			"Move Knee to Archive, then add milk…",
			"The user asked “could you move Knee to Archive, then add milk and eggs to Garden and show it to me?”. This was changed: Moved \"Health/Knee.md\" to \"Archive/Knee.md\"; Edited Garden.md.",
		},
		{
			"User: delete Lena\nAssistant: Two notes fit “Lena”. Which one should I delete? (Or say “cancel”.)",
			"Delete Lena: a question is left open",
			"The user asked “delete Lena”. Nothing was changed, and no note was cited. The last question to the user was left open: “Two notes fit “Lena””.",
		},
		{
			"User: delete Lena\nAssistant: Two notes fit “Lena”. Which one? (Or say “cancel”.)\nUser: the second\nResult of delete_file: Deleted People/Lena Okafor.md.\nAssistant: Deleted.\nUser: thanks, bye\nAssistant: Goodbye!",
			"Delete Lena: a question is left open",
			"The user asked “delete Lena”. This was changed: Deleted People/Lena Okafor.md.",
		},
		{
			"User: was weiß ich über Äpfel & Birnen?\nAssistant: Nothing in your notes.",
			"Was weiß ich über Äpfel & Birnen",
			"The user asked “was weiß ich über Äpfel & Birnen?”. Nothing was changed, and no note was cited.",
		},
		{"User: hi\nAssistant: Hello!", "Hi: asked, and answered without changes", "The user asked “hi”. Nothing was changed, and no note was cited."},
		{
			"User: tidy\nAssistant: (This request failed before it was answered: the network is down)",
			"Tidy: asked, and answered without changes",
			"The user asked “tidy”. Nothing was changed, and no note was cited. The last request failed before it was answered.",
		},
		{"", "A conversation in which nothing was asked", "Nothing was asked. Nothing was changed."},
	} {
		title, summary, _ := strings.Cut(aside(c, llm.PurposeTitle, "Name it.", k.talk), "\nSUMMARY: ")
		if title != "TITLE: "+k.title || summary != k.summary {
			t.Errorf("%s\n got %s\n     %s\nwant %s\n     %s", k.talk, title, summary, k.title, k.summary)
		}
	}
}

// TestAnyConversationGetsATitle holds, for texts at random, that the answer is two lines, and the
// title five to eight words.
func TestAnyConversationGetsATitle(t *testing.T) {
	c := newChat(t, rigged())
	checksOf(t, 60)
	rapid.Check(t, func(r *rapid.T) {
		var talk []string
		for range rapid.IntRange(0, 4).Draw(r, "entries") {
			who := rapid.SampledFrom([]string{"User", "User", "Assistant", "Result of write_file", "Failure of move_file", "Program"}).Draw(r, "who")
			text := rapid.OneOf(rapid.String(), rapid.SampledFrom(sayings)).Draw(r, "text")
			talk = append(talk, who+": "+strings.ReplaceAll(text, "\n", "\n  "))
		}
		got := aside(c, llm.PurposeTitle, "Name it.", strings.Join(talk, "\n"))
		title, summary, ok := strings.Cut(got, "\nSUMMARY: ")
		if n := len(strings.Fields(title)) - 1; !ok || strings.Contains(summary, "\n") || !strings.HasPrefix(title, "TITLE: ") || n < 5 || n > 8 {
			r.Fatalf("%d words: %q", n, got)
		}
		if got := aside(c, llm.PurposeRetrospection, "Look back.", strings.Join(talk, "\n")); !strings.HasPrefix(got, "**Asked**\n\n") {
			r.Fatalf("%q", got)
		}
	})
}

func aside(c *chat, purpose llm.Purpose, system, talk string) string {
	return c.stream(llm.Request{Purpose: purpose, Messages: []llm.Message{{Role: llm.RoleSystem, Content: system}, {Role: llm.RoleUser, Content: "<conversation>\n" + talk + "\n</conversation>\n\nNow write."}}}).Text
}
