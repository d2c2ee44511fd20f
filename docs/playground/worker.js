// Answers requests with the WebAssembly of kvrules, away from the page, which stays usable meanwhile.

const imports = (module, memory) => {
  // A dependency of a dependency asks for random numbers, for its hash tables. Constants do, and keep answers the same.
  const fill = (address, length) => new Uint8Array(memory().buffer, address, length).fill(7);
  const absent = () => { throw new Error("an import without a use was called"); };
  const found = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    found[from] ??= {};
    found[from][name] = name.includes("getRandomValues") ? fill : absent;
  }
  return found;
};

let compiled;
let exports;

async function compile() {
  const response = await fetch("kvrules.wasm");
  if (!response.ok) throw new Error(`kvrules.wasm: ${response.status}`);
  // Some servers do not know the media type, which compiling while loading requires.
  const isKnown = response.headers.get("content-type") === "application/wasm";
  return isKnown ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
}

async function instantiate() {
  compiled ??= await compile();
  const instance = await WebAssembly.instantiate(compiled, imports(compiled, () => exports.memory));
  exports = instance.exports;
}

function answer(request) {
  const bytes = new TextEncoder().encode(JSON.stringify(request));
  const address = exports.reserve_request(bytes.length);
  new Uint8Array(exports.memory.buffer, address, bytes.length).set(bytes);
  const length = exports.answer_reserved();
  const answered = new Uint8Array(exports.memory.buffer, exports.answer_address(), length);
  return JSON.parse(new TextDecoder().decode(answered));
}

let ready = instantiate();

self.onmessage = async ({ data: { id, request } }) => {
  try {
    await ready;
  } catch (error) {
    self.postMessage({ id, failed: `The program could not be loaded: ${error.message}` });
    return;
  }
  try {
    self.postMessage({ id, answer: answer(request) });
  } catch (error) {
    // A trap leaves the memory in an unknown state, so that the next request gets a new one.
    ready = instantiate();
    self.postMessage({ id, failed: `The program stopped on this input (${error.message}) and was started again.` });
  }
};
