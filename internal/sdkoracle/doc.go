// Package sdkoracle tests chatvault's requests, and the answers of the scripted servers in internal/llmtest,
// against the official SDKs, which define the correct format. It is a separate module, so that the product
// does not depend on the SDKs.
package sdkoracle
