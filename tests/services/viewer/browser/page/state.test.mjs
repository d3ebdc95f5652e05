import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { fire, openPage } from "../small-document.mjs";

const page = openPage({ hash: "#c=a,b&q=x" });
const { history, location } = globalThis;
const { onState, pushState, readState, replaceState, writeState } = await import("../../../../../services/viewer/browser/page/state.js");
let replaced, pushed;

beforeEach(() => {
  [replaced, pushed] = [[], []];
  const written = (list) => (state, _, address) => {
    list.push([state, address]);
    location.hash = address.includes("#") ? address.slice(address.indexOf("#")) : "";
  };
  Object.assign(history, { state: "of before", replaceState: written(replaced), pushState: written(pushed) });
  location.search = "?lang=fr";
  location.hash = "#c=a,b&q=x";
});

test("parts of the state are written, the others stay", () => {
  assert.deepEqual(readState(), { c: "a,b", q: "x" });
  writeState({ q: null, s: "b" });
  assert.deepEqual([readState(), pushed], [{ c: "a,b", s: "b" }, []]);
  assert.deepEqual(replaced, [["of before", "/map?lang=fr#c=a,b&s=b"]]);
});

test("the whole state is replaced, and what is the same is not written again", () => {
  replaceState({ t: "2020" });
  replaceState({ t: "2020" });
  replaceState({});
  assert.deepEqual(replaced.map(([, address]) => address), ["/map?lang=fr#t=2020", "/map?lang=fr"]);
});

test("the back button leads to what was before a state that was pushed", () => {
  pushState({ q: "y" });
  pushState({ q: "y" });
  assert.deepEqual([pushed, replaced], [[["of before", "/map?lang=fr#c=a,b&q=y"]], []]);
});

test("a change by somebody else is told, one's own is not", () => {
  const heard = [];
  onState((state) => heard.push(state));
  for (const write of [writeState, pushState]) {
    write({ q: `of ${write.name}` });
    fire(page.beyond, "hashchange");
  }
  assert.deepEqual(heard, []);
  location.hash = "#q=pasted";
  fire(page.beyond, "hashchange");
  assert.deepEqual(heard, [{ q: "pasted" }]);
});
