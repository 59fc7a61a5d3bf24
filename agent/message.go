// Package agent is the heart of chatvault: the Processor takes messages one at a
// time through a durable inbox, the Agent thinks and acts in a loop over tools,
// and subscribers see every step as an Event. It promises that a message Submit
// returned nil for is on disk, that a tool never runs twice because a model call
// was retried, and that Stop is safe at any moment.
package agent
