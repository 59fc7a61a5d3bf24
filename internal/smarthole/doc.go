// Package smarthole is the second way in: messages that the SmartHole program on this computer
// routes here, spoken or written, over a WebSocket.
//
// It promises that a message is acknowledged only when it is durable in the inbox, that one which
// is delivered twice is handled once, and that what has to be said while nobody listens is kept on
// disk and said, with its time, when somebody does. It connects to this computer only.
package smarthole
