// The texts of a page that is not in English. They are those of a page in Arabic, as its script has them.

import assert from "node:assert/strict";
import { test } from "node:test";

globalThis.damsWords = {
  language: "ar",
  fromRight: true,
  plural: (n) => Number(n === 0 ? 0 : n === 1 ? 1 : n === 2 ? 2 : n % 100 >= 3 && n % 100 <= 10 ? 3 : n % 100 <= 2 ? 4 : 5),
  places: { India: "الهند" },
  texts: {
    Play: "تشغيل",
    "Legend of {name}": "مفتاح {name}",
    "{number} feature": ["لا معالم", "معلم واحد", "معلمان", "{number} معالم", "{number} معلم", "{number} معلمًا"],
    "{time}, expected": "{time}، متوقع",
    "since {time}": "منذ {time}",
    N: "شمالًا",
    people: "شخص",
    "{level} alert": "إنذار {level}",
    Red: "أحمر",
    E: "شرقًا",
    "{degrees}{side}": "{degrees} {side}",
  },
};
const words = "../../../../../services/viewer/browser/words/";
const { formatNumber, inARow, isolated, LOCALE, say, sayMany, withUnit } = await import(`${words}say.js`);
const { agoWords, spanWords } = await import(`${words}time.js`);
const { featureName } = await import(`${words}feature-name.js`);
const { formatText } = await import(`${words}format.js`);
const { formatPosition, parseCoordinates } = await import(`${words}coordinates.js`);

/** Removes the characters that isolate the direction of inserted text. */
const plain = (text) => text.replace(/[\u2067-\u2069]/g, "");

test("a text is said in the language, and in English where nobody translated it", () => {
  assert.deepEqual([say("Play"), say("Pause")], ["تشغيل", "Pause"]);
});

test("values stand in their places, and keep their direction", () => {
  assert.equal(say("Legend of {name}", { name: "Floods" }), "مفتاح \u2068Floods\u2069");
  assert.equal(say("Legend of {name}"), "مفتاح {name}");
  assert.equal(say("Legend of {name}", { name: "{name}" }), "مفتاح \u2068{name}\u2069");
  assert.equal(say("Legend of {name}", { name: null }), "مفتاح ");
  // no name of what every object has is a place
  assert.equal(say("{constructor}"), "{constructor}");
});

test("a number has the form of its language, six in Arabic", () => {
  const said = [0, 1, 2, 3, 11, 100, 1707].map((number) => sayMany("{number} feature", "{number} features", number));
  assert.deepEqual(said, ["لا معالم", "معلم واحد", "معلمان", "3 معالم", "11 معلمًا", "100 معلم", "1,707 معالم"]);
  assert.equal(plain(sayMany("{number} feature", "{number} features", 1707, { number: "over 1,707" })), "over 1,707 معالم");
  // without a translation, the English ones
  assert.deepEqual([1, 2].map((number) => sayMany("{number} point", "{number} points", number)), ["1 point", "2 points"]);
});

test("what stands in a row is isolated, and nothing in place of nothing", () => {
  assert.equal(inARow(["a", null, false, "", "ب"], ", "), "\u2068a\u2069, \u2067ب\u2069");
  // a text with Arabic words is read from right to left, whatever it begins with
  assert.equal(isolated("M 6.1 تقريبًا"), "\u2067M 6.1 تقريبًا\u2069");
  assert.equal(withUnit(1600.5, "kt"), "\u20681,600.5 kt\u2069");
  assert.equal(inARow([null]), "");
});

test("numbers, times and ages are Arabic, with the digits of coordinates", () => {
  assert.deepEqual([LOCALE, formatNumber(1707.5)], ["ar-u-nu-latn", "1,707.5"]);
  assert.equal(plain(spanWords(Date.parse("2018-02-06"), null)), "منذ 6 فبراير 2018");
  assert.equal(agoWords(0, 3 * 3600e3), "قبل 3 ساعات");
});

test("a position that is said is understood when it is typed", () => {
  const said = formatPosition([121.56, 25.03]);
  assert.equal(plain(said), "25.03° شمالًا 121.56° شرقًا");
  assert.deepEqual(parseCoordinates(said), [121.56, 25.03]);
  assert.deepEqual(parseCoordinates("25.03N 121.56E"), [121.56, 25.03]);
});

test("countries, levels and units of features are in the language, each part in its own direction", () => {
  const hazards = { worded: true };
  assert.deepEqual(["India", "Nowhere"].map((country) => plain(formatText("country", country, hazards))), ["الهند", "Nowhere"]);
  assert.deepEqual([plain(formatText("alert_level", "Red", hazards)), plain(formatText("alert_level", "Red")), plain(formatText("country", "India"))], ["أحمر", "Red", "India"], "values of own tables are no words of the map");
  assert.equal(plain(formatText("population_in_places", 5, { name: "population_in_places", title: "", unit: "people" })), "5 شخص");
  assert.equal(formatText("place", "49 km SW of Bijapur"), "\u206849 km SW of Bijapur\u2069");
  const alert = { properties: { alert_level: "Red", country: "India" } };
  assert.equal(plain(featureName({ label: "Alerts" }, alert)), "إنذار أحمر, الهند");
});

test("the name, the days and the wind of a storm each have their own direction", () => {
  const storm = { label: "Storms", time: { column: "start_date", endColumn: "end_date" } };
  const said = featureName(storm, { properties: { basin: "NA", name: "Irma", start_date: "2017-08-30", end_date: "2017-09-13", max_wind_kt: 155 } });
  assert.match(said, /^\u2068Irma\u2069, \u2067[^\u2069]*\u2069, \u2068155 kt\u2069$/);
});
