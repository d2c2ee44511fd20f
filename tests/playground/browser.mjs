// Tries the playground in headless Chromium: `node browser.mjs PAGE FOLDER`, with the folder of the built page and the folder for
// screenshots. Ends with 1 if anything is not as it should be.

import { createReadStream, existsSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { extname, join, normalize } from "node:path";
import { chromium } from "playwright-core";

const [page_folder, folder] = process.argv.slice(2);
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm", ".json": "application/json" };

const server = createServer((request, response) => {
  const path = join(page_folder, normalize(decodeURIComponent(new URL(request.url, "http://x").pathname)).replace(/\/$/, "/index.html"));
  if (!existsSync(path) || !statSync(path).isFile()) return response.writeHead(404).end();
  response.writeHead(200, { "content-type": TYPES[extname(path)] ?? "text/plain" });
  createReadStream(path).pipe(response);
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));
const origin = `http://127.0.0.1:${server.address().port}`;
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
const failures = [];
let checks = 0;
function expect(condition, words) {
  checks += 1;
  if (!condition) { failures.push(words); console.log(`FAILED: ${words}`); }
}

async function open(address = "/", options = {}) {
  // The page's policy forbids what the test does to look into it.
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, bypassCSP: true, ...options });
  const page = await context.newPage();
  page.requests = [];
  page.on("request", (request) => page.requests.push(request.url()));
  page.on("pageerror", (error) => expect(false, `an error of the page: ${error.message}`));
  page.on("console", (message) => { if (message.type() === "error") expect(false, `console: ${message.text()}`); });
  await page.goto(origin + address);
  await settled(page);
  return page;
}

// The page has answered what was asked last.
async function settled(page) {
  await page.waitForFunction(() => document.body.dataset.state && !document.querySelector("[aria-busy]")
    && !document.getElementById("status").textContent.startsWith("checking"), null, { timeout: 90_000 });
}
async function after(page, act) {
  await page.evaluate(() => { delete document.body.dataset.state; });
  await act();
  await settled(page);
}
const codes = (page) => page.$$eval(".findings .code", (found) => found.map((it) => it.textContent));
const output = (page) => page.$eval("#output", (it) => it.innerText);

// Under its own policy, which allows nothing from elsewhere, the page works too.
const strict = await browser.newPage();
strict.on("console", (message) => { if (message.type() === "error") expect(false, `console: ${message.text()}`); });
await strict.goto(origin);
await strict.waitForSelector(".findings li", { timeout: 60_000 });
await strict.close();

const page = await open();
const first = await page.evaluate(() => performance.getEntriesByName("first-result")[0].startTime);
console.log(`first result after ${Math.round(first)} ms`);

for (const example of await page.$$eval("#example option", (all) => all.map((it) => it.value))) {
  await after(page, () => page.click("#tab-findings"));
  await after(page, () => page.selectOption("#example", example));
  const found = await codes(page);
  await after(page, () => page.click("#tab-sentences"));
  const sentences = await page.$$eval(".sentences dd", (all) => all.length);
  expect(found.length + sentences > 0, `${example} has findings or sentences`);
  console.log(`${example}: ${found.join(" ") || "no findings"}; ${sentences} sentences`);
  for (const tab of ["targets", "costs", "verdict"]) {
    await after(page, () => page.click(`#tab-${tab}`));
    const shown = await output(page);
    expect(shown.trim() !== "", `${tab} of ${example} says something`);
    console.log(`  ${tab}: ${shown.replaceAll(/\s+/g, " ").slice(0, 160)}`);
  }
}

// An edit, a fix, and the state in the address.
await after(page, () => page.click("#tab-findings"));
await after(page, () => page.selectOption("#example", "annotation"));
const before = await codes(page);
const text = await page.inputValue("#text");
const marked = await page.$$eval("#marks mark", (all) => all.map((it) => it.textContent));
expect(marked.length > 0 && marked.every((part) => text.includes(part)), "findings are marked in the text");
await after(page, () => page.click(".fix"));
const fixed = await codes(page);
expect(await page.inputValue("#text") !== text && fixed.length < before.length + 1 && fixed.join() !== before.join(), "a fix applies");
await after(page, () => page.fill("#text", "validations: '[{]'\n"));
expect((await codes(page)).join() !== fixed.join(), "an edit changes the findings");
await after(page, () => page.fill("#text", "# ünï 🐟\nvalidations: '[]'\n"));
await page.waitForTimeout(300);
const link = page.url();
const restored = await open(link.slice(origin.length));
expect(await restored.inputValue("#text") === "# ünï 🐟\nvalidations: '[]'\n", "a link restores the text");
expect((await codes(restored)).join() === (await codes(page)).join(), "a link restores the findings");

