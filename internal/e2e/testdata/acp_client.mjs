// An editor made with the protocol's own TypeScript library drives `chatvault acp`. All that the agent
// sends goes through that library's schemas. Run by TestACPLibrary:
//
//	node acp_client.mjs PACKAGES PROGRAM VAULT
//
// The model is scripted by the test. It prints "ok" last.
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { pathToFileURL } from "node:url";
import assert from "node:assert/strict";

const [packages, program, vault] = process.argv.slice(2);
const library = join(packages, "node_modules/@agentclientprotocol/sdk/dist/v1");
const acp = await import(pathToFileURL(join(library, "stable/acp.js")));
const schema = await import(pathToFileURL(join(library, "schema/zod.gen.js")));

// start starts an agent. decide answers its requests for consent by the kind of option.
async function start({ decide = () => "reject_once", capabilities = {} } = {}) {
  const child = spawn(program, ["acp"], { stdio: ["pipe", "pipe", "inherit"] });
  const seen = { updates: [], asked: [] };
  const app = acp
    .client({ name: "test" })
    .onRequest("session/request_permission", ({ params }) => {
      seen.asked.push(params);
      const kind = decide(params);
      if (!kind) return new Promise(() => {});
      const option = params.options.find((o) => o.kind === kind);
      return { outcome: { outcome: "selected", optionId: option.optionId } };
    })
    .onRequest("fs/read_text_file", ({ params }) => ({ content: readFileSync(params.path, "utf8") }))
    .onNotification("session/update", ({ params }) => {
      schema.zSessionNotification.parse(params);
      seen.updates.push(params);
    });
  const connection = app.connect(acp.ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout)));
  const agent = connection.agent;
  const ask = async (method, params, result) => result.parse(await agent.request(method, params));
  const first = await ask(
    "initialize",
    { protocolVersion: acp.PROTOCOL_VERSION, clientCapabilities: { fs: { readTextFile: true, writeTextFile: false }, ...capabilities } },
    schema.zInitializeResponse,
  );
  assert.equal(first.protocolVersion, 1);
  assert.equal(first.authMethods.length, 0);
  assert.equal(first.agentCapabilities.loadSession, true);
  return {
    seen,
    open: async () => (await ask("session/new", { cwd: vault, mcpServers: [] }, schema.zNewSessionResponse)).sessionId,
    load: (sessionId) => ask("session/load", { sessionId, cwd: vault, mcpServers: [] }, schema.zLoadSessionResponse),
    list: async () => (await ask("session/list", { cwd: vault }, schema.zListSessionsResponse)).sessions,
    prompt: async (sessionId, text) =>
      (await ask("session/prompt", { sessionId, prompt: [{ type: "text", text }] }, schema.zPromptResponse)).stopReason,
    cancel: (sessionId) => agent.notify("session/cancel", { sessionId }),
    said: (sessionId) =>
      seen.updates
        .filter((u) => u.sessionId === sessionId && u.update.sessionUpdate === "agent_message_chunk")
        .map((u) => u.update.content.text)
        .join(""),
    leave: () =>
      new Promise((resolve) => {
        const began = Date.now();
        child.on("exit", (code) => resolve({ code, took: Date.now() - began }));
        child.stdin.end();
      }),
  };
}

const until = async (what, holds) => {
  for (let i = 0; !holds(); i++) {
    assert.ok(i < 3000, what);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
};

// A prompt, with consent refused and given.
let a = await start({ decide: (r) => (r.toolCall.title.includes("Refused") ? "reject_once" : "allow_once") });
const one = await a.open();
assert.equal(await a.prompt(one, "refuse"), "end_turn");
assert.equal(existsSync(join(vault, "Refused.md")), false);
assert.equal(await a.prompt(one, "allow"), "end_turn");
assert.equal(readFileSync(join(vault, "Allowed.md"), "utf8"), "allowed\n");
assert.equal(a.seen.asked.length, 2);
assert.ok(a.seen.asked[1].toolCall.content.some((c) => c.type === "diff" && c.newText === "allowed\n"));

// Two sessions, of which one hangs until it is cancelled.
const two = await a.open();
const hanging = a.prompt(one, "hang");
await until("the answer's beginning", () => a.said(one).includes("Hanging"));
assert.equal(await a.prompt(two, "second"), "end_turn");
await until("the answer", () => a.said(two).includes("Second session."));
await a.cancel(one);
assert.equal(await hanging, "cancelled");
const left = await a.leave();
assert.equal(left.code, 0);

// Both are there again, and one goes on where it was.
a = await start();
const sessions = await a.list();
assert.deepEqual(new Set(sessions.map((s) => s.sessionId)), new Set([one, two]));
await a.load(one);
await until("what was said", () => a.said(one).includes("Allowed it is.")); // the library hands it over on its own time
assert.ok(a.seen.updates.some((u) => u.update.sessionUpdate === "user_message_chunk" && u.update.content.text === "allow"));

// A question ends the turn, and the next prompt is the answer.
assert.equal(await a.prompt(one, "question"), "end_turn");
assert.equal(await a.prompt(one, "2"), "end_turn");
await until("the answer", () => a.said(one).includes("Figs then."));
await a.leave();
console.log("ok");
