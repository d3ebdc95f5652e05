import assert from "node:assert/strict";
import { test } from "node:test";

import { pdfOf } from "../../../../../services/viewer/browser/page/pdf.js";

const PICTURE = new Uint8Array([0xff, 0xd8, 0x0a, 0x65, 0xff, 0xd9]);

const textOf = async (blob) => Buffer.from(await blob.arrayBuffer()).toString("latin1");

test("each object stands where the table says", async () => {
  const text = await textOf(pdfOf(PICTURE, { width: 800, height: 600 }, "Erdbeben ±180° – 地震"));
  assert.ok(text.startsWith("%PDF-1.4\n"));
  assert.equal(text.split("\nendobj\n").length, 7);
  assert.match(text, /\ntrailer\n<< \/Size 7 \/Root 1 0 R \/Info 6 0 R >>\n/);
  const [, table] = /startxref\n(\d+)\n%%EOF\n$/.exec(text);
  assert.ok(text.slice(Number(table)).startsWith("xref\n0 7\n"));
  const places = [...text.matchAll(/^(\d{10}) 00000 n $/gm)].map(([, place]) => Number(place));
  assert.equal(places.length, 6);
  places.forEach((place, at) => assert.ok(text.slice(place).startsWith(`${at + 1} 0 obj\n`), `object ${at + 1}`));
});

test("the picture is in it as it was, and the title in any script", async () => {
  const text = await textOf(pdfOf(PICTURE, { width: 800, height: 600 }, "地震"));
  assert.ok(text.includes(`/Length 6 >>\nstream\n${Buffer.from(PICTURE).toString("latin1")}\nendstream`));
  assert.ok(text.includes(`/Title <feff${"地震".charCodeAt(0).toString(16)}${"地震".charCodeAt(1).toString(16)}>`));
  assert.ok(text.includes("/Width 800 /Height 600"));
});

test("the page lies as the picture does, which fills it between the margins", async () => {
  const across = await textOf(pdfOf(PICTURE, { width: 800, height: 400 }, ""));
  assert.ok(across.includes("/MediaBox [0 0 841.89 595.28]"));
  assert.ok(across.includes("q 793.89 0.00 0.00 396.94 24.00 174.33 cm /Map Do Q"), across);
  const upright = await textOf(pdfOf(PICTURE, { width: 400, height: 800 }, ""));
  assert.ok(upright.includes("/MediaBox [0 0 595.28 841.89]"));
  assert.ok(upright.includes("q 396.94 0.00 0.00 793.89 99.17 24.00 cm /Map Do Q"), upright);
});

test("it is a PDF of one page, which shows the picture that it has", async () => {
  const made = pdfOf(PICTURE, { width: 500, height: 500 }, "A");
  assert.equal(made.type, "application/pdf");
  const text = await textOf(made);
  const objects = [...text.matchAll(/(\d) 0 obj\n([^]*?)\nendobj/g)].map(([, number, body]) => [number, body]);
  assert.deepEqual(objects.map(([number]) => number), ["1", "2", "3", "4", "5", "6"]);
  const [catalog, pages, sheet, drawing, image, information] = objects.map(([, body]) => body);
  assert.match(catalog, /^<< \/Type \/Catalog \/Pages 2 0 R .*\/DisplayDocTitle true/);
  assert.match(pages, /^<< \/Type \/Pages \/Kids \[3 0 R\] \/Count 1 >>$/);
  assert.match(sheet, /^<< \/Type \/Page \/Parent 2 0 R .*\/XObject << \/Map 5 0 R >> >> \/Contents 4 0 R >>$/);
  assert.match(image, /^<< \/Type \/XObject \/Subtype \/Image .*\/Filter \/DCTDecode /);
  const [, length, stream] = /^<< \/Length (\d+) >>\nstream\n([^]*)\nendstream$/.exec(drawing);
  assert.equal(stream.length, Number(length));
  assert.equal(information, "<< /Title <feff0041> >>");
});
