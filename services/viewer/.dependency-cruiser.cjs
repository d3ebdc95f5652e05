// The direction of imports between the rooms of the browser's scripts: a room imports those below it; rooms of one
// floor do not know each other.

const FLOORS = [["panel", "engines"], ["model"], ["page"], ["filters"], ["service"], ["cartography", "words"]];

const isAbove = (room, other) => {
  const floor = (name) => FLOORS.findIndex((rooms) => rooms.includes(name));
  return other !== room && floor(other) <= floor(room);
};

module.exports = {
  forbidden: [
    { name: "no-circle", severity: "error", from: {}, to: { circular: true } },
    { name: "no-orphan", severity: "error", from: { orphan: true, pathNot: "^browser/(map|docs)\\.js$" }, to: {} },
    { name: "is-found", severity: "error", from: {}, to: { couldNotResolve: true } },
    { name: "pages-stand-on-top", severity: "error", from: {}, to: { path: "^browser/(map|docs)\\.js$" } },
    { name: "the-explorer-stands-alone", severity: "error", from: { path: "^browser/docs" }, to: { path: "^browser/", pathNot: "^browser/(docs|filters|words)/" } },
    { name: "the-map-does-without-it", severity: "error", from: { pathNot: "^browser/docs" }, to: { path: "^browser/docs" } },
    ...FLOORS.flat().map((room) => ({
      name: `${room}-imports-what-is-below`,
      severity: "error",
      from: { path: `^browser/${room}/` },
      to: { path: `^browser/(${FLOORS.flat().filter((other) => isAbove(room, other)).join("|") || "-"})/` },
    })),
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "default"] },
  },
};
