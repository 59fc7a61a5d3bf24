// Package tui is the chat screen: a full-height terminal program in which a
// person talks with the agent about a vault.
//
// It promises that
//
//   - the first frame waits for nothing: what must be read (the conversation so
//     far, unfinished messages, examples) is loaded after it by Options.Load;
//   - only Update changes the model, and only what changed is drawn: an idle
//     screen writes no byte, a frame costs the same at any transcript length;
//   - nothing typed is lost: what Ctrl+C clears and what Esc stops is in the
//     prompt history, what is sent while a turn runs is queued in sight, with
//     where it will go;
//   - Esc stops the running turn in every state, and nothing else does: leaving
//     keeps its message for the next start;
//   - nothing that was typed ahead consents to a change, gives a key or picks an option: what
//     asks for these takes no key in its first half second, and Enter only where a choice is
//     marked; a key that is typed is seen nowhere;
//   - going back in a conversation loses nothing: what followed is a branch, what it did to the
//     vault is said to stay, and the draft that stood in the composer comes back;
//   - what an answer refers to is a link only where the program found it in the vault: a note or
//     a model makes none;
//   - changes are taken back only when nothing runs, and what was left as it is, is named;
//   - every text that comes from outside (model, notes, tools, errors, names) is
//     made safe before it is drawn, and the drawn frame is filtered once more;
//   - the terminal is restored on every way out, panics included.
//
// It reaches the agent through Processor and Events, and knows no provider, no
// vault, and of tools no more than a word for what each does. Whether something
// runs it knows from events alone.
package tui
