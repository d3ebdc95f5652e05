// Writes a PDF of one page with one picture (PDF 1.4, ISO 32000-1). The viewer needs only this part of the format.

const MARGIN = 24; // points
const SHORT_SIDE = 595.28; // of A4, in points
const LONG_SIDE = 841.89;

/**
 * A page of A4, upright or across as the picture is, with the picture as large as fits.
 * @param {Uint8Array} jpeg
 * @param {{ width: number, height: number }} size of the picture in pixels
 * @param {string} title of the document
 * @returns {Blob}
 */
export function pdfOf(jpeg, { width, height }, title) {
  const [pageWidth, pageHeight] = width > height ? [LONG_SIDE, SHORT_SIDE] : [SHORT_SIDE, LONG_SIDE];
  const scale = Math.min((pageWidth - 2 * MARGIN) / width, (pageHeight - 2 * MARGIN) / height);
  const [w, h] = [width * scale, height * scale];
  const [x, y] = [(pageWidth - w) / 2, pageHeight - MARGIN - h];
  const drawing = `q ${[w, 0, 0, h, x, y].map((number) => number.toFixed(2)).join(" ")} cm /Map Do Q`;
  const image = `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /DCTDecode`;
  /** @type {(string | Uint8Array)[][]} */
  const objects = [
    ["<< /Type /Catalog /Pages 2 0 R /ViewerPreferences << /DisplayDocTitle true >> >>"],
    ["<< /Type /Pages /Kids [3 0 R] /Count 1 >>"],
    [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${pageWidth} ${pageHeight}]`,
      " /Resources << /XObject << /Map 5 0 R >> >> /Contents 4 0 R >>",
    ],
    [`<< /Length ${drawing.length} >>\nstream\n${drawing}\nendstream`],
    [`<< ${image} /Length ${jpeg.length} >>\nstream\n`, jpeg, "\nendstream"],
    [`<< /Title <${utf16(title)}> >>`],
  ];
  return written(objects);
}

/**
 * The file: objects numbered from 1, the first the catalogue, the last the document's information.
 * @param {(string | Uint8Array)[][]} objects
 */
function written(objects) {
  /** @type {(string | Uint8Array)[]} */
  const parts = [];
  let length = 0;
  /** @param {string | Uint8Array} part */
  const add = (part) => {
    parts.push(part);
    length += part.length;
  };
  add("%PDF-1.4\n");
  const places = objects.map((object, at) => {
    const place = length;
    [`${at + 1} 0 obj\n`, ...object, "\nendobj\n"].forEach(add);
    return place;
  });
  const table = length;
  const entries = places.map((place) => `${String(place).padStart(10, "0")} 00000 n \n`);
  add(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${entries.join("")}`);
  add(`trailer\n<< /Size ${objects.length + 1} /Root 1 0 R /Info ${objects.length} 0 R >>\nstartxref\n${table}\n%%EOF\n`);
  return new Blob(/** @type {BlobPart[]} */ (parts), { type: "application/pdf" });
}

/**
 * A text string in UTF-16 with its mark, as hexadecimal digits.
 * @param {string} text
 */
const utf16 = (text) =>
  ["feff", ...Array.from({ length: text.length }, (_, at) => text.charCodeAt(at).toString(16).padStart(4, "0"))].join("");
