import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";

import { fire, openPage } from "../open-page.mjs";

const page = openPage();
const { history, location } = globalThis;
const { onState, pushState, readState, replaceState, writeState } = await import("../../../../../services/viewer/browser/page/state.js");
const { mock: replacing } = mock.method(history, "replaceState");
const { mock: pushing } = mock.method(history, "pushState");
const written = ({ calls }) => calls.map(({ arguments: [state, , address] }) => [state, address]);

beforeEach(() => {
  history.replaceState("of before", "", "/map?lang=fr#c=a,b&q=x");
  replacing.resetCalls();
  pushing.resetCalls();
});

test("parts of the state are written, the others stay", () => {
  assert.deepEqual(readState(), { c: "a,b", q: "x" });
  writeState({ q: null, s: "b" });
  assert.deepEqual([readState(), written(pushing)], [{ c: "a,b", s: "b" }, []]);
  assert.deepEqual(written(replacing), [["of before", "/map?lang=fr#c=a,b&s=b"]]);
});

test("the whole state is replaced, and what is the same is not written again", () => {
  replaceState({ t: "2020" });
  replaceState({ t: "2020" });
  replaceState({});
  assert.deepEqual(written(replacing).map(([, address]) => address), ["/map?lang=fr#t=2020", "/map?lang=fr"]);
});

test("the back button leads to what was before a state that was pushed", () => {
  pushState({ q: "y" });
  pushState({ q: "y" });
  assert.deepEqual([written(pushing), written(replacing)], [[["of before", "/map?lang=fr#c=a,b&q=y"]], []]);
});

test("a change by somebody else is told, one's own is not", () => {
  const heard = [];
  onState((state) => heard.push(state));
  for (const write of [writeState, pushState]) {
    write({ q: `of ${write.name}` });
    fire(page.defaultView, "hashchange");
  }
  assert.deepEqual(heard, []);
  location.hash = "#q=pasted";
  assert.deepEqual(heard, [{ q: "pasted" }]);
});
