/** Documents with a value of every type, at the ends of its range, as JSON that no parser rounds. */

/** The schema of `EVERY_TYPE_ROWS`. */
export const EVERY_TYPE_SCHEMA = {
  vector: { type: "[2]f32", ann: true },
  v16: { type: "[2]f16", ann: true },
  v8: { type: "[2]i8", ann: true },
  many: { type: "[][2]f32", ann: { late_interaction: true } },
  sparse: { type: "{}f16" },
  text: { type: "string", full_text_search: true },
  int: "int",
  uint: "uint",
  float: "float",
  uuid: "uuid",
  datetime: "datetime",
  bool: "bool",
  bytes: "bytes",
  texts: "[]string",
  ints: "[]int",
  uints: "[]uint",
  floats: "[]float",
  uuids: "[]uuid",
  datetimes: "[]datetime",
  bools: "[]bool",
};

const VECTORS = '"vector":[0.1,0.9],"v16":[0.33325195,65504],"v8":[1,-128]';
const UUID = "769c134d-07b8-4225-954a-b6cc5ffc320c";

/** Rows in the order of their ids, with members as exports write them. */
export const EVERY_TYPE_ROWS = [
  `{"id":0,${VECTORS},"many":[[1,2]]}`,
  `{"id":9007199254740993,${VECTORS},"many":[[0.1,0.2],[0.3,-0.4]],` +
    '"sparse":{"a":0.5,"b,\\"c":1.25},' +
    '"text":"quote\\" comma, backslash\\\\ line\\nseparator\u2028🐋","int":-9223372036854775808,' +
    '"uint":18446744073709551615,"float":0.1,' +
    `"uuid":"${UUID}","datetime":"2026-01-31T09:30:00.123000000Z","bool":true,"bytes":"AAEC/w==",` +
    '"texts":["a,\\"b","","\\\\"],"ints":[-9223372036854775808,5],"uints":[18446744073709551615],' +
    `"floats":[0.1,-1e-300],"uuids":["${UUID}"],` +
    '"datetimes":["1969-12-31T23:59:59.999000000Z"],"bools":[true,false]}',
  `{"id":18446744073709551615,${VECTORS},"many":[[1e-40,3.4e+38]],"text":"","int":0,"float":-0.0,` +
    '"bool":false,"bytes":"","texts":[],"ints":[],"uints":[],"floats":[],"uuids":[],' +
    '"datetimes":[],"bools":[]}',
];
