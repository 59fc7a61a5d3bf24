// The protocol's own client drives `chatvault acp`: all of its methods, and the requests of several editors. Every line
// in both directions is validated against the newest schema of the protocol. Run by run.sh.
import { spawn } from "node:child_process";
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { PassThrough, Readable, Writable } from "node:stream";
import assert from "node:assert/strict";
import * as acp from "@agentclientprotocol/sdk";
import Ajv from "ajv/dist/2020.js";

const [program, home] = process.argv.slice(2);
const vault = join(home, "notes");
const schema = JSON.parse(readFileSync(createRequire(import.meta.url).resolve("@agentclientprotocol/sdk/schema/v1/schema.json")));
const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
ajv.addSchema(schema, "acp");

// The definitions of parameters and results, by side and method.
const params = {}, results = {};
for (const [name, def] of Object.entries(schema.$defs)) {
  if (def["x-method"]) (name.endsWith("Response") ? results : params)[`${def["x-side"]} ${def["x-method"]}`] = ajv.compile({ $ref: `acp#/$defs/${name}` });
}
const asked = { agent: new Map(), client: new Map() }; // methods of the requests to a side, by ID
let checked = 0;
function validate(to, line) {
  const m = JSON.parse(line);
  assert.equal(m.jsonrpc, "2.0");
  let check, value;
  if (m.method) {
    if (m.id !== undefined) asked[to].set(m.id, m.method);
    [check, value] = [params[`${to} ${m.method}`], m.params];
  } else if (m.result !== undefined) {
    const by = to === "agent" ? "client" : "agent";
    [check, value] = [results[`${by} ${asked[by].get(m.id)}`], m.result];
  }
  if (!check) return;
  checked++;
  assert.ok(check(value), `${line}\n${ajv.errorsText(check.errors)}`);
}
// tap validates what passes, line by line.
function tap(to, from) {
  const out = new PassThrough();
  let rest = "";
  from.on("data", (data) => {
    const lines = (rest + data).split("\n");
    rest = lines.pop();
    for (const line of lines) if (line.trim()) validate(to, line);
    out.write(data);
  });
  from.on("end", () => out.end());
  return out;
}