// The keyboard reaches the tabs.
await restored.focus("#tab-findings");
await after(restored, () => restored.keyboard.press("ArrowRight"));
expect(await restored.getAttribute("#tab-sentences", "aria-selected") === "true", "arrows change the tab");

// Hostile texts leave the page alive.
const alive = async (name) => {
  await after(page, () => page.fill("#text", "validations: '[]'\n"));
  expect((await codes(page)).length > 0, `the page answers after ${name}`);
};
const hostile = {
  "an empty text": "", "a binary text": "\u0001\u0002\ufffd\u0000%&*!", "deep brackets": "[".repeat(50_000),
  "a deep expression": `apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: a.b.c}\nspec: {group: b.c, names: {kind: A, plural: a}, scope: Cluster, versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-validations: [{rule: "${"(".repeat(240)}true${")".repeat(240)}"}]}}}]}\n`,
  "deep blocks": Array.from({ length: 2000 }, (_, depth) => `${" ".repeat(depth)}a:\n`).join(""),
  "a megabyte": "- {name: value, other: [1, 2, 3]}\n".repeat(30_000),
};
for (const [name, value] of Object.entries(hostile)) {
  const start = Date.now();
  await after(page, () => page.evaluate((value) => {
    const text = document.getElementById("text");
    text.value = value;
    text.dispatchEvent(new Event("input"));
  }, value));
  console.log(`${name}: ${(await page.textContent("#status")).slice(0, 120)} (${Date.now() - start} ms)`);
  await alive(name);
}

// A program that traps on every request is started again each time.
const sized = (bytes) => [bytes.length, ...bytes];
const section = (id, ...bytes) => [id, ...sized(bytes)];
const exported = (name, kind, index) => [...sized([...Buffer.from(name)]), kind, index];
const trapping = Buffer.from([
  0, 0x61, 0x73, 0x6d, 1, 0, 0, 0,
  ...section(1, 2, 0x60, 1, 0x7f, 1, 0x7f, 0x60, 0, 1, 0x7f),
  ...section(3, 3, 0, 1, 1),
  ...section(5, 1, 0, 16),
  ...section(7, 4, ...exported("memory", 2, 0), ...exported("reserve_request", 0, 0), ...exported("answer_reserved", 0, 1), ...exported("answer_address", 0, 2)),
  ...section(10, 3, ...sized([0, 0x41, 0, 0x0b]), ...sized([0, 0x00, 0x0b]), ...sized([0, 0x41, 0, 0x0b])),
]);
const trapped = await browser.newContext({ bypassCSP: true }).then((context) => context.newPage());
await trapped.route("**/kvrules.wasm", (route) => route.fulfill({ contentType: "application/wasm", body: trapping }));
await trapped.goto(origin);
await settled(trapped);
for (const value of ["a: 1", "b: 1"]) {
  await after(trapped, () => trapped.fill("#text", value));
  const said = await trapped.textContent("#status");
  expect(/stopped on this input .*started again/.test(said), `a trap is reported, not: ${said}`);
}
await trapped.close();

// Looks: sizes and themes, and what axe says.
for (const width of [1440, 390]) {
  for (const scheme of ["light", "dark"]) {
    const seen = await open("/", { viewport: { width, height: 900 }, colorScheme: scheme });
    for (const [example, tab] of [["annotation", "findings"], ["definition", "costs"], ["rule-set", "targets"], ["definition", "verdict"], ["policy", "sentences"]]) {
      await after(seen, () => seen.selectOption("#example", example));
      await after(seen, () => seen.click(`#tab-${tab}`));
      const wide = await seen.evaluate(() => document.documentElement.scrollWidth);
      expect(wide <= width, `${tab} is ${wide} px wide at ${width} px`);
      await seen.evaluate(axe);
      const { violations } = await seen.evaluate(() => axe.run());
      for (const it of violations.filter(({ impact }) => ["serious", "critical"].includes(impact))) {
        expect(false, `axe at ${width} px, ${scheme}, ${tab}: ${it.id}: ${it.nodes.map((node) => node.html.slice(0, 90)).slice(0, 3).join(" | ")}`);
      }
      checks += 1;
      await seen.screenshot({ path: join(folder, `${example}-${tab}-${width}-${scheme}.png`), fullPage: true });
    }
    await seen.close();
  }
}
const embedded = await open("/?embed&example=rule-set");
expect(!await embedded.isVisible("footer"), "an embedded page has no footer");
await embedded.screenshot({ path: join(folder, "embed.png") });

const foreign = [...page.requests, ...restored.requests, ...embedded.requests].filter((url) => !url.startsWith(origin) && !url.startsWith("data:"));
expect(foreign.length === 0, `no request leaves the page: ${foreign}`);
await browser.close();
server.close();
console.log(failures.length ? `${failures.length} of ${checks} checks failed` : `${checks} of ${checks} checks agree`);
process.exit(failures.length ? 1 : 0);
