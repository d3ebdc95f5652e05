// Descriptions of collections as the page's data have them.

/** A collection; `fields` replace those of one without time and events. */
export const collection = (id, fields = {}) => ({
  id,
  title: id,
  label: id,
  group: "Floods",
  geometryType: "Point",
  bbox: null,
  time: null,
  items: null,
  importance: null,
  eventKey: null,
  columns: [],
  ...fields,
});