async function start(initialize, { form } = {}) {
  const child = spawn(program, ["acp", "--offline"], { stdio: ["pipe", "pipe", "inherit"] });
  const sent = new PassThrough();
  tap("agent", sent).pipe(child.stdin);
  const seen = { updates: [], asked: [], forms: [] };
  const app = acp
    .client({ name: "test" })
    .onRequest("session/request_permission", ({ params }) => {
      seen.asked.push(params);
      return { outcome: { outcome: "selected", optionId: params.options.find((o) => o.kind === "allow_once").optionId } };
    })
    .onRequest("elicitation/create", ({ params }) => {
      seen.forms.push(params);
      return form(params);
    })
    .onRequest("fs/read_text_file", ({ params }) => {
      assert.ok(!/secret|geheimnis/i.test(params.path), "asked for a private note");
      return { content: readFileSync(params.path, "utf8") };
    })
    .onNotification("session/update", ({ params }) => void seen.updates.push(params.update));
  const connection = app.connect(acp.ndJsonStream(Writable.toWeb(sent), Readable.toWeb(tap("client", child.stdout))));
  const call = (method, params) => connection.agent.request(method, params);
  const answer = await call("initialize", initialize);
  return {
    seen, answer, call,
    open: (cwd = vault) => call("session/new", { cwd, mcpServers: [] }),
    prompt: async (sessionId, ...prompt) => (await call("session/prompt", { sessionId, prompt: prompt.map((p) => (typeof p === "string" ? { type: "text", text: p } : p)) })).stopReason,
    said: () => seen.updates.filter((u) => u.sessionUpdate === "agent_message_chunk").map((u) => u.content.text).join(""),
    leave: () => new Promise((resolve) => (child.on("exit", resolve), sent.end())),
  };
}
// until waits: the library hands notifications over on its own time.
async function until(what, holds) {
  for (let i = 0; !holds(); i++) {
    assert.ok(i < 500, what);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
const step = (name) => console.log(`client: ${name}: ok`);

// How editors introduce themselves.
const editors = {
  zed: { protocolVersion: 1, clientCapabilities: { fs: { readTextFile: true, writeTextFile: true }, terminal: true, auth: { terminal: true }, elicitation: { form: {}, url: {} }, session: { configOptions: { boolean: {} } }, _meta: { terminal_output: true } }, clientInfo: { name: "zed", title: "Zed", version: "1.2.0" } },
  neovim: { protocolVersion: 1, clientCapabilities: { fs: { readTextFile: true, writeTextFile: true } }, clientInfo: { name: "CodeCompanion.nvim", version: "18.0.0" } },
  oldest: { protocolVersion: 1, clientCapabilities: {} },
  later: { protocolVersion: 2, clientCapabilities: {} },
};
for (const [name, hello] of Object.entries(editors)) {
  const a = await start(hello);
  assert.equal(a.answer.protocolVersion, 1);
  assert.equal(a.answer.authMethods.length, 0);
  assert.deepEqual(Object.keys(a.answer.agentCapabilities.sessionCapabilities).sort(), ["close", "delete", "list", "resume"]);
  assert.equal(await a.leave(), 0);
  step(`initialize of ${name}`);
}

let a = await start(editors.zed, { form: () => ({ action: "accept", content: { words: "Plums.md" } }) });
const one = await a.open();
assert.deepEqual(one.configOptions.map((o) => [o.id, o.category, o.currentValue]), [["mode", "mode", "ask"], ["model", "model", "offline"]]);
assert.equal(await a.prompt(one.sessionId, "what does plum jam need?"), "end_turn");
await until("the answer", () => a.said().includes("sugar"));
step("prompt");

assert.equal(await a.prompt(one.sessionId, 'create a note Figs.md with "Figs are sweet"'), "end_turn");
assert.equal(a.seen.asked.length, 1);
assert.ok(existsSync(join(vault, "Figs.md")));
step("consent");

const set = await a.call("session/set_config_option", { sessionId: one.sessionId, configId: "mode", value: "auto" });
assert.equal(set.configOptions[0].currentValue, "auto");
await a.call("session/set_config_option", { sessionId: one.sessionId, configId: "model", value: "offline" });
await a.call("session/set_mode", { sessionId: one.sessionId, modeId: "plan" });
for (const bad of [{ configId: "mode", value: "sudo" }, { configId: "colour", value: "red" }, { configId: "mode", type: "boolean", value: true }])
  await assert.rejects(a.call("session/set_config_option", { sessionId: one.sessionId, ...bad }));
await until("the modes", () => a.seen.updates.filter((u) => u.sessionUpdate === "current_mode_update").map((u) => u.currentModeId).join() === "auto,plan");
step("modes and options");

// A private note in every spelling of its URI, as a link, as a text and as a picture.
const secret = join(vault, "P/Secret.md"), rest = encodeURIComponent(secret);
const uris = [
  `file://${secret}`, `file://localhost${secret}`, `FILE://${secret}`, `file:${secret}`, secret, "P/Secret.md", "./P/Secret.md", "../notes/P/Secret.md", "Sub/../P/Secret.md", "p/SECRET.md",
  `file://${vault}/%50/%53ecret.md`, `file://${vault}/P%2FSecret.md`, `file://${vault}/P%252FSecret.md`, `file://${vault}/Sub/../P/Secret.md`, `file://${vault.toUpperCase()}/p/secret.MD`,
  `file://${secret}#L1:2`, `file://${secret}?symbol=x#L1`, `file://${secret}%`, `file://${home}/link/P/Secret.md`, `file://${home}/elsewhere.md`,
  `zed:///agent/file?path=${secret}`, `zed:///agent/file?path=${rest}`, `zed:///agent/selection?path=${rest}#L0:1`, `zed:///agent/symbol/x?path=${rest}#L1:1`, `zed:///agent/file?path=P/Secret.md`,
  `vscode://file${secret}`, `obsidian://open?vault=notes&file=P%2FSecret`, `obsidian://open?vault=notes&file=P/Secret.md`, `editor:///x?file=${rest}`,
  `file://${vault}/P/${encodeURIComponent("Geheimnis über.md".normalize("NFD"))}`, `file://${vault}/P/${encodeURIComponent("Geheimnis über.md".normalize("NFC"))}`,
];
const two = await a.open();
for (const uri of uris) {
  const said = a.said().length;
  await a.prompt(two.sessionId, "about plums ", { type: "resource", resource: { uri, text: "the secret sauce", mimeType: "text/markdown" } }, { type: "resource_link", name: "Secret.md", uri }, { type: "image", mimeType: "image/png", data: "AAAA", uri });
  await until(uri, () => a.said().slice(said).includes("was not attached"));
}
const files = (dir) => readdirSync(dir).flatMap((name) => (statSync(join(dir, name)).isDirectory() ? files(join(dir, name)) : [join(dir, name)]));
for (const file of files(join(home, "s"))) assert.ok(!/secret sauce/i.test(readFileSync(file, "utf8")), `${file} holds the secret`);
step(`${uris.length} spellings of a private note`);

// Editors' own blocks of notes that may be read.
for (const uri of [`file://${vault}/Plums.md`, `zed:///agent/file?path=${encodeURIComponent(join(vault, "Plums.md"))}`, `file://${home}/link/Plums.md`]) {
  await a.prompt(two.sessionId, "what is in ", { type: "resource_link", name: "Plums.md", uri });
  await a.call("session/close", { sessionId: two.sessionId });
  const past = a.seen.updates.length;
  await a.call("session/load", { sessionId: two.sessionId, cwd: vault, mcpServers: [] });
  await until(uri, () => a.seen.updates.slice(past).some((u) => u.sessionUpdate === "user_message_chunk" && u.content.text.includes("@Plums.md")));
}
step("mentions");

const { sessions } = await a.call("session/list", { cwd: vault });
assert.deepEqual(new Set(sessions.map((s) => s.sessionId)), new Set([one.sessionId, two.sessionId]));
await assert.rejects(a.call("session/list", { cwd: vault, cursor: "3" }));
await a.call("session/close", { sessionId: one.sessionId });
await a.call("session/resume", { sessionId: one.sessionId, cwd: vault, mcpServers: [] });
for (const sessionId of [one.sessionId, two.sessionId, two.sessionId, "no-such", "../x"]) await a.call("session/delete", { sessionId });
assert.deepEqual((await a.call("session/list", { cwd: vault })).sessions, []);
await assert.rejects(a.prompt(one.sessionId, "hello"));
await a.call("logout", {});
assert.equal(await a.leave(), 0);
step("list, resume, load, close, delete, logout");
console.log(`client: ${checked} messages are valid`);
